//! The TOML file: which keys stand on which lines.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::error::{Source, quoted};
use super::keys::SECTIONS;
use super::layers::Layers;
use super::nearest::nearest_section;
use super::read::Raw;

/// A key that stands in the file.
struct Entry<'a> {
    path: String,
    /// Where the key stands.
    key: Range<usize>,
    value: &'a Spanned<DeValue<'a>>,
    /// Stands outside every section, so that it can be no key of ours.
    stray: bool,
}

/// Lays a file over the layers so far. A file that does not parse brings its syntax errors only.
pub(super) fn read(name: &str, text: &str, layers: &mut Layers) {
    let at = |offset: usize| Source::File { name: name.to_owned(), line: line(text, offset) };
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        layers.distrust_all();
        for error in errors {
            // The message alone: the text around the error may hold a secret.
            layers.error(at(error.span().map_or(0, |span| span.start)), error.message().replace('\n', ", "));
        }
        return;
    }
    for entry in entries(document.get_ref()) {
        lay(&entry, text, at(entry.key.start), layers);
    }
}

fn lay(entry: &Entry<'_>, text: &str, at: Source, layers: &mut Layers) {
    let path = &entry.path;
    match entry.value.get_ref() {
        value if !entry.stray => layers.file(path, raw(value), shown(entry.value, text), at),
        _ if is_section(path) => layers.error(at, format!("{path} is a section: its keys stand below [{path}]")),
        DeValue::Table(_) => {
            let nearest = nearest_section(path);
            layers.error(at, format!("unknown section {}; the nearest is [{nearest}]", quoted(&format!("[{path}]"))));
        }
        _ => layers.unknown(path, at),
    }
}

fn is_section(name: &str) -> bool {
    SECTIONS.iter().any(|section| section.name == name)
}

/// All keys in the order of the file. A section without keys is one only if it is no section of ours.
fn entries<'a>(document: &'a DeTable<'a>) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'_>> = document.iter().flat_map(|(name, value)| section(name, value)).collect();
    entries.sort_by_key(|entry| entry.key.start);
    entries
}

fn section<'a>(name: &Spanned<DeString<'a>>, value: &'a Spanned<DeValue<'a>>) -> Vec<Entry<'a>> {
    let section = name.get_ref();
    match value.get_ref() {
        DeValue::Table(keys) if is_section(section) || !keys.is_empty() => {
            let path = |key: &str| format!("{}.{}", bare(section), bare(key));
            let of = |key: &Spanned<DeString<'_>>| (path(key.get_ref()), key.span());
            let keys = keys.iter().map(|(key, value)| (of(key), value));
            keys.map(|((path, key), value)| Entry { path, key, value, stray: false }).collect()
        }
        _ => vec![Entry { path: bare(section), key: name.span(), value, stray: true }],
    }
}

/// A name as TOML wants it: one with a dot in it is not two names.
fn bare(name: &str) -> String {
    if name.contains('.') { format!("\"{name}\"") } else { name.to_owned() }
}

fn raw<'a>(value: &'a DeValue<'_>) -> Raw<'a> {
    match value {
        DeValue::String(text) => Raw::Text(text),
        DeValue::Integer(number) => Raw::Integer(i128::from_str_radix(number.as_str(), number.radix()).ok()),
        DeValue::Boolean(truth) => Raw::Truth(*truth),
        DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => Raw::Other,
    }
}

/// The value as it was written. A table may stand in many places, so that its span says little.
fn shown<'a>(value: &Spanned<DeValue<'_>>, text: &'a str) -> &'a str {
    match value.get_ref() {
        DeValue::Table(_) => "{…}",
        _ => text.get(value.span()).unwrap_or_default(),
    }
}

fn line(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}
