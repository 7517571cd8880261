//! Configuration (KER-36): a TOML file, then the environment, then flags, in rising order.
//!
//! Every key stands once, in [`KEYS`] (`keys.rs`), with its documentation, default and limits; the same lines make the
//! fields of [`Config`], so that neither can exist without the other. All mistakes are reported together, each with
//! where it was found, what was given and what the key takes.
//!
//! Invariants: nothing here reads the environment, the disk or a clock: the file comes as text, the environment as
//! pairs. A secret never appears in an error, in [`show()`] or in `{:?}`. A mistake in a layer that a higher layer
//! overrides is still a mistake.
//!
//! Deliberately not here: finding and reading the file, the command line, and applying what was configured.

mod error;
mod field;
mod file;
mod key;
mod keys;
mod layers;
mod nearest;
mod read;
mod reference;
mod rules;
mod show;
mod units;
mod variables;

#[cfg(test)]
mod tests;

pub use error::{ConfigError, ConfigErrors, Source};
pub use field::{BlobPlace, BodiesPlace, HistoryScope, LogFormat, NodeCount, QueueWish, Secret};
pub use key::{Key, Kind, Preset, Section, TextRule};
pub use keys::{
    Alerts, Backup, BlobSettings, Client, Config, Counters, Data, Documents, Journal, KEYS, Limits, Log, Mail,
    Namespaces, Outbound, Requests, SECTIONS, Sensors, Server, Store, Tasks, Traces,
};
pub use layers::{Loaded, Sources};
pub use reference::{example, reference};
pub use rules::{RULES, Rule};
pub(crate) use rules::{addresses, webhook};
pub use show::{show, shown};
