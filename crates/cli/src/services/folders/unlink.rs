//! `fastness folders unlink`: forgets a link.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::place;
use crate::failure::Done;
use crate::flags::Sure;
use crate::local;
use crate::session::Session;

/// Looks at whether a daemon let go; as many as it takes for one that looks for links every few seconds.
const LOOKS: u32 = 100;
const BETWEEN: Duration = Duration::from_millis(100);

/// Which link.
#[derive(Debug, Args)]
pub(crate) struct Unlink {
    /// The folder
    #[arg(value_name = "PATH")]
    path: PathBuf,
    #[command(flatten)]
    sure: Sure,
}

impl Unlink {
    /// What is remembered goes last: a daemon that still keeps the folder in step would lose its state under its hands.
    pub(super) async fn run(self, session: &Session) -> Done {
        let home = place::home()?;
        let (link, _) = place::link_of(&home, &self.path)?;
        let folder = place::folder(&link);
        session.confirm_here(self.sure, &format!("unlink {folder} (its files stay, here and on the server)"))?;
        home.end(&link).map_err(place::failure)?;
        for _ in 0..LOOKS {
            if !home.is_kept(&link) {
                break;
            }
            local::pause(BETWEEN).await;
        }
        home.remove(&link).map_err(place::failure)?;
        session.out.done(&place::shown(&link), &format!("{folder} is not linked any more"), Some("/directory"))
    }
}
