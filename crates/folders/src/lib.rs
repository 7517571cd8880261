//! Folders: directories that devices keep in step over one stream each.
//!
//! - `names`: what a name may be (FLD-18); `plan`: what a group of changes does to the tree; both pure;
//! - `seat`: who may write a file, and who waits for it; `answer`: what a change is answered (FLD-5, FLD-6, FLD-10); both pure, searched
//!   exhaustively by `tests/model`;
//! - `form`: what sessions and operations say to each other; `desk/`: the operations that sessions call;
//! - `care/`: what people do with directories; `past/`: history, restoring, undoing, forgetting (FLD-24); `routes/`: HTTP; `console/`: pages;
//! - `stream/`: the protocol, one session per client; `wire`: its messages.
//!
//! Invariants, checked by the simulator after every commit (`check`).

mod answer;
pub mod care;
mod check;
pub mod codes;
mod console;
pub mod desk;
mod figures;
mod find;
pub mod form;
pub mod past;
pub mod plan;
mod routes;
mod seat;
pub mod stream;
pub mod wire;

pub use answer::{Answer, Change, Known, answer};
pub use routes::service;
pub use seat::{Seat, Status};
pub use synxpo::names;

use base::{ContentionKey, Keys, Migration, Sql};
use kernel::{FigureDef, ServiceDef, SessionDef, StuckDef};

/// The service.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "folders",
    migrations: &[
        Migration { service: "folders", version: 1, text: include_str!("../migrations/0001.sql") },
        Migration { service: "folders", version: 2, text: include_str!("../migrations/0002.sql") },
        Migration { service: "folders", version: 3, text: include_str!("../migrations/0003.sql") },
    ],
    statements: &STATEMENTS,
    operations: &[
        &desk::CREATE,
        &desk::JOIN,
        &desk::ASK,
        &desk::RENEW,
        &desk::RELEASE,
        &desk::FINISH,
        &desk::SEGMENT,
        &desk::LAPSE,
        &care::CHANGE,
        &care::REMOVE,
        &care::PUT_MEMBER,
        &care::DROP_MEMBER,
        &care::FORGET_DEVICE,
        &past::RESTORE,
        &past::BEGIN_REWIND,
        &past::FORGET_NOW,
    ],
    queries: &[
        &desk::CHANGES,
        &desk::LISTING,
        &desk::FILES,
        &desk::CONTENT,
        &desk::SEGMENTS,
        &desk::KNOWN,
        &desk::MISSING,
    ],
    sessions: &[SessionDef { name: stream::STREAM.name, open: stream::STREAM.open }],
    tasks: &[care::REMOVE_TASK, past::REWIND_TASK, past::FORGET],
    invariants: &check::INVARIANTS,
    stuck: &[
        StuckDef { what: "folders-seat", find: figures::late_seats },
        StuckDef { what: "folders-upload", find: figures::late_uploads },
    ],
    figures: &[
        FigureDef { name: "directories", find: figures::directories },
        FigureDef { name: "writing", find: figures::writing },
    ],
    ..ServiceDef::EMPTY
};

/// Under this the changes of a directory and of its seats are called out.
#[must_use]
pub fn topic(directory: &str) -> kernel::Topic {
    kernel::Topic::of(&format!("folders.{directory}"))
}

/// What does not overlap in one process of the server, to spare the engine conflicts.
pub(crate) fn contention(name: &str) -> ContentionKey {
    ContentionKey::of("folders", name)
}

pub(crate) fn key_of(name: &str) -> Keys {
    Keys::of(vec![contention(name)])
}

const PARTS: &[&[&[&Sql]]] = &[
    desk::STATEMENTS,
    care::STATEMENTS,
    past::STATEMENTS,
    &[figures::STATEMENTS, find::STATEMENTS, check::STATEMENTS, console::STATEMENTS],
];

const fn many() -> usize {
    let (mut sum, mut part) = (0, 0);
    while part < PARTS.len() {
        let mut piece = 0;
        while piece < PARTS[part].len() {
            sum += PARTS[part][piece].len();
            piece += 1;
        }
        part += 1;
    }
    sum
}

/// All statements, each prepared on every engine in a test.
static STATEMENTS: [&Sql; many()] = {
    let (mut all, mut part, mut next) = ([figures::STATEMENTS[0]; many()], 0, 0);
    while part < PARTS.len() {
        let mut piece = 0;
        while piece < PARTS[part].len() {
            let mut place = 0;
            while place < PARTS[part][piece].len() {
                all[next] = PARTS[part][piece][place];
                (place, next) = (place + 1, next + 1);
            }
            piece += 1;
        }
        part += 1;
    }
    all
};
