//! `fastness folders`: folders of this machine that are kept in step with directories of the server (FLD-22).
//!
//! - `place`: links of this machine; `tree`: what lies in their folders;
//! - `create`, `link`, `pull`, `unlink`, `config`: links; `run`, `keeping`, `tell`: keeps them in step;
//! - `directory`, `member`, `file`: what the server has, for whoever runs it;
//! - `status`, `why`, `history`, `restore`, `conflicts`, `confirm`, `ignore`: what people ask and say; `service`: systemd.
//!
//! What is only about this machine works without a server and without a login: a link has a key of its own, which is shown to nobody.

mod config;
mod confirm;
mod conflicts;
mod create;
mod directory;
mod file;
mod history;
mod ignore;
mod keeping;
mod link;
mod member;
mod place;
mod pull;
mod restore;
mod rules;
mod run;
mod service;
mod standing;
mod status;
mod tell;
mod tree;
mod unlink;
mod why;

use clap::Subcommand;

use super::Nouns;
use crate::failure::Done;
use crate::login::Login;
use crate::session::Session;

/// What can be done with folders.
#[derive(Debug, Subcommand)]
pub(crate) enum Folders {
    /// Make an access key for later commands: the same as `fastness login`
    #[command(after_help = "Examples:\n  fastness folders login --server https://fastness.example --account anna")]
    Login(Login),
    /// Make a directory on the server; with a folder, link it at once
    #[command(
        after_help = "Examples:\n  fastness folders create 'Plans of 2026'\n  fastness folders create 'Plans of 2026' ~/plans"
    )]
    Create(create::Create),
    /// Link a folder of this machine with a directory of the server
    #[command(
        after_help = "Examples:\n  fastness folders link 'Plans of 2026' ~/plans\n  fastness folders link 3a7c9c1e-5d0b-4b7e-9d53-0d8f3a1b2c4d ~/plans --device laptop --rescan 3600"
    )]
    Link(link::Make),
    /// Link a folder and bring everything here, then end
    #[command(
        after_help = "Examples:\n  fastness folders pull 'Plans of 2026' ~/plans\n  fastness folders pull 'Plans of 2026' ~/plans --timeout 600    waits ten minutes for the server"
    )]
    Pull(pull::Pull),
    /// Forget a link; files stay where they are, here and on the server
    #[command(after_help = "Examples:\n  fastness folders unlink ~/plans --yes")]
    Unlink(unlink::Unlink),
    /// Keep linked folders in step until Ctrl-C or SIGTERM
    #[command(
        after_help = "Examples:\n  fastness folders run\n  fastness folders run ~/plans --once    ends when everything is in step\n  fastness folders run --json            one line for each thing that happens"
    )]
    Run(run::Run),
    /// Show linked folders: what is to be sent and fetched, what waits, what is wrong
    #[command(
        after_help = "Examples:\n  fastness folders status\n  fastness folders status ~/plans --follow\n  fastness folders status --json"
    )]
    Status(status::Status),
    /// Say everything that is known of one file: why it is, or is not, in step
    #[command(after_help = "Examples:\n  fastness folders why ~/plans/budget.ods")]
    Why(why::Why),
    /// List the versions of a file on the server, and copies of it in the backups of this machine
    #[command(after_help = "Examples:\n  fastness folders history ~/plans/budget.ods")]
    History(history::History),
    /// Bring a version of the server or a backup of this machine back
    #[command(
        after_help = "Examples:\n  fastness folders restore ~/plans/budget.ods --list\n  fastness folders restore ~/plans/budget.ods --version 3\n  fastness folders restore ~/plans/budget.ods --backup 2026-11-18/1795000000000-0/budget.ods"
    )]
    Restore(restore::Restore),
    /// List copies that were made because two devices changed one file
    #[command(after_help = "Examples:\n  fastness folders conflicts\n  fastness folders conflicts ~/plans/reports")]
    Conflicts(conflicts::Conflicts),
    /// Let many removals happen, which wait for a word of yours
    #[command(after_help = "Examples:\n  fastness folders confirm ~/plans")]
    Confirm(confirm::Confirm),
    /// Say what is not kept in step, in the syntax of Git; or see what is
    #[command(
        after_help = "Examples:\n  fastness folders ignore '*.tmp' 'build/' --path ~/plans\n  fastness folders ignore --list --path ~/plans\n  fastness folders ignore --check ~/plans/build/a.o"
    )]
    Ignore(ignore::Ignore),
    /// Show or change a link
    #[command(
        after_help = "Examples:\n  fastness folders config ~/plans\n  fastness folders config ~/plans --rescan 3600 --links off\n  fastness folders config ~/plans --rekey --key-file new-key"
    )]
    Config(config::Config),
    /// Print the systemd unit that keeps folders in step; or install it for this user
    #[command(
        after_help = "Examples:\n  fastness folders service\n  fastness folders service --install\n  fastness folders service --uninstall"
    )]
    Service(service::Service),
    /// Directories of the server: who may what, how much, and back to what they were
    #[command(subcommand)]
    Directory(directory::DirectoryVerb),
    /// Who has a role in a directory
    #[command(subcommand)]
    Member(member::MemberVerb),
    /// Devices that came to a directory
    #[command(subcommand)]
    Device(member::DeviceVerb),
    /// Who writes or waits in a directory right now
    #[command(subcommand)]
    Lock(member::LockVerb),
    /// Files as the server has them, with their versions
    #[command(subcommand)]
    File(file::FileVerb),
}

impl Nouns for Folders {
    async fn run(self, session: &Session) -> Done {
        match self {
            Self::Login(login) => login.run(session.common().clone()).await,
            Self::Create(create) => create.run(session).await,
            Self::Link(make) => make.run(session).await,
            Self::Pull(pull) => pull.run(session).await,
            Self::Unlink(unlink) => unlink.run(session).await,
            Self::Run(run) => run.run(session).await,
            Self::Status(status) => status.run(session).await,
            Self::Why(why) => why.run(session),
            Self::History(history) => history.run(session).await,
            Self::Restore(restore) => restore.run(session).await,
            Self::Conflicts(conflicts) => conflicts.run(session),
            Self::Confirm(confirm) => confirm.run(session),
            Self::Ignore(ignore) => ignore.run(session),
            Self::Config(config) => config.run(session),
            Self::Service(service) => service.run(session),
            Self::Directory(verb) => verb.run(session).await,
            Self::Member(verb) => verb.run(session).await,
            Self::Device(verb) => verb.run(session).await,
            Self::Lock(verb) => verb.run(session).await,
            Self::File(verb) => verb.run(session).await,
        }
    }
}
