//! Real folders in a directory of the test's, and the work that the clerk asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use base::{Call, CallResult, Files, Sql, WorkCall};
use exchange::folders::{BEGIN, FILES, FOLDERS, Shelves, folder_of, perform};
use exchange::message::name::FileName;
use exchange::{Bodies, Rules, Settings};
use host::DiskFiles;
use kernel::Kernel;
use tempfile::TempDir;
use testbed::World;

pub struct Shelf {
    pub directory: TempDir,
}

type Done = Box<dyn FnOnce(CallResult) + Send>;

impl Shelf {
    pub fn open(kernel: &Kernel) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().to_owned();
        let open =
            move |place: &str| -> std::io::Result<Arc<dyn Files>> { Ok(Arc::new(DiskFiles::open(&root.join(place))?)) };
        kernel.common::<Shelves>().set(open);
        let root_bytes = directory.path().as_os_str().len();
        kernel.common::<Rules>().set(Settings { bodies: Bodies::Folders, root_bytes, ..Settings::default() });
        Self { directory }
    }

    /// The folder of the database, or one in it.
    pub fn path(&self, folder: &str) -> PathBuf {
        self.directory.path().join("main/erp").join(folder)
    }

    /// Has the clerk look, as the watch does; gives the first call that it makes.
    pub fn next_call(&self, world: &World) -> Option<(WorkCall, Done)> {
        world.call(&BEGIN, ()).unwrap();
        (0..10).find_map(|_| {
            world.pass_ms(20);
            match world.partner.next()? {
                (Call::Work(call), done) => {
                    assert_eq!(call.name, FILES);
                    Some((call, done))
                }
                (other, _) => panic!("the clerk asks for {other:?}"),
            }
        })
    }

    /// Lets the clerk work until nothing is due any more.
    pub fn work(&self, world: &World) {
        for _ in 0..100 {
            let Some((call, done)) = self.next_call(world) else { return };
            done(answer(world, &call));
        }
        panic!("the clerk comes to no end");
    }

    /// All files of the database: folder and name, with content.
    pub fn files(&self) -> BTreeMap<(String, String), Vec<u8>> {
        let mut found = BTreeMap::new();
        for (_, folder) in FOLDERS {
            for entry in fs::read_dir(self.path(folder)).into_iter().flatten() {
                let (name, path) = (entry.as_ref().unwrap().file_name(), entry.as_ref().unwrap().path());
                let content = if path.is_file() { fs::read(path).unwrap() } else { vec![] };
                found.insert((folder.to_owned(), name.to_string_lossy().into_owned()), content);
            }
        }
        found
    }

    /// Folders and ids of messages whose files lie there.
    pub fn lie(&self) -> Vec<(String, String)> {
        let read = |(folder, name): &(String, String)| Some((folder.clone(), FileName::read(name)?.id));
        self.files().keys().filter_map(read).collect()
    }

    /// Where the file of a message lies.
    pub fn find(&self, id: &str) -> PathBuf {
        let files = self.files();
        let (folder, name) = files.keys().find(|(_, name)| FileName::read(name).unwrap().id == id).unwrap();
        self.path(folder).join(name)
    }

    /// Moves the file of a message to another folder, as an administrator does.
    pub fn move_by_hand(&self, id: &str, folder: &str) {
        let from = self.find(id);
        fs::rename(&from, self.path(folder).join(from.file_name().unwrap())).unwrap();
    }

    /// Files and rows agree: each message has one file, in its place, whole; and there are no others.
    pub fn check(&self, world: &World) {
        static ROWS: Sql = Sql::new(
            "test.rows_and_files",
            "SELECT m.number, m.id, m.sender, m.receiver, m.subsystem, m.at, m.place, m.on_disk, m.due, m.size, \
             (SELECT body FROM exc_body b WHERE b.number = m.number) FROM exc_message m ORDER BY m.number",
        );
        let (files, mut named) = (self.files(), BTreeSet::new());
        for row in world.rows(&ROWS) {
            let word = |column: usize| row.text(column).to_owned();
            let (number, at) = (row.int(0), base::Wall(row.int(5)));
            let name = FileName { at, number, id: word(1), from: word(2), to: word(3), subsystem: word(4) }.text();
            let place = row.text(6);
            assert_eq!((row.opt_text(7), row.opt_int(8)), (Some(place), None), "{name}");
            let key = (folder_of(place).unwrap().to_owned(), name);
            let content = files.get(&key).unwrap_or_else(|| panic!("{key:?} is missing: {:?}", files.keys()));
            assert_eq!(i64::try_from(content.len()).unwrap(), row.int(9), "{key:?}");
            if let Some(body) = row.opt_text(10) {
                assert_eq!(content, body.as_bytes(), "{key:?}");
            }
            named.insert(key);
        }
        let foreign: Vec<_> = files.keys().filter(|key| !named.contains(*key) && key.0 != "Error").collect();
        assert!(foreign.is_empty(), "{foreign:?}");
    }
}

/// What comes of a call when it is performed.
pub fn answer(world: &World, call: &WorkCall) -> CallResult {
    match perform(&world.kernel, call) {
        Ok(said) => CallResult::Worked(said),
        Err(why) => CallResult::Unknown(why),
    }
}
