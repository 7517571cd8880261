//! All configuration keys: the one place for name, type, default, limits and documentation.
//!
//! A line of the table is `name: type = default, kind;` below its documentation. It becomes a field of its section's
//! struct and an entry of [`KEYS`], in this order.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use base::Engine;
use base::limits::{BLOB_GRACE_MS, BLOB_MAX, BODY_MAX, OP_ROWS_MAX, PAGE_MAX, QUEUE_MAX, REQUEST_KEPT_MS};

use super::field::{BlobPlace, BodiesPlace, Field, HistoryScope, LogFormat, NodeCount, QueueWish, Secret, Value};
use super::key::{Key, Kind, Preset, Section};
use super::rules::{
    ADDRESSES, CRON, FILTER, NAMESPACE, NETWORKS, NODE, ORIGIN, PLAIN_URL, QUEUE_NAME, QUEUES, S3_NAME, SCHEMA_PREFIX,
    SENDER,
};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
/// Ten years.
const KEPT_MAX: u64 = 3_650 * DAY;

/// A page reads one item more than it shows, and the rows that belong to its items.
const PAGE_LIMIT: u64 = 4_000;
const _: () = assert!(PAGE_LIMIT < OP_ROWS_MAX as u64, "a page would not fit an operation");

macro_rules! configuration {
    ($(
        $(#[doc = $about:literal])+
        $section:ident: $Section:ident {
            $($(#[doc = $doc:literal])+ $field:ident: $type:ty = $preset:expr, $kind:expr;)+
        }
    )+) => {
        /// Everything that can be configured.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Config {
            $($(#[doc = $about])+ pub $section: $Section,)+
        }

        $(
            $(#[doc = $about])+
            #[derive(Debug, Clone, PartialEq, Eq)]
            pub struct $Section {
                $($(#[doc = $doc])+ pub $field: $type,)+
            }
        )+

        /// All sections, in the order of the reference.
        pub const SECTIONS: &[Section] =
            &[$(Section { name: stringify!($section), doc: concat!($($about),+).trim_ascii() }),+];

        /// All keys, in the order of the reference.
        pub const KEYS: &[Key] = &[$($(Key::new::<$type>(
            concat!(stringify!($section), ".", stringify!($field)),
            $kind,
            $preset,
            concat!($($doc),+).trim_ascii(),
        )),+),+];

        impl Config {
            /// From one value per key, in the order of [`KEYS`].
            pub(super) fn from_values<'a>(values: impl IntoIterator<Item = &'a Value>) -> Self {
                let mut values = values.into_iter();
                // The fields of a literal are evaluated as written, so in the order of the table.
                Self { $($section: $Section { $($field: next(&mut values),)+ },)+ }
            }

            /// One value per key, in the order of [`KEYS`].
            pub(super) fn to_values(&self) -> Vec<Value> {
                vec![$($(self.$section.$field.to_value()),+),+]
            }
        }
    };
}

/// Panics only if a kind lets a value through that its field's type does not hold: a bug that every test would show.
fn next<'a, T: Field>(values: &mut impl Iterator<Item = &'a Value>) -> T {
    let field = values.next().and_then(T::from_value);
    let Some(field) = field else { panic!("a key's kind does not fit its field") };
    field
}

configuration! {
    /// The port that serves everything, and how much it takes at once.
    server: Server {
        /// Where to listen. Port 0 takes any free port. A host name is not taken: it may mean several addresses.
        listen: SocketAddr = Preset::Text("127.0.0.1:7400"), Kind::Address;
        /// Serve plain HTTP on an address that other machines can reach. Only behind a proxy that does TLS, or in a
        /// closed network: keys and passwords cross the wire as they are.
        allow_plain_http: bool = Preset::Truth(false), Kind::Truth;
        /// File with the server's certificate (PEM, its own first, then those up to the authority). With it everything is
        /// served by TLS. A changed file is taken up within seconds, without a restart.
        tls_certificate: Option<PathBuf> = Preset::Text(""), Kind::OptionalPath;
        /// File with the private key of the certificate (PEM).
        tls_key: Option<PathBuf> = Preset::Text(""), Kind::OptionalPath;
        /// The URL under which browsers reach the server, such as `https://fastness.example`. Empty: whatever they ask for.
        /// Needed behind a proxy that changes the Host. With https the session's cookie is sent over TLS only.
        public_url: String = Preset::Text(""), Kind::Text(&ORIGIN);
        /// Proxies before the server, as addresses or networks separated by commas: `10.0.0.0/8, 192.0.2.1`. Only what these
        /// say in X-Forwarded-For is believed.
        trusted_proxies: String = Preset::Text(""), Kind::Text(&NETWORKS);
        /// How long a stop takes at most: requests in flight are cut off after six tenths of it, tasks after nine. What ends sooner
        /// is not waited for.
        drain: Duration = Preset::Number(10 * SECOND), Kind::Duration { min_ms: 0, max_ms: 10 * MINUTE };
        /// Open connections; a further one waits until one of them ends. Each needs a file descriptor.
        connections_max: usize = Preset::Number(4_096), Kind::Integer { min: 1, max: 1_000_000, unit: "connections" };
        /// Requests in flight, of all namespaces together; a further one is answered `XBUSY` with Retry-After.
        requests_max: usize = Preset::Number(4_096), Kind::Integer { min: 1, max: 1_000_000, unit: "requests" };
        /// Requests in flight of one namespace, so that the flood of one leaves room for the others.
        namespace_requests_max: usize =
            Preset::Number(2_048), Kind::Integer { min: 1, max: 1_000_000, unit: "requests" };
        /// Live connections (server-sent events) of one namespace; they take no place of a request. A further one is answered
        /// `XBUSY` with Retry-After.
        namespace_live_max: usize =
            Preset::Number(1_000), Kind::Integer { min: 0, max: 1_000_000, unit: "connections" };
        /// Live connections of one key.
        key_live_max: usize = Preset::Number(100), Kind::Integer { min: 0, max: 1_000_000, unit: "connections" };
        /// Time for the head of a request to arrive, and before it for the TLS handshake; slower connections are closed.
        header_timeout: Duration = Preset::Number(10 * SECOND), Kind::Duration { min_ms: 10, max_ms: 5 * MINUTE };
        /// Time for the body of a request to arrive; slower ones are answered `ASLOW`.
        body_timeout: Duration = Preset::Number(30 * SECOND), Kind::Duration { min_ms: 10, max_ms: HOUR };
    }

    /// Where the server keeps its files.
    data: Data {
        /// The data directory; created if it is not there. A relative path begins where the server was started. One
        /// server at a time.
        dir: PathBuf = Preset::Text("./fastness-data"), Kind::Path;
    }

    /// How namespaces are stored.
    store: Store {
        /// The engine of a namespace that does not name its own.
        engine: Engine = Preset::Text("sqlite"), Kind::OneOf(&["sqlite", "postgres"]);
        /// How to reach PostgreSQL, such as `postgres://user:password@host/database`. Needed with the engine postgres.
        /// Better in the environment than in a file that others read.
        url: Option<Secret> = Preset::Text(""), Kind::Secret;
        /// How many servers may work on the same data: `auto` is one with the engine sqlite, several with postgres. With one, a
        /// second server on the same PostgreSQL waits until the first has been silent for as long as `tasks.lease`, and
        /// otherwise refuses to start.
        nodes: NodeCount = Preset::Text("auto"), Kind::OneOf(&["auto", "one", "several"]);
        /// PostgreSQL: a namespace's schema is this prefix and the namespace's name.
        schema_prefix: String = Preset::Text("fastness_"), Kind::Text(&SCHEMA_PREFIX);
        /// PostgreSQL: connections of one namespace that write, each with its thread.
        workers: usize = Preset::Number(8), Kind::Integer { min: 1, max: 256, unit: "connections" };
        /// Connections of one namespace that only read, each with its thread; they never wait for those that write.
        readers: usize = Preset::Number(4), Kind::Integer { min: 1, max: 256, unit: "connections" };
        /// Operations that may wait for one namespace's store, and as many reads; more are answered `XBUSY` with
        /// Retry-After.
        queue_max: usize =
            Preset::Number(QUEUE_MAX as u64), Kind::Integer { min: 1, max: 1_000_000, unit: "operations" };
        /// SQLite: page cache of one open namespace.
        cache: u64 = Preset::Number(64 * MIB), Kind::Size { min: MIB, max: 64 * GIB };
        /// SQLite: size of a namespace's write-ahead log at which it is emptied before more is written.
        wal_max: u64 = Preset::Number(64 * MIB), Kind::Size { min: 4 * MIB, max: 16 * GIB };
        /// SQLite: room that each namespace keeps on the disk and gives up when the disk is full, so that work already
        /// begun can end. 0 B keeps none.
        reserve: u64 = Preset::Number(8 * MIB), Kind::Size { min: 0, max: 16 * GIB };
    }

    /// The namespaces of this server.
    namespaces: Namespaces {
        /// The namespace that holds the configuration of the others. Its administrators' keys are valid everywhere.
        /// Not to be changed once the server has data. The command line takes it to be `z`: with another name give
        /// `fastness login --home NAME`, and use the API in place of `fastness namespace`, `fastness admin namespace`,
        /// `grant`, `resource` and `demo`.
        admin: String = Preset::Text("z"), Kind::Text(&NAMESPACE);
        /// How many namespaces there may be, the first two included. Each open one costs threads, memory and files.
        max: u32 = Preset::Number(64), Kind::Integer { min: 2, max: 900, unit: "namespaces" };
        /// PostgreSQL: connections that write, of a namespace that was created later.
        workers: usize = Preset::Number(2), Kind::Integer { min: 1, max: 256, unit: "connections" };
        /// Connections that only read, of a namespace that was created later and has no limit of its own: tenants are many,
        /// and most of them idle.
        readers: usize = Preset::Number(1), Kind::Integer { min: 1, max: 256, unit: "connections" };
    }

    /// Scheduled backups of all namespaces.
    backup: Backup {
        /// When a backup is written, as a cron text in UTC: D0425, or 25 4 * * *, is every day at 04:25. Empty writes none.
        cron: String = Preset::Text(""), Kind::Text(&CRON);
        /// The folder that holds the backups; best on another disk than the data. Created if it is not there.
        dir: PathBuf = Preset::Text("./fastness-backups"), Kind::Path;
        /// How many are kept; the oldest goes once a new one is written and verified.
        keep: usize = Preset::Number(7), Kind::Integer { min: 1, max: 1_000, unit: "backups" };
    }

    /// Where the bytes of blobs lie, and how long they are kept.
    blobs: BlobSettings {
        /// On the disk below the data directory, or in S3-compatible storage. What is stored stays where it is when this
        /// is changed, and is not found any more.
        place: BlobPlace = Preset::Text("local"), Kind::OneOf(&["local", "s3"]);
        /// S3: address of the storage without the bucket, such as `https://s3.eu-central-1.amazonaws.com`.
        url: String = Preset::Text(""), Kind::Text(&PLAIN_URL);
        /// S3: the bucket; it must exist. Give it a lifecycle rule that aborts incomplete uploads after a day.
        bucket: String = Preset::Text(""), Kind::Text(&S3_NAME);
        /// S3: the region; most compatible servers take any.
        region: String = Preset::Text("us-east-1"), Kind::Text(&S3_NAME);
        /// S3: id of the access key.
        access_key: Option<Secret> = Preset::Text(""), Kind::Secret;
        /// S3: its secret. Better in the environment than in a file that others read.
        secret_key: Option<Secret> = Preset::Text(""), Kind::Secret;
        /// Bytes of one blob; a larger one is answered `ATOOBIG`.
        max: u64 = Preset::Number(BLOB_MAX), Kind::Size { min: KIB, max: BLOB_MAX };
        /// How long a blob is kept after the last reference to it, or after its upload if nothing referred to it. Time in
        /// which the server is down does not count.
        grace: Duration =
            Preset::Number(BLOB_GRACE_MS.unsigned_abs()), Kind::Duration { min_ms: MINUTE, max_ms: 8_760 * HOUR };
    }

    /// What is kept in memory of documents, and how long their changes are remembered.
    documents: Documents {
        /// Memory for the documents of all namespaces together; those used least recently go first. 0 B keeps none.
        cache: usize = Preset::Number(64 * MIB), Kind::Size { min: 0, max: 64 * GIB };
        /// How long a document is kept without being compared with the store.
        cache_age: Duration = Preset::Number(10 * MINUTE), Kind::Duration { min_ms: SECOND, max_ms: DAY };
        /// How long the changes of documents are kept whose class is declared with `history`: who, when, which items. 0ms writes
        /// none down and lets go what was written.
        history_age: Duration = Preset::Number(90 * DAY), Kind::Duration { min_ms: 0, max_ms: KEPT_MAX };
    }

    /// Signals of sensors from a message broker (RabbitMQ), what is written down of them, and where it goes.
    sensors: Sensors {
        /// Which signals go into the history: those that changed something, or all that were accepted.
        history: HistoryScope = Preset::Text("changes"), Kind::OneOf(&["changes", "all"]);
        /// How long history, events and tries to tell them are kept in the store, counted while the server runs. What is still to
        /// be moved to ClickHouse stays until it was; what ClickHouse has is the operator's to drop.
        history_kept: Duration = Preset::Number(365 * DAY), Kind::Duration { min_ms: HOUR, max_ms: KEPT_MAX };
        /// ClickHouse that history moves to, in batches: `http://user:password@host:8123/database`. The database must be there; the
        /// tables are made. What is in the store already moves too. Not set: history stays in the store. Better in the environment
        /// than in a file that others read.
        clickhouse_url: Option<Secret> = Preset::Text(""), Kind::Secret;
        /// The broker, such as `amqp://user:password@host:5672/vhost`, by TLS `amqps://…`; the vhost `/` is written `%2f`. Not set: signals
        /// come over HTTP only. Better in the environment than in a file that others read.
        amqp_url: Option<Secret> = Preset::Text(""), Kind::Secret;
        /// The queue that signals come from. Made durable if it is not there.
        queue: String = Preset::Text("sensors-queue"), Kind::Text(&QUEUE_NAME);
        /// What this queue and `fastness-notify` are in RabbitMQ: kept on one of its nodes, or by a majority of them, as a cluster needs it.
        /// One that is there as something else is not used, and the log says what to do. auto: one that is there is taken as it is, and one
        /// that is not is made as RabbitMQ makes it.
        queue_type: QueueWish = Preset::Text("auto"), Kind::OneOf(&["auto", "classic", "quorum"]);
        /// The namespace that these signals are for.
        namespace: String = Preset::Text("main"), Kind::Text(&NAMESPACE);
        /// Signals that may be on their way from the broker and not yet acknowledged.
        prefetch: u32 = Preset::Number(2_000), Kind::Integer { min: 1, max: 65_535, unit: "signals" };
        /// Tell tasks that notify clients to all nodes through a queue of the broker, `fastness-notify`, so that the first node that is
        /// free begins them. Without the broker they begin five seconds later.
        notify_queue: bool = Preset::Truth(false), Kind::Truth;
        /// Redis that several servers on one PostgreSQL keep the last signs of life in, so that rows are touched less often:
        /// `redis://user:password@host:6379/0`. Needed by nobody: what it loses costs a quarter of a silence. The same for all servers
        /// on the same data. Not set: none.
        redis_url: Option<Secret> = Preset::Text(""), Kind::Secret;
    }

    /// Directories that devices keep in step.
    folders: Folders {
        /// How long older versions of files are kept, counted while the server runs, where a directory does not say otherwise. The newest
        /// version of a file is always kept. Of a deleted file the content goes after this time; its name is remembered for 400 days at
        /// least.
        history_kept: Duration = Preset::Number(180 * DAY), Kind::Duration { min_ms: HOUR, max_ms: KEPT_MAX };
    }

    /// Messages between devices and business databases.
    exchange: Exchange {
        /// Messages that one process of a database is given.
        max_files: u32 = Preset::Number(10), Kind::Integer { min: 1, max: 1_000, unit: "messages" };
        /// Bytes of these messages together; one is given at least.
        max_size: usize = Preset::Number(20 * MIB), Kind::Size { min: KIB, max: GIB };
        /// Bytes of one message. What came before, when the limit was higher, stays.
        message_size: usize = Preset::Number(32 * MIB), Kind::Size { min: 64 * KIB, max: 48 * MIB };
        /// How long a process may take from its start until the database is ready to commit; then it is as if it never was.
        prepare_within: Duration = Preset::Number(10 * MINUTE), Kind::Duration { min_ms: SECOND, max_ms: DAY };
        /// How long a process may take from there until the database says whether it committed; then its outcome is unknown.
        commit_within: Duration = Preset::Number(5 * MINUTE), Kind::Duration { min_ms: SECOND, max_ms: DAY };
        /// How long messages that are done, wrong or of unknown outcome are kept, counted while the server runs.
        kept: Duration = Preset::Number(92 * DAY), Kind::Duration { min_ms: HOUR, max_ms: KEPT_MAX };
        /// Where the texts of messages are: as files in folders that follow the store; in the store alone; or in the store until they are
        /// done and then in blobs, on a disk or in S3 (`blobs.place`). Several servers on one PostgreSQL need one of the last two.
        /// auto: folders on SQLite, the store on PostgreSQL.
        bodies: BodiesPlace = Preset::Text("auto"), Kind::OneOf(&["auto", "folders", "store", "blobs"]);
        /// The folder below which each namespace has one, with one for each database in it. Not set: `exchange` in the data directory.
        folder: Option<PathBuf> = Preset::Text(""), Kind::OptionalPath;
    }

    /// How much one request may carry.
    limits: Limits {
        /// A JSON body; a larger one is answered `ATOOBIG`.
        body: usize = Preset::Number(BODY_MAX as u64), Kind::Size { min: KIB, max: 64 * MIB };
        /// Items of one page of a list; asking for more is answered `ALIMIT`.
        page: u32 = Preset::Number(PAGE_MAX as u64), Kind::Integer { min: 1, max: PAGE_LIMIT, unit: "items" };
    }

    /// Calls to the outside: HTTP targets of tasks, webhooks.
    outbound: Outbound {
        /// Let HTTP calls go to addresses that are not of the public internet: private, loopback, link-local and the
        /// like. Whoever may create tasks can then reach what this machine can reach.
        allow_private: bool = Preset::Truth(false), Kind::Truth;
        /// Time for finding a target's address, connecting and the TLS handshake.
        connect_timeout: Duration = Preset::Number(10 * SECOND), Kind::Duration { min_ms: 10, max_ms: 5 * MINUTE };
        /// File with certificates of authorities (PEM) that are trusted besides those of the system.
        certificates: Option<PathBuf> = Preset::Text(""), Kind::OptionalPath;
    }

    /// The server through which mail is sent.
    mail: Mail {
        /// `smtps://user:password@host` (TLS, port 465) or `smtp://…` (port 587 with a password, else 25). With smtp a
        /// password is only sent after STARTTLS; without one STARTTLS is used if offered; `?tls=required` and
        /// `?tls=none` behind it say otherwise. Not set: no mail. Better in the environment than in a file.
        url: Option<Secret> = Preset::Text(""), Kind::Secret;
        /// The sender: an address, or a name and an address as in `Fastness <server@example.org>`.
        from: String = Preset::Text(""), Kind::Text(&SENDER);
    }

    /// How tasks are run: operations that were put off until later.
    tasks: Tasks {
        /// Workers of queue 0, for quick work, in each namespace.
        quick_workers: usize = Preset::Number(4), Kind::Integer { min: 1, max: 1_000, unit: "workers" };
        /// Workers of queue 1, for longer work, in each namespace.
        standard_workers: usize = Preset::Number(2), Kind::Integer { min: 1, max: 1_000, unit: "workers" };
        /// Workers of queue 2, for work in the background, in each namespace.
        background_workers: usize = Preset::Number(1), Kind::Integer { min: 1, max: 1_000, unit: "workers" };
        /// Workers of queue 3, for what is told to others (clients of sensors), in each namespace. They are busy only while something
        /// is written down, not while a call is under way: many of them share a commit.
        telling_workers: usize = Preset::Number(16), Kind::Integer { min: 1, max: 1_000, unit: "workers" };
        /// Queues of operations other than their own, such as `mail.send=1, report.nightly=2`.
        queues: String = Preset::Text(""), Kind::Text(&QUEUES);
        /// Calls to the outside of one kind (HTTP, mail) under way at once.
        calls: usize = Preset::Number(512), Kind::Integer { min: 1, max: 100_000, unit: "calls" };
        /// Those of them that go to one target, so that targets which hang leave room for the others.
        calls_per_target: usize = Preset::Number(32), Kind::Integer { min: 1, max: 100_000, unit: "calls" };
        /// How long a node of several may be silent before others take over its tasks.
        lease: Duration = Preset::Number(30 * SECOND), Kind::Duration { min_ms: SECOND, max_ms: HOUR };
        /// This node's name among several on one PostgreSQL. Empty: one that is made at the first start and kept in the data
        /// directory.
        node: String = Preset::Text(""), Kind::Text(&NODE);
    }

    /// What is asked of clients.
    client: Client {
        /// The oldest build of a client that is still served; an older one is answered `DBUILD`. 0 serves all.
        build_min: u64 = Preset::Number(0), Kind::Integer { min: 0, max: 999_999_999_999, unit: "(a build number)" };
    }

    /// Requests that carry an Idempotency-Key.
    requests: Requests {
        /// How long the answer is kept for a repetition. A client that repeats later does its work twice.
        kept: Duration =
            Preset::Number(REQUEST_KEPT_MS.unsigned_abs()), Kind::Duration { min_ms: MINUTE, max_ms: 720 * HOUR };
    }

    /// Alerts: whom to tell that something is wrong, and how often. A namespace may have channels of its own, and the
    /// administrators' namespace others for all; these are used where neither has any.
    alerts: Alerts {
        /// Mail addresses, separated by commas; empty for none. Tried first.
        mail_to: String = Preset::Text(""), Kind::Text(&ADDRESSES);
        /// Where a webhook is posted to, such as a gateway for short messages; empty for none. Tried when mail fails.
        webhook_url: Option<Secret> = Preset::Text(""), Kind::Secret;
        /// Signs the webhook as Standard Webhooks says: `whsec_` and the base64 of 24 to 64 bytes.
        webhook_secret: Option<Secret> = Preset::Text(""), Kind::Secret;
        /// How long the first alert of a kind waits for others, so that many become one message.
        gather: Duration = Preset::Number(30 * SECOND), Kind::Duration { min_ms: 0, max_ms: HOUR };
        /// Least time between two messages about one kind of alerts.
        pace: Duration = Preset::Number(5 * MINUTE), Kind::Duration { min_ms: SECOND, max_ms: DAY };
        /// After how long an open alert that nobody acknowledged is said again; then after twice, then after four times as
        /// long.
        repeat: Duration = Preset::Number(6 * HOUR), Kind::Duration { min_ms: MINUTE, max_ms: 30 * DAY };
        /// How long closed alerts and messages are kept, counted while the server runs.
        kept: Duration = Preset::Number(90 * DAY), Kind::Duration { min_ms: HOUR, max_ms: KEPT_MAX };
    }

    /// The journal of what an operator would want to read later.
    journal: Journal {
        /// How long lines are kept, counted while the server runs.
        kept: Duration = Preset::Number(90 * DAY), Kind::Duration { min_ms: HOUR, max_ms: KEPT_MAX };
    }

    /// Counters of devices, clients and operations.
    counters: Counters {
        /// How long a counter that is not raised any more is kept, counted while the server runs.
        kept: Duration = Preset::Number(90 * DAY), Kind::Duration { min_ms: HOUR, max_ms: KEPT_MAX };
        /// How long the minutes of charts are kept, counted while the server runs. The longest chart shows 7 days.
        minutes_kept: Duration = Preset::Number(7 * DAY), Kind::Duration { min_ms: HOUR, max_ms: 90 * DAY };
    }

    /// The change feed.
    events: Events {
        /// How long events are kept for readers that are away; a reader that comes later starts over with a full read.
        kept: Duration = Preset::Number(168 * HOUR), Kind::Duration { min_ms: MINUTE, max_ms: 8_760 * HOUR };
    }

    /// Traces for OpenTelemetry: a span for each request and for each call of a task to the outside, sent as OTLP over HTTP (JSON).
    traces: Traces {
        /// The collector, such as `http://127.0.0.1:4318`; spans are posted to `/v1/traces` there. Empty: no traces.
        url: String = Preset::Text(""), Kind::Text(&PLAIN_URL);
        /// The header `Authorization` for the collector. Better in the environment than in a file.
        authorization: Option<Secret> = Preset::Text(""), Kind::Secret;
        /// One trace in so many is told of. Who sends a `traceparent` has decided for its own trace.
        one_in: u64 = Preset::Number(1), Kind::Integer { min: 1, max: 1_000_000, unit: "traces" };
    }

    /// What the server writes to its standard error.
    log: Log {
        /// Lines for people, or one JSON object per line.
        format: LogFormat = Preset::Text("text"), Kind::OneOf(&["text", "json"]);
        /// What is logged: a level, or levels by module such as `info,kernel=debug`.
        level: String = Preset::Text("info"), Kind::Text(&FILTER);
    }
}
