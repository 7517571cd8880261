//! How one file stands: what follows from what this disk, the server and both together had. Pure: facts in, words out.

use folder_agent::model::{Content, FileId, Remote, RemoteTree, Stat, Synced, SyncedTree};
use folder_agent::state::{Put, State};

use super::rules::Rule;

/// All that is known of a path.
pub(super) struct Facts<'a> {
    /// What lies here.
    pub(super) here: Option<Stat>,
    /// What both had.
    pub(super) synced: Option<&'a Synced>,
    /// What the server told last.
    pub(super) remote: Option<&'a Remote>,
    /// What was set aside to be sent.
    pub(super) aside: Option<&'a Put>,
    /// Why it cannot be kept in step, and of which path that was said.
    pub(super) other: Option<(&'a str, &'a str)>,
    /// The rule by which it is ignored.
    pub(super) rule: Option<Rule>,
}

/// How it stands, in a word and in words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) word: &'static str,
    pub(super) words: String,
}

impl<'a> Facts<'a> {
    /// From what the daemon remembers.
    pub(super) fn of(state: &'a State, path: &str, here: Option<Stat>, rule: Option<Rule>) -> Self {
        let synced = find_synced(state.synced(), path);
        let remote = synced.and_then(|(id, _)| state.remote().get(&id)).or_else(|| find_remote(state.remote(), path));
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let other = ends.into_iter().find_map(|end| state.others().get_key_value(&path[..end]));
        Self {
            here,
            synced: synced.map(|(_, synced)| synced),
            remote,
            aside: state.asides().get(path),
            other: other.map(|(path, why)| (path.as_str(), why.as_str())),
            rule,
        }
    }

    /// How it stands.
    pub(super) fn standing(&self) -> Standing {
        let (word, words) = self.judge();
        Standing { word, words }
    }

    fn judge(&self) -> (&'static str, String) {
        if let Some(rule) = &self.rule {
            let known = match self.synced {
                Some(both) => format!("; the server keeps version {} from before", both.version),
                None => String::new(),
            };
            return ("ignored", format!("it is ignored: `{}` of {} names {}{known}", rule.line, rule.file, rule.names));
        }
        if let Some((path, why)) = self.other {
            return ("not kept", format!("it cannot be kept in step because of {path}: {why}"));
        }
        match (self.here, self.synced) {
            (Some(here), Some(both)) if both.stat == here => self.unchanged(both),
            (Some(_), Some(both)) => self.changed(both),
            (None, Some(both)) => self.gone(both),
            (Some(_), None) => self.new_here(),
            (None, None) => self.not_here(),
        }
    }

    fn unchanged(&self, both: &Synced) -> (&'static str, String) {
        match self.remote {
            Some(told) if told.deleted => {
                ("to remove", "it was removed on the server, and is to be removed here".into())
            }
            Some(told) if told.content_version > both.content_version => (
                "to fetch",
                format!(
                    "it is as in version {}; the server has version {}, which is to be fetched",
                    both.version, told.version
                ),
            ),
            Some(told) if told.version > both.version => (
                "to move",
                format!(
                    "it is as in version {}; in version {} the server calls it {}",
                    both.version, told.version, told.name
                ),
            ),
            Some(_) | None => ("in step", format!("it is in step with the server, as version {}", both.version)),
        }
    }

    fn changed(&self, both: &Synced) -> (&'static str, String) {
        let beside = match self.remote {
            Some(told) if told.deleted => "; it was removed on the server meanwhile, and comes back with this change",
            Some(told) if told.content_version > both.content_version => {
                "; it was changed on the server too: what is here becomes a conflict copy, unless both are the same"
            }
            Some(_) | None => "",
        };
        ("changed", format!("it was changed here since version {}; {}{beside}", both.version, self.on_its_way()))
    }

    fn gone(&self, both: &Synced) -> (&'static str, String) {
        match self.remote {
            Some(told) if !told.deleted && told.content_version > both.content_version => {
                ("to fetch", format!("it is gone here, but the server has version {}, which comes back", told.version))
            }
            Some(_) | None => {
                let words =
                    format!("it was removed or moved here since version {}; the server is to be told", both.version);
                ("removed", words)
            }
        }
    }

    fn new_here(&self) -> (&'static str, String) {
        match self.remote.filter(|told| !told.deleted) {
            Some(told) => {
                let words = "it lies here, and the server has one of this name that never was here";
                (
                    "meeting",
                    format!(
                        "{words} (version {}): if both are the same they are joined, otherwise this one becomes a conflict copy",
                        told.version
                    ),
                )
            }
            None => ("new", format!("it is new here; {}", self.on_its_way())),
        }
    }

    fn not_here(&self) -> (&'static str, String) {
        match self.remote {
            Some(told) if told.deleted => ("removed", format!("it was removed (version {})", told.version)),
            Some(told) => ("to fetch", format!("the server has version {}, which is to be fetched", told.version)),
            None => {
                ("unknown", "nothing is known of it: it is not here, and the server told of no such file".to_owned())
            }
        }
    }

    fn on_its_way(&self) -> &'static str {
        match (self.aside, self.here) {
            (Some(put), Some(here)) if put.aside.stat == here => "it is set aside and to be sent",
            (Some(_), Some(_)) => "an earlier change is set aside and to be sent, this one follows when it is quiet",
            (Some(_), None) | (None, _) => "it waits until it is quiet, and is then set aside and sent",
        }
    }
}

/// The file that was synced at a path.
pub(super) fn find_synced<'a>(tree: &'a SyncedTree, path: &str) -> Option<(FileId, &'a Synced)> {
    let mut at = (FileId::TOP, None);
    for part in path.split('/') {
        let (id, both) = tree.iter().find(|(_, both)| both.parent == at.0 && *both.name == *part)?;
        at = (*id, Some(both));
    }
    at.1.map(|both| (at.0, both))
}

/// What the server has at a path; if nothing, what was removed there.
fn find_remote<'a>(tree: &'a RemoteTree, path: &str) -> Option<&'a Remote> {
    let (mut at, mut found) = (FileId::TOP, None);
    for part in path.split('/') {
        let named = |told: &Remote| told.parent == at && *told.name == *part;
        let mut named = tree.iter().filter(|(_, told)| named(told)).collect::<Vec<_>>();
        named.sort_by_key(|(_, told)| told.deleted);
        let (id, told) = named.first()?;
        (at, found) = (**id, Some(*told));
    }
    found
}

/// What a file holds, for people.
pub(super) fn held(content: &Content) -> String {
    match content {
        Content::Folder => "a folder".to_owned(),
        Content::File { size, executable: true, .. } => format!("a file of {size} bytes that may be run"),
        Content::File { size, .. } => format!("a file of {size} bytes"),
        Content::Symlink(target) => format!("a symbolic link to {target}"),
    }
}

#[cfg(test)]
mod tests {
    use folder_agent::disk::{Aside, Stage};
    use folder_agent::model::Version;

    use super::*;

    const STAT: Stat = Stat { inode: 1, size: 3, mtime_ns: 5, ctime_ns: 5 };
    const LATER: Stat = Stat { ctime_ns: 9, ..STAT };

    fn content() -> Content {
        Content::File { hash: Some([1; 32]), size: 3, executable: false }
    }

    fn version(version: u64, content_version: u64) -> Version {
        Version { parent: FileId::TOP, name: "a".into(), version, content_version, content: content() }
    }

    fn synced() -> Synced {
        Synced { of: version(4, 3).into(), stat: STAT }
    }

    fn remote(version: u64, content_version: u64, deleted: bool) -> Remote {
        Remote { of: self::version(version, content_version).into(), deleted, mtime_us: None }
    }

    fn facts<'a>(here: Option<Stat>, synced: Option<&'a Synced>, remote: Option<&'a Remote>) -> Facts<'a> {
        Facts { here, synced, remote, aside: None, other: None, rule: None }
    }

    #[test]
    fn fld_22_how_a_file_stands_follows_from_the_three_trees() {
        let both = synced();
        let word = |here, synced, remote: Option<Remote>| facts(here, synced, remote.as_ref()).standing().word;
        assert_eq!(word(Some(STAT), Some(&both), Some(remote(4, 3, false))), "in step");
        assert_eq!(word(Some(STAT), Some(&both), Some(remote(5, 5, false))), "to fetch");
        assert_eq!(word(Some(STAT), Some(&both), Some(remote(5, 3, false))), "to move");
        assert_eq!(word(Some(STAT), Some(&both), Some(remote(5, 3, true))), "to remove");
        assert_eq!(word(Some(LATER), Some(&both), Some(remote(4, 3, false))), "changed");
        assert_eq!(word(None, Some(&both), Some(remote(4, 3, false))), "removed");
        assert_eq!(word(None, Some(&both), Some(remote(5, 5, false))), "to fetch");
        assert_eq!((word(Some(STAT), None, None), word(None, None, None)), ("new", "unknown"));
        assert_eq!(word(Some(STAT), None, Some(remote(1, 1, false))), "meeting");
        assert_eq!(word(None, None, Some(remote(1, 1, false))), "to fetch");
        assert_eq!(word(None, None, Some(remote(2, 1, true))), "removed");
    }

    #[test]
    fn fld_11_both_sides_changed_is_foretold() {
        let (both, told) = (synced(), remote(5, 5, false));
        let words = facts(Some(LATER), Some(&both), Some(&told)).standing().words;
        assert!(words.contains("since version 4") && words.contains("conflict copy"), "{words}");
    }

    #[test]
    fn fld_22_what_is_set_aside_ignored_or_impossible_is_said() {
        let aside = Aside { stat: LATER, hash: [1; 32], size: 3, executable: false, mtime_us: 0 };
        let (both, put) = (synced(), Put { stage: Stage(1), aside });
        let aside = Facts { aside: Some(&put), ..facts(Some(LATER), Some(&both), None) };
        assert!(aside.standing().words.ends_with("it is set aside and to be sent"), "{:?}", aside.standing());
        let rule = Rule { file: ".fastnessignore".into(), line: "*.tmp".into(), names: "a".into() };
        let ignored = Facts { rule: Some(rule), ..facts(Some(STAT), Some(&both), None) };
        assert_eq!(
            ignored.standing().words,
            "it is ignored: `*.tmp` of .fastnessignore names a; the server keeps version 4 from before"
        );
        let other = Facts { other: Some(("a", "a FIFO")), ..facts(Some(STAT), None, None) };
        assert_eq!(other.standing().words, "it cannot be kept in step because of a: a FIFO");
    }

    #[test]
    fn fld_22_a_path_is_found_folder_by_folder() {
        let folder = Synced { of: Version { content: Content::Folder, ..version(4, 3) }.into(), ..synced() };
        let file = Version { parent: FileId(1), name: "b".into(), ..version(4, 3) };
        let file = Synced { of: file.into(), ..synced() };
        let tree = SyncedTree::from([(FileId(1), folder), (FileId(2), file)]);
        assert_eq!(find_synced(&tree, "a/b").map(|(id, _)| id), Some(FileId(2)));
        assert_eq!(find_synced(&tree, "b").map(|(id, _)| id), None);
        let dead = RemoteTree::from([(FileId(1), remote(2, 1, true)), (FileId(2), remote(1, 1, false))]);
        assert_eq!(find_remote(&dead, "a").map(|told| told.deleted), Some(false), "what is there comes first");
    }
}
