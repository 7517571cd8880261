//! Values that callers write: stamps, moments, ids, digests, cursors, schedules.

use base::{BlobName, Id, Sha, Stamp, Wall};
use kernel::feed::After;
use kernel::journal::search::Place;
use kernel::tasks::Cron;

use crate::text;

/// Moments to count from, some of them at the ends of what a calendar holds.
const MOMENTS: [Wall; 4] = [Wall(0), Wall(951_825_600_000), Wall(1_794_744_000_000), Wall(4_102_444_799_999)];

/// A stamp is a moment and back; so is a moment of RFC 3339.
pub(crate) fn stamps(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Some(stamp) = text.parse().ok().and_then(|number| Stamp::new(number).ok()) {
        assert_eq!(Stamp::from_wall(stamp.to_wall()), stamp, "as it was");
        assert!(stamp.next() > stamp, "the next is later");
    }
    if let Some(wall) = Wall::parse_rfc3339(text) {
        assert_eq!(Wall::parse_rfc3339(&wall.rfc3339()), Some(wall), "{text}");
    }
}

/// Ids, digests and names of blobs have one text each.
pub(crate) fn ids(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(id) = text.parse::<Id>() {
        assert_eq!(id.to_string().parse::<Id>().ok(), Some(id));
    }
    if let Ok(sha) = text.parse::<Sha>() {
        assert_eq!(sha.to_string(), text);
    }
    if let Ok(name) = text.parse::<BlobName>() {
        assert_eq!(name.to_string(), text);
    }
    if let Some(id) = folder_agent::model::FileId::read(text) {
        assert_eq!(folder_agent::model::FileId::read(&id.to_string()), Some(id));
    }
    let _ = text.parse::<sensors::SensorId>();
    for check in [exchange::names::check_message, exchange::names::check_database, exchange::names::check_label] {
        let _ = check(text);
    }
    if exchange::names::check_database(text).is_ok() {
        assert!(base::RelPath::new(text).is_some() && !text.contains('/'), "{text} is a part of a path");
    }
    let _ = workflow::names::check_actor(text);
}

/// Cursors come back as they went.
pub(crate) fn cursors(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(After::Cursor(cursor)) = text.parse::<After>() {
        assert_eq!(cursor.to_string().parse::<After>().ok(), Some(After::Cursor(cursor)));
    }
    if let Ok(place) = Place::read(text) {
        assert!(Place::read(&place.text()).is_ok_and(|again| again.text() == place.text()));
    }
    if let Ok(place) = text.parse::<sensors::history::Place>() {
        assert_eq!(place.to_string().parse(), Ok(place));
    }
    if let Ok(task) = text.parse::<workflow::names::TaskId>() {
        assert_eq!(task.to_string(), text);
    }
    for reads in [documents::reads_cursor, folders::desk::reads_cursor] {
        let Some(again) = reads(text) else { continue };
        assert_eq!(reads(&again), Some(again), "{text}");
    }
}

/// What is scheduled comes later than now, and what was missed came before; a text is the same after it was stored.
pub(crate) fn cron(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let Ok(cron) = text.parse::<Cron>() else { return };
    assert_eq!(cron.to_string().parse().as_ref(), Ok(&cron), "{text}");
    for now in MOMENTS {
        assert!(cron.next_after(now) > now, "{text} after {now:?}");
    }
    let (first, now) = (MOMENTS[1], MOMENTS[2]);
    let due = cron.due(first, now, 3);
    assert!(due.is_sorted() && due.iter().all(|at| (first..=now).contains(at)), "{text}: {due:?}");
}
