//! `fastness folders config`: how a link is.

use std::path::PathBuf;

use clap::Args;
use folder_agent::run::Link;

use super::{link, place};
use crate::failure::{Done, Failure};
use crate::input::seconds;
use crate::output::{Column, number, text};
use crate::session::Session;

const FIELDS: &[Column] = &[
    text("folder", "/folder"),
    text("directory", "/directory"),
    text("server", "/server"),
    text("namespace", "/namespace"),
    text("device", "/device"),
    text("names", "/names"),
    text("links", "/links"),
    number("rescan, s", "/rescan_s"),
];

/// What is changed.
#[derive(Debug, Args)]
pub(crate) struct Config {
    /// The folder
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// What this device is called in conflict copies and on the server
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Time between two looks at everything
    #[arg(long, value_name = "TIME", value_parser = seconds(1..=604_800))]
    rescan: Option<u64>,
    /// Whether symbolic links are kept in step
    #[arg(long, value_name = "on|off", value_parser = ["on", "off"])]
    links: Option<String>,
    /// From now on by the key of this command: --key-file, FASTNESS_KEY or the login at the link's server
    #[arg(long)]
    rekey: bool,
}

impl Config {
    pub(super) fn run(self, session: &Session) -> Done {
        let home = place::home()?;
        let (before, _) = place::link_of(&home, &self.path)?;
        let after = self.changed(before.clone(), session)?;
        if after == before {
            return session.out.show(&place::shown(&after), FIELDS, "/directory");
        }
        home.save(&after).map_err(place::failure)?;
        let sentence = format!("{} is changed; a daemon that runs takes it up by itself", place::folder(&after));
        session.out.done(&place::shown(&after), &sentence, Some("/directory"))
    }

    fn changed(self, mut link: Link, session: &Session) -> Result<Link, Failure> {
        link.device = self.device.unwrap_or(link.device);
        link.rescan_s = self.rescan.unwrap_or(link.rescan_s);
        link.links = self.links.map_or(link.links, |links| links == "on");
        if self.rekey {
            let given = link::address(session)?;
            if given.server != link.address.server {
                let why = format!("the key is for {}, the folder is linked at {}", given.server, link.address.server);
                return Err(Failure::usage(why).hint("name the server of the link by --server"));
            }
            link.address.key = given.key;
        }
        Ok(link)
    }
}
