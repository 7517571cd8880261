//! PostgreSQL: reachable, durable, with enough connections.

use base::{Clock, Engine};
use host::RealClock;
use store_postgres::archive::{ServerFacts, server_facts};

use super::Line;
use crate::config::Config;
use crate::stores;

/// Older servers lack what we use.
const VERSION_MIN: u32 = 12;
/// Clocks that differ by more are not both kept.
const APART_MS: u64 = 5_000;

pub(super) fn lines(config: &Config) -> Vec<Line> {
    if config.store.engine != Engine::Postgres {
        return vec![];
    }
    let asked = stores::postgres_config(config, "main").and_then(|settings| Ok(server_facts(&settings)?));
    match asked {
        Ok(facts) => of_facts(config, &facts),
        Err(error) => {
            let mend = "check store.url, that the server runs, and pg_hba.conf";
            vec![Line::bad(format!("PostgreSQL cannot be used: {error:#}"), "all data is there", mend)]
        }
    }
}

fn of_facts(config: &Config, facts: &ServerFacts) -> Vec<Line> {
    let lossy = "what was acknowledged is lost when that machine crashes";
    let mut lines = vec![version(&facts.version)];
    if !facts.fsync {
        lines.push(Line::bad("PostgreSQL has fsync = off", lossy, "set fsync = on"));
    }
    if !facts.full_page_writes {
        let why = "a page that is half written at a crash cannot be mended";
        lines.push(Line::bad("PostgreSQL has full_page_writes = off", why, "set full_page_writes = on"));
    }
    if facts.synchronous_commit == "off" {
        let why = "we raise it for our own sessions; other programs on that database lose commits at a crash";
        lines.push(Line::warn("PostgreSQL has synchronous_commit = off", why, "set synchronous_commit = on"));
    }
    if facts.is_standby {
        lines.push(Line::bad("PostgreSQL is a standby", "it takes no writes", "name the primary in store.url"));
    }
    lines.push(connections(config, facts.connections_max));
    lines.extend(clocks(facts.wall_ms, RealClock::new().wall().0));
    lines
}

/// Leases and deadlines of several nodes go by the database; versions and schedules by ours.
fn clocks(theirs_ms: i64, ours_ms: i64) -> Option<Line> {
    let apart_ms = theirs_ms.abs_diff(ours_ms);
    (apart_ms > APART_MS).then(|| {
        let what = format!("the clock of PostgreSQL is {} s away from ours", apart_ms / 1000);
        Line::warn(what, "versions and schedules of nodes disagree", "let time servers keep both clocks")
    })
}

fn version(version: &str) -> Line {
    let what = format!("PostgreSQL {version}");
    let major = version.split(['.', ' ']).next().and_then(|major| major.parse::<u32>().ok());
    match major.is_some_and(|major| major < VERSION_MIN) {
        true => Line::bad(what, "it lacks what we use", format!("use version {VERSION_MIN} or newer")),
        false => Line::ok(what),
    }
}

/// Of `main` and the administrators' namespace, with one more for set-up work each.
fn connections(config: &Config, max: usize) -> Line {
    let needed = 2 * (config.store.workers + config.store.readers + 1);
    let what = format!("PostgreSQL takes {max} connections, the first two namespaces need {needed}");
    if needed + 3 <= max {
        return Line::ok(what);
    }
    let mend = "raise max_connections, or lower store.workers and store.readers";
    Line::bad(what, "jobs wait for connections that never come", mend)
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn ker_37_every_setting_that_loses_data_is_bad() {
        let config = Config::load(None, [], &[]).unwrap().config;
        let good = ServerFacts {
            version: "15.3 (Debian 15.3-0)".into(),
            fsync: true,
            full_page_writes: true,
            synchronous_commit: "on".into(),
            is_standby: false,
            connections_max: 100,
            wall_ms: RealClock::new().wall().0,
        };
        let worst = |facts: &ServerFacts| super::super::worst(&of_facts(&config, facts));
        assert_eq!(worst(&good), State::Ok);
        for bad in [
            ServerFacts { fsync: false, ..good.clone() },
            ServerFacts { full_page_writes: false, ..good.clone() },
            ServerFacts { is_standby: true, ..good.clone() },
            ServerFacts { connections_max: 20, ..good.clone() },
            ServerFacts { version: "9.6.1".into(), ..good.clone() },
        ] {
            assert_eq!(worst(&bad), State::Bad, "{bad:?}");
        }
        assert_eq!(worst(&ServerFacts { wall_ms: 0, ..good.clone() }), State::Warn);
        assert_eq!(worst(&ServerFacts { synchronous_commit: "off".into(), ..good }), State::Warn);
    }
}
