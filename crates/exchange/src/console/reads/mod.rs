//! What pages read beside what routes answer. Each walks an index and costs what it returns, also among millions of messages.

mod counts;
mod databases;
mod devices;
mod folder;
mod message;
mod names;

pub(super) use counts::{COUNTED_MAX, FOLDER_COUNTS, GIVEN_COUNTS, GivenCount, TOTALS, Totals};
pub(super) use databases::{Active, DATABASE, DATABASES, DatabaseLine};
pub(super) use devices::{DEVICE, DEVICES, DeviceLine, DevicesOf};
pub(super) use folder::{FOLDER, FolderOf, MessageLine, WAITING};
pub(super) use message::{MESSAGE, Shown, TEXT_MAX};
pub(super) use names::NAMES;

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &counts::DEVICES,
    &counts::LEDGERS,
    &counts::PROCESSES,
    &counts::IN_FOLDER,
    &counts::GIVEN,
    &databases::PAGE,
    &databases::ONE,
    &devices::ALL,
    &devices::OF,
    &devices::OF_SUBSYSTEM,
    &devices::ONE,
    &folder::OLDEST,
    &folder::NEWEST,
    &folder::FOR,
    &message::GET,
    &message::BEGINNING,
    &names::NAME,
];
