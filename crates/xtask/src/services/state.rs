//! The note that `services start` leaves for `stop` and `status`: lines of `key value`.

use super::Running;
use crate::{Result, repo};
use std::path::{Path, PathBuf};

pub(super) fn path() -> Result<PathBuf> {
    Ok(repo::target(&repo::root()?).join("services/state"))
}

pub(super) fn save(path: &Path, running: &Running) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, format(running)))
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

/// `None` when nothing was started.
pub(super) fn load(path: &Path) -> Result<Option<Running>> {
    match std::fs::read_to_string(path) {
        Ok(text) => parse(&text).map(Some).map_err(|line| format!("{}: `{line}` is not understood", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
    }
}

pub(super) fn forget(path: &Path) -> Result<()> {
    std::fs::remove_file(path).map_err(|error| format!("{} cannot be removed: {error}", path.display()))
}

fn format(running: &Running) -> String {
    let mut lines = vec![format!("folder {}", running.folder.display())];
    lines.extend(running.services.iter().map(|(name, pid)| format!("service {name} {pid}")));
    lines.extend(running.env.iter().map(|(name, value)| format!("env {name} {value}")));
    lines.join("\n") + "\n"
}

/// The error is the line that is not one of ours.
fn parse(text: &str) -> Result<Running> {
    let mut running = Running { folder: PathBuf::new(), services: Vec::new(), env: Vec::new() };
    for line in text.lines() {
        let (key, rest) = line.split_once(' ').ok_or(line)?;
        match (key, rest.split_once(' ')) {
            ("folder", _) => running.folder = rest.into(),
            ("service", Some((name, pid))) => running.services.push((name.into(), pid.parse().map_err(|_| line)?)),
            ("env", Some((name, value))) => running.env.push((name.into(), value.into())),
            _ => return Err(line.into()),
        }
    }
    Ok(running)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_reads_back_as_it_was_written() {
        let running = Running {
            folder: "/tmp/with blank".into(),
            services: vec![("postgres".into(), 42)],
            env: vec![("A".into(), "host=x port=1".into())],
        };
        assert_eq!(parse(&format(&running)), Ok(running));
        assert_eq!(parse("folder /x\nservice postgres many"), Err("service postgres many".into()));
    }
}
