//! Classes as callers see them.

use base::{OpResult, Tx};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use super::compile::Compiled;
use super::decl::ClassDecl;
use super::declare::all;
use crate::index::{Filling, filling};

/// All classes of a namespace, as callers see them.
pub static SHOW_CLASSES: Query<(), Vec<ClassView>> = Query::new("doc.classes_shown", |tx, ()| show(tx));

/// A class and how far its indexes are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DocClass)]
pub struct ClassView {
    /// As it was declared.
    #[serde(flatten)]
    pub decl: ClassDecl,
    /// Indexes that are being filled: searches by them are refused until that is done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filling: Vec<Filling>,
}

fn show(tx: &mut dyn Tx) -> OpResult<Vec<ClassView>> {
    let (classes, unfilled) = (all(tx)?, filling(tx)?);
    let view = |Compiled { decl, .. }: Compiled| {
        let filling = unfilled.iter().filter(|filling| filling.class == decl.class).cloned().collect();
        ClassView { decl: ClassDecl { revision: 0, ..decl }, filling }
    };
    Ok(classes.into_iter().map(view).collect())
}
