//! Backups: whether there are any, how old the newest is, and whether they die with the data.

use base::{Clock, Stamp};
use host::{RealClock, disk_facts};

use super::Line;
use crate::backup;
use crate::config::Config;

/// A day, and a night that failed.
const OLD_MS: i64 = 48 * 3_600_000;

pub(super) fn lines(config: &Config) -> Vec<Line> {
    let to = &config.backup.dir;
    let mut lines = vec![];
    if config.backup.cron.is_empty() {
        let mend = "set backup.cron, such as D0425, or let another scheduler call fastness backup";
        lines.push(Line::warn("no backup is scheduled", "a lost disk is lost data", mend));
    }
    let newest = backup::finished(to).ok().and_then(|mut found| found.pop());
    let Some(newest) = newest else {
        if config.data.dir.join("namespaces").exists() {
            let what = format!("there is no backup in {}", to.display());
            lines.push(Line::warn(what, "a lost disk is lost data", format!("fastness backup --to {}", to.display())));
        }
        return lines;
    };
    let stamp = newest.file_name().and_then(|name| name.to_str()?.rsplit_once('-')?.1.parse().ok());
    let age_ms =
        stamp.and_then(|stamp| Stamp::new(stamp).ok()).map(|stamp| RealClock::new().wall().0 - stamp.to_wall().0);
    lines.push(match age_ms {
        Some(age_ms) if age_ms > OLD_MS => {
            let what = format!("the newest backup is {} hours old: {}", age_ms / 3_600_000, newest.display());
            Line::warn(
                what,
                "whatever came later would be lost with the disk",
                "run fastness backup and see what it says",
            )
        }
        _ => Line::ok(format!("the newest backup is {}", newest.display())),
    });
    let device = |folder: &std::path::Path| disk_facts(folder).ok().map(|facts| facts.device);
    if device(to).is_some() && device(to) == device(&config.data.dir) {
        let why = "both are lost with that disk";
        lines.push(Line::warn("backups are on the same disk as the data", why, "set backup.dir to another disk"));
    }
    lines
}
