//! The statements of searches: one per shape, and the shapes are few.
//!
//! A statement walks the index of one condition (or the items themselves, by id) in its order from where the page before ended, a
//! bounded number of entries, and tells of each whether it is an answer: all other conditions hold for the same item, and no
//! entry before it already stands for the same document (or item). The entry that is no answer is given too, so that a walk
//! that finds nothing still gets on.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use base::Sql;

use super::CONDITIONS_MAX;
use crate::class::FieldKind;

/// What is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Driver {
    /// The items, by id.
    Items,
    /// The index of a field of this type, by value.
    Index(FieldKind),
}

/// What is given once, however many entries match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Once {
    /// A document.
    Document,
    /// An item.
    Item,
}

/// What tells a statement from others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    pub(super) driver: Driver,
    /// The types of all other conditions, sorted.
    pub(super) others: Vec<FieldKind>,
    pub(super) once: Once,
}

static STATEMENTS: LazyLock<BTreeMap<Shape, Sql>> = LazyLock::new(|| {
    let sql = |shape: &Shape| Sql::new(shape.name().leak(), shape.text().leak());
    shapes().into_iter().map(|shape| (shape.clone(), sql(&shape))).collect()
});

/// The statement of a shape; `None` if it has more conditions than a search may.
pub(super) fn statement(shape: &Shape) -> Option<&'static Sql> {
    STATEMENTS.get(shape)
}

/// All statements of searches, for tests that prepare them.
pub fn search_statements() -> impl Iterator<Item = &'static Sql> {
    STATEMENTS.values()
}

fn shapes() -> Vec<Shape> {
    let drivers = FieldKind::ALL.map(Driver::Index);
    let mut shapes = vec![];
    for driver in [Driver::Items].into_iter().chain(drivers) {
        let most = if driver == Driver::Items { CONDITIONS_MAX } else { CONDITIONS_MAX - 1 };
        for others in (0..=most).flat_map(sorted_kinds) {
            for once in [Once::Document, Once::Item] {
                shapes.push(Shape { driver, others: others.clone(), once });
            }
        }
    }
    shapes
}

/// All sorted lists of so many types.
fn sorted_kinds(count: usize) -> Vec<Vec<FieldKind>> {
    if count == 0 {
        return vec![vec![]];
    }
    let shorter = sorted_kinds(count - 1);
    let longer = |list: &Vec<FieldKind>| {
        let from = list.last().copied().unwrap_or(FieldKind::Text);
        let kinds = FieldKind::ALL.into_iter().filter(move |kind| *kind >= from);
        kinds.map(|kind| [list.as_slice(), &[kind]].concat()).collect::<Vec<_>>()
    };
    shorter.iter().flat_map(longer).collect()
}

impl FieldKind {
    /// How a value compares with the end of its range.
    const fn below_end(self) -> &'static str {
        match self {
            Self::Text => "<",
            Self::Int | Self::Real => "<=",
        }
    }
}

impl Shape {
    fn name(&self) -> String {
        let driver = match self.driver {
            Driver::Items => "items",
            Driver::Index(kind) => kind.word(),
        };
        let once = if self.once == Once::Document { "documents" } else { "items" };
        let others = self.others.iter().fold(String::new(), |name, kind| name + "." + kind.word());
        format!("doc.search.{driver}.{once}{others}")
    }

    fn text(&self) -> String {
        match self.driver {
            Driver::Items => self.items_text(),
            Driver::Index(kind) => self.index_text(kind),
        }
    }

    /// Parameters: class, the place before the first row (id, item, key), first id no more wanted, limit, item, first id,
    /// then the others.
    fn items_text(&self) -> String {
        let earlier = match self.once {
            Once::Item => String::new(),
            Once::Document => format!(
                " AND NOT EXISTS (SELECT 1 FROM doc_item e WHERE e.class = d.class AND e.id = d.id AND e.item = d.item \
                 AND e.key < d.key AND e.content IS NOT NULL{})",
                self.others_of("e", 9)
            ),
        };
        format!(
            "SELECT d.id, d.item, d.key, \
             CAST(CASE WHEN d.item = ?7 AND d.id >= ?8 AND d.content IS NOT NULL{}{earlier} THEN 1 ELSE 0 END AS BIGINT) \
             FROM doc_item d WHERE d.class = ?1 AND (d.id, d.item, d.key) > (?2, ?3, ?4) AND d.id < ?5 \
             ORDER BY d.id, d.item, d.key LIMIT ?6",
            self.others_of("d", 9)
        )
    }

    /// Parameters: field, the place before the first row (value, id, key), end of the range, limit, first id, first id no more
    /// wanted, start of the range, then the others.
    fn index_text(&self, kind: FieldKind) -> String {
        let (table, below) = (format!("doc_{}", kind.word()), kind.below_end());
        // Inside of CASE, so that entries of the same document are found by its id, and not all those before by their value.
        let same = match self.once {
            Once::Item => "e.key = d.key AND e.value >= ?9 AND e.value < d.value".to_owned(),
            Once::Document => format!(
                "CASE WHEN e.value >= ?9 AND e.value {below} ?5 \
                 AND (e.value < d.value OR (e.value = d.value AND e.key < d.key)) THEN 1 ELSE 0 END = 1{}",
                self.others_of("e", 10)
            ),
        };
        format!(
            "SELECT d.value, d.id, d.key, CAST(CASE WHEN d.value >= ?9 AND d.id >= ?7 AND d.id < ?8{} AND NOT EXISTS \
             (SELECT 1 FROM {table} e WHERE e.field = d.field AND e.id = d.id AND {same}) \
             THEN 1 ELSE 0 END AS BIGINT) \
             FROM {table} d WHERE d.field = ?1 AND (d.value, d.id, d.key) > (?2, ?3, ?4) AND d.value {below} ?5 \
             ORDER BY d.value, d.id, d.key LIMIT ?6",
            self.others_of("d", 10)
        )
    }

    /// That all other conditions hold for the item of a row; three parameters each (field, start, end) from `first` on.
    fn others_of(&self, row: &str, first: usize) -> String {
        let mut text = String::new();
        for (at, kind) in self.others.iter().enumerate() {
            let (field, from, to) = (first + 3 * at, first + 3 * at + 1, first + 3 * at + 2);
            let (table, below) = (kind.word(), kind.below_end());
            let _ = write!(
                text,
                " AND EXISTS (SELECT 1 FROM doc_{table} o WHERE o.field = ?{field} AND o.id = {row}.id \
                 AND o.key = {row}.key AND o.value >= ?{from} AND o.value {below} ?{to})"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn doc_13_shapes_are_few_and_each_has_its_name() {
        let names: BTreeSet<_> = search_statements().map(|sql| sql.name).collect();
        assert_eq!((names.len(), search_statements().count()), (190, 190));
    }

    #[test]
    fn doc_13_a_search_with_too_many_conditions_has_no_statement() {
        let others = vec![FieldKind::Text; CONDITIONS_MAX];
        assert!(statement(&Shape { driver: Driver::Index(FieldKind::Int), others, once: Once::Item }).is_none());
    }
}
