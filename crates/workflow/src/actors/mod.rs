//! Actors and types of processes: what holds for them (WFL-10), who polls (WFL-13, WFL-21).

mod glance;
mod list;
pub(crate) mod polled;
pub(crate) mod rules;
mod settings;
mod unpolled;

pub(crate) use glance::{GLANCE, Glance};
pub use list::{ACTOR, ACTORS, ActorState, ActorView, ActorsOf, QueueView, Rate};
pub(crate) use list::{LENGTH_LISTED_MAX, LISTED};
pub use settings::{
    ActorPatch, ActorPatchOf, ActorSettings, PATCH_ACTOR, PATCH_TYPE, TYPES, TypePatch, TypePatchOf, TypeSettings,
};
pub use unpolled::ALARM_UNPOLLED;

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] =
    &[rules::STATEMENTS, polled::STATEMENTS, settings::STATEMENTS, list::STATEMENTS, unpolled::STATEMENTS];
