//! Attachments (DOC-12).

use std::path::PathBuf;

use clap::Subcommand;
use client::Request;

use crate::failure::{Done, Failure};
use crate::flags::Sure;
use crate::local;
use crate::services::files;
use crate::session::Session;

/// What can be done with attachments.
#[derive(Debug, Subcommand)]
pub(crate) enum AttachmentVerb {
    /// Attach a file to a document
    #[command(
        after_help = "Examples:\n  fastness documents attachment put Contact ada photo ada.jpg --type image/jpeg"
    )]
    Put {
        #[command(flatten)]
        at: Place,
        /// The file; `-` for the standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Its media type
        #[arg(long = "type", value_name = "MIME", default_value = "application/octet-stream")]
        mime: String,
    },
    /// Read an attachment
    #[command(
        after_help = "Examples:\n  fastness documents attachment get Contact ada photo --output ada.jpg\n  fastness documents attachment get Contact ada notes | less"
    )]
    Get {
        #[command(flatten)]
        at: Place,
        /// Where to; the standard output if it is no terminal
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Detach a file from a document
    #[command(after_help = "Examples:\n  fastness documents attachment delete Contact ada photo --yes")]
    Delete {
        #[command(flatten)]
        at: Place,
        #[command(flatten)]
        sure: Sure,
    },
}

/// A document and a key.
#[derive(Debug, clap::Args)]
pub(crate) struct Place {
    /// Class of the document
    #[arg(value_name = "CLASS")]
    class: String,
    /// Id of the document
    #[arg(value_name = "ID")]
    id: String,
    /// Key of the attachment
    #[arg(value_name = "KEY")]
    key: String,
}

impl Place {
    fn request(&self, method: &str) -> Request {
        Request::new(method, &["docs", &self.class, &self.id, "attachments", &self.key])
    }

    fn words(&self) -> String {
        format!("attachment {} of {}/{}", self.key, self.class, self.id)
    }
}

impl AttachmentVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::Put { at, file, mime } => {
                let wrong = |error| Failure::usage(format!("cannot read {}: {error}", file.display()));
                let bytes = local::read(&file).map_err(wrong)?;
                let length = bytes.len();
                let put = session.patient().change(at.request("PUT").bytes(&mime, bytes)).await?;
                session.out.done(&put, &format!("{} is put: {length} bytes", at.words()), None)
            }
            Self::Get { at, output } => {
                files::download(session, at.request("GET"), output.as_deref(), &at.words()).await
            }
            Self::Delete { at, sure } => {
                session.confirm(sure, &format!("delete {}", at.words()))?;
                let done = session.change(at.request("DELETE")).await?;
                session.out.done(&done, &format!("{} is deleted", at.words()), None)
            }
        }
    }
}
