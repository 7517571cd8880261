//! `fastness folders pull`: a folder that was not here, with all that is in it.

use std::path::PathBuf;

use clap::Args;

use super::keeping::Keeping;
use super::link::{Choices, find_directory};
use super::{place, run};
use crate::failure::{Done, Failure};
use crate::session::Session;

/// What is brought where.
#[derive(Debug, Args)]
pub(crate) struct Pull {
    /// The directory: its id, or its name if no other has it
    #[arg(value_name = "DIRECTORY")]
    directory: String,
    /// The folder, which is made if it is not there
    #[arg(value_name = "PATH")]
    path: PathBuf,
    #[command(flatten)]
    choices: Choices,
}

impl Pull {
    /// One that was broken off is gone on with: a folder that is linked with this very directory is not linked again.
    pub(super) async fn run(self, session: &Session) -> Done {
        let home = place::home()?;
        let directory = find_directory(session, &self.directory).await?;
        let known = home.link_of(&self.path).ok().filter(|(_, inside)| inside.is_empty()).map(|(link, _)| link);
        let link = match known.filter(|link| directory["id"] == link.directory) {
            Some(link) => link,
            None => self.choices.link(session, &directory, &self.path)?,
        };
        let mut keeping = Keeping::new(home, std::slice::from_ref(&link.root))?;
        keeping.look_at_links()?;
        if keeping.folders.is_empty() {
            return Err(Failure::here(format!("{} is not linked any more", place::folder(&link))));
        }
        run::keep_once(&mut keeping, session).await
    }
}
