//! Where the administrators' namespace lies is told by the configuration alone, and all others are found by its rows. So a server whose
//! `store.engine` was changed would begin anew, with nothing of what was there: it does not start.

use anyhow::Result;
use base::Engine;
use store_postgres::archive as postgres;

use crate::config::Config;
use crate::obstacle::Obstacle;
use crate::stores;

/// Refuses to begin anew beside what is there.
pub(crate) fn check(config: &Config) -> Result<()> {
    Ok(left_behind(config)?.map_or(Ok(()), Err)?)
}

/// What would be left behind on the other engine, if this server began. Whatever lies there beside a namespace of administrators that the
/// configured database has already is no concern of ours.
pub(crate) fn left_behind(config: &Config) -> Result<Option<Obstacle>> {
    let admin = &config.namespaces.admin;
    let file = config.data.dir.join("namespaces").join(admin).join("store.db");
    if config.store.engine != Engine::Postgres || !file.is_file() {
        return Ok(None);
    }
    let settings = stores::postgres_config(config, admin)?;
    let has_begun = postgres::schemas(&settings, &settings.schema)?.contains(&settings.schema);
    Ok((!has_begun).then(|| Obstacle {
        what: format!(
            "{} holds the namespace `{admin}` of this server on SQLite, but store.engine is postgres, where there is none yet: \
             it would begin anew, without anything that is there",
            file.display()
        ),
        mend: "to go on with what is there, set store.engine to sqlite (with store.url set, `fastness namespace move NAME --to postgres` \
               carries a namespace there); to begin anew on PostgreSQL, give another data directory (--data DIR, or data.dir)"
            .to_owned(),
    }))
}
