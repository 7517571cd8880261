//! Fields of a line of CSV, within one line: separated by commas, in double quotes where they hold one. Pure.

/// The fields of a line.
///
/// # Errors
/// Says what is wrong with its quotes.
pub(super) fn fields(line: &str) -> Result<Vec<String>, String> {
    let (mut fields, mut rest) = (vec![], line);
    loop {
        let (field, behind) = if let Some(quoted) = rest.strip_prefix('"') { of_quotes(quoted)? } else { plain(rest)? };
        fields.push(field);
        match behind {
            None => return Ok(fields),
            Some(behind) => rest = behind,
        }
    }
}

/// A field, and what is behind its comma.
type Field<'a> = (String, Option<&'a str>);

fn plain(text: &str) -> Result<Field<'_>, String> {
    let (field, behind) = text.split_once(',').map_or((text, None), |(field, behind)| (field, Some(behind)));
    if field.contains('"') {
        return Err("a quote stands within a field that does not begin with one".into());
    }
    Ok((field.to_owned(), behind))
}

fn of_quotes(text: &str) -> Result<Field<'_>, String> {
    let (mut field, mut rest) = (String::new(), text);
    loop {
        let (inside, behind) = rest.split_once('"').ok_or("a quote is not closed on its line")?;
        field.push_str(inside);
        rest = match behind.strip_prefix('"') {
            Some(more) => {
                field.push('"');
                more
            }
            None if behind.is_empty() => return Ok((field, None)),
            None => {
                let next = behind.strip_prefix(',').ok_or("something stands behind a quote that closes a field")?;
                return Ok((field, Some(next)));
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_1_fields_of_csv_are_read_as_others_write_them() {
        let read = |line| fields(line).unwrap();
        assert_eq!(read(r#"a,"Moscow, room ""16""",60"#), ["a", "Moscow, room \"16\"", "60"]);
        assert_eq!(read(""), [""]);
        assert_eq!(read(",,"), ["", "", ""]);
        assert_eq!(read(r#""""#), [""]);
        assert_eq!(read(r#"=cmd|'/c calc'!A1,b"#), ["=cmd|'/c calc'!A1", "b"]);
        for (bad, why) in [
            (r#"a,"b"#, "not closed"),
            (r#"a,b"c"#, "within a field"),
            (r#""a"b,c"#, "behind a quote"),
            ("\"", "not closed"),
        ] {
            assert!(fields(bad).unwrap_err().contains(why), "{bad}");
        }
    }
}
