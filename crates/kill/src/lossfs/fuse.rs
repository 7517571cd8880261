//! The planes as a file system of the kernel's.
//!
//! Files go through the page cache, written through: SQLite's shared memory needs it (a mapping is refused with direct
//! I/O), and every `write` still comes here at once. Locks are left to the kernel.

use std::ffi::OsStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, LockOwner,
    OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyStatfs,
    ReplyWrite, Request, TimeOrNow, WriteFlags,
};

use super::planes::{Kind, Planes, Refusal};

/// The kernel asks everything again: nothing changes behind its back, but it is cheap.
const TTL: Duration = Duration::from_secs(1);
const BLOCK: u32 = 4096;
/// Blocks that are said to be free.
const ROOM: u64 = 1 << 24;

/// The file system that the kernel talks to.
pub(super) struct LossFs(pub(super) Arc<Mutex<Planes>>);

impl From<Refusal> for Errno {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotThere => Self::ENOENT,
            Refusal::Exists => Self::EEXIST,
            Refusal::NotEmpty => Self::ENOTEMPTY,
            Refusal::WrongKind => Self::EINVAL,
            Refusal::Broken => Self::EIO,
        }
    }
}

impl LossFs {
    fn planes(&self) -> MutexGuard<'_, Planes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn attributes(planes: &Planes, node: u64) -> Result<FileAttr, Refusal> {
    let size = planes.size(node)? as u64;
    let (kind, perm, nlink) = match planes.kind(node)? {
        Kind::File => (FileType::RegularFile, 0o644, 1),
        Kind::Folder => (FileType::Directory, 0o755, 2),
    };
    let (atime, mtime, ctime, crtime) = (UNIX_EPOCH, UNIX_EPOCH, UNIX_EPOCH, UNIX_EPOCH);
    let (ino, blocks) = (INodeNo(node), size.div_ceil(512));
    let (uid, gid, rdev, blksize, flags) = (0, 0, 0, BLOCK, 0);
    Ok(FileAttr { ino, size, blocks, atime, mtime, ctime, crtime, kind, perm, nlink, uid, gid, rdev, blksize, flags })
}

fn tell_entry(reply: ReplyEntry, found: Result<FileAttr, Refusal>) {
    match found {
        Ok(attributes) => reply.entry(&TTL, &attributes, Generation(0)),
        Err(refusal) => reply.error(refusal.into()),
    }
}

fn tell_attributes(reply: ReplyAttr, found: Result<FileAttr, Refusal>) {
    match found {
        Ok(attributes) => reply.attr(&TTL, &attributes),
        Err(refusal) => reply.error(refusal.into()),
    }
}

fn tell(reply: ReplyEmpty, done: Result<(), Refusal>) {
    match done {
        Ok(()) => reply.ok(),
        Err(refusal) => reply.error(refusal.into()),
    }
}

fn bytes(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl Filesystem for LossFs {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let planes = self.planes();
        tell_entry(reply, planes.find(parent.0, name).and_then(|node| attributes(&planes, node)));
    }

    fn getattr(&self, _: &Request, node: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        tell_attributes(reply, attributes(&self.planes(), node.0));
    }

    fn setattr(
        &self,
        _: &Request,
        node: INodeNo,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _fh: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let mut planes = self.planes();
        let sized = size.map_or(Ok(()), |size| planes.truncate(node.0, bytes(size)));
        tell_attributes(reply, sized.and_then(|()| attributes(&planes, node.0)));
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, _mode: u32, _umask: u32, reply: ReplyEntry) {
        let mut planes = self.planes();
        let made = planes.make(parent.0, name, Kind::Folder);
        tell_entry(reply, made.and_then(|node| attributes(&planes, node)));
    }

    fn create(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, _: i32, reply: ReplyCreate) {
        let mut planes = self.planes();
        let made = planes.make(parent.0, name, Kind::File).and_then(|node| attributes(&planes, node));
        match made {
            Ok(attributes) => {
                reply.created(&TTL, &attributes, Generation(0), FileHandle(0), FopenFlags::empty());
            }
            Err(refusal) => reply.error(refusal.into()),
        }
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        tell(reply, self.planes().remove(parent.0, name, Kind::File));
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        tell(reply, self.planes().remove(parent.0, name, Kind::Folder));
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        newparent: INodeNo,
        newname: &OsStr,
        _: RenameFlags,
        reply: ReplyEmpty,
    ) {
        tell(reply, self.planes().rename((parent.0, name), (newparent.0, newname)));
    }

    fn read(
        &self,
        _: &Request,
        node: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.planes().read(node.0, bytes(offset), size as usize) {
            Ok(content) => reply.data(content),
            Err(refusal) => reply.error(refusal.into()),
        }
    }

    fn write(
        &self,
        _: &Request,
        node: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.planes().write(node.0, bytes(offset), data) {
            Ok(()) => reply.written(u32::try_from(data.len()).unwrap_or(u32::MAX)),
            Err(refusal) => reply.error(refusal.into()),
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, node: INodeNo, _: FileHandle, _datasync: bool, reply: ReplyEmpty) {
        tell(reply, self.planes().sync(node.0));
    }

    fn fsyncdir(&self, _: &Request, node: INodeNo, _: FileHandle, _datasync: bool, reply: ReplyEmpty) {
        tell(reply, self.planes().sync(node.0));
    }

    fn readdir(&self, _: &Request, node: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let planes = self.planes();
        let names = match planes.names(node.0) {
            Ok(names) => names,
            Err(refusal) => return reply.error(refusal.into()),
        };
        for (at, (name, child)) in names.iter().enumerate().skip(bytes(offset)) {
            let kind =
                if planes.kind(*child) == Ok(Kind::Folder) { FileType::Directory } else { FileType::RegularFile };
            if reply.add(INodeNo(*child), at as u64 + 1, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        reply.statfs(ROOM, ROOM, ROOM, ROOM, ROOM, BLOCK, 255, BLOCK);
    }
}
