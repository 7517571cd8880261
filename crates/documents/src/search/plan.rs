//! How a search is done: its conditions as ranges, and which of them is walked. Pure.

use base::{OpError, OpResult, Value as Arg, codes};

use super::cursor::Place;
use super::range::{Cond, Range};
use super::shape::{Driver, Once, Shape};
use super::{CONDITIONS_MAX, FieldCondition, Search};
use crate::class::{ATTACHMENT, Compiled, Field, FieldKind, KEY_FIELD};
use crate::codes::ASEARCH;
use crate::index::IndexValue;

/// A condition on a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wanted<'a> {
    pub(super) field: &'a Field,
    pub(super) range: Range,
    cond: Cond,
}

/// How a search is done.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan<'a> {
    pub(super) class: &'a str,
    pub(super) item: &'a str,
    /// The condition whose index is walked; `None` for the items themselves, by id.
    pub(super) walked: Option<Wanted<'a>>,
    /// All other conditions, in the order of their types.
    pub(super) others: Vec<Wanted<'a>>,
    id: Range,
}

/// How few entries a condition is likely to leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    One,
    Prefix,
    Range,
}

impl Cond {
    const fn rank(self) -> Rank {
        match self {
            Self::Eq => Rank::One,
            Self::Sw => Rank::Prefix,
            Self::Lt | Self::Le | Self::Ge | Self::Gt | Self::Gele | Self::Gelt | Self::Gtle | Self::Gtlt => {
                Rank::Range
            }
        }
    }
}

impl<'a> Plan<'a> {
    /// The plan of a search.
    ///
    /// # Errors
    /// `ASEARCH` or `ALIMIT` with what is wrong.
    pub(super) fn of(class: &'a Compiled, search: &'a Search) -> OpResult<Self> {
        check_item(class, &search.item)?;
        let count = search.conditions.len();
        if count > CONDITIONS_MAX {
            return Err(OpError::new(codes::ALIMIT, format!("{count} conditions, at most {CONDITIONS_MAX}")));
        }
        let wanted = search.conditions.iter().map(|condition| wanted(class, &search.item, condition));
        let mut others = wanted.collect::<OpResult<Vec<_>>>()?;
        let id = search.id.as_ref().map(|id| Range::of_id(id.cond, &id.v1, id.v2.as_ref())).transpose()?;
        let id_rank = search.id.as_ref().map(|id| id.cond.rank());
        let best = (0..others.len()).min_by_key(|at| others[*at].cond.rank());
        // One document is looked through sooner than any index; a prefix of ids is better than a range of values.
        let by_id = |best: &usize| match id_rank {
            Some(Rank::One) => true,
            Some(Rank::Prefix) => others[*best].cond.rank() == Rank::Range,
            Some(Rank::Range) | None => false,
        };
        let walked = best.filter(|best| !by_id(best)).map(|best| others.remove(best));
        others.sort_by_key(|wanted| wanted.field.kind);
        Ok(Self {
            class: &class.decl.class,
            item: &search.item,
            walked,
            others,
            id: id.unwrap_or_else(Range::every_id),
        })
    }

    /// All conditions on fields.
    pub(super) fn conditions(&self) -> impl Iterator<Item = &Wanted<'a>> {
        self.walked.iter().chain(&self.others)
    }

    /// A field whose index is not ready.
    pub(super) fn unfilled(&self) -> Option<&'a Field> {
        self.conditions().map(|wanted| wanted.field).find(|field| !field.ready)
    }

    /// Whether nothing can be found.
    pub(super) fn is_empty(&self) -> bool {
        self.id.is_empty() || self.conditions().any(|wanted| wanted.range.is_empty())
    }

    /// The shape of its statement.
    pub(super) fn shape(&self, once: Once) -> Shape {
        let driver = self.walked.as_ref().map_or(Driver::Items, |wanted| Driver::Index(wanted.field.kind));
        Shape { driver, others: self.others.iter().map(|wanted| wanted.field.kind).collect(), once }
    }

    /// The number of the index that is walked; 0 for items.
    pub(super) fn number(&self) -> i64 {
        self.walked.as_ref().map_or(0, |wanted| wanted.field.number)
    }

    /// The type of the first part of a [`Place`].
    pub(super) fn first_kind(&self) -> FieldKind {
        self.walked.as_ref().map_or(FieldKind::Text, |wanted| wanted.field.kind)
    }

    /// Before everything that can be found: neither ids nor names of items are empty.
    pub(super) fn start(&self) -> Place {
        let first = self.walked.as_ref().map_or(&self.id.from, |wanted| &wanted.range.from);
        let empty = || IndexValue::Text(String::new());
        Place([first.clone(), empty(), empty()])
    }

    /// The parameters of its statement, see [`Shape`].
    pub(super) fn args(&'a self, after: &'a Place, limit: usize) -> Vec<Arg<'a>> {
        let limit = Arg::Int(i64::try_from(limit).unwrap_or(i64::MAX));
        let place = after.0.iter().map(IndexValue::arg);
        let (ids_from, ids_to) = (self.id.from.arg(), self.id.to.arg());
        let mut args = match &self.walked {
            None => {
                let first = [self.class.into()].into_iter().chain(place);
                first.chain([ids_to, limit, self.item.into(), ids_from]).collect::<Vec<_>>()
            }
            Some(Wanted { field, range, .. }) => {
                let first = [Arg::Int(field.number)].into_iter().chain(place);
                first.chain([range.to.arg(), limit, ids_from, ids_to, range.from.arg()]).collect()
            }
        };
        for Wanted { field, range, .. } in &self.others {
            args.extend([Arg::Int(field.number), range.from.arg(), range.to.arg()]);
        }
        args
    }
}

fn check_item(class: &Compiled, item: &str) -> OpResult<()> {
    if item == ATTACHMENT || class.decl.items.contains_key(item) {
        return Ok(());
    }
    Err(OpError::new(ASEARCH, format!("class {} has no item class `{item}`", class.decl.class)))
}

fn wanted<'a>(class: &'a Compiled, item: &'a str, condition: &FieldCondition) -> OpResult<Wanted<'a>> {
    let name = format!("{item}.{}", condition.field);
    let field = class.fields_of(item).find(|field| field.field == condition.field && field.field != KEY_FIELD);
    let field = field.ok_or_else(|| {
        OpError::new(ASEARCH, format!("field {name} of class {} is not indexed: declare it first", class.decl.class))
    })?;
    let range = Range::of(field.kind, &name, condition.cond, &condition.v1, condition.v2.as_ref())?;
    Ok(Wanted { field, range, cond: condition.cond })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn class() -> Compiled {
        let decl = json!({ "class": "C", "items": { "T": { "index": { "a": "string", "n": "int", "x": "float" } } } });
        let field = |number: i64, name: &str, kind| Field {
            number,
            item: "T".into(),
            field: name.into(),
            kind,
            list: false,
            ready: true,
        };
        let fields =
            vec![field(1, "a", FieldKind::Text), field(2, "n", FieldKind::Int), field(3, "x", FieldKind::Real)];
        Compiled { decl: serde_json::from_value(decl).unwrap(), fields, sources: Default::default() }
    }

    fn walked(conditions: Value, id: Value) -> (i64, Vec<i64>) {
        let search = json!({ "c": "C", "item": "T", "where": conditions, "id": id });
        let (class, search) = (class(), serde_json::from_value(search).unwrap());
        let plan = Plan::of(&class, &search).unwrap();
        (plan.number(), plan.others.iter().map(|wanted| wanted.field.number).collect())
    }

    #[test]
    fn doc_13_the_condition_that_leaves_the_fewest_is_walked() {
        let eq = json!({ "field": "n", "cond": "EQ", "v1": 1 });
        let starts = json!({ "field": "a", "cond": "SW", "v1": "x" });
        let above = json!({ "field": "x", "cond": "GT", "v1": 1 });
        let id = |cond: &str| json!({ "cond": cond, "v1": "x" });
        assert_eq!(walked(json!([above, starts, eq]), Value::Null), (2, vec![1, 3]));
        assert_eq!(walked(json!([above, starts]), Value::Null), (1, vec![3]));
        assert_eq!(walked(json!([above]), Value::Null), (3, vec![]));
        assert_eq!(walked(json!([]), Value::Null), (0, vec![]));
        assert_eq!(walked(json!([eq]), id("EQ")), (0, vec![2]));
        assert_eq!(walked(json!([eq]), id("SW")), (2, vec![]));
        assert_eq!(walked(json!([above]), id("SW")), (0, vec![3]));
        assert_eq!(walked(json!([above]), id("GT")), (3, vec![]));
    }
}
