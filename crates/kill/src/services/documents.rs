//! Writers of documents: each change is made on top of the version that the one before it was answered with, so that a change that is done
//! twice or lost refuses the next. After each the document is read on another node.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::caller::told;
use super::crew::{Crew, Trade};
use crate::check::violation;
use crate::machine::Front;

/// Kept changes of a document.
const HISTORY: usize = 50;

/// One writer, with a document of its own beside the one that all change.
pub(super) struct Writer<'a> {
    front: &'a dyn Front,
    id: String,
    /// Versions that were answered.
    versions: Vec<i64>,
}

pub(super) fn declare(front: &dyn Front) -> Result<()> {
    let class = json!({ "class": "Drill", "history": true, "items": { "Card": { "singleton": true } } });
    told(front, "POST", "/v1/main/doc-classes", &class).map(drop)
}

impl<'a> Writer<'a> {
    pub(super) fn new(front: &'a dyn Front, number: usize) -> Self {
        Self { front, id: format!("writer {number}"), versions: vec![] }
    }

    pub(super) fn work(mut self, crew: &Crew) -> Result<Self> {
        while !crew.is_over() {
            self.write()?;
            self.read()?;
            crew.did(Trade::Documents);
        }
        Ok(self)
    }

    fn write(&mut self) -> Result<()> {
        let expect = self.versions.last().map_or(json!("new"), |version| json!(version));
        let items = json!([{ "c": "Card", "j": { "number": self.versions.len(), "by": self.id } }]);
        let changes = json!([{ "c": "Drill", "id": self.id, "expect": expect, "items": items },
                             { "c": "Drill", "id": "all", "items": items }]);
        let answer = told(self.front, "POST", "/v1/main/op/doc.commit", &json!({ "param": { "changes": changes } }))?;
        let version = answer["out"]["version"].as_i64().with_context(|| format!("a version: {answer}"))?;
        let rises = self.versions.last().is_none_or(|last| *last < version);
        ensure!(rises, violation(format!("{} got version {version} after {:?}", self.id, self.versions.last())));
        self.versions.push(version);
        Ok(())
    }

    /// Whoever is asked: what was acknowledged is read.
    fn read(&self) -> Result<()> {
        let param = json!({ "param": { "c": "Drill", "id": self.id, "tolerance_s": 0 } });
        let answer = told(self.front, "POST", "/v1/main/op/doc.get", &param)?;
        let (version, number) = (&answer["out"]["v"], &answer["out"]["items"][0]["j"]["number"]);
        let good = *version == json!(self.versions.last()) && *number == json!(self.versions.len() - 1);
        ensure!(good, violation(format!("{} was read as {answer} after {:?}", self.id, self.versions.last())));
        Ok(())
    }

    /// The last changes are those that were answered, each once; how many there were.
    pub(super) fn judge(&self) -> Result<usize> {
        self.read()?;
        let path = format!("/v1/main/docs/Drill/{}/changes", self.id.replace(' ', "%20"));
        let changes = told(self.front, "GET", &path, &Value::Null)?;
        let kept: Vec<i64> =
            changes["items"].as_array().into_iter().flatten().filter_map(|change| change["v"].as_i64()).collect();
        let answered: Vec<i64> = self.versions.iter().rev().take(HISTORY).copied().collect();
        let length = kept.len().min(HISTORY);
        let good = length == answered.len() && kept[..length] == answered[..length];
        ensure!(good, violation(format!("{}: versions {answered:?} were answered, {kept:?} are kept", self.id)));
        Ok(self.versions.len())
    }
}
