//! Which older backups may go (KER-37): those beyond the number that is kept, but never the last one that has a namespace which still exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Manifest, finished};
use anyhow::Result;

/// A whole backup, and what is in it.
struct Held {
    folder: PathBuf,
    places: BTreeSet<String>,
}

/// Whole backups, the newest first. One whose manifest cannot be read holds nothing that anybody could get back.
fn held(to: &Path) -> Result<Vec<Held>> {
    let places = |folder: &Path| Manifest::read(folder).map(|it| it.namespaces.into_iter().map(|it| it.name).collect());
    let held = |folder: PathBuf| Held { places: places(&folder).unwrap_or_default(), folder };
    Ok(finished(to)?.into_iter().rev().map(held).collect())
}

/// The newest backup that has a namespace.
pub(super) fn last_of(to: &Path, place: &str) -> Result<Option<PathBuf>> {
    Ok(held(to)?.into_iter().find(|backup| backup.places.contains(place)).map(|backup| backup.folder))
}

/// Those beyond the newest `keep`. `exists` are the places of the namespaces that exist.
pub(super) fn beyond(to: &Path, keep: usize, exists: &BTreeSet<String>) -> Result<Vec<PathBuf>> {
    let mut kept = BTreeSet::new();
    let mut gone = vec![];
    for (n, Held { folder, places }) in held(to)?.into_iter().enumerate() {
        if n >= keep.max(1) && places.intersection(exists).all(|place| kept.contains(place)) {
            gone.push(folder);
        } else {
            kept.extend(places);
        }
    }
    Ok(gone)
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
            let gone = beyond(to, keep, &exists.iter().map(ToString::to_string).collect()).unwrap();
            (1..=4).rev().filter(|day| gone.contains(&to.join(name(*day)))).collect::<Vec<_>>()
        };
        // Of `old` nothing exists any more.
        assert_eq!(beyond(1, &["main", "shop"]), [3, 1]);
        assert_eq!(beyond(0, &["main"]), [3, 2, 1]);
        assert_eq!(beyond(3, &["main", "shop", "old"]), [0; 0]);
        assert_eq!(last_of(to, "shop").unwrap(), Some(to.join(name(2))));
        assert_eq!(last_of(to, "new").unwrap(), None);
    }
}
