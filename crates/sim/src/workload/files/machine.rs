//! A server that keeps message files, its clients, and the disk below: all of the workload but the simulated world
//! around it.

use std::collections::BTreeSet;
use std::io::ErrorKind;

use base::{FileChange, Files, RelPath};
use host::DiskFiles;

use super::model::{Model, Number, bytes};
use crate::disk::{DiskFaults, SimDisk, SimFolder};
use crate::rng::Rng;

const FOLDERS: [&str; 3] = ["in", "out", "a/b"];
const BYTES_MAX: u64 = 1 << 20;

/// What a client wants done. It asks again until it is, or gives up.
#[derive(Debug, Clone)]
enum Wish {
    Put(String, Number),
    Rename(String, String),
    Remove(String),
    /// All of these, made durable together.
    Together(Vec<Wish>),
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// For the trace.
    pub(super) line: String,
    /// The process has ended in it, or must be ended.
    pub(super) crash: bool,
}

/// The server's files and those who use them.
pub(super) struct Machine {
    disk: SimDisk,
    faults: DiskFaults,
    files: Option<DiskFiles<SimFolder>>,
    model: Model,
    rng: Rng,
    wishes: Vec<Option<Wish>>,
    contents: Number,
    acknowledged: u64,
    calm: bool,
}

impl Machine {
    /// A machine that is down, with an empty disk.
    pub(super) fn new(mut rng: Rng, clients: usize, failing: bool) -> Self {
        let faults = DiskFaults::draw(&mut rng, failing);
        Self {
            disk: SimDisk::new(rng.fork(), faults.clone()),
            faults,
            files: None,
            model: Model::default(),
            rng,
            wishes: vec![None; clients],
            contents: 0,
            acknowledged: 0,
            calm: false,
        }
    }

    pub(super) fn is_up(&self) -> bool {
        self.files.is_some()
    }

    pub(super) fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// How often each fault of the disk happened.
    #[cfg(test)]
    pub(super) fn struck(&self) -> std::collections::BTreeMap<crate::disk::DiskFault, u64> {
        self.disk.struck()
    }

    /// No faults and no new wishes from now on.
    pub(super) fn calm(&mut self) {
        self.calm = true;
        self.faults = DiskFaults::default();
        self.disk.set_faults(DiskFaults::default());
    }

    /// Whether a client has nothing more to do.
    pub(super) fn is_done(&self, client: usize) -> bool {
        self.calm && self.wishes[client].is_none()
    }

    /// Whether all of them have nothing more to do.
    pub(super) fn is_settled(&self) -> bool {
        (0..self.wishes.len()).all(|client| self.is_done(client))
    }

    /// Everything is known now, and no power cut takes it away.
    pub(super) fn check_settled(&mut self) -> Result<(), String> {
        for _ in 0..2 {
            self.files = None;
            self.disk.cut();
            let step = self.start()?;
            if !self.is_up() {
                return Err(step.line);
            }
        }
        Ok(())
    }

    /// What is not acknowledged yet.
    pub(super) fn open(&self) -> Vec<String> {
        self.wishes.iter().flatten().map(|wish| format!("{wish:?}")).collect()
    }

    /// The process ends, or all of the machine; a file system that went read-only needs the latter.
    pub(super) fn crash(&mut self) -> &'static str {
        self.files = None;
        if self.disk.is_read_only() || self.rng.once_in(2) {
            self.disk.cut();
            "the power is cut"
        } else {
            self.disk.kill();
            "the process is killed"
        }
    }

    /// The server starts on what is there, and what is there is compared with what was acknowledged.
    pub(super) fn start(&mut self) -> Result<Step, String> {
        match DiskFiles::below(self.disk.root()) {
            Ok(files) => self.files = Some(files),
            Err(error) => return Ok(self.step_of(format!("files do not open: {error}"))),
        }
        let files = self.disk.files();
        self.model.everything(&files).map_err(|wrong| format!("after a start: {wrong}"))?;
        self.disk.set_faults(DiskFaults::default());
        let read = self.read_all();
        self.disk.set_faults(self.faults.clone());
        read?;
        Ok(self.step_of(format!("files open, {} of them", files.len())))
    }

    /// Everything once more as a server would read it.
    fn read_all(&mut self) -> Result<(), String> {
        let paths = self.model.paths();
        paths.iter().try_for_each(|path| self.get(path).map(drop))?;
        let folders: BTreeSet<&str> = paths.iter().filter_map(|path| Some(path.rsplit_once('/')?.0)).collect();
        folders.into_iter().try_for_each(|folder| self.list(folder).map(drop))
    }

    /// A client does what it does next.
    pub(super) fn step(&mut self, client: usize) -> Result<Step, String> {
        let line = match self.wishes[client].take() {
            Some(wish) => self.attempt(client, wish)?,
            None if self.calm => "nothing more".to_owned(),
            None => self.begin(client)?,
        };
        Ok(self.step_of(line))
    }

    fn step_of(&mut self, line: String) -> Step {
        let stopped = self.disk.is_read_only() && (self.calm || self.rng.once_in(4));
        Step { line, crash: self.disk.is_dead() || stopped }
    }

    fn begin(&mut self, client: usize) -> Result<String, String> {
        let path = self.draw_path();
        let wish = match self.rng.below(14) {
            0..7 => self.draw_change(),
            7 => return self.list(path.rsplit_once('/').map_or("in", |(folder, _)| folder)),
            8..10 => return self.get(&path),
            _ => {
                let many = self.rng.within(2, 6);
                Wish::Together((0..many).map(|_| self.draw_change()).collect())
            }
        };
        self.attempt(client, wish)
    }

    fn draw_change(&mut self) -> Wish {
        let path = self.draw_path();
        match self.rng.below(7) {
            0..4 => {
                self.contents += 1;
                Wish::Put(path, self.contents)
            }
            4..6 => Wish::Rename(path, self.draw_path()),
            _ => Wish::Remove(path),
        }
    }

    /// Few paths, so that they meet; and some directories that are made on the way.
    fn draw_path(&mut self) -> String {
        let name = *self.rng.pick(&["x", "y", "z"]);
        match self.rng.below(8) {
            0 => name.to_owned(),
            1 => format!("d{}/e{}/{name}", self.rng.below(5), self.rng.below(5)),
            _ => format!("{}/{name}", self.rng.pick(&FOLDERS)),
        }
    }

    fn attempt(&mut self, client: usize, wish: Wish) -> Result<String, String> {
        let (line, done) = match &wish {
            Wish::Put(path, content) => self.put(path, *content),
            Wish::Rename(from, to) => self.rename(from, to)?,
            Wish::Remove(path) => self.remove(path),
            Wish::Together(wishes) => return self.attempt_together(client, wishes.clone()),
        };
        self.acknowledged += u64::from(done);
        self.keep(client, (!done).then_some(wish));
        Ok(line)
    }

    /// What is not done is wished again, or given up.
    fn keep(&mut self, client: usize, wish: Option<Wish>) {
        let gives_up = !self.calm && self.rng.once_in(3);
        self.wishes[client] = wish.filter(|_| !gives_up);
    }

    fn attempt_together(&mut self, client: usize, wishes: Vec<Wish>) -> Result<String, String> {
        let changes: Vec<FileChange> = wishes.iter().map(change).collect();
        let results = self.files().apply(&changes);
        let (mut line, mut open) = (format!("{} together:", wishes.len()), vec![]);
        for (wish, result) in wishes.into_iter().zip(results) {
            line.push_str(&format!(" {wish:?} {}", said(&result)));
            if self.take_in(&wish, &result)? {
                self.acknowledged += 1;
            } else {
                open.push(wish);
            }
        }
        self.keep(client, (!open.is_empty()).then_some(Wish::Together(open)));
        Ok(line)
    }

    /// What one of several changes came to; whether it is done.
    fn take_in(&mut self, wish: &Wish, result: &std::io::Result<()>) -> Result<bool, String> {
        match (wish, result) {
            (Wish::Put(path, content), Ok(())) => self.model.is(path, Some(*content)),
            (Wish::Put(path, content), Err(_)) => self.model.may_be(path, Some(*content)),
            (Wish::Remove(path), Ok(())) => self.model.is(path, None),
            (Wish::Remove(path), Err(_)) => self.model.may_be(path, None),
            (Wish::Rename(from, to), Ok(())) => self.model.brought(from, to)?,
            (Wish::Rename(from, to), Err(error)) if error.kind() == ErrorKind::NotFound => {
                self.model.seen(from, None)?;
                self.model.seen(to, None)?;
                return Ok(true);
            }
            (Wish::Rename(from, to), Err(_)) => self.model.may_have_moved(from, to),
            (Wish::Together(_), _) => return Err("a batch in a batch".to_owned()),
        }
        Ok(result.is_ok())
    }

    fn put(&mut self, path: &str, content: Number) -> (String, bool) {
        let put = self.files().put(&checked(path), &bytes(content));
        match put {
            Ok(()) => self.model.is(path, Some(content)),
            Err(_) => self.model.may_be(path, Some(content)),
        }
        (format!("put {path} {content}: {}", said(&put)), put.is_ok())
    }

    fn remove(&mut self, path: &str) -> (String, bool) {
        let removed = self.files().remove(&checked(path));
        match removed {
            Ok(()) => self.model.is(path, None),
            Err(_) => self.model.may_be(path, None),
        }
        (format!("remove {path}: {}", said(&removed)), removed.is_ok())
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(String, bool), String> {
        let renamed = self.files().rename(&checked(from), &checked(to));
        let line = format!("rename {from} {to}: {}", said(&renamed));
        let done = match &renamed {
            Ok(()) if from == to => true,
            Ok(()) => self.model.moved(from, to).map(|()| true)?,
            Err(error) if error.kind() == ErrorKind::NotFound => self.model.seen(from, None).map(|()| true)?,
            Err(_) => {
                self.model.may_have_moved(from, to);
                false
            }
        };
        Ok((line, done))
    }

    fn get(&mut self, path: &str) -> Result<String, String> {
        let got = self.files().get(&checked(path), BYTES_MAX);
        let line = format!("get {path}: {}", said(&got));
        match got {
            Ok(shown) => self.model.seen(path, Some(&shown))?,
            Err(error) if error.kind() == ErrorKind::NotFound => self.model.seen(path, None)?,
            Err(_) => {}
        }
        Ok(line)
    }

    fn list(&mut self, folder: &str) -> Result<String, String> {
        let listed = self.files().list(&checked(folder));
        if let Ok(names) = &listed {
            self.model.listed(folder, names)?;
        }
        Ok(format!("list {folder}: {}", said(&listed)))
    }

    fn files(&self) -> &DiskFiles<SimFolder> {
        self.files.as_ref().expect("the server is up")
    }
}

fn change(wish: &Wish) -> FileChange {
    match wish {
        Wish::Put(path, content) => FileChange::Put(checked(path), bytes(*content)),
        Wish::Rename(from, to) => FileChange::Move(checked(from), checked(to)),
        Wish::Remove(path) => FileChange::Remove(checked(path)),
        Wish::Together(_) => unreachable!("batches are of single changes"),
    }
}

fn checked(path: &str) -> RelPath {
    RelPath::new(path).expect("paths of ours are good")
}

fn said<T>(result: &std::io::Result<T>) -> String {
    result.as_ref().map_or_else(|error| format!("{:?}", error.kind()), |_| "ok".to_owned())
}
