//! What the table says of bodies and answers.

use std::any::TypeId;

use utoipa::ToSchema;
use utoipa::openapi::{Ref, RefOr, Schema};

/// The schema of a type, with those of its parts.
#[derive(Clone)]
pub(crate) struct SchemaOf {
    pub(crate) id: TypeId,
    pub(crate) name: String,
    /// The type itself and its parts, by name.
    pub(crate) parts: Vec<(String, RefOr<Schema>)>,
}

impl SchemaOf {
    pub(crate) fn of<T: ToSchema + 'static>() -> Self {
        let name = T::name().into_owned();
        let mut parts = vec![(name.clone(), T::schema())];
        T::schemas(&mut parts);
        Self { id: TypeId::of::<T>(), name, parts }
    }

    pub(crate) fn reference(&self) -> Ref {
        Ref::from_schema_name(&self.name)
    }
}

/// What a good answer holds.
pub(crate) enum AnswerKind {
    /// Nothing.
    Nothing,
    /// JSON.
    Json(SchemaOf),
    /// Text of this media type.
    Text(&'static str),
}
