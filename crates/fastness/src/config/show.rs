//! The configuration in use, as TOML and as data for the console. Neither holds a secret.

use std::fmt::Write as _;

use super::error::Source;
use super::field::Value;
use super::key::{Key, Section};
use super::keys::SECTIONS;
use super::layers::Loaded;

use web::{ShownKey, ShownSection, ShownSource};

/// Every key with its value and, in a comment, its source. Loads again to the same configuration, but for secrets:
/// those that are set stand in a comment without their value.
#[must_use]
pub fn show(loaded: &Loaded) -> String {
    let values = loaded.config.to_values();
    let mut text = "# The configuration in use. Each comment says where the value comes from.\n".to_owned();
    for section in SECTIONS {
        let _ = write!(text, "\n[{}]\n", section.name);
        let keys = loaded.sources.iter().zip(&values).filter(|((key, _), _)| key.section() == section.name);
        keys.for_each(|((key, source), value)| text.push_str(&line(key, source, value)));
    }
    text
}

/// Every key with its value, its source and its meaning; a secret that is set has no value here.
#[must_use]
pub fn shown(loaded: &Loaded) -> Vec<ShownSection> {
    let values = loaded.config.to_values();
    let all: Vec<_> = loaded.sources.iter().zip(&values).collect();
    let section = |section: &Section| {
        let own = all.iter().filter(|((key, _), _)| key.section() == section.name);
        let keys = own.map(|((key, source), value)| shown_key(key, source, value)).collect();
        ShownSection { name: section.name.into(), about: section.doc.into(), keys }
    };
    SECTIONS.iter().map(section).collect()
}

fn shown_key(key: &Key, source: &Source, value: &Value) -> ShownKey {
    let source = match source {
        Source::Default => ShownSource::Default,
        Source::File { name, line } => ShownSource::File(format!("{name}:{line}")),
        Source::Environment(name) => ShownSource::Environment(name.clone()),
        Source::Flag(_) => ShownSource::Flag,
    };
    let value = (!is_hidden(key, value)).then(|| key.kind.write(value));
    ShownKey { path: key.path.into(), value, source, meaning: key.doc.into() }
}

/// A secret that is set; that one is not set is no secret.
fn is_hidden(key: &Key, value: &Value) -> bool {
    key.is_secret() && *value != Value::Text(String::new())
}

fn line(key: &Key, source: &Source, value: &Value) -> String {
    let (mark, shown) =
        if is_hidden(key, value) { ("# ", "(hidden)".to_owned()) } else { ("", key.kind.write_toml(value)) };
    format!("{mark}{} = {shown} # {source}\n", key.name())
}
