//! All configuration keys: the one place for name, type, default, limits and documentation.
//!
//! A line of the table is `name: type = default, kind;` below its documentation. It becomes a field of its section's
//! struct and an entry of [`KEYS`], in this order.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use base::Engine;
use base::limits::{BLOB_GRACE_MS, BLOB_MAX, BODY_MAX, OP_ROWS_MAX, PAGE_MAX, QUEUE_MAX, REQUEST_KEPT_MS};

use super::field::{BlobPlace, Field, LogFormat, Secret, Value};
use super::key::{Key, Kind, Preset, Section};
use super::rules::{FILTER, NAMESPACE, S3_NAME, S3_URL, SCHEMA_PREFIX};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

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
        /// How long a stop waits for the requests in flight before it cuts them off.
        drain: Duration = Preset::Number(10 * SECOND), Kind::Duration { min_ms: 0, max_ms: 10 * MINUTE };
        /// Open connections; a further one is closed at once. Each needs a file descriptor.
        connections_max: usize = Preset::Number(4_096), Kind::Integer { min: 1, max: 1_000_000, unit: "connections" };
        /// Requests in flight, of all namespaces together; a further one is answered `XBUSY` with Retry-After.
        requests_max: usize = Preset::Number(4_096), Kind::Integer { min: 1, max: 1_000_000, unit: "requests" };
        /// Requests in flight of one namespace, so that the flood of one leaves room for the others.
        namespace_requests_max: usize =
            Preset::Number(2_048), Kind::Integer { min: 1, max: 1_000_000, unit: "requests" };
        /// Time for the head of a request to arrive; slower connections are closed.
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
        wal_max: u64 = Preset::Number(8 * MIB), Kind::Size { min: 4 * MIB, max: 16 * GIB };
        /// SQLite: room that each namespace keeps on the disk and gives up when the disk is full, so that work already
        /// begun can end. 0 B keeps none.
        reserve: u64 = Preset::Number(8 * MIB), Kind::Size { min: 0, max: 16 * GIB };
    }

    /// The namespaces of this server.
    namespaces: Namespaces {
        /// The namespace that holds the configuration of the others. Its administrators' keys are valid everywhere.
        /// Not to be changed once the server has data.
        admin: String = Preset::Text("z"), Kind::Text(&NAMESPACE);
    }

    /// Where the bytes of blobs lie, and how long they are kept.
    blobs: BlobSettings {
        /// On the disk below the data directory, or in S3-compatible storage. What is stored stays where it is when this
        /// is changed, and is not found any more.
        place: BlobPlace = Preset::Text("local"), Kind::OneOf(&["local", "s3"]);
        /// S3: address of the storage without the bucket, such as `https://s3.eu-central-1.amazonaws.com`.
        url: String = Preset::Text(""), Kind::Text(&S3_URL);
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

    /// How much one request may carry.
    limits: Limits {
        /// A JSON body; a larger one is answered `ATOOBIG`.
        body: usize = Preset::Number(BODY_MAX as u64), Kind::Size { min: KIB, max: 64 * MIB };
        /// Items of one page of a list; asking for more is answered `ALIMIT`.
        page: u32 = Preset::Number(PAGE_MAX as u64), Kind::Integer { min: 1, max: PAGE_LIMIT, unit: "items" };
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

    /// What the server writes to its standard error.
    log: Log {
        /// Lines for people, or one JSON object per line.
        format: LogFormat = Preset::Text("text"), Kind::OneOf(&["text", "json"]);
        /// What is logged: a level, or levels by module such as `info,kernel=debug`.
        level: String = Preset::Text("info"), Kind::Text(&FILTER);
    }
}
