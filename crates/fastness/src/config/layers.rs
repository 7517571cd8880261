//! Default, file, environment, flag: each layer covers the one below.

use super::error::{ConfigError, ConfigErrors, Source, quoted};
use super::field::Value;
use super::file;
use super::key::Key;
use super::keys::{Config, KEYS};
use super::nearest::nearest;
use super::read::Raw;
use super::rules::{RULES, Rule};
use super::variables;

/// A configuration, and where each key's value comes from.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// Where each value comes from.
    pub sources: Sources,
    /// What has no effect and was probably meant to have one.
    pub warnings: Vec<ConfigError>,
}

/// Where each key's value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// The source of one key; `None` if there is no such key.
    #[must_use]
    pub fn of(&self, path: &str) -> Option<&Source> {
        self.iter().find(|(key, _)| key.path == path).map(|(_, source)| source)
    }

    /// Every key with its source, in the order of [`KEYS`].
    pub fn iter(&self) -> impl Iterator<Item = (&'static Key, &Source)> {
        KEYS.iter().zip(&self.0)
    }
}

impl Config {
    /// Lays the environment over the file and the flags over both. `file` is a name for messages and the text; of the
    /// environment only variables that begin with `FASTNESS_` are looked at; a flag is the path of its key and a value.
    ///
    /// # Errors
    /// Every mistake of every layer: syntax, unknown keys, values that a key does not take, broken rules between keys.
    pub fn load(
        file: Option<(&str, &str)>,
        env: impl IntoIterator<Item = (String, String)>,
        flags: &[(&str, String)],
    ) -> Result<Loaded, ConfigErrors> {
        let mut layers = Layers::defaults();
        if let Some((name, text)) = file {
            file::read(name, text, &mut layers);
        }
        for (name, value) in env {
            layers.environment(&name, &value);
        }
        for (path, value) in flags {
            layers.flag(path, value);
        }
        layers.finish()
    }
}

impl Default for Config {
    fn default() -> Self {
        Layers::defaults().config()
    }
}

/// What is known of one key so far.
struct Slot {
    value: Value,
    source: Source,
    /// A layer gave something that cannot be used, so that rules about this key would only confuse.
    broken: bool,
}

/// The layers so far, one slot per key, and the mistakes in them.
pub(super) struct Layers {
    slots: Vec<Slot>,
    errors: Vec<ConfigError>,
    warnings: Vec<ConfigError>,
}

impl Layers {
    fn defaults() -> Self {
        let slot = |key: &Key| Slot { value: default_of(key), source: Source::Default, broken: false };
        Self { slots: KEYS.iter().map(slot).collect(), errors: vec![], warnings: vec![] }
    }

    /// A key of the file. `shown` is the value as it was written.
    pub(super) fn file(&mut self, path: &str, raw: Raw<'_>, shown: &str, at: Source) {
        match find(path) {
            Some(index) => self.set(index, raw, shown, at),
            None => self.unknown(path, at),
        }
    }

    pub(super) fn unknown(&mut self, path: &str, at: Source) {
        let nearest = nearest(path).path;
        self.error(at, format!("unknown key {}; the nearest is `{nearest}`", quoted(path)));
    }

    pub(super) fn error(&mut self, at: Source, message: String) {
        self.errors.push(ConfigError { at: Some(at), message });
    }

    /// The file could not be read to its end: what it says of any key is not known.
    pub(super) fn distrust_all(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.broken = true);
    }

    fn environment(&mut self, name: &str, value: &str) {
        let Some(rest) = name.strip_prefix("FASTNESS_") else { return };
        let at = || Source::Environment(name.to_owned());
        if let Some(index) = KEYS.iter().position(|key| key.env() == name) {
            self.set(index, Raw::Bare(value), value, at());
        } else if rest.contains("__") || is_near_miss(name) {
            let nearest = nearest(&rest.to_lowercase().replace("__", ".")).env();
            self.error(at(), format!("unknown variable; the nearest is {nearest}"));
        } else if let Some(meant) = variables::meant(name, value) {
            let message = format!("nobody reads this variable; the nearest is {meant}");
            self.warnings.push(ConfigError { at: Some(at()), message });
        }
    }

    fn flag(&mut self, path: &str, value: &str) {
        let at = Source::Flag(path.to_owned());
        match find(path) {
            Some(index) => self.set(index, Raw::Bare(value), value, at),
            None => self.unknown(path, at),
        }
    }

    fn set(&mut self, index: usize, raw: Raw<'_>, shown: &str, at: Source) {
        let (key, slot) = (&KEYS[index], &mut self.slots[index]);
        if let Some(value) = key.kind.read(raw) {
            (slot.value, slot.source) = (value, at);
            return;
        }
        slot.broken = true;
        let shown = if key.is_secret() { "what was given (hidden)".to_owned() } else { quoted(shown) };
        let (takes, hint) = (key.kind.takes(), key.kind.hint(raw));
        self.error(at, format!("{} cannot be {shown}: it takes {takes}{hint}", key.path));
    }

    fn config(&self) -> Config {
        Config::from_values(self.slots.iter().map(|slot| &slot.value))
    }

    fn finish(mut self) -> Result<Loaded, ConfigErrors> {
        let config = self.config();
        let broken = RULES.iter().filter(|rule| self.is_judged(rule) && !(rule.holds)(&config));
        let broken: Vec<_> = broken.map(|rule| ConfigError { at: None, message: self.explain(rule) }).collect();
        self.errors.extend(broken);
        if self.errors.is_empty() {
            let sources = Sources(self.slots.into_iter().map(|slot| slot.source).collect());
            return Ok(Loaded { config, sources, warnings: self.warnings });
        }
        Err(ConfigErrors(self.errors))
    }

    fn is_judged(&self, rule: &Rule) -> bool {
        rule.keys.iter().filter_map(|path| find(path)).all(|index| !self.slots[index].broken)
    }

    /// The rule, and what each of its keys is and why.
    fn explain(&self, rule: &Rule) -> String {
        let facts = rule.keys.iter().filter_map(|path| find(path)).map(|index| self.fact(index));
        format!("{}: {}", rule.says, facts.collect::<Vec<_>>().join(", "))
    }

    fn fact(&self, index: usize) -> String {
        let (key, slot) = (&KEYS[index], &self.slots[index]);
        let text = key.kind.write(&slot.value);
        let shown = match (key.is_secret(), text.is_empty()) {
            (_, true) => "not set".to_owned(),
            (true, false) => "set".to_owned(),
            (false, false) => quoted(&text),
        };
        format!("{} is {shown} ({})", key.path, slot.source)
    }
}

fn find(path: &str) -> Option<usize> {
    KEYS.iter().position(|key| key.path == path)
}

/// Panics only if a default breaks its own limits: a bug that every test would show.
fn default_of(key: &Key) -> Value {
    let value = key.kind.read(Raw::Bare(&key.default_text()));
    let Some(value) = value else { panic!("{} does not take its own default", key.path) };
    value
}

/// `FASTNESS_SERVER_LISTEN`: a key with one underscore where two belong would be ignored in silence.
fn is_near_miss(name: &str) -> bool {
    KEYS.iter().any(|key| key.env().replace("__", "_") == name)
}
