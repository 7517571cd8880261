//! A set of documents at one version, with what they attach (DOC-16).

use std::collections::BTreeSet;

use base::{OpError, OpResult, Tx, codes};
use kernel::Query;

use crate::class::load_in;
use crate::limits::SYNCS_MAX;
use crate::read::{FullDoc, absent, full};

/// Bytes of the documents of one export, without their attachments.
const EXPORT_MAX: i64 = 64 << 20;

/// Documents as they are together at one moment.
pub(crate) static EXPORT: Query<Vec<(String, String)>, Vec<FullDoc>> =
    Query::new("doc.export", |tx, documents| export(tx, documents));

fn export(tx: &mut dyn Tx, documents: &[(String, String)]) -> OpResult<Vec<FullDoc>> {
    let named: BTreeSet<_> = documents.iter().collect();
    if named.len() > SYNCS_MAX {
        let text = format!("{} documents in one export, at most {SYNCS_MAX}", named.len());
        return Err(OpError::new(codes::ALIMIT, text));
    }
    let (mut found, mut bytes) = (vec![], 0);
    for (class, id) in named {
        let Some(doc) = full(tx, class, id)? else {
            return Err(load_in(tx, class).err().unwrap_or_else(|| absent(class, id)));
        };
        bytes += doc.v1;
        if bytes > EXPORT_MAX {
            let text = format!("more than {EXPORT_MAX} bytes of documents in one export: name fewer of them");
            return Err(OpError::new(codes::ALIMIT, text));
        }
        found.push(doc);
    }
    Ok(found)
}
