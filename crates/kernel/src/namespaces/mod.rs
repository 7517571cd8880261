//! Namespaces: their configuration in the administrators' namespace, their states, grants and resources (KER-1, KER-2).
//!
//! The rows say what shall be; each node has somebody (the server's keeper) who reads them again and again and makes it so:
//! opens and closes stores, tells each [`crate::Namespace`] how it stands. Slow work is never part of an operation.
//!
//! Invariants: a name has one row; a place belongs to one life of a name and is never used again; a row in `creating` or
//! `removing` goes on by itself, at the next start too; grants and resources go with their namespace.
//!
//! The operations are not in the list that is found by name: they are for the administrators' store alone, whose routes call
//! them.

mod absent;
mod change_engine;
mod change_namespace;
mod create_namespace;
mod find;
mod grants;
pub mod keep;
mod known;
mod list_namespaces;
mod remove_namespace;
mod resources;
mod row;
mod seed_namespaces;
mod settle_namespace;
mod state;
pub mod transfers;

use base::{Migration, Sql, StoreResult, Tx, args};

use crate::service::{Invariant, ServiceDef, Violation};

pub use absent::AbsentStore;
pub use change_engine::{CHANGE_ENGINE, ChangeEngine, HINDRANCES};
pub use change_namespace::{CHANGE_NAMESPACE, ChangeNamespace};
pub use create_namespace::{CREATE_NAMESPACE, Changed, CreateNamespace, NamespaceRules};
pub use find::find;
pub use grants::{
    GIVE_GRANT, GRANTS_MAX, GivenGrant, Grant, GrantedRead, LIST_GRANTS, RECORD_GRANTED_READ, TAKE_GRANT,
};
pub use known::{Known, READ_KNOWN, Registry, granted};
pub use list_namespaces::{GET_NAMESPACE, LIST_NAMESPACES};
pub use remove_namespace::{REMOVE_NAMESPACE, RemoveNamespace};
pub use resources::{
    FIND_RESOURCE, FindResource, Found, LIST_RESOURCES, PUT_RESOURCE, PutResource, REMOVE_RESOURCE, RESOURCE_BYTES_MAX,
    RESOURCES_BYTES_MAX, RESOURCES_MAX, ResourceInfo, ResourceName,
};
pub use row::{FIRST, Limits, NamespaceRow, SecretUrl, is_name, word_of};
pub use seed_namespaces::{SEED_NAMESPACES, SeedNamespaces};
pub use settle_namespace::{SETTLE_NAMESPACE, Settled};
pub use state::{Standing, State};

/// Namespaces.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "namespaces",
    migrations: &[
        Migration { service: "namespaces", version: 1, text: include_str!("../../migrations/namespaces_0001.sql") },
        Migration { service: "namespaces", version: 2, text: include_str!("../../migrations/namespaces_0002.sql") },
        Migration { service: "namespaces", version: 3, text: include_str!("../../migrations/namespaces_0003.sql") },
    ],
    statements: &[
        &row::INSERT,
        &row::GET,
        &row::ALL,
        &row::COUNT,
        &row::UPDATE,
        &change_engine::REHOME,
        &settle_namespace::FIND,
        &settle_namespace::DELETE,
        &settle_namespace::DELETE_GRANTS,
        &settle_namespace::DELETE_RESOURCES,
        &grants::INSERT,
        &grants::DELETE,
        &grants::COUNT,
        &grants::OF_OWNER,
        &grants::GRANTS,
        &resources::PUT,
        &resources::DELETE,
        &resources::SUMS,
        &resources::LIST,
        &resources::FIND,
        &resources::BYTES,
        &ORPHANS,
        transfers::STATEMENTS[0],
        transfers::STATEMENTS[1],
        transfers::STATEMENTS[2],
        transfers::STATEMENTS[3],
        transfers::STATEMENTS[4],
    ],
    invariants: &[Invariant { name: "grants and resources belong to a namespace", check: no_orphans }],
    ..ServiceDef::EMPTY
};

static ORPHANS: Sql = Sql::new(
    "namespace.orphans",
    "SELECT owner FROM namespace_grant g WHERE NOT EXISTS (SELECT 1 FROM namespace n WHERE n.name = g.owner) \
     OR NOT EXISTS (SELECT 1 FROM namespace n WHERE n.name = g.reader) \
     UNION SELECT namespace FROM namespace_resource r \
     WHERE NOT EXISTS (SELECT 1 FROM namespace n WHERE n.name = r.namespace) ORDER BY 1 LIMIT ?1",
);

fn no_orphans(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&ORPHANS, args![100], 100)?;
    Ok(rows.iter().map(|row| Violation(format!("namespace {} has no row", row.text(0)))).collect())
}
