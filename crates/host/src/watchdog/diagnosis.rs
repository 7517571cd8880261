//! What a person needs to know about a process that was stuck.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use super::threads;

/// The diagnosis as text.
pub(super) fn text(name: &str, silent_ms: u64, abouts: &[(&str, String)]) -> String {
    let mut text = format!("{name} neither answered nor moved for {silent_ms} ms\n");
    for (part, about) in abouts.iter().filter(|(_, about)| !about.is_empty()) {
        let _ = writeln!(text, "  {part}: {about}");
    }
    text += "threads (name, state, waits in, system call, kernel stack if it may be read):\n";
    for thread in threads::all() {
        let _ = writeln!(
            text,
            "  {:<16} {} {} | {} | {}",
            thread.name,
            thread.state,
            thread.about("wchan"),
            thread.about("syscall"),
            thread.about("stack")
        );
    }
    text
}

/// Writes it, as far as the disk lets us.
pub(super) fn write(path: &Path, text: &str) {
    let written = File::create(path).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    if let Err(error) = written {
        tracing::error!(path = %path.display(), %error, "the diagnosis was not written");
    }
}
