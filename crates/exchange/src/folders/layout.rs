//! Where files lie (EXC-4, EXC-5): `<root>/<DBID>/{Messages,Prepared,Log,Unknown,Error}/<name>`. Pure.

use base::RelPath;

/// Places and the names of their folders.
pub const FOLDERS: [(&str, &str); 5] =
    [("messages", "Messages"), ("prepared", "Prepared"), ("log", "Log"), ("unknown", "Unknown"), ("error", "Error")];

/// The folder of a place.
#[must_use]
pub fn folder_of(place: &str) -> Option<&'static str> {
    FOLDERS.iter().find(|(known, _)| *known == place).map(|(_, folder)| *folder)
}

/// The place of a folder.
#[must_use]
pub fn place_of(folder: &str) -> Option<&'static str> {
    FOLDERS.iter().find(|(_, known)| *known == folder).map(|(place, _)| *place)
}

/// Where a file of a database lies.
#[must_use]
pub fn path_of(db: &str, place: &str, name: &str) -> Option<RelPath> {
    RelPath::new(&format!("{db}/{}/{name}", folder_of(place)?))
}

/// Bytes of the longest path of a file that any program can name, its end included (`PATH_MAX`).
const PATH_BYTES: usize = 4_096;
/// Bytes of the longest name of a file.
const NAME_BYTES: usize = 255;
/// Bytes of the longest name of a folder: `Messages`, `Prepared`.
const FOLDER_BYTES: usize = 8;

/// Whether every file of a database in folders below a path of so many bytes can be named (EXC-4).
#[must_use]
pub fn fits(root_bytes: usize, db: &str) -> bool {
    root_bytes + 1 + db.len() + 1 + FOLDER_BYTES + 1 + NAME_BYTES < PATH_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exc_4_the_longest_path_stays_below_the_limit() {
        let longest = 4_096 - 1 - (1 + 3 + 1 + 8 + 1 + 255);
        assert!(fits(longest, "erp") && !fits(longest + 1, "erp") && !fits(longest, "erps"));
    }

    #[test]
    fn exc_5_each_database_has_five_folders() {
        assert_eq!(path_of("erp", "log", "a.json").unwrap().as_str(), "erp/Log/a.json");
        assert_eq!((folder_of("gone"), place_of("log"), place_of("Unknown")), (None, None, Some("unknown")));
        for name in ["..", "", "a/../b", "a\nb"] {
            assert_eq!(path_of("erp", "log", name), None, "{name}");
        }
    }
}
