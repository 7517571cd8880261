//! What is tried with bytes of every kind: each parser and each wire format, as a function of bytes that panics when something is wrong.
//!
//! libFuzzer calls them from the shells in `fuzz/`; the test `replay` calls them with the corpus of `fuzz/corpus`, so that whatever was found
//! once is looked at by every run of the tests, with the stable compiler. Beyond "it does not panic" a target states what must hold of what was
//! taken: it reads back as it was, however it is cut it means the same, it leads nowhere outside.
//!
//! Invariants: a target touches no file and no network, and depends on its bytes alone ([`routes`] on those before, too, for at most
//! 200 inputs). Deliberately not here: libFuzzer itself, which wants another compiler.

#![expect(clippy::missing_panics_doc, clippy::expect_used, clippy::panic, reason = "a panic is the finding")]

mod archives;
mod files;
mod messages;
pub mod mutate;
mod network;
mod routes;
mod streams;
mod values;

/// Something that takes bytes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name: that of its shell and of its corpus.
    pub name: &'static str,
    /// Tries it.
    pub run: fn(&[u8]),
}

const fn target(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, run }
}

/// All of them.
pub const TARGETS: &[Target] = &[
    target("archive", archives::archive),
    target("backup", archives::backup),
    target("chunks", streams::chunks),
    target("clickhouse", messages::clickhouse),
    target("commands", files::commands),
    target("config", files::config),
    target("connector", messages::connector),
    target("cron", values::cron),
    target("cursors", values::cursors),
    target("exchange_file", messages::exchange_file),
    target("grpc", streams::grpc),
    target("headers", network::headers),
    target("http1", network::http1),
    target("ids", values::ids),
    target("ignore", files::ignore),
    target("imports", messages::imports),
    target("message", messages::message),
    target("names", files::names),
    target("outbound", network::outbound),
    target("redis", network::redis),
    target("replica", messages::replica),
    target("routes", routes::routes),
    target("rows", archives::rows),
    target("signal", messages::signal),
    target("signature", network::signature),
    target("stamps", values::stamps),
    target("synxpo", streams::synxpo),
];

/// Tries one by its name.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of this name");
    (target.run)(bytes);
}

/// Bytes as text; most targets take nothing else.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}
