//! Running other programs: cargo, and small helpers around [`Command`].

use crate::Result;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The cargo that runs us, at the workspace's root.
pub(crate) fn cargo(root: &Path) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.current_dir(root);
    forget_package(&mut command);
    command
}

/// What `cargo run` says of this package is not for those that we start: build scripts that look at it would run again whenever cargo is
/// called with and without us in turn, and with them a third of all crates.
pub(crate) fn forget_package(command: &mut Command) -> &mut Command {
    let is_ours = |name: &str| ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| name.starts_with(prefix));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_ours)) {
        command.env_remove(name);
    }
    command
}

/// Runs to the end in silence; a failure brings what the command said.
pub(crate) fn must(command: &mut Command) -> Result<()> {
    let output = quiet(command).output();
    judge(command, output)
}

/// Without our input, and with its output kept apart from ours.
pub(crate) fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped())
}

pub(crate) fn judge(command: &Command, output: std::io::Result<Output>) -> Result<()> {
    let shown = show(command);
    let output = output.map_err(|error| format!("`{shown}` cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!("`{shown}` failed ({}):\n{}", output.status, String::from_utf8_lossy(&said).trim_end()))
}

/// The command as one would type it, near enough for a message.
pub(crate) fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| quote(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

/// Quoted for a shell only where that is needed.
pub(crate) fn quote(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=,@%+".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Whether a program of this name is in the search path.
pub(crate) fn find(program: &str) -> Option<std::path::PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

pub(crate) fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    // std has no geteuid; our own entry in /proc belongs to our effective user.
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_where_needed() {
        assert_eq!(quote("--all"), "--all");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
    }

    #[test]
    fn a_failed_command_says_what_it_said() {
        let error = must(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"])).unwrap_err();
        assert!(error.contains("exit 3") && error.contains("out\nerr"), "{error}");
    }
}
