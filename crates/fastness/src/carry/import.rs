//! An archive becomes a store that nobody opens before it is whole: rows first, then blobs and files, then a new epoch, because a copy may
//! know less than those who remember it (KER-46). All of it can be repeated.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;

use anyhow::{Context, Result, anyhow, ensure};
use base::archived::{self, ArchiveHead, ArchiveVisitor, ReadArchive};
use base::carry::Walked;
use base::{BlobName, Blobs, Engine, Entropy, Files, Heard, Migration, OpResult, RelPath, Tx};
use host::{DiskFiles, OsEntropy, ThreadTimers};
use kernel::namespaces::transfers::{Event, Transfer};
use kernel::{Caller, Env, Kernel, KernelConfig, Op, OpCx, ServiceDef};
use store_postgres::archive as postgres;
use store_sqlite::carry as sqlite;

use super::spool::{self, ArchivedRows};
use crate::backup::disk;
use crate::exchanging;
use crate::restore::plan;
use crate::stores::Opener;

/// Reads an archive wholly and says whether this program can import it.
pub(crate) fn check(path: &Path, known: &[Migration], takes_files: bool) -> Result<ReadArchive, String> {
    let from = spool::open(path).map_err(|error| error.to_string())?;
    let mut index = Index { known, tables: vec![] };
    let found = archived::read(from, &mut index)?;
    if found.counts.files > 0 && !takes_files {
        let files = found.counts.files;
        return Err(format!("it holds {files} files of messages, but exchange.bodies keeps none in folders here"));
    }
    Ok(found)
}

/// Where tables begin, and whether the schema is one that we know.
struct Index<'a> {
    known: &'a [Migration],
    tables: Vec<(String, u64)>,
}

impl ArchiveVisitor for Index<'_> {
    fn head(&mut self, head: &ArchiveHead) -> Result<(), String> {
        plan::of_steps(self.known, &head.steps).map(drop).map_err(|error| error.to_string())
    }

    fn table(&mut self, name: &str, at: u64) -> Result<(), String> {
        self.tables.push((name.to_owned(), at));
        Ok(())
    }
}

/// An import with all that its work needs.
pub(crate) struct Importing<'a> {
    pub(crate) opener: &'a Opener,
    pub(crate) services: &'a [&'static ServiceDef],
    pub(crate) plan: &'a [Migration],
    pub(crate) transfer: &'a Transfer,
    pub(crate) blobs: &'a Arc<dyn Blobs>,
    pub(crate) watch: &'a mut dyn FnMut(&Walked) -> bool,
}

impl Importing<'_> {
    /// Makes the store; blocks.
    pub(crate) fn work(&mut self) -> Result<Event> {
        let digest = self.transfer.archive.as_deref().context("an import without an archive")?;
        let path = spool::path(&self.opener.config().data.dir, &self.transfer.name, digest);
        let from = spool::open(&path).with_context(|| format!("the archive {} is gone", path.display()))?;
        let mut index = Index { known: self.plan, tables: vec![] };
        let found = archived::read(from, &mut index).map_err(|wrong| anyhow!(wrong))?;
        ensure!(found.digest == digest, "the archive is not the one that was checked");
        let rows = ArchivedRows { path: path.clone(), tables: index.tables };
        let plan = plan::of_steps(self.plan, &found.head.steps)?;
        match self.transfer.to {
            Engine::Sqlite => self.fill_sqlite(&found, &rows, &plan)?,
            Engine::Postgres => self.fill_postgres(&found, &rows, &plan)?,
        }
        self.bring_bytes(&path)?;
        self.renew_epoch(&found)?;
        Ok(Event::Arrived { rows: i64::try_from(found.counts.rows).unwrap_or(i64::MAX) })
    }

    fn fill_sqlite(&mut self, found: &ReadArchive, rows: &ArchivedRows, plan: &[Migration]) -> Result<()> {
        let folder = self.opener.folder(&self.transfer.place);
        // Nobody opened it: the row has been waiting for us.
        let (arriving, store) = (folder.join("arriving.db"), folder.join("store.db"));
        disk::make_folder(&folder)?;
        for name in ["arriving.db", "arriving.db-wal", "arriving.db-shm", "store.db", "store.db-wal", "store.db-shm"] {
            disk::remove(&folder.join(name))?;
        }
        let mut target = sqlite::Arriving::open(&arriving, plan, self.opener.clock().clone())?;
        let mut walked = Walked { tables: found.tables.len(), ..Walked::default() };
        for table in &found.tables {
            walked.table.clone_from(&table.name);
            ensure!((self.watch)(&walked), "it was stopped");
            target.take(table, rows)?;
            walked.tables_done += 1;
            walked.rows += table.rows;
            walked.written += table.rows;
        }
        target.set_heard(Heard(found.head.heard))?;
        target.settle()?;
        sqlite::seal(&arriving)?;
        disk::rename(&arriving, &store)
    }

    fn fill_postgres(&mut self, found: &ReadArchive, rows: &ArchivedRows, plan: &[Migration]) -> Result<()> {
        let settings = self.opener.postgres_at(&self.transfer.place, self.transfer.to_url.as_ref())?;
        let mark = format!("fastness import {}", self.transfer.id);
        let at = self.opener.clock().wall().0;
        let import = postgres::Import { plan, tables: &found.tables, rows, mark: &mark, aside: None, at };
        postgres::import(&settings, &import)?;
        store_postgres::carry::set_heard(&settings, Heard(found.head.heard))?;
        Ok(())
    }

    fn bring_bytes(&mut self, path: &Path) -> Result<()> {
        let root = exchanging::folder(self.opener.config()).join(&self.transfer.place);
        let mut bytes = Bytes { blobs: self.blobs.as_ref(), root, files: None };
        archived::read(spool::open(path)?, &mut bytes).map(drop).map_err(|wrong| anyhow!(wrong))
    }

    /// The import in the store's own words: its schema is brought up to date, the epoch is renewed and the journal says from what.
    fn renew_epoch(&self, found: &ReadArchive) -> Result<()> {
        let (clock, entropy): (_, Arc<dyn Entropy>) = (self.opener.clock().clone(), Arc::new(OsEntropy));
        let env = Env { clock, entropy, timers: Arc::new(ThreadTimers::new()) };
        let kernel = Kernel::open(env, KernelConfig::default(), self.services, vec![])?;
        let store = self.opener.open_arrived(self.transfer)?;
        let namespace = kernel.add_namespace(self.transfer.name.clone(), store)?;
        let (tell, told) = channel();
        let done = Box::new(move |reply: OpResult<kernel::Reply<()>>| drop(tell.send(reply)));
        let from = format!("imported from an archive of `{}` of {}", found.head.namespace, found.head.stamp);
        kernel.call(&namespace, &IMPORTED, kernel.request(Caller::server("import")), from, done);
        let told = told.recv().context("the store gave no answer");
        namespace.store.close();
        told?.context("it got no new epoch")?;
        Ok(())
    }
}

static IMPORTED: Op<String, ()> = Op::new("store.imported", |tx, cx, from| imported(tx, cx, from));

fn imported(tx: &mut dyn Tx, cx: &mut OpCx<'_>, from: &str) -> OpResult<()> {
    kernel::feed::renew_epoch(tx, cx)?;
    cx.fx.journal("store.imported", "store", from);
    Ok(())
}

/// Puts blobs and files where they belong; what is there already is left.
struct Bytes<'a> {
    blobs: &'a dyn Blobs,
    root: PathBuf,
    files: Option<DiskFiles>,
}

impl ArchiveVisitor for Bytes<'_> {
    fn blob(&mut self, name: &BlobName, size: u64, bytes: &mut dyn Read) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("blob {name}: {error}");
        if self.blobs.size(name).map_err(failed)? == Some(size) {
            return Ok(());
        }
        let mut staged = self.blobs.stage(Some(name), Some(size)).map_err(failed)?;
        let mut chunk = vec![0; 256 << 10];
        loop {
            let read = bytes.read(&mut chunk).map_err(failed)?;
            if read == 0 {
                return staged.finish(name).map_err(failed);
            }
            staged.write(&chunk[..read]).map_err(failed)?;
        }
    }

    fn file(&mut self, path: &RelPath, size: u64, bytes: &mut dyn Read) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("file {}: {error}", path.as_str());
        let mut content = Vec::with_capacity(usize::try_from(size.min(1 << 20)).unwrap_or(0));
        bytes.read_to_end(&mut content).map_err(failed)?;
        if self.files.is_none() {
            disk::make_folder(&self.root).map_err(|error| format!("{error:#}"))?;
            self.files = Some(DiskFiles::open(&self.root).map_err(failed)?);
        }
        self.files.iter().try_for_each(|files| files.put(path, &content)).map_err(failed)
    }
}
