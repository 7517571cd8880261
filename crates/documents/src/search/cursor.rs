//! Where a page ended: an opaque text for callers, the key of the last row that was looked at for us.

use base::{OpError, OpResult, codes};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::class::FieldKind;
use crate::index::IndexValue;

/// The key of a row of what is walked: (value, id, key) of an index, (id, item, key) of items.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place(pub(super) [IndexValue; 3]);

/// Longest cursor: a value, an id and a key, escaped in JSON and then in base64.
const CURSOR_MAX: usize = 16_384;

impl Place {
    /// As callers see it; `walked` is the number of the index, 0 for items.
    pub(super) fn cursor(&self, walked: i64) -> String {
        let parts = self.0.each_ref().map(write);
        let text = serde_json::json!([walked, parts]).to_string();
        URL_SAFE_NO_PAD.encode(text)
    }

    /// The place that a cursor names.
    ///
    /// # Errors
    /// `ABODY`: the cursor is not ours, or that of another search.
    pub(super) fn of_cursor(cursor: &str, walked: i64, first: FieldKind) -> OpResult<Self> {
        let wrong = || OpError::new(codes::ABODY, "after is not a cursor of this search: begin again without it");
        let (number, parts) = decode(cursor).ok_or_else(wrong)?;
        if number != walked {
            return Err(wrong());
        }
        let kinds = [first, FieldKind::Text, FieldKind::Text];
        let values: Option<Vec<_>> = parts.iter().zip(kinds).map(|(part, kind)| read(part, kind)).collect();
        values.and_then(|values| values.try_into().ok()).map(Self).ok_or_else(wrong)
    }
}

/// The cursor of the place that a cursor names, of whatever search it is. For the fuzz targets.
#[must_use]
pub fn reads(cursor: &str) -> Option<String> {
    let (walked, _) = decode(cursor)?;
    let kinds = [FieldKind::Real, FieldKind::Int, FieldKind::Text];
    let place = kinds.into_iter().find_map(|kind| Place::of_cursor(cursor, walked, kind).ok())?;
    Some(place.cursor(walked))
}

fn decode(cursor: &str) -> Option<(i64, [String; 3])> {
    if cursor.len() > CURSOR_MAX {
        return None;
    }
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()
}

fn write(value: &IndexValue) -> String {
    match value {
        IndexValue::Text(text) => text.clone(),
        IndexValue::Int(number) => number.to_string(),
        IndexValue::Real(number) => number.to_bits().to_string(),
    }
}

fn read(part: &str, kind: FieldKind) -> Option<IndexValue> {
    match kind {
        FieldKind::Text => Some(part).filter(|text| !text.contains('\0')).map(|text| IndexValue::Text(text.to_owned())),
        FieldKind::Int => part.parse().ok().map(IndexValue::Int),
        FieldKind::Real => {
            part.parse().ok().map(f64::from_bits).filter(|number| !number.is_nan()).map(IndexValue::Real)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(value: IndexValue) -> Place {
        Place([value, IndexValue::Text("id\u{1}".into()), IndexValue::Text(String::new())])
    }

    #[test]
    fn doc_13_a_cursor_comes_back_as_it_was() {
        for (value, kind) in [
            (IndexValue::Text("é\"\\".into()), FieldKind::Text),
            (IndexValue::Int(i64::MIN), FieldKind::Int),
            (IndexValue::Real(0.1 + 0.2), FieldKind::Real),
        ] {
            let place = place(value);
            assert_eq!(Place::of_cursor(&place.cursor(7), 7, kind), Ok(place));
        }
    }

    #[test]
    fn doc_13_a_cursor_that_is_not_ours_is_refused() {
        let ours = place(IndexValue::Int(5)).cursor(7);
        let nul = URL_SAFE_NO_PAD.encode(r#"[7,["5","a\u0000","k"]]"#);
        let long = "A".repeat(CURSOR_MAX + 1);
        for (cursor, walked) in [(ours.as_str(), 8), ("", 7), ("x", 7), (&ours[1..], 7), (nul.as_str(), 7), (&long, 7)]
        {
            assert_eq!(Place::of_cursor(cursor, walked, FieldKind::Int).unwrap_err().code, codes::ABODY, "{cursor}");
        }
        let text = place(IndexValue::Text("x".into())).cursor(7);
        assert!(Place::of_cursor(&text, 7, FieldKind::Int).is_err());
        let nan = URL_SAFE_NO_PAD.encode(format!(r#"[7,["{}","a","k"]]"#, f64::NAN.to_bits()));
        assert!(Place::of_cursor(&nan, 7, FieldKind::Real).is_err());
    }
}
