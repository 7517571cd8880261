//! The configuration in use, as TOML.

use std::fmt::Write as _;

use super::error::Source;
use super::field::Value;
use super::key::Key;
use super::keys::SECTIONS;
use super::layers::Loaded;

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

fn line(key: &Key, source: &Source, value: &Value) -> String {
    let hidden = key.is_secret() && *value != Value::Text(String::new());
    let (mark, shown) = if hidden { ("# ", "(hidden)".to_owned()) } else { ("", key.kind.write_toml(value)) };
    format!("{mark}{} = {shown} # {source}\n", key.name())
}
