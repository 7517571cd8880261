//! Resource files (KER-2): small files of a namespace that are served to the Web, kept in rows of the administrators' store.
//! A namespace's own come first, then the common ones, which are the administrators' namespace's own.

use base::{OpError, OpResult, RelPath, Row, Sql, Tx, Wall, args, codes};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::create_namespace::Changed;
use super::row;
use crate::cx::OpCx;
use crate::op::{Op, Query};

/// Bytes of one resource.
pub const RESOURCE_BYTES_MAX: usize = 1 << 20;
/// Resources of one namespace.
pub const RESOURCES_MAX: u32 = 256;
/// Bytes of all resources of one namespace, so that a removal is one operation.
pub const RESOURCES_BYTES_MAX: i64 = 16 << 20;
/// Bytes of a path.
const PATH_MAX: usize = 512;

/// Puts a resource in its place; one that is there is replaced.
pub static PUT_RESOURCE: Op<PutResource, ResourceInfo> = Op::new("resource.put", put_resource);
/// Removes a resource; one that is not there is no error.
pub static REMOVE_RESOURCE: Op<ResourceName, Changed> = Op::new("resource.remove", remove_resource).ending();
/// The resources of a namespace by path, without their bytes.
pub static LIST_RESOURCES: Query<String, Vec<ResourceInfo>> = Query::new("resource.list", list_resources);
/// A resource as it is served.
pub static FIND_RESOURCE: Query<FindResource, Found> = Query::new("resource.find", find_resource);

/// Which resource.
#[derive(Debug, Clone)]
pub struct ResourceName {
    /// Of which namespace.
    pub namespace: String,
    /// Names separated by `/`.
    pub path: String,
}

/// A resource to put.
#[derive(Debug, Clone)]
pub struct PutResource {
    /// Which.
    pub name: ResourceName,
    /// Its media type, checked by the edge.
    pub media_type: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A resource without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceInfo {
    /// Its path.
    pub path: String,
    /// Its media type.
    pub media_type: String,
    /// SHA-256 of its bytes in hexadecimal.
    pub sha256: String,
    /// How many bytes.
    pub size: i64,
    /// When it was put, milliseconds since 1970.
    pub changed_at: i64,
}

/// A resource to serve.
#[derive(Debug, Clone)]
pub struct FindResource {
    /// Which.
    pub name: ResourceName,
    /// Where the common ones are.
    pub common: String,
    /// Digests that the client has already.
    pub known: Vec<String>,
}

/// A resource as it is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub info: ResourceInfo,
    /// Its bytes, unless the client has them already.
    pub bytes: Option<Vec<u8>>,
}

macro_rules! columns {
    () => {
        "path, media_type, sha256, size, changed_at"
    };
}

pub(super) static PUT: Sql = Sql::new(
    "namespace_resource.put",
    "INSERT INTO namespace_resource (namespace, path, media_type, sha256, size, changed_at, bytes) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (namespace, path) DO UPDATE \
     SET media_type = ?3, sha256 = ?4, size = ?5, changed_at = ?6, bytes = ?7",
);
pub(super) static DELETE: Sql =
    Sql::new("namespace_resource.delete", "DELETE FROM namespace_resource WHERE namespace = ?1 AND path = ?2");
pub(super) static SUMS: Sql = Sql::new(
    "namespace_resource.sums",
    "SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM namespace_resource WHERE namespace = ?1",
);
pub(super) static LIST: Sql = Sql::new(
    "namespace_resource.list",
    concat!("SELECT ", columns!(), " FROM namespace_resource WHERE namespace = ?1 ORDER BY path LIMIT ?2"),
);
pub(super) static FIND: Sql = Sql::new(
    "namespace_resource.find",
    concat!(
        "SELECT ",
        columns!(),
        ", namespace FROM namespace_resource WHERE path = ?2 AND (namespace = ?1 OR namespace = ?3) \
         ORDER BY CASE WHEN namespace = ?1 THEN 0 ELSE 1 END LIMIT 1"
    ),
);
pub(super) static BYTES: Sql =
    Sql::new("namespace_resource.bytes", "SELECT bytes FROM namespace_resource WHERE namespace = ?1 AND path = ?2");

fn put_resource(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &PutResource) -> OpResult<ResourceInfo> {
    let ResourceName { namespace, path } = &input.name;
    check_path(path)?;
    if input.bytes.len() > RESOURCE_BYTES_MAX {
        let message = format!("the resource has {} bytes, at most {RESOURCE_BYTES_MAX}", input.bytes.len());
        return Err(OpError::new(codes::ATOOBIG, message));
    }
    row::get(tx, namespace)?;
    let info = ResourceInfo {
        path: path.clone(),
        media_type: input.media_type.clone(),
        sha256: Sha256::digest(&input.bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
        size: i64::try_from(input.bytes.len()).unwrap_or(i64::MAX),
        changed_at: cx.wall.0,
    };
    let values =
        args![namespace, path, &info.media_type, &info.sha256, info.size, info.changed_at, input.bytes.as_slice()];
    tx.write(&PUT, values)?;
    check_sums(tx, namespace)?;
    cx.fx.journal("resource.put", format!("{namespace}/{path}"), format!("{} bytes, {}", info.size, info.media_type));
    Ok(info)
}

fn check_sums(tx: &mut dyn Tx, namespace: &str) -> OpResult<()> {
    let Some(sums) = tx.query_one(&SUMS, args![namespace])? else { return Ok(()) };
    if sums.int(0) <= i64::from(RESOURCES_MAX) && sums.int(1) <= RESOURCES_BYTES_MAX {
        return Ok(());
    }
    let limits = format!("at most {RESOURCES_MAX} resources of together {RESOURCES_BYTES_MAX} bytes");
    Err(OpError::new(codes::ALIMIT, format!("namespace `{namespace}` may have {limits}")))
}

fn remove_resource(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &ResourceName) -> OpResult<Changed> {
    if tx.execute(&DELETE, args![&input.namespace, &input.path])? > 0 {
        cx.fx.journal("resource.removed", format!("{}/{}", input.namespace, input.path), "");
    }
    Ok(Changed {})
}

fn list_resources(tx: &mut dyn Tx, namespace: &String) -> OpResult<Vec<ResourceInfo>> {
    row::get(tx, namespace)?;
    let rows = tx.query(&LIST, args![namespace, RESOURCES_MAX], RESOURCES_MAX as usize)?;
    Ok(rows.iter().map(info).collect())
}

fn find_resource(tx: &mut dyn Tx, input: &FindResource) -> OpResult<Found> {
    let ResourceName { namespace, path } = &input.name;
    let missing = || OpError::new(codes::NRESOURCE, format!("no resource `{path}`"));
    let row = tx.query_one(&FIND, args![namespace, path, &input.common])?.ok_or_else(missing)?;
    let info = info(&row);
    if input.known.contains(&info.sha256) {
        return Ok(Found { info, bytes: None });
    }
    let bytes = tx.query_one(&BYTES, args![row.text(5), path])?.ok_or_else(missing)?;
    Ok(Found { bytes: Some(bytes.blob(0).to_vec()), info })
}

fn info(row: &Row) -> ResourceInfo {
    ResourceInfo {
        path: row.text(0).to_owned(),
        media_type: row.text(1).to_owned(),
        sha256: row.text(2).to_owned(),
        size: row.int(3),
        changed_at: Wall(row.int(4)).0,
    }
}

fn check_path(path: &str) -> OpResult<()> {
    if path.len() <= PATH_MAX && RelPath::new(path).is_some() && !path.chars().any(char::is_control) {
        return Ok(());
    }
    let shown: String = path.chars().filter(|c| !c.is_control()).take(80).collect();
    let rule = format!("names separated by /, none of them empty, . or .., at most {PATH_MAX} bytes");
    Err(OpError::new(codes::ABODY, format!("`{shown}` is not a resource's path: {rule}")))
}
