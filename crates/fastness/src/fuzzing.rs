//! Doors for the fuzz targets: readers of files that nobody else may call.

/// Whether a text is the manifest of a backup.
#[must_use]
pub fn reads_manifest(text: &str) -> bool {
    crate::backup::Manifest::parse(text).is_ok()
}
