//! Links of this machine, as verbs need them.

use std::path::Path;

use folder_agent::agent::Report;
use folder_agent::run::{Home, Link, LinkError};
use folder_agent::state::{Peek, StateError};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::session::Session;

/// Where links are.
pub(super) fn home() -> Result<Home, Failure> {
    Home::of_user().map_err(failure)
}

/// What is refused is wrong use; the rest failed.
pub(super) fn failure(error: LinkError) -> Failure {
    match error {
        LinkError::Refused(why) => Failure::usage(why).hint("`fastness folders status` shows what is linked"),
        LinkError::Io(..) | LinkError::Damaged(..) | LinkError::State(_) => Failure::here(error),
    }
}

pub(super) fn state_failure(error: StateError) -> Failure {
    Failure::here(error)
}

/// The link of the folder that a path lies in, and the path within it.
pub(super) fn link_of(home: &Home, path: &Path) -> Result<(Link, String), Failure> {
    home.link_of(path).map_err(failure)
}

/// The link of the folder that a path lies in, or all.
pub(super) fn links_at(home: &Home, path: Option<&Path>) -> Result<Vec<Link>, Failure> {
    match path {
        Some(path) => Ok(vec![link_of(home, path)?.0]),
        None => home.links().map_err(failure),
    }
}

/// What may be known of a link: not its key.
pub(super) fn shown(link: &Link) -> Value {
    json!({
        "link": link.link,
        "folder": folder(link),
        "directory": link.directory,
        "server": link.address.server.as_str().trim_end_matches('/'),
        "namespace": link.address.namespace,
        "device": link.device,
        "names": if link.exact_names { "exact" } else { "folded" },
        "links": link.links,
        "rescan_s": link.rescan_s,
    })
}

/// Its folder, for people.
pub(super) fn folder(link: &Link) -> String {
    link.root.display().to_string()
}

/// What its daemon said last.
pub(super) fn report(peek: &Peek) -> Result<Option<Report>, Failure> {
    let text = peek.value("report").map_err(state_failure)?;
    // A report of another version of the program says nothing.
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

/// The server of a link, by its right.
pub(super) fn session_of(session: &Session, link: &Link) -> Result<Session, Failure> {
    let address = &link.address;
    session.elsewhere(address.server.as_str(), &address.namespace, &address.key)
}

#[cfg(test)]
pub(super) mod tests {
    use folder_agent::run::Address;

    use super::*;

    pub(crate) fn link(root: &str) -> Link {
        let address = Address {
            server: url::Url::parse("https://fastness.example").unwrap(),
            namespace: "main".to_owned(),
            key: "fst_secret".to_owned(),
        };
        Link {
            link: "l".to_owned(),
            root: root.into(),
            directory: "d".to_owned(),
            address,
            device: "laptop".to_owned(),
            client_id: "c".to_owned(),
            exact_names: false,
            links: true,
            rescan_s: 600,
        }
    }

    #[test]
    fn fld_22_a_link_is_shown_without_its_key() {
        let text = shown(&link("/plans")).to_string();
        assert!(text.contains("https://fastness.example\"") && text.contains("laptop"), "{text}");
        assert!(!text.contains("fst_secret"), "{text}");
    }
}
