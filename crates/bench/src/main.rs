//! Benchmarks: our work and a peer's in one run, alternating, printed as ratios with their spread.
//!
//! `cargo run --release -p bench -- kernel` needs nothing but the disk; with `FASTNESS_TEST_POSTGRES` set (as
//! `cargo xtask services run` does) the PostgreSQL half runs too. Figures on shared machines wander, so every side is
//! run in turn, several times, and the disk's own sync time of the run is printed beside them.
//!
//! Deliberately not here: timed tests. A figure is looked at, it does not fail a build.

mod console;
mod contest;
mod daemons;
mod disk;
mod documents;
mod exchange;
mod folders;
mod kernel;
mod nodes;
mod overload;
mod report;
mod scaling;
mod sensors;
mod start;
mod tasks;
mod workflow;

use std::process::ExitCode;
use std::time::Duration;

use contest::Effort;

const USAGE: &str = "usage: bench all [--quick] [--resume] [--rounds N] [--out FOLDER] [--docs FOLDER] [--only NAME,NAME]
       bench start|kernel|overload|tasks|documents|console|sensors|exchange|workflow|folders|folders-server|nodes|scaling [--seconds N] [--rounds N] [--only TEXT]

  all      every scenario but scaling, one after the other, and one report of them (target/bench-report/report.md, with plots); what cannot
           run here is said in it. --quick: a short pass that shows that it works, and no figures to keep; --only: these anew, what
           was measured before of the others stays; --resume: what came to its end before is not measured again; --docs docs: also as
           docs/benchmarks.md, with figures and pictures in docs/benchmarks/
  start    from the start of the program until it is ready, and its size; needs the program: cargo build --release -p fastness
  kernel   durable operations per second with 1, 16, 256 and 2048 callers, on SQLite and (if FASTNESS_TEST_POSTGRES
           is set) on PostgreSQL, against the same SQL one commit at a time and a hand-written group commit loop
  overload goodput over HTTP when ten times more is asked than is taken, and another tenant's waiting meanwhile
  tasks    tasks from enqueue to done, on both engines, against graphile-worker, pg-boss and BullMQ (npm, redis-server),
           and what a claim costs when a million tasks wait
  documents commits, reads, searches, synchronisation and memory of documents over HTTP, against PocketBase (PyPI) and
           pouchdb-server (npm); needs the program: cargo build --release -p fastness
  sensors  signals over HTTP and from RabbitMQ (if FASTNESS_TEST_RABBITMQ is set, as cargo xtask services run does) against a
           consumer that only acknowledges, memory of a million sensors, notifications while receivers hang; needs the program
  exchange durable messages in and through the whole handshake, against RabbitMQ (quorum queue; if FASTNESS_TEST_RABBITMQ is set)
           and NATS JetStream (PyPI), starts while a million messages wait, and recovery at start with 100,000 files in every
           state (--only recovery); needs the program
  workflow processes of 1 step, 3 steps and a fan-out from start to result, against Restate (npm) and DBOS (PyPI, on PostgreSQL if
           FASTNESS_TEST_POSTGRES is set), with memory and recovery; then our limits: completions in batches, from ready to
           polled, a million waiting, a scan of a million, a mass restart; needs the program
  folders  from folder A by the server to folder B with the real daemons (--only cold,rescan,rename,large,save,memory), against Syncthing,
           rsync and unison (packages; --sides ours,syncthing,rsync,unison); needs the program
  folders-server  commits of metadata, bytes up and down, a change told to a thousand, the rename of a tree of 100,000, memory while
           2 GiB come in, over gRPC; needs the program
  nodes    commits, reads and signals on one, two and three nodes over one PostgreSQL (FASTNESS_TEST_POSTGRES), each node held to a share of
           a core so that the store is not the limit; needs the program
  console  every page of the console with 100,000 rows behind it, on SQLite and (if FASTNESS_TEST_POSTGRES is set) on PostgreSQL; needs
           the program as well
  scaling  measures nothing: carries the measured costs to a thousand million messages a day, as docs/scaling.md shows them
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["all", options @ ..] => report::run(options),
        ["start", options @ ..] => effort(options).and_then(|effort| start::run(&effort)),
        ["kernel", options @ ..] => effort(options).and_then(|effort| kernel::run(&effort)),
        ["overload", options @ ..] => effort(options).and_then(|effort| overload::run(&effort)),
        ["tasks", options @ ..] => effort(options).and_then(|effort| tasks::run(&effort)),
        ["documents", options @ ..] => effort(options).and_then(|effort| documents::run(&effort)),
        ["console", options @ ..] => effort(options).and_then(|effort| console::run(&effort)),
        ["sensors", options @ ..] => effort(options).and_then(|effort| sensors::run(&effort)),
        ["exchange", options @ ..] => effort(options).and_then(|effort| exchange::run(&effort)),
        ["workflow", options @ ..] => effort(options).and_then(|effort| workflow::run(&effort)),
        ["folders", options @ ..] => daemons::run(options),
        ["folders-server", options @ ..] => effort(options).and_then(|effort| folders::run(&effort)),
        ["nodes", options @ ..] => effort(options).and_then(|effort| nodes::run(&effort)),
        ["scaling"] => scaling::run(),
        ["hot-child", schema, seconds] => kernel::hot_child(schema, seconds),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn effort(options: &[&str]) -> anyhow::Result<Effort> {
    let mut effort = Effort { side: Duration::from_secs(2), rounds: 3, only: String::new() };
    for pair in options.chunks(2) {
        match pair {
            ["--seconds", value] => effort.side = Duration::from_secs_f64(value.parse()?),
            ["--rounds", value] => effort.rounds = value.parse()?,
            ["--only", value] => effort.only = (*value).to_owned(),
            other => anyhow::bail!("unknown option {other:?}\n{USAGE}"),
        }
    }
    Ok(effort)
}
