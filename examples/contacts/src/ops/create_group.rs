//! Creates a group without members.

use base::{Keys, OpResult, Tx};
use documents::DocSet;
use kernel::{Op, OpCx};
use serde::Deserialize;

use super::WRITERS;
use crate::classes::{ABOUT, About, GROUP};
use crate::input::check_name;

/// Creates a group.
pub static CREATE_GROUP: Op<CreateGroup, ()> = Op::new("groups.create", create_group)
    .keyed(|input| Keys::of(vec![documents::key(GROUP.name, &input.id)]))
    .named_for(WRITERS);

/// The group to create.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateGroup {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub title: String,
}

fn create_group(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &CreateGroup) -> OpResult<()> {
    check_name("the title", &input.title)?;
    let mut docs = DocSet::new();
    let group = docs.create(tx, cx, GROUP.name, &input.id)?;
    group.write(&ABOUT, &About { title: input.title.clone() })?;
    docs.save(tx, cx)?;
    Ok(())
}
