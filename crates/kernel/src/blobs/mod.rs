//! Blobs: bytes stored once per namespace by SHA-256, counted per reference, collected in two passes (KER-26).

use crate::service::ServiceDef;

/// Blobs.
pub static SERVICE: ServiceDef = ServiceDef { name: "blobs", ..ServiceDef::EMPTY };
