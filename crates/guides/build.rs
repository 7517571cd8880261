//! Lists the guides, so that a new page of `docs/` is part of the program without being named anywhere.
#![expect(clippy::disallowed_methods, reason = "a build script reads the files of its crate")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Folders of guides below `docs/`.
const FOLDERS: [&str; 3] = ["", "errors", "reference"];
/// For those who judge or change the program, and large; they are read where its source is.
const LEFT_OUT: [&str; 3] = ["benchmarks.md", "benchmarks-notes.md", "requirements.md"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let docs = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../docs").canonicalize()?;
    let mut list = "&[\n".to_owned();
    for folder in FOLDERS {
        let place = docs.join(folder);
        println!("cargo:rerun-if-changed={}", place.display());
        let files =
            fs::read_dir(&place)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>, std::io::Error>>()?;
        let mut names: Vec<&str> = files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
        names.retain(|name| name.ends_with(".md") && !LEFT_OUT.contains(name));
        names.sort_unstable();
        for name in names {
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            writeln!(list, "({path:?}, include_str!({:?})),", place.join(name))?;
        }
    }
    list.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("pages.rs"), list)?;
    Ok(())
}
