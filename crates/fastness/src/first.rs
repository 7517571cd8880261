//! Where the administrators' namespace lies is told by the configuration alone, and all others are found by its rows. So a server whose
//! `store.engine` was changed would begin anew, with nothing of what was there: it does not start.

use std::path::{Path, PathBuf};

use anyhow::Result;
use base::Engine;
use store_postgres::archive as postgres;

use crate::backup::disk;
use crate::config::Config;
use crate::obstacle::Obstacle;
use crate::stores;

/// Refuses to begin anew beside what is there.
pub(crate) fn check(config: &Config) -> Result<()> {
    Ok(left_behind(config)?.map_or(Ok(()), Err)?)
}

/// What would be left behind on the other engine, if this server began. Whatever lies there beside a namespace of administrators that the
/// configured store has already is no concern of ours.
pub(crate) fn left_behind(config: &Config) -> Result<Option<Obstacle>> {
    let folder = config.data.dir.join("namespaces").join(&config.namespaces.admin);
    let has_file = folder.join("store.db").is_file();
    match config.store.engine {
        Engine::Postgres if has_file => on_sqlite(config, &folder),
        Engine::Sqlite if !has_file => on_postgres(config, &folder),
        Engine::Postgres | Engine::Sqlite => Ok(None),
    }
}

fn on_sqlite(config: &Config, folder: &Path) -> Result<Option<Obstacle>> {
    let settings = stores::postgres_config(config, &config.namespaces.admin)?;
    let has_begun = postgres::schemas(&settings, &settings.schema)?.contains(&settings.schema);
    Ok((!has_begun).then(|| Obstacle {
        what: format!(
            "{} holds the namespace `{}` of this server on SQLite, but store.engine is postgres, where there is none yet: \
             it would begin anew, without anything that is there",
            folder.join("store.db").display(),
            config.namespaces.admin,
        ),
        mend: "to go on there with what is here, run `fastness admin change-engine --to postgres` first; to go on here, set store.engine to \
               sqlite; to begin anew on PostgreSQL, give another data directory (--data DIR, or data.dir)"
            .to_owned(),
    }))
}

/// What was carried away leaves its old file here, under another name.
fn on_postgres(config: &Config, folder: &Path) -> Result<Option<Obstacle>> {
    let is_left = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("moved-"));
    let left = disk::entries(folder)?.into_iter().find(is_left);
    Ok(left.map(|left| Obstacle {
        what: format!(
            "the namespace `{}` of this server was carried to PostgreSQL ({} is what was left), but store.engine is sqlite, where there is \
             none: it would begin anew, without anything that is there",
            config.namespaces.admin,
            left.display(),
        ),
        mend: "to go on with what is there, set store.engine to postgres; to have it here again, run `fastness admin change-engine --to sqlite` \
               first; to begin anew on SQLite, give another data directory (--data DIR, or data.dir)"
            .to_owned(),
    }))
}
