//! Files that were written by us, or say so: archives of namespaces, rows, manifests of backups.

use base::archive::{line_row, row_line};
use base::archived::{self, Unread};

use crate::text;

/// An archive is read to its end or refused.
pub(crate) fn archive(bytes: &[u8]) {
    if let Ok(read) = archived::read(bytes, &mut Unread) {
        assert_eq!(archived::read(bytes, &mut Unread), Ok(read), "the same again");
        assert!(archived::read(&bytes[..bytes.len() - 1], &mut Unread).is_err(), "cut off");
    }
}

/// A row is its line and back.
pub(crate) fn rows(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(row) = line_row(text) {
        let line = row_line(&row);
        assert_eq!(line_row(&line).map(|row| row_line(&row)), Ok(line));
    }
}

/// A manifest is one, or not.
pub(crate) fn backup(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let _ = fastness::fuzzing::reads_manifest(text);
}
