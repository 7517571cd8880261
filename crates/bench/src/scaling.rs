//! `bench scaling`: what measured costs become at a million to a thousand million messages a day.
//!
//! Pure: figures in, tables out. Nothing is measured here. What was measured is in `docs/benchmarks-notes.md`, and each such figure stands
//! below with the words of that page, which a test looks for. What is assumed is marked so. Everything above the rates of that page is
//! extrapolated: it was measured on one machine of two cores, and is multiplied.
//!
//! The rule is simple on purpose: a namespace is never asked for more than half of what one namespace was seen to do, and cores are
//! counted as if twice as many do twice as much. Deliberately not here: latency, several regions, prices.

use anyhow::Result;

const DAY_S: f64 = 86_400.0;
/// Messages a day.
const DAYS: [f64; 4] = [1e6, 1e7, 1e8, 1e9];

/// Cores of the machine on which everything was measured, those who send and receive included.
const MEASURED_CORES: f64 = 2.0;

// Measured, on SQLite (`docs/benchmarks-notes.md`, test `measured_figures_are_those_of_the_page`).

/// Messages of 1 KB a second through the whole handshake, 64 senders, one namespace.
const EXCHANGE_THROUGH: f64 = 5_090.0;
/// Core time of the server for a message, in and out.
const EXCHANGE_CPU_US: f64 = 130.0 + 99.0;
/// Signals a second over HTTP, 1,000 in a request, 1 % of them changes; and cores of the server.
const SIGNALS_HTTP: f64 = 793_000.0;
const SIGNALS_HTTP_CORES: f64 = 1.5;
/// Signals a second from RabbitMQ, acknowledged after commit; the broker on the same two cores.
const SIGNALS_BROKER: f64 = 42_800.0;
/// Changes told by webhook a second; and cores of the server.
const NOTIFICATIONS: f64 = 6_940.0;
const NOTIFICATIONS_CORES: f64 = 1.26;
/// Part of the signals that change something, as in the runs above.
const CHANGES: f64 = 0.01;
/// Processes of three steps a second from start to result, 64 clients; workers and clients on the same two cores.
const PROCESSES: f64 = 2_957.0;
const STEPS: f64 = 3.0;

/// The same work on both engines, a second: PostgreSQL, SQLite. Kernel at 256 callers; tasks with 4 workers one by one and in
/// batches; the same with 32 workers.
const ENGINES: [(f64, f64); 5] =
    [(13_700.0, 169_000.0), (536.0, 2_652.0), (726.0, 2_033.0), (687.0, 5_843.0), (1_804.0, 5_497.0)];

/// Statements a second on PostgreSQL: 256 callers, three in an operation.
const STATEMENTS: f64 = 13_700.0 * 3.0;

// The program's defaults (`docs/reference/configuration.md`).

/// Connections to PostgreSQL of one node for one namespace: `namespaces.workers`, `namespaces.readers`, and one for words between nodes.
const CONNECTIONS: f64 = 2.0 + 1.0 + 1.0;
/// The same for `z` and `main` together: `store.workers`, `store.readers`, words.
const FIRST_CONNECTIONS: f64 = 2.0 * (8.0 + 4.0 + 1.0);

// Assumed.

/// The busiest second of a day, by its average.
const PEAK: f64 = 4.0;
/// Part of what is possible that is used at the peak.
const HEADROOM: f64 = 0.5;
/// Cores of a node and of a PostgreSQL server. That each does in proportion to its cores is assumed too.
const NODE_CORES: f64 = 8.0;
const SERVER_CORES: f64 = 16.0;
/// PostgreSQL's part of the cores, where it and the node were measured together.
const SERVER_PART: f64 = 0.5;

/// One kind of work, by the message.
struct Work {
    name: &'static str,
    /// The most that one namespace on SQLite was seen to do in a second, on two cores.
    rate: f64,
    /// Core time of a node on SQLite.
    cpu_us: f64,
    /// Statements on PostgreSQL. Measured: seven for a message that comes in; the others are assumed. A signal reads its row there and
    /// writes its time and id: no memory is believed where another node may write.
    statements: f64,
    /// Assumed: what stays on the disk, counted from the columns and indexes.
    kept_bytes: f64,
    /// Assumed: what goes through a node's network, in and out, heads of requests included.
    wire_bytes: f64,
}

/// What all of it costs one after the other.
fn in_turn(rates: [f64; 2]) -> f64 {
    1.0 / rates.iter().map(|rate| 1.0 / rate).sum::<f64>()
}

fn works() -> [Work; 4] {
    let told = NOTIFICATIONS / CHANGES;
    let told_us = 1e6 * NOTIFICATIONS_CORES / told;
    let tasks = PROCESSES * STEPS;
    [
        Work {
            name: "Exchange: messages of 1 KB, in and through the handshake",
            rate: EXCHANGE_THROUGH,
            cpu_us: EXCHANGE_CPU_US,
            statements: 7.0 + 5.0,
            kept_bytes: 1_536.0,
            wire_bytes: 3_072.0,
        },
        Work {
            name: "Sensors: signals over HTTP, 1,000 in a request, 1 % changes, each told to one client",
            rate: in_turn([SIGNALS_HTTP, told]),
            cpu_us: 1e6 * SIGNALS_HTTP_CORES / SIGNALS_HTTP + told_us,
            statements: 2.0,
            kept_bytes: 1_024.0 * CHANGES,
            wire_bytes: 40.0 + 1_024.0 * CHANGES,
        },
        Work {
            name: "Sensors: signals from RabbitMQ, 1 % changes, each told to one client",
            rate: in_turn([SIGNALS_BROKER, told]),
            cpu_us: 1e6 * MEASURED_CORES / SIGNALS_BROKER + told_us,
            statements: 2.0,
            kept_bytes: 1_024.0 * CHANGES,
            wire_bytes: 128.0 + 1_024.0 * CHANGES,
        },
        Work {
            name: "Workflow: tasks of processes of three steps",
            rate: tasks,
            cpu_us: 1e6 * MEASURED_CORES / tasks,
            statements: 12.0,
            kept_bytes: 512.0,
            wire_bytes: 2_048.0,
        },
    ]
}

/// What PostgreSQL does of the same work, by SQLite: the least, the middle and the most of what was measured.
fn shares() -> [f64; 3] {
    let mut found = ENGINES.map(|(postgres, sqlite)| postgres / sqlite);
    found.sort_by(f64::total_cmp);
    [found[0], found[found.len() / 2], found[found.len() - 1]]
}

fn peak(a_day: f64) -> f64 {
    PEAK * a_day / DAY_S
}

/// Whole ones, at least one.
fn whole(count: f64) -> f64 {
    count.ceil().max(1.0)
}

/// How many namespaces, if each does up to `rate` a second.
fn namespaces(a_day: f64, rate: f64) -> f64 {
    whole(peak(a_day) / (rate * HEADROOM))
}

/// Servers with a data directory each, their namespaces on SQLite.
fn sqlite_nodes(work: &Work, a_day: f64) -> f64 {
    let cores = peak(a_day) * work.cpu_us / 1e6 / HEADROOM;
    whole(cores / NODE_CORES)
}

/// What a namespace on PostgreSQL does in a second on two cores, the server's included.
fn postgres_rate(work: &Work, share: f64) -> f64 {
    (work.rate * share).min(STATEMENTS / work.statements)
}

/// Several PostgreSQL servers, each with nodes and a `z` of its own: a cell.
struct Cells {
    namespaces: f64,
    servers: f64,
    nodes: f64,
    /// Connections of one server.
    connections: f64,
}

fn cells(work: &Work, a_day: f64, share: f64) -> Cells {
    let rate = postgres_rate(work, share);
    let cores = peak(a_day) * MEASURED_CORES / rate / HEADROOM;
    let namespaces = namespaces(a_day, rate);
    let servers = whole(cores * SERVER_PART / SERVER_CORES);
    // Two nodes of a cell, so that one may go.
    let of_each = (cores * (1.0 - SERVER_PART) / NODE_CORES / servers).ceil().max(2.0);
    let connections = of_each * (FIRST_CONNECTIONS + CONNECTIONS * (namespaces / servers).ceil());
    Cells { namespaces, servers, nodes: of_each * servers, connections }
}

/// Prints the tables, as `docs/scaling.md` has them.
pub fn run() -> Result<()> {
    let [least, middle, most] = shares();
    println!("PostgreSQL by SQLite: {middle:.2} [{least:.2} – {most:.2}]\n");
    print!("{}", tables());
    Ok(())
}

fn tables() -> String {
    works().iter().map(table).collect::<Vec<_>>().join("\n")
}

fn table(work: &Work) -> String {
    let Work { name, .. } = work;
    let head = "| a day | average /s | peak /s | SQLite: namespaces | nodes | PostgreSQL: namespaces | servers | nodes | connections of a \
                server | kept a day | network at the peak |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
    let rows: String = DAYS.iter().map(|a_day| row(work, *a_day)).collect();
    format!("**{name}**\n\n{head}{rows}")
}

fn row(work: &Work, a_day: f64) -> String {
    let [most, middle, least] = shares().map(|share| cells(work, a_day, share));
    let words = [
        grouped(a_day),
        grouped(a_day / DAY_S),
        grouped(peak(a_day)),
        grouped(namespaces(a_day, work.rate)),
        grouped(sqlite_nodes(work, a_day)),
        grouped(middle.namespaces),
        format!("{} [{} – {}]", grouped(middle.servers), grouped(least.servers), grouped(most.servers)),
        grouped(middle.nodes),
        grouped(middle.connections),
        bytes(a_day * work.kept_bytes),
        bits(peak(a_day) * work.wire_bytes * 8.0),
    ];
    format!("| {} |\n", words.join(" | "))
}

/// 46296.3 is 46,296.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn bytes(number: f64) -> String {
    if number < 1e9 { format!("{} MB", grouped(number / 1e6)) } else { format!("{} GB", grouped(number / 1e9)) }
}

fn bits(a_second: f64) -> String {
    if a_second < 1e6 { "below 1 Mbit/s".into() } else { format!("{} Mbit/s", grouped(a_second / 1e6)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BENCHMARKS: &str = include_str!("../../../docs/benchmarks-notes.md");
    const CONFIGURATION: &str = include_str!("../../../docs/reference/configuration.md");
    const PAGE: &str = include_str!("../../../docs/scaling.md");

    #[test]
    fn measured_figures_are_those_of_the_page() {
        for words in [
            "| 5,000 a second through the handshake | 5,090 |",
            "A message costs the server 130 µs in and 99 µs out at 64 senders",
            "| signals over HTTP, 1,000 / 5,000 / 10,000 in a request | 793,000 / 898,000 / 998,000 a second, 1.5 cores of the server |",
            "| signals from RabbitMQ, acknowledged after commit | 42,800 a second",
            "| notifications, nobody else is told | 6,940 a second, 1.26 cores of the server |",
            "| 3 steps, 64 clients | 2,957/s,",
            "adds an entry: three statements",
            "seven statements a send",
            "| 256 | 169,000 [",
            "| 256 | 13,700 [",
            "| **ours on SQLite** | **2,652/s** [2,571 – 3,222] | **2,033/s** [",
            "| **ours on PostgreSQL** | **536/s** [401 – 676] | **726/s** [",
            "| **ours on SQLite** | **5,843/s** [5,533 – 5,994] | **5,497/s** [",
            "| **ours on PostgreSQL** | **687/s** [638 – 1,648] | **1,804/s** [",
        ] {
            assert!(BENCHMARKS.contains(words), "{words}");
        }
    }

    #[test]
    fn defaults_are_those_of_the_reference() {
        for words in [
            "| `store.workers` | `8` |",
            "| `store.readers` | `4` |",
            "| `namespaces.workers` | `2` |",
            "| `namespaces.readers` | `1` |",
        ] {
            assert!(CONFIGURATION.contains(words), "{words}");
        }
    }

    #[test]
    fn the_page_shows_what_is_printed() {
        assert!(PAGE.contains(&tables()), "docs/scaling.md is not what this prints:\n{}", tables());
    }

    #[test]
    fn a_day_has_an_average_and_a_peak() {
        assert_eq!(grouped(1e9 / DAY_S), "11,574");
        assert_eq!(grouped(peak(1e9)), "46,296");
    }

    #[test]
    fn namespaces_carry_the_peak_with_headroom_and_one_fewer_would_not() {
        for work in works() {
            for a_day in DAYS {
                for rate in [work.rate, postgres_rate(&work, shares()[1])] {
                    let count = namespaces(a_day, rate);
                    assert!(count * rate * HEADROOM >= peak(a_day), "{} {a_day}", work.name);
                    assert!(count <= 1.0 || (count - 1.0) * rate * HEADROOM < peak(a_day), "{} {a_day}", work.name);
                }
            }
        }
    }

    #[test]
    fn ten_times_as_much_never_needs_less() {
        for work in works() {
            for pair in DAYS.windows(2) {
                let [few, many] = [pair[0], pair[1]].map(|a_day| cells(&work, a_day, shares()[1]));
                assert!(few.namespaces <= many.namespaces && few.servers <= many.servers && few.nodes <= many.nodes);
                assert!(sqlite_nodes(&work, pair[0]) <= sqlite_nodes(&work, pair[1]));
            }
        }
    }

    #[test]
    fn what_is_done_in_turn_is_slower_than_each_part() {
        assert_eq!(in_turn([100.0, 100.0]), 50.0);
        assert!(in_turn([SIGNALS_BROKER, NOTIFICATIONS / CHANGES]) < SIGNALS_BROKER);
    }

    #[test]
    fn the_share_of_postgres_lies_between_the_worst_and_the_best_run() {
        let [least, middle, most] = shares();
        assert!(least < middle && middle < most && most < 1.0);
        assert_eq!(format!("{middle:.2}"), "0.20");
    }

    #[test]
    fn signals_on_postgres_are_bound_by_their_statements() {
        let [exchange, http, ..] = works();
        assert_eq!(postgres_rate(&http, shares()[1]), STATEMENTS / http.statements);
        assert_eq!(postgres_rate(&exchange, shares()[1]), exchange.rate * shares()[1]);
    }

    #[test]
    fn numbers_are_shown_in_groups() {
        assert_eq!([999.0, 1_000.0, 1_234_567.0].map(grouped), ["999", "1,000", "1,234,567"]);
        assert_eq!([bytes(2e6), bytes(1.5e12)], ["2 MB", "1,500 GB"]);
    }
}
