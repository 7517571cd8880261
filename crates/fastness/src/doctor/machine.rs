//! The machine: its clock and how many files we may open.

use std::path::Path;

use base::{Clock, Wall};
use host::RealClock;

use super::Line;
use crate::config::Config;

/// Before this program was written, or beyond what stamps can hold: 2026-01-01 and 2099-01-01.
const EARLY_MS: i64 = 1_767_225_600_000;
const LATE_MS: i64 = 4_070_908_800_000;
/// Systemd keeps this file once it has heard from a time server.
const SYNCHRONISED: &str = "/run/systemd/timesync/synchronized";
const TIMESYNC: &str = "/run/systemd/timesync";

pub(super) fn lines(config: &Config) -> Vec<Line> {
    let mut lines = vec![clock(RealClock::new().wall().0), open_files(config, host::open_files_max())];
    lines.extend(time_server(Path::new(TIMESYNC).exists(), Path::new(SYNCHRONISED).exists()));
    lines
}

fn clock(wall_ms: i64) -> Line {
    let what = format!("the clock shows {} UTC", readable(Wall(wall_ms)));
    if (EARLY_MS..LATE_MS).contains(&wall_ms) {
        return Line::ok(what);
    }
    let why = "versions, schedules and certificates go by it";
    Line::bad(what, why, "set the clock, and let a time server keep it")
}

/// To the second: `2026-11-19 15:05:35`.
fn readable(wall: Wall) -> String {
    wall.rfc3339().chars().take(19).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

fn time_server(is_used: bool, is_synchronised: bool) -> Option<Line> {
    match (is_used, is_synchronised) {
        (false, _) => None,
        (true, true) => Some(Line::ok("the clock is kept by a time server")),
        (true, false) => {
            let why = "a clock that drifts makes versions run ahead and schedules late";
            Some(Line::warn("the clock was not synchronised yet", why, "timedatectl timesync-status says more"))
        }
    }
}

/// Half of the files are for connections, see `server`.
fn open_files(config: &Config, limit: usize) -> Line {
    let (wished, possible) = (config.server.connections_max, limit / 2);
    let what = format!("{limit} files may be open, {wished} connections are configured");
    if possible >= wished {
        return Line::ok(what);
    }
    let why = "fewer connections than configured will be taken";
    Line::warn(what, why, format!("raise the limit to {} (ulimit -n, LimitNOFILE)", wished * 2))
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn ker_37_a_clock_without_a_battery_and_one_from_the_future_are_bad() {
        assert_eq!(clock(0).state, State::Bad);
        assert_eq!(clock(1_780_000_000_000), Line::ok("the clock shows 2026-05-28 20:26:40 UTC"));
        assert_eq!(clock(4_200_000_000_000).state, State::Bad);
    }

    #[test]
    fn ker_37_a_clock_that_nobody_keeps_is_told_where_that_can_be_known() {
        assert_eq!(time_server(false, false), None);
        assert_eq!(time_server(true, false).map(|line| line.state), Some(State::Warn));
        assert_eq!(time_server(true, true).map(|line| line.state), Some(State::Ok));
    }

    #[test]
    fn ker_37_too_few_open_files_are_told_with_the_number_that_is_needed() {
        let config = Config::load(None, [], &[]).unwrap().config;
        assert_eq!(open_files(&config, 1_000_000).state, State::Ok);
        let few = open_files(&config, 1_024);
        assert!(few.state == State::Warn && few.mend.contains("8192"), "{few:?}");
    }
}
