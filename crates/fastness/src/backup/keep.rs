//! Which older backups may go (KER-37): those beyond the number that is kept, but never the last one that has a namespace which still exists,
//! and none whose manifest cannot be read: nobody knows then what it has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Manifest, finished};
use anyhow::Result;

/// A whole backup, and what is in it or why that is not known.
struct Held {
    folder: PathBuf,
    places: Result<BTreeSet<String>>,
}

/// Those that are beyond what is kept.
#[derive(Debug, Default)]
pub(super) struct Beyond {
    /// They may go.
    pub(super) gone: Vec<PathBuf>,
    /// Of these nobody knows: a disk that fails, or a newer program wrote them. For people.
    pub(super) unreadable: Vec<String>,
}

/// Whole backups, the newest first.
fn held(to: &Path) -> Result<Vec<Held>> {
    let places = |folder: &Path| Manifest::read(folder).map(|it| it.namespaces.into_iter().map(|it| it.name).collect());
    let held = |folder: PathBuf| Held { places: places(&folder), folder };
    Ok(finished(to)?.into_iter().rev().map(held).collect())
}

/// The newest backup that has a namespace.
pub(super) fn last_of(to: &Path, place: &str) -> Result<Option<PathBuf>> {
    let has = |backup: &Held| backup.places.as_ref().is_ok_and(|places| places.contains(place));
    Ok(held(to)?.into_iter().find(has).map(|backup| backup.folder))
}

/// Those beyond the newest `keep`. `exists` are the places of the namespaces that exist.
pub(super) fn beyond(to: &Path, keep: usize, exists: &BTreeSet<String>) -> Result<Beyond> {
    let (mut kept, mut read, mut beyond) = (BTreeSet::new(), 0, Beyond::default());
    for Held { folder, places } in held(to)? {
        let places = match places {
            Ok(places) => places,
            Err(error) => {
                beyond.unreadable.push(format!("{error:#}"));
                continue;
            }
        };
        read += 1;
        if read > keep.max(1) && places.intersection(exists).all(|place| kept.contains(place)) {
            beyond.gone.push(folder);
        } else {
            kept.extend(places);
        }
    }
    Ok(beyond)
}

#[cfg(test)]
mod tests {
    use base::{Clock as _, Stamp};
    use host::RealClock;

    use super::*;
    use crate::backup::{NamespaceBackup, disk};

    /// A day of November, as a stamp.
    fn name(day: u32) -> String {
        format!("backup-2611{day:02}000000000")
    }

    fn write(to: &Path, day: u32, places: &[&str]) {
        let folder = to.join(name(day));
        disk::make_folder(&folder).unwrap();
        let mut manifest = Manifest::new(Stamp::from_wall(RealClock::new().wall()));
        let namespace = |place: &&str| NamespaceBackup {
            name: (*place).to_owned(),
            namespace: None,
            engine: "sqlite".to_owned(),
            steps: vec![],
            tables: vec![],
            files: vec![],
            blobs: 0,
        };
        manifest.namespaces.extend(places.iter().map(namespace));
        manifest.write(&folder).unwrap();
    }

    #[test]
    fn ker_37_the_last_backup_that_has_a_namespace_stays() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path();
        write(to, 1, &["main", "shop", "old"]);
        write(to, 2, &["main", "shop"]);
        write(to, 3, &["main"]);
        write(to, 4, &["main"]);
        let beyond = |keep, exists: &[&str]| {
            let gone = beyond(to, keep, &exists.iter().map(ToString::to_string).collect()).unwrap().gone;
            (1..=4).rev().filter(|day| gone.contains(&to.join(name(*day)))).collect::<Vec<_>>()
        };
        // Of `old` nothing exists any more.
        assert_eq!(beyond(1, &["main", "shop"]), [3, 1]);
        assert_eq!(beyond(0, &["main"]), [3, 2, 1]);
        assert_eq!(beyond(3, &["main", "shop", "old"]), [0; 0]);
        assert_eq!(last_of(to, "shop").unwrap(), Some(to.join(name(2))));
        assert_eq!(last_of(to, "new").unwrap(), None);
    }

    #[test]
    fn ker_37_a_backup_whose_manifest_cannot_be_read_stays_and_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path();
        (1..=4).for_each(|day| write(to, day, &["main"]));
        let newer = r#"{"format": 2, "namespaces": "in another form"}"#;
        disk::write(&to.join(name(1)).join("manifest.json"), newer.as_bytes()).unwrap();
        disk::write(&to.join(name(3)).join("manifest.json"), b"{").unwrap();
        let Beyond { gone, unreadable } = beyond(to, 1, &["main".to_owned()].into()).unwrap();
        assert_eq!(gone, [to.join(name(2))]);
        let words = [(name(3), "damaged"), (name(1), "form 2")];
        let tells = |text: &String, (name, why): &(String, &str)| text.contains(name.as_str()) && text.contains(why);
        assert!(
            unreadable.len() == 2 && unreadable.iter().zip(&words).all(|(text, it)| tells(text, it)),
            "{unreadable:?}"
        );
    }
}
