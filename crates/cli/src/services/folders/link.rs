//! `fastness folders link`: a folder of this machine and a directory of the server.

use std::path::{Path, PathBuf};

use clap::Args;
use client::Request;
use folder_agent::run::{Address, Link, device_name, new_uuid};
use serde_json::Value;
use url::Url;

use super::place;
use crate::failure::{Done, Failure};
use crate::input::seconds;
use crate::page::items_of;
use crate::session::Session;

/// How a folder is linked.
#[derive(Debug, Clone, Args)]
pub(crate) struct Choices {
    /// What this device is called in conflict copies and on the server [default: the name of this machine]
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// `A.txt` and `a.txt` are two files; only for a server that does not say so itself
    #[arg(long)]
    pub(super) exact_names: bool,
    /// Symbolic links are not kept in step
    #[arg(long)]
    no_links: bool,
    /// Time between two looks at everything, whatever the system tells of changes
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = seconds(1..=604_800))]
    rescan: u64,
}

/// What is linked with what.
#[derive(Debug, Args)]
pub(crate) struct Make {
    /// The directory: its id, or its name if no other has it
    #[arg(value_name = "DIRECTORY")]
    directory: String,
    /// The folder, which is made if it is not there
    #[arg(value_name = "PATH")]
    path: PathBuf,
    #[command(flatten)]
    choices: Choices,
}

impl Make {
    pub(super) async fn run(self, session: &Session) -> Done {
        let directory = find_directory(session, &self.directory).await?;
        let link = self.choices.link(session, &directory, &self.path)?;
        let folder = place::folder(&link);
        let sentence = format!("{folder} is linked with {}; `fastness folders run` keeps them in step", link.directory);
        session.out.done(&place::shown(&link), &sentence, Some("/directory"))
    }
}

impl Choices {
    /// Links a folder with a directory as the server tells it.
    pub(super) fn link(&self, session: &Session, directory: &Value, path: &Path) -> Result<Link, Failure> {
        let id = directory["id"].as_str().unwrap_or_default();
        let exact_names = directory["names"].as_str().map_or(self.exact_names, |names| names == "exact");
        let chance = |error| Failure::here(format!("no id for the link: {error}"));
        let link = Link {
            link: new_uuid().map_err(chance)?,
            root: path.to_owned(),
            directory: id.to_owned(),
            address: address(session)?,
            device: self.device.clone().unwrap_or_else(device_name),
            client_id: new_uuid().map_err(chance)?,
            exact_names,
            links: !self.no_links,
            rescan_s: self.rescan,
        };
        place::home()?.add(link).map_err(place::failure)
    }
}

/// The server of this command, by its key.
pub(super) fn address(session: &Session) -> Result<Address, Failure> {
    let wrong = |error| Failure::usage(format!("{} is no address: {error}", session.server()));
    let server = Url::parse(session.server()).map_err(wrong)?;
    Ok(Address { server, namespace: session.namespace.clone(), key: session.access_key()?.to_owned() })
}

/// The directory of an id or a name, as the server tells it.
pub(super) async fn find_directory(session: &Session, wanted: &str) -> Result<Value, Failure> {
    session.access_key()?;
    let (mut named, mut after) = (vec![], None);
    loop {
        let request = Request::get(&["folders", "directories"]).query("limit", "1000");
        let request = after.iter().fold(request, |request, after: &String| request.query("after", after.as_str()));
        let page = session.get(request).await?;
        for directory in items_of(&page)? {
            if directory["id"] == wanted {
                return Ok(directory.clone());
            }
            named.extend((directory["name"] == wanted).then(|| directory.clone()));
        }
        after = page["next"].as_str().map(str::to_owned);
        if after.is_none() {
            return only(named, wanted);
        }
    }
}

fn only(mut named: Vec<Value>, wanted: &str) -> Result<Value, Failure> {
    match named.len() {
        0 => Err(Failure::usage(format!("there is no directory `{wanted}` that this key may read"))
            .hint("`fastness folders create NAME` makes one")),
        1 => Ok(named.remove(0)),
        many => {
            let ids: Vec<&str> = named.iter().filter_map(|directory| directory["id"].as_str()).collect();
            Err(Failure::usage(format!("{many} directories are called `{wanted}`: say which by its id"))
                .hint(ids.join(" or ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fld_22_a_directory_is_named_by_its_id_or_by_a_name_that_no_other_has() {
        let named = |ids: &[&str]| ids.iter().map(|id| json!({ "id": id, "name": "Plans" })).collect::<Vec<_>>();
        assert_eq!(only(named(&["a"]), "Plans").unwrap()["id"], "a");
        assert!(only(vec![], "Plans").is_err() && only(named(&["a", "b"]), "Plans").is_err());
    }
}
