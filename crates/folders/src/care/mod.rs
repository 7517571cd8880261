//! What people do with directories: list them, change them, say who their members are, see who holds what.

mod change;
mod devices;
mod list;
mod locks;
pub(crate) mod member;
mod remove;
mod tree;

use base::Sql;

pub use change::{CHANGE, Change, DirectoryPatch, NamesWord};
pub use devices::{DEVICES, DeviceView, FORGET_DEVICE, OfDevice};
pub use list::{DIRECTORIES, DIRECTORY, DirectoriesOf, DirectoryView, OfDirectory};
pub use locks::{LOCKS, LockView};
pub use member::{DROP_MEMBER, MEMBERS, Member, MemberView, OfMember, PUT_MEMBER};
pub(crate) use remove::TASK as REMOVE_TASK;
pub use remove::{REMOVE, Remove};
pub use tree::{FILE, FileView, FilesPage, OfFile, TREE, TreeOf};
pub(crate) use tree::{is_within, no_file};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] = &[
    change::STATEMENTS,
    devices::STATEMENTS,
    list::STATEMENTS,
    locks::STATEMENTS,
    member::STATEMENTS,
    remove::STATEMENTS,
    tree::STATEMENTS,
];
