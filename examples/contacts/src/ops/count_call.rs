//! Counts a call of a contact. However many count at once, each counts once: whoever comes second waits or is run again.

use base::{Keys, OpResult, Tx};
use documents::DocSet;
use kernel::{Op, OpCx};
use serde::Deserialize;

use super::{WRITERS, contact_key};
use crate::classes::{CALLS, CONTACT, Calls};

/// Counts a call.
pub static COUNT_CALL: Op<CountCall, Calls> =
    Op::new("contacts.called", count_call).keyed(|input| Keys::of(vec![contact_key(&input.id)])).named_for(WRITERS);

/// Who was called.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountCall {
    /// Id of the contact.
    pub id: String,
}

fn count_call(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &CountCall) -> OpResult<Calls> {
    let mut docs = DocSet::new();
    let contact = docs.get(tx, cx, CONTACT.name, &input.id)?;
    let before = contact.read(tx, &CALLS)?.unwrap_or_default();
    let calls = Calls { count: before.count + 1 };
    contact.write(&CALLS, &calls)?;
    docs.save(tx, cx)?;
    Ok(calls)
}
