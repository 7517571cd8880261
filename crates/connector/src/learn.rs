//! What is remembered of what was heard, for the processes that come.

use client::ClientError;

use crate::connector::{Connector, Course};
use crate::next::{After, Blame, CommitFailure, Doing, Heard, MarkerSeen, Word};
use crate::suspects::Fault;

impl Connector {
    /// After a failure of several messages they are taken one by one, until the one at fault is found.
    pub(crate) fn learn(&mut self, doing: &Doing, heard: &Heard, course: &Course) {
        let (suspects, taken) = (&mut self.suspects, &course.taken);
        match (doing, heard) {
            (Doing::Work { .. }, Heard::WorkFailed(error)) => suspects.note_failure(taken, Fault::Work, error),
            (Doing::Work { .. }, Heard::Hindered(_))
            | (Doing::LookForMarker { blames: false, .. }, Heard::Marker(MarkerSeen::Absent)) => {
                suspects.note_hindered();
            }
            (Doing::Commit, Heard::CommitFailed(CommitFailure::Refused(error))) => {
                suspects.note_failure(taken, Fault::Refused, error);
            }
            (Doing::Commit, Heard::CommitFailed(CommitFailure::Undone(error)))
            | (Doing::LookForMarker { error, blames: true }, Heard::Marker(MarkerSeen::Absent))
            // Though all of them were found incorrect.
            | (Doing::Prepare { blamed: true }, Heard::Word(Word::Refused(error)))
            | (Doing::RollBack { then: After::OneByOne, error }, _) => {
                suspects.note_failure(taken, Fault::Commit, error);
            }
            // A prepare that never arrives may be too large for the line, one that comes too late has taken too long.
            (Doing::RollBack { then: After::RollbackCall, error }, _) if !course.is_blameless => {
                suspects.note_failure(taken, Fault::Commit, error);
            }
            (Doing::Prepare { blamed: false }, Heard::Word(Word::Refused(_))) => {
                suspects.take_one_by_one(taken.len());
            }
            (Doing::RollBack { then: After::WorkAgain(Blame { all: Some(_), .. }), .. }, _) => suspects.take_all(),
            (Doing::Start { .. }, Heard::Idle) => suspects.forget_all(),
            (Doing::Commit, Heard::Committed) | (Doing::LookForMarker { .. }, Heard::Marker(MarkerSeen::Present)) => {
                suspects.note_commit(taken, &course.worked.results);
            }
            _ => {}
        }
    }
}

/// Whether nothing was connected, a gateway found nobody, or the server could not serve anybody: whatever was asked. What broke on its
/// way, or made the server fail, may have been what was asked.
pub(crate) fn is_away(error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable { sent, .. } => !sent,
        ClientError::Api(told) => matches!(told.status, 429 | 503),
        ClientError::Unreadable { status, .. } => matches!(status, 502 | 503),
        ClientError::Invalid(_) | ClientError::Replica(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use client::{ApiError, Client};
    use serde_json::json;

    use super::*;
    use crate::settings::Settings;

    fn connector() -> Connector {
        let text = "database = 'erp'\nengine = 'sqlite'\nconnect = 'erp.db'\n[[message]]\ntype = '*'\nsql = []\n";
        Connector::new(Client::new("http://127.0.0.1:9", "main", "key").unwrap(), Settings::read(text).unwrap())
    }

    fn course(ids: &[&str], is_blameless: bool) -> Course {
        let message = |id: &&str| {
            let json = json!({"version": 1, "id": id,
                "head": {"company": "c", "subsystem": "s", "from": "phone", "to": "erp", "created_at": "2026-11-16T12:00:00Z"},
                "body": {"type": "order", "version": 1, "payload": 1}});
            serde_json::from_str(&json.to_string()).unwrap()
        };
        Course { taken: ids.iter().map(message).collect(), is_blameless, ..Course::default() }
    }

    /// How often the message failed alone, and whether the next process has one message.
    fn learned(doing: &Doing, heard: &Heard, course: &Course) -> (u32, bool) {
        let mut connector = connector();
        connector.learn(doing, heard, course);
        (connector.suspects.failures(&course.taken).0, connector.suspects.takes_one())
    }

    #[test]
    fn exc_25_a_prepare_that_came_to_nothing_is_counted_unless_the_server_was_away() {
        let given_up = Doing::RollBack { then: After::RollbackCall, error: "prepare: no answer".into() };
        let learned = |ids: &[&str], is_blameless| learned(&given_up, &Heard::RolledBack, &course(ids, is_blameless));
        assert_eq!((learned(&["a"], false), learned(&["a"], true)), ((1, false), (0, false)));
        assert_eq!((learned(&["a", "b"], false), learned(&["a", "b"], true)), ((0, true), (0, false)));
    }

    #[test]
    fn exc_25_a_server_that_is_away_says_nothing_of_what_it_was_asked() {
        let unreachable = |sent| ClientError::Unreachable { attempts: 1, reason: "cut".into(), key: None, sent };
        let api = |code: &str, status| {
            let told = json!({ "code": code, "major": 1, "phase": 1, "message": "no" });
            ClientError::Api(Box::new(ApiError { status, ..serde_json::from_value(told).unwrap() }))
        };
        let unreadable = |status| ClientError::Unreadable { status, reason: "of a gateway".into() };
        let away = [unreachable(false), api("XSTORE", 503), api("OCLOSED", 503), api("ABUSY", 429), unreadable(503)];
        assert!(away.iter().all(is_away), "{away:?}");
        let asked = [unreachable(true), api("BPANIC", 500), api("XUNEXPECTED", 500), unreadable(413), unreadable(504)];
        assert!(!asked.iter().any(is_away), "{asked:?}");
    }

    #[test]
    fn exc_25_a_message_that_is_refused_though_it_was_blamed_is_counted() {
        let refused = Heard::Word(Word::Refused("no".into()));
        let learned = |blamed| learned(&Doing::Prepare { blamed }, &refused, &course(&["a"], false));
        assert_eq!((learned(true), learned(false)), ((1, false), (0, false)));
    }

    #[test]
    fn exc_25_a_commit_that_the_disk_failed_blames_nobody() {
        let absent = Heard::Marker(MarkerSeen::Absent);
        let learned =
            |blames| learned(&Doing::LookForMarker { error: "full".into(), blames }, &absent, &course(&["a"], false));
        assert_eq!((learned(true), learned(false)), ((1, false), (0, false)));
    }
}
