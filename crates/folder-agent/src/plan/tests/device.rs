//! A device: a disk, what it knows, and how it carries out its plans.

use std::collections::BTreeMap;

use synxpo::names::Policy;

use super::disk::Disk;
use super::server::Server;
use crate::disk::Expected;
use crate::model::{Content, FileId, Hash, RemoteTree, Stat, Synced, SyncedTree};
use crate::plan::{Fetch, Plan, Step, View, accept, fetched, moved, plan};

pub(super) struct Device {
    name: String,
    policy: Policy,
    pub(super) disk: Disk,
    pub(super) remote: RemoteTree,
    pub(super) synced: SyncedTree,
    /// What was read, as it was then.
    read: BTreeMap<String, (Stat, Hash)>,
    /// What was removed or replaced.
    pub(super) backups: Vec<Content>,
    /// Changes of the disk until the next crash.
    pub(super) crash_in: Option<usize>,
    /// What it did lately, for messages.
    pub(super) log: Vec<String>,
}

/// A crash: the disk has changed, and nobody noted it.
struct Crash;

impl Device {
    pub(super) fn new(number: u64, policy: Policy) -> Self {
        Self {
            name: format!("box{number}"),
            policy,
            disk: Disk::new(number),
            remote: RemoteTree::new(),
            synced: SyncedTree::new(),
            read: BTreeMap::new(),
            backups: vec![],
            crash_in: None,
            log: vec![],
        }
    }

    pub(super) fn plan(&self) -> Plan {
        let view = View { policy: self.policy, device: &self.name, date: "today", links: true };
        plan(&self.remote, &self.disk.look(&self.read), &self.synced, &view)
    }

    /// Plans and acts until nothing is left to do, or it crashes. Whether there was something to do.
    pub(super) fn turn(&mut self, server: &mut Server) -> bool {
        for round in 0..100 {
            let plan = self.plan();
            self.log.push(format!("{}: {:?}", self.name, super::script::told(&plan)));
            if plan.is_empty() {
                return round > 0;
            }
            if self.act(&plan, server).is_err() {
                self.log.push(format!("{}: crash", self.name));
                self.read.clear();
                return true;
            }
        }
        panic!("{} never comes to rest: {:#?}", self.name, &self.log[self.log.len() - 10..]);
    }

    fn act(&mut self, plan: &Plan, server: &mut Server) -> Result<(), Crash> {
        self.set_aside(plan);
        let mut stats = BTreeMap::new();
        for step in &plan.steps {
            self.step(step, &mut stats, server)?;
        }
        for fetch in &plan.fetches {
            self.fetch(fetch, server)?;
        }
        if plan.steps.is_empty() && !plan.asks.is_empty() {
            let answer = server.ask(&plan.asks, &self.remote);
            self.remote = server.tree.clone();
            self.may_crash()?;
            for (ask, id) in plan.asks.iter().zip(answer) {
                id.into_iter().for_each(|id| accept(&self.remote, &mut self.synced, ask, id));
            }
        }
        Ok(())
    }

    fn set_aside(&mut self, plan: &Plan) {
        for path in &plan.aside {
            let Some(local) = self.disk.files.get(path) else { panic!("{path} is there") };
            let Content::File { hash: Some(hash), .. } = local.content else { panic!("{path} is a file") };
            self.read.insert(path.clone(), (local.stat, hash));
        }
    }

    fn may_crash(&mut self) -> Result<(), Crash> {
        match &mut self.crash_in {
            Some(0) => {
                self.crash_in = None;
                Err(Crash)
            }
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// What both have from now on.
    fn level(&mut self, id: FileId, path: &str) {
        let (row, local) = (self.remote[&id].clone(), &self.disk.files[path]);
        assert!(local.content.is_same_bytes(&row.content), "both have the same: {path}");
        self.synced.insert(id, Synced { of: row.of.with(local.content.clone()), stat: local.stat });
    }

    fn step(&mut self, step: &Step, stats: &mut BTreeMap<FileId, Stat>, server: &Server) -> Result<(), Crash> {
        match step {
            Step::Adopt { id, path } => self.level(*id, path),
            Step::Forget { id } => drop(self.synced.remove(id)),
            Step::MakeFolder { id, path } => {
                assert!(self.disk.is_as(path, Expected::Nothing), "{step:?}");
                self.disk.create(path, Content::Folder);
                self.may_crash()?;
                self.level(*id, path);
            }
            Step::MakeLink { id, path, target, expected } => {
                assert!(self.disk.is_as(path, *expected), "{step:?}");
                self.disk.install(path, Content::Symlink(target.clone()));
                self.may_crash()?;
                self.level(*id, path);
            }
            Step::SetExecutable { path, stat, executable, .. } => {
                assert!(self.disk.is_as(path, Expected::File(*stat)), "{step:?}");
                self.disk.set_executable(path, *executable);
                self.may_crash()?;
            }
            Step::Move { id, from, stat, to, .. } => {
                let before = stats.get(id).copied().unwrap_or(*stat);
                let now = self.rename(from, before, to)?;
                stats.insert(*id, now);
                moved(&mut self.synced, step, before, now);
            }
            Step::Copy { from, stat, to } => drop(self.rename(from, *stat, to)?),
            Step::Remove { id, path, stat } => self.remove(*id, path, *stat, server)?,
        }
        Ok(())
    }

    fn rename(&mut self, from: &str, stat: Stat, to: &str) -> Result<Stat, Crash> {
        assert!(
            self.disk.is_as(from, Expected::File(stat)),
            "{from}: {:#?}",
            &self.log[self.log.len().saturating_sub(4)..]
        );
        assert!(self.disk.is_as(to, Expected::Nothing), "{from} -> {to}");
        assert!(self.disk.rename(from, to), "{from} -> {to}");
        self.may_crash()?;
        Ok(self.disk.stat_of(to).unwrap_or_default())
    }

    /// Only ever on a tombstone, and only what the server had in this very file.
    fn remove(&mut self, id: FileId, path: &str, stat: Stat, server: &Server) -> Result<(), Crash> {
        assert!(self.disk.is_as(path, Expected::File(stat)), "{path} is as it was planned on");
        let content = self.disk.files[path].content.clone();
        assert!(self.remote.get(&id).is_some_and(|row| row.deleted), "{path} is removed on a tombstone");
        let is_folder = content == Content::Folder;
        let is_known = server.past[&id].iter().any(|row| row.content.is_same_bytes(&content));
        assert!(is_known && (!is_folder || self.disk.is_empty_folder(path)), "{path} is what the server had");
        self.backups.push(content);
        self.disk.delete(path);
        self.may_crash()?;
        self.synced.remove(&id);
        Ok(())
    }

    fn fetch(&mut self, fetch: &Fetch, server: &Server) -> Result<(), Crash> {
        let row = server.past[&fetch.id].iter().find(|row| row.version == fetch.version).expect("it was told");
        assert!(self.disk.is_as(&fetch.path, fetch.expected), "{fetch:?}");
        self.backups.extend(self.disk.files.get(&fetch.path).map(|local| local.content.clone()));
        let stat = self.disk.install(&fetch.path, row.content.clone());
        self.may_crash()?;
        fetched(&self.remote, &mut self.synced, fetch, row.content.clone(), stat);
        Ok(())
    }

    pub(super) fn listing(&self) -> BTreeMap<String, Content> {
        self.disk.files.iter().map(|(path, local)| (path.clone(), local.content.clone())).collect()
    }
}
