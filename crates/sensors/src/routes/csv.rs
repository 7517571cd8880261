//! Rows as CSV that is safe to open in a table program: no cell is a formula, no cell breaks a line. Pure.

/// The lines of a table.
pub(super) fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut text = line(head.iter().map(|name| (*name).to_owned()));
    rows.into_iter().for_each(|row| text.push_str(&line(row)));
    text
}

fn line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|text| cell(&text)).collect();
    format!("{}\r\n", cells.join(","))
}

/// A cell: in quotes where it must be; control characters become blanks; what a table program would calculate gets a quote in front.
fn cell(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // Table programs pass over blanks in front of a formula.
    let is_formula =
        plain.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && plain.parse::<i64>().is_err();
    let safe = if is_formula { format!("'{plain}") } else { plain };
    if safe.contains([',', '"', '\'']) || safe.starts_with(' ') || safe.ends_with(' ') {
        return format!("\"{}\"", safe.replace('"', "\"\""));
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_11_no_cell_is_a_formula_and_none_breaks_a_line() {
        for (text, shown) in [
            ("Oslo", "Oslo"),
            ("-5", "-5"),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("=1+1", "\"'=1+1\""),
            ("+1+1", "\"'+1+1\""),
            ("-1+1", "\"'-1+1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("\t=1", "\"' =1\""),
            ("＝1", "\"'＝1\""),
            ("a\r\nb", "a  b"),
            ("", ""),
        ] {
            assert_eq!(cell(text), shown, "{text:?}");
        }
        assert_eq!(table(&["a", "b"], [vec!["1".into(), "x\ny".into()]]), "a,b\r\n1,x y\r\n");
    }
}
