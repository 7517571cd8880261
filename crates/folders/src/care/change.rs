//! Changes a directory itself: its name, quota, how names are compared, what strangers may, how long its past is kept.

use base::{OpError, OpResult, Sql, Tx, args, codes};
use kernel::{Op, OpCx};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::codes::AFOLDER;
use crate::desk::check_name;
use crate::desk::rights::{Right, enter};
use crate::form::Who;

/// Changes a directory.
pub static CHANGE: Op<Change, ()> = Op::new("folders.change", change).keyed(|input| crate::key_of(&input.directory));

/// The longest that somebody may want older versions to be kept.
const KEPT_MAX_MS: i64 = 100 * 365 * 86_400_000;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&ANY, &NAME, &NAMES, &ANYONE, &QUOTA, &KEPT];

static ANY: Sql = Sql::new(
    "fld_file.any_living",
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM fld_file WHERE directory = ?1 AND deleted = 0)",
);
static NAME: Sql = Sql::new("fld_directory.name", "UPDATE fld_directory SET name = ?2 WHERE id = ?1");
static NAMES: Sql = Sql::new("fld_directory.names", "UPDATE fld_directory SET names = ?2 WHERE id = ?1");
static ANYONE: Sql = Sql::new("fld_directory.anyone", "UPDATE fld_directory SET anyone = ?2 WHERE id = ?1");
static QUOTA: Sql = Sql::new("fld_directory.quota", "UPDATE fld_directory SET quota_bytes = ?2 WHERE id = ?1");
static KEPT: Sql = Sql::new("fld_directory.kept", "UPDATE fld_directory SET kept_ms = ?2 WHERE id = ?1");

/// What is to change, by whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Who.
    pub who: Who,
    /// Which.
    pub directory: String,
    /// What.
    pub patch: DirectoryPatch,
}

/// How names are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = FolderNames)]
pub enum NamesWord {
    /// `A` and `a` are the same.
    Folded,
    /// Byte by byte.
    Exact,
}

/// What of a directory changes; what is not given stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FolderDirectoryPatch)]
pub struct DirectoryPatch {
    /// Its name, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub name: Option<String>,
    /// How names are compared; only while nothing is in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub names: Option<NamesWord>,
    /// What keys may do that are no members: none, read or write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub anyone: Option<Right>,
    /// The most bytes that it may hold; null: no limit.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    pub quota_bytes: Option<Option<i64>>,
    /// How long older versions are kept; null: as long as the server keeps them.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    pub kept_ms: Option<Option<i64>>,
}

/// Null is a value too.
#[expect(clippy::option_option, reason = "not given, null and a number are three things")]
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<i64>>, D::Error> {
    Option::<i64>::deserialize(from).map(Some)
}

fn change(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Change) -> OpResult<()> {
    let (id, patch) = (&input.directory, &input.patch);
    enter(tx, id, &input.who, Right::Admin)?;
    patch.check()?;
    if let Some(names) = patch.names {
        if tx.query_one(&ANY, args![id])?.is_some() {
            return Err(OpError::new(
                AFOLDER,
                "how names are compared can be changed only while nothing is in the directory",
            ));
        }
        tx.write(&NAMES, args![id, if names == NamesWord::Exact { "exact" } else { "folded" }])?;
    }
    patch.name.iter().try_for_each(|name| tx.write(&NAME, args![id, name]))?;
    patch.anyone.iter().try_for_each(|anyone| tx.write(&ANYONE, args![id, anyone.word()]))?;
    patch.quota_bytes.iter().try_for_each(|quota| tx.write(&QUOTA, args![id, *quota]))?;
    patch.kept_ms.iter().try_for_each(|kept| tx.write(&KEPT, args![id, *kept]))?;
    let text = serde_json::to_string(patch).unwrap_or_default();
    cx.fx.journal("folders.directory_changed", id, format!("{}: {text}", input.who.key));
    Ok(())
}

impl DirectoryPatch {
    fn check(&self) -> OpResult<()> {
        self.name.as_deref().map_or(Ok(()), check_name)?;
        if self.anyone == Some(Right::Admin) {
            return Err(OpError::new(AFOLDER, "anyone may be none, read or write"));
        }
        let is_bad = |value: Option<Option<i64>>, least: i64, most: i64| {
            value.flatten().is_some_and(|value| !(least..=most).contains(&value))
        };
        if is_bad(self.quota_bytes, 0, i64::MAX) || is_bad(self.kept_ms, 0, KEPT_MAX_MS) {
            let text = format!("a quota has 0 bytes at least, versions are kept 0 to {KEPT_MAX_MS} ms");
            return Err(OpError::new(codes::ALIMIT, text));
        }
        Ok(())
    }
}
