//! The server as a process: started, loaded, killed, starved of disk and of its database, and asked afterwards.
//!
//! Everything goes over HTTP to the real binary on a port of its own; what was acknowledged is compared with what is
//! there. Tests that need strace, a mount or PostgreSQL have it in their module's name. Clients, faults and the judge are
//! the kill harness's (`crates/kill`), which also runs whole nights of this: `cargo xtask kill`.
#![expect(clippy::disallowed_methods, reason = "tests of the whole program use the real clock, files and threads")]

mod backup;
mod backup_postgres;
mod check;
mod check_postgres;
mod faults_strace;
mod guide;
mod hanging;
mod killed;
mod namespaces;
mod namespaces_killed;
mod namespaces_postgres;
mod nodes_postgres_faults;
mod postgres;
mod postgres_faults;
mod rounds;
mod rounds_postgres_faults;
mod rounds_strace;
mod start;
mod tasks;
mod watchdog;
mod watchdog_postgres_faults;
mod watchdog_strace;

use std::path::Path;

use kill::check::{Books, judge};
use kill::load::{Known, POOL, Writer};
use kill::server::{Launch, Server};

/// How to start the ledger's server in `data`.
fn launch(data: &Path) -> Launch {
    Launch::new(program(), data)
}

/// The ledger's server.
fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_ledger"))
}

/// Every request was settled: each was done exactly once, in balances and in entries.
fn check_all_done(server: &Server, writers: &[Writer]) {
    for writer in writers {
        let open = writer.requests().iter().find(|(_, request)| !matches!(request.known, Known::Done(_)));
        assert_eq!(open, None, "{}", writer.name);
    }
    let accounts = writers.iter().map(|writer| writer.name.clone()).chain([POOL.to_owned()]);
    let books = Books::over_http(&mut server.client(), accounts).expect("the books");
    judge(&books, &writers.iter().collect::<Vec<_>>()).expect("nothing lost, nothing twice");
}

/// Asks everything again in calm.
fn settle(writers: &mut [Writer], server: &Server) {
    std::thread::scope(|scope| {
        for writer in writers {
            scope.spawn(|| writer.settle(server).expect("each is known in the end"));
        }
    });
}
