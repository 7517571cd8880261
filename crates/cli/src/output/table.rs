//! Rows in aligned columns, and one thing as a sheet of its fields.

use serde_json::Value;

use super::text::{cut, width};
use super::{Column, Output};

/// What stands between two columns.
const GAP: usize = 2;
/// No column is cut below this.
const LEAST: usize = 8;

/// A table that comes in pages: later pages keep the columns of the first, or widen them.
pub(crate) struct Table<'a> {
    out: &'a Output,
    columns: &'a [Column],
    widths: Vec<usize>,
    begun: bool,
}

impl<'a> Table<'a> {
    /// A table of these columns.
    pub(crate) fn new(out: &'a Output, columns: &'a [Column]) -> Self {
        let widths = columns.iter().map(|column| width(column.head)).collect();
        Self { out, columns, widths, begun: false }
    }

    /// The lines of these rows, below the heads if they are the first.
    pub(crate) fn page(&mut self, rows: &[Value]) -> String {
        let cells: Vec<Vec<String>> =
            rows.iter().map(|row| self.columns.iter().map(|column| column.cell(self.out, row)).collect()).collect();
        for row in &cells {
            for (wide, cell) in self.widths.iter_mut().zip(row) {
                *wide = (*wide).max(width(cell));
            }
        }
        let widths = self.fitting();
        let heads = self.columns.iter().map(|column| column.head.to_owned()).collect();
        let head = (!std::mem::replace(&mut self.begun, true)).then(|| self.line(&widths, heads, true));
        let lines = cells.into_iter().map(|row| self.line(&widths, row, false));
        head.into_iter().chain(lines).collect()
    }

    /// The widths, the widest ones that may be cut made narrower until a line fits the terminal.
    fn fitting(&self) -> Vec<usize> {
        let mut widths = self.widths.clone();
        let Some(room) = self.out.width else { return widths };
        let gaps = GAP * self.columns.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > room {
            let cuttable = |at: &usize| self.columns[*at].may_be_cut() && widths[*at] > LEAST;
            let Some(widest) = (0..widths.len()).filter(cuttable).max_by_key(|at| widths[*at]) else { break };
            widths[widest] -= 1;
        }
        widths
    }

    fn line(&self, widths: &[usize], cells: Vec<String>, head: bool) -> String {
        let mut line = String::new();
        for ((column, cell), wide) in self.columns.iter().zip(cells).zip(widths) {
            let cell = cut(&cell, *wide);
            let blanks = " ".repeat(wide.saturating_sub(width(&cell)));
            let colour = if head { Some("1") } else { column.colour(&cell) };
            let painted = paint(self.out, &cell, colour);
            let gap = if line.is_empty() { "" } else { "  " };
            line += &match column.is_right() {
                true => format!("{gap}{blanks}{painted}"),
                false => format!("{gap}{painted}{blanks}"),
            };
        }
        format!("{}\n", line.trim_end())
    }
}

fn paint(out: &Output, text: &str, colour: Option<&str>) -> String {
    match colour.filter(|_| out.colour && !text.is_empty()) {
        Some(code) => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        None => text.to_owned(),
    }
}

/// One thing: its fields one below the other, without those that are empty.
pub(super) fn sheet(out: &Output, value: &Value, fields: &[Column]) -> String {
    let shown = fields.iter().map(|field| (field, field.value(out, value))).filter(|(_, text)| !text.is_empty());
    let shown: Vec<(&Column, String)> = shown.collect();
    let wide = shown.iter().map(|(field, _)| width(field.head)).max().unwrap_or(0);
    let line = |(field, text): &(&Column, String)| {
        let blanks = " ".repeat(wide - width(field.head) + GAP);
        format!("{}{blanks}{}\n", paint(out, field.head, Some("2")), paint(out, text, field.colour(text)))
    };
    shown.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use base::Wall;
    use expect_test::expect;
    use serde_json::json;

    use super::*;
    use crate::output::{flag, moment, number, state, text};

    const COLUMNS: &[Column] = &[
        text("ID", "/id"),
        state("STATE", "/state"),
        number("TRIES", "/n"),
        moment("START", "/at"),
        text("INFO", "/info"),
    ];

    fn out() -> Output {
        Output::plain(Wall::parse_rfc3339("2026-11-15T12:00:00Z").unwrap())
    }

    fn rows() -> [Value; 2] {
        [
            json!({"id": "01A", "state": "parked", "n": 12, "at": null, "info": "long \u{1b}[31m text that goes on"}),
            json!({"id": "01B", "state": "waiting", "n": 3, "at": "2026-11-15T13:00:00.000Z", "info": ""}),
        ]
    }

    #[test]
    fn con_9_columns_are_aligned_and_numbers_stand_right() {
        expect![[r#"
            ID   STATE    TRIES  START   INFO
            01A  parked      12          long \u{1b}[31m text that goes on
            01B  waiting      3  in 60m
        "#]]
        .assert_eq(&Table::new(&out(), COLUMNS).page(&rows()));
    }

    #[test]
    fn con_9_a_narrow_terminal_cuts_text_and_never_ids() {
        let narrow = Output { width: Some(44), ..out() };
        expect![[r#"
            ID   STATE    TRIES  START   INFO
            01A  parked      12          long \u{1b}[31…
            01B  waiting      3  in 60m
        "#]]
        .assert_eq(&Table::new(&narrow, COLUMNS).page(&rows()));
    }

    #[test]
    fn con_9_colours_come_only_where_they_are_wanted() {
        let painted = Output { colour: true, ..out() };
        assert!(Table::new(&painted, COLUMNS).page(&rows()).contains("\u{1b}[31mparked\u{1b}[0m"));
        assert!(!Table::new(&out(), COLUMNS).page(&rows()).contains('\u{1b}'));
    }

    #[test]
    fn con_9_a_sheet_leaves_out_what_is_empty() {
        let fields = [text("id", "/id"), flag("blocked", "/blocked"), moment("start", "/at"), text("info", "/info")];
        expect![[r#"
            id     01B
            start  2026-11-15 13:00:00 UTC (in 60m)
        "#]]
        .assert_eq(&sheet(&out(), &rows()[1], &fields));
    }

    #[test]
    fn con_9_later_pages_have_no_heads() {
        let out = out();
        let mut table = Table::new(&out, COLUMNS);
        table.page(&rows()[..1]);
        assert!(!table.page(&rows()[1..]).contains("STATE"));
    }
}
