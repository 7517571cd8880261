//! The reference of all keys and an example file, made from the table.

use std::fmt::Write as _;

use super::field::Value;
use super::key::{Key, Kind, Section};
use super::keys::{KEYS, SECTIONS};
use super::read::Raw;
use super::rules::RULES;
use super::variables::OTHERS;

/// Longest line of a comment in the example.
const WIDTH: usize = 100;

const INTRODUCTION: &str = "\
# Configuration

Made by `fastness config reference > docs/reference/configuration.md`; do not edit.

Every key has a default. A value comes, in rising order, from the TOML file, from the environment, from a flag.

- The file groups keys into sections: `[server]`, then `listen = \"127.0.0.1:7400\"`.
- The environment variable of `section.key` is `FASTNESS_SECTION__KEY`: capitals, two underscores after the section.
- Sizes are a whole number and B, KiB, MiB, GiB or TiB (`\"64 MiB\"`); a number alone means bytes.
- Durations are a whole number and ms, s, m or h (`\"10s\"`); a number alone is refused.
- An unknown key, an unknown variable with two underscores, a value beyond its limit and a broken rule are errors. All are
  told at once, and the server does not start. `fastness config check` tells them without starting; `fastness config show`
  prints every value with its source.
- Any other variable that begins with `FASTNESS_` and that nobody reads is a warning of `serve`, `config check` and `doctor`:
  [these](#other-variables) are read.
";

const EXAMPLE: &str = "\
# Fastness: every key with its default. Take the mark from the front of a line to change its value.
# Also: environment variables, and flags above both; see docs/reference/configuration.md.
";

/// All keys as Markdown, a table per section.
#[must_use]
pub fn reference() -> String {
    let mut text = INTRODUCTION.to_owned();
    for section in SECTIONS {
        let _ = write!(text, "\n## {}\n\n{}\n\n", section.name, section.doc);
        text.push_str("| key | default | limits | environment | meaning |\n|---|---|---|---|---|\n");
        keys_of(section).for_each(|key| text.push_str(&row(key)));
    }
    text.push_str("\n## Rules between keys\n\n");
    for rule in RULES {
        let _ = writeln!(text, "- {}: `{}`.", capital(rule.says), rule.keys.join("`, `"));
    }
    text.push_str("\n## Other variables\n\n");
    for other in OTHERS {
        let _ = writeln!(text, "- `{}`: {}.", other.name, other.about);
    }
    text
}

fn row(key: &Key) -> String {
    let cells = [format!("`{}`", key.path), default(key), limits(key), format!("`{}`", key.env()), key.doc.to_owned()];
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}

fn default(key: &Key) -> String {
    let text = key.default_text();
    if text.is_empty() { "not set".to_owned() } else { format!("`{text}`") }
}

fn limits(key: &Key) -> String {
    match key.kind {
        Kind::Integer { unit, .. } => format!("{} {unit}", key.kind.limits()),
        _ => key.kind.limits(),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A TOML file that holds every key as a comment with its default.
#[must_use]
pub fn example() -> String {
    let mut text = EXAMPLE.to_owned();
    for section in SECTIONS {
        let _ = write!(text, "\n{}[{}]\n", comment(section.doc), section.name);
        keys_of(section).for_each(|key| text.push_str(&entry(key)));
    }
    text
}

fn entry(key: &Key) -> String {
    let value = key.kind.read(Raw::Bare(&key.default_text())).unwrap_or(Value::Text(String::new()));
    let limits = comment(&format!("Limits: {}. {}", limits(key), key.env()));
    format!("\n{}{limits}#{} = {}\n", comment(key.doc), key.name(), key.kind.write_toml(&value))
}

fn keys_of(section: &Section) -> impl Iterator<Item = &'static Key> {
    KEYS.iter().filter(|key| key.section() == section.name)
}

/// Words in lines that begin with `# `.
fn comment(text: &str) -> String {
    let mut lines = vec![String::from("#")];
    for word in text.split_whitespace() {
        if let Some(line) = lines.last_mut().filter(|line| line.len() + 1 + word.len() <= WIDTH) {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(format!("# {word}"));
        }
    }
    lines.join("\n") + "\n"
}
