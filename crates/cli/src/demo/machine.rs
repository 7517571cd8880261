//! Processes and files of this machine, as far as demos need them.
#![expect(clippy::disallowed_methods, reason = "a demo runs in its user's world, not in the simulator")]

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::parts::Order;
use crate::failure::{Done, Failure};

/// Longest wait for a word of a child process.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// Waits for a line at the terminal. Its thread ends with the line or with the process, which does not wait for it.
pub(super) async fn enter() {
    let (tell, told) = oneshot::channel::<()>();
    let read = move || {
        // A terminal that is gone is as good as a word.
        let _ = std::io::stdin().read_line(&mut String::new());
        drop(tell);
    };
    if std::thread::Builder::new().name("enter".into()).spawn(read).is_ok() {
        let _ = told.await;
    }
}

/// The right to one demo of a server, which ends with the process whatever ends it.
pub(super) struct Lock {
    _file: File,
    path: PathBuf,
    folder: PathBuf,
}

/// Takes it.
pub(super) fn lock(server: &str, name: &str) -> Result<Lock, Failure> {
    let place = format!("{}-{name}", word_of(server));
    let (folder, path) = (below_state().join(&place), below_state().join(format!("{place}.lock")));
    let failed = |error: std::io::Error| Failure::here(format!("cannot use {}: {error}", path.display()));
    make_folder(&below_state()).map_err(failed)?;
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
    file.try_lock().map_err(|_| {
        Failure::usage(format!("this demo is running already, in namespace {name}"))
            .hint("wait for its end, or run it beside in a namespace of another name: --namespace demo2")
    })?;
    Ok(Lock { _file: file, path, folder })
}

/// A server's address as part of a name, which no two addresses share.
fn word_of(server: &str) -> String {
    let address = server.split_once("://").map_or(server, |(_, address)| address);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let word = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("_{byte:02x}") };
    address.bytes().map(word).collect()
}

/// The demo whose place has this name, if it is one of this server. A demo's name has no `-`.
fn demo_of<'a>(place: &'a str, server: &str) -> Option<&'a str> {
    let (word, name) = place.rsplit_once('-')?;
    (word == word_of(server) && name.starts_with(super::stage::PREFIX)).then_some(name)
}

/// Removes the folders of a server's demos that nobody uses now; gives the names of those demos.
pub(super) fn left_behind(server: &str, is_meant: impl Fn(&str) -> bool) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> = fs::read_dir(below_state())
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| Some(demo_of(entry.file_name().to_str()?, server)?.to_owned()))
        .filter(|name| is_meant(name))
        .collect();
    names.sort();
    names.retain(|name| lock(server, name).is_ok_and(|lock| lock.clear().is_ok()));
    Ok(names)
}

impl Lock {
    /// An empty folder; what lay there is gone.
    pub(super) fn fresh_folder(&self) -> Result<PathBuf, Failure> {
        let folder = &self.folder;
        remove_tree(folder)?;
        make_folder(folder).map_err(|error| Failure::here(format!("cannot make {}: {error}", folder.display())))?;
        Ok(folder.clone())
    }

    /// Nothing of it is left.
    pub(super) fn clear(&self) -> Done {
        remove_tree(&self.folder)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is held; a name that stays harms nobody.
        let _ = fs::remove_file(&self.path);
    }
}

fn remove_tree(folder: &Path) -> Done {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Failure::here(format!("cannot remove {}: {error}", folder.display())))
        }
        _ => Ok(()),
    }
}

/// Of the user, and of nobody else.
fn below_state() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = set("XDG_STATE_HOME").or_else(|| set("HOME").map(|home| home.join(".local/state")));
    state.unwrap_or_else(std::env::temp_dir).join("fastness/demos")
}

fn make_folder(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// A process of our own program that plays a part. It ends with whoever holds it, by force.
pub(super) struct Part {
    child: Child,
    words: UnboundedReceiver<Value>,
}

impl Part {
    /// Starts it and tells it what to do.
    pub(super) fn start(order: &Order) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::here(format!("a part of the demo cannot be started: {error}"));
        let program = std::env::current_exe().map_err(failed)?;
        let mut command = Command::new(program);
        command.args(["demo", "part"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let order = serde_json::to_string(order).map_err(Failure::here)? + "\n";
        // It stays open: its end is the word to end.
        if let Some(to) = child.stdin.as_mut() {
            to.write_all(order.as_bytes()).map_err(failed)?;
        }
        let (tell, words) = unbounded_channel();
        if let Some(from) = child.stdout.take() {
            let read = move || {
                BufReader::new(from).lines().map_while(Result::ok).for_each(|line| {
                    // Whoever does not listen any more needs no word.
                    let _ = tell.send(serde_json::from_str(&line).unwrap_or(Value::Null));
                })
            };
            tokio::task::spawn_blocking(read);
        }
        Ok(Self { child, words })
    }

    /// The next thing that it says.
    pub(super) async fn word(&mut self) -> Result<Value, Failure> {
        let word = timeout(PATIENCE, self.words.recv()).await;
        let word = word.map_err(|_| Failure::here("a part of the demo says nothing any more"))?;
        let word = word.ok_or_else(|| Failure::here("a part of the demo ended by itself"))?;
        match word["failed"].as_str() {
            Some(why) => Err(Failure::here(format!("a part of the demo failed: {why}"))),
            None => Ok(word),
        }
    }

    /// Waits until it says that this happened.
    pub(super) async fn says(&mut self, what: &str) -> Result<Value, Failure> {
        loop {
            let word = self.word().await?;
            if word["at"] == what {
                return Ok(word);
            }
        }
    }

    /// `kill -9`.
    pub(super) fn kill(&mut self) {
        // One that has ended already is as dead.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Its process.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Writes a file as any program would.
pub(super) fn write(path: &Path, text: &str) -> Done {
    let folder = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    written.map_err(|error| Failure::here(format!("cannot write {}: {error}", path.display())))
}

/// Gives something another name.
pub(super) fn rename(from: &Path, to: &Path) -> Done {
    fs::rename(from, to).map_err(|error| Failure::here(format!("cannot rename {}: {error}", from.display())))
}

/// Removes a file.
pub(super) fn remove(path: &Path) -> Done {
    fs::remove_file(path).map_err(|error| Failure::here(format!("cannot remove {}: {error}", path.display())))
}

/// All files below a folder by their names, but for what is the daemon's own. What goes away while one looks is not there.
pub(super) fn tree(root: &Path) -> BTreeMap<String, String> {
    let (mut found, mut open) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            if name == synxpo::names::OWN_NAME {
                continue;
            }
            match (path.is_dir(), fs::read_to_string(&path)) {
                (true, _) => open.push(path),
                (false, Ok(text)) => drop(found.insert(name, text)),
                (false, Err(_)) => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_12_a_place_belongs_to_one_server_only() {
        let place = |server: &str| format!("{}-demoexchange", word_of(server));
        let servers =
            ["http://h:1", "http://h.1", "http://h-1", "http://h_1", "http://h/1", "http://h:1/demo", "http://h"];
        for server in servers {
            for other in servers {
                let found = (server == other).then_some("demoexchange");
                assert_eq!(demo_of(&place(server), other), found, "{server} {other}");
            }
        }
        assert_eq!(demo_of("h-main", "http://h"), None);
    }
}
