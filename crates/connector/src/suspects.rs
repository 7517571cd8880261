//! What is remembered of messages that a database failed over, so that one of them holds up no other (EXC-25). Pure.
//!
//! A process that fails as a whole does not say whose fault it is: its messages are then taken one by one. One that fails alone
//! [`FAILURES_MAX`] times is left out while there are others, so that the server offers it behind them and tells people when that happened
//! often; one whose commit is refused as often is reported as incorrect. One that waited for locks in vain [`WAITS_MAX`] times is left out
//! once, also if it is alone: people are told of it as well. What hindered all of them, a full disk, is nobody's fault, until it did so
//! [`HINDERED_MAX`] times: only one of them may be too large for it.
//!
//! Deliberately not kept anywhere: a connector that begins anew finds out again.

use std::collections::BTreeMap;

use client::exchange::{Message, MessageResult, Processed};

use crate::next::FAILURES_MAX;

/// How often a message may wait for locks in vain before others go first.
const WAITS_MAX: u32 = 3;
/// How often a database may be hindered before that is its messages' failure like any other.
const HINDERED_MAX: u32 = 10;

/// What a database failed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The work: the process is given up before its prepare.
    Work,
    /// The commit, and nobody knows why.
    Commit,
    /// The commit, and the database says that what was written is wrong.
    Refused,
}

/// A message that failed alone, or waited in vain.
#[derive(Debug, Default)]
struct Suspect {
    failed: u32,
    refused: u32,
    waited: u32,
    /// It is left out with the next start, whether there are others or not.
    is_put_aside: bool,
    error: String,
}

/// Senders choose ids: only both together name a message.
type Name = (String, String);

/// All that is remembered.
#[derive(Debug, Default)]
pub(crate) struct Suspects {
    /// So many processes more have one message each.
    alone: usize,
    /// So often the database was hindered since it last committed.
    hindered: u32,
    suspects: BTreeMap<Name, Suspect>,
}

/// Messages of a start.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// They are processed.
    pub(crate) taken: Vec<Message>,
    /// They are not, because of what they did before.
    pub(crate) left_out: Vec<Message>,
    /// What that was, of the first of these.
    pub(crate) error: String,
}

impl Suspect {
    /// Others go first.
    fn steps_back(&self) -> bool {
        self.is_put_aside || self.failed >= FAILURES_MAX || self.waited >= WAITS_MAX
    }
}

impl Suspects {
    /// Whether the next process has one message.
    pub(crate) fn takes_one(&self) -> bool {
        self.alone > 0
    }

    /// One of so many is at fault.
    pub(crate) fn take_one_by_one(&mut self, messages: usize) {
        self.alone = if messages > 1 { messages } else { 0 };
    }

    /// Whose fault it was is known.
    pub(crate) fn take_all(&mut self) {
        self.alone = 0;
    }

    /// Nothing waits any more.
    pub(crate) fn forget_all(&mut self) {
        *self = Self::default();
    }

    /// The database was hindered, or its disk failed.
    pub(crate) fn note_hindered(&mut self) {
        self.hindered = self.hindered.saturating_add(1);
    }

    /// Whether what hinders it is still nobody's fault.
    pub(crate) fn is_patient(&self) -> bool {
        self.hindered < HINDERED_MAX
    }

    /// The database failed over these.
    pub(crate) fn note_failure(&mut self, messages: &[Message], fault: Fault, error: &str) {
        let [message] = messages else { return self.take_one_by_one(messages.len()) };
        let suspect = self.suspects.entry(name(message)).or_default();
        match fault {
            Fault::Work | Fault::Commit => suspect.failed += 1,
            Fault::Refused => suspect.refused += 1,
        }
        // Too late to leave it out of this process.
        suspect.is_put_aside |= fault == Fault::Commit && suspect.failed >= FAILURES_MAX;
        error.clone_into(&mut suspect.error);
        if suspect.failed >= FAILURES_MAX || suspect.refused >= FAILURES_MAX {
            self.take_all();
        }
    }

    /// How often the only one of these failed alone before, at work or without a reason, and how often its commit was refused.
    pub(crate) fn failures(&self, messages: &[Message]) -> (u32, u32) {
        let [message] = messages else { return (0, 0) };
        self.suspects.get(&name(message)).map_or((0, 0), |suspect| (suspect.failed, suspect.refused))
    }

    /// Those whose commit was refused too often, and why.
    pub(crate) fn blame(&self, messages: &[Message]) -> BTreeMap<String, String> {
        let reason = |message: &Message| {
            let suspect = self.suspects.get(&name(message)).filter(|suspect| suspect.refused >= FAILURES_MAX)?;
            Some((message.id.clone(), format!("the database refused its commit: {}", suspect.error)))
        };
        messages.iter().filter_map(reason).collect()
    }

    /// Those that are processed now: all that never failed, and if there is none, the first that is not put aside.
    pub(crate) fn choose(&mut self, messages: Vec<Message>) -> Chosen {
        let (mut left_out, mut taken): (Vec<_>, Vec<_>) =
            messages.into_iter().partition(|message| self.is(message, Suspect::steps_back));
        let is_put_aside = |message: &Message| self.is(message, |suspect| suspect.is_put_aside);
        if taken.is_empty()
            && let Some(place) = left_out.iter().position(|message| !is_put_aside(message))
        {
            taken.push(left_out.remove(place));
        }
        let mut chosen = Chosen { taken, left_out: vec![], error: String::new() };
        for message in left_out {
            self.note_left_out(&message, &mut chosen.error);
            chosen.left_out.push(message);
        }
        chosen
    }

    fn is(&self, message: &Message, wanted: fn(&Suspect) -> bool) -> bool {
        self.suspects.get(&name(message)).is_some_and(wanted)
    }

    fn note_left_out(&mut self, message: &Message, first: &mut String) {
        let Some(suspect) = self.suspects.get_mut(&name(message)) else { return };
        (suspect.is_put_aside, suspect.waited) = (false, 0);
        if first.is_empty() {
            *first = format!("message {} is left out, because it failed before: {}", message.id, suspect.error);
        }
    }

    /// The database committed.
    pub(crate) fn note_commit(&mut self, messages: &[Message], results: &[MessageResult]) {
        (self.alone, self.hindered) = (self.alone.saturating_sub(1), 0);
        for (message, result) in messages.iter().zip(results) {
            if result.status == Processed::ProcessedDeadlock {
                self.note_wait(message, result);
            } else if self.suspects.remove(&name(message)).is_some_and(|suspect| suspect.failed > 0) {
                // What was in its way may have been in the way of others too.
                self.suspects.values_mut().for_each(|suspect| suspect.failed = 0);
            }
        }
    }

    fn note_wait(&mut self, message: &Message, result: &MessageResult) {
        let suspect = self.suspects.entry(name(message)).or_default();
        suspect.waited += 1;
        suspect.is_put_aside |= suspect.waited >= WAITS_MAX;
        suspect.error = result.error_text.clone().unwrap_or_default();
    }
}

fn name(message: &Message) -> Name {
    (message.head.from.clone(), message.id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn messages(ids: &[&str]) -> Vec<Message> {
        let message = |id: &&str| {
            let json = json!({"version": 1, "id": id,
                "head": {"company": "c", "subsystem": "s", "from": "phone", "to": "erp", "created_at": "2026-11-16T12:00:00Z"},
                "body": {"type": "order", "version": 1, "payload": 1}});
            serde_json::from_str(&json.to_string()).unwrap()
        };
        ids.iter().map(message).collect()
    }

    fn failed(suspects: &mut Suspects, id: &str, fault: Fault) {
        suspects.note_failure(&messages(&[id]), fault, "no");
    }

    fn results(status: Processed, ids: &[&str]) -> Vec<MessageResult> {
        let result = |id: &&str| MessageResult { id: (*id).into(), status, error_code: None, error_text: None };
        ids.iter().map(result).collect()
    }

    fn committed(suspects: &mut Suspects, status: Processed, ids: &[&str]) {
        suspects.note_commit(&messages(ids), &results(status, ids));
    }

    /// Those that are taken, and those that are left out.
    fn chosen(suspects: &mut Suspects, of: &[&str]) -> (Vec<String>, Vec<String>) {
        let ids = |messages: Vec<Message>| messages.into_iter().map(|message| message.id).collect();
        let Chosen { taken, left_out, .. } = suspects.choose(messages(of));
        (ids(taken), ids(left_out))
    }

    fn both(taken: &[&str], left_out: &[&str]) -> (Vec<String>, Vec<String>) {
        let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        (owned(taken), owned(left_out))
    }

    #[test]
    fn exc_25_of_several_that_failed_each_is_tried_alone_once() {
        let mut suspects = Suspects::default();
        suspects.note_failure(&messages(&["a", "b", "c"]), Fault::Work, "no");
        for id in ["a", "b", "c"] {
            assert!(suspects.takes_one(), "{id}");
            committed(&mut suspects, Processed::Processed, &[id]);
        }
        assert!(!suspects.takes_one());
    }

    #[test]
    fn exc_25_one_that_failed_alone_twice_lets_others_go_first() {
        let mut suspects = Suspects::default();
        suspects.take_one_by_one(2);
        failed(&mut suspects, "a", Fault::Work);
        assert_eq!((suspects.failures(&messages(&["a"])), suspects.takes_one()), ((1, 0), true));
        assert_eq!(chosen(&mut suspects, &["a", "b"]), both(&["a", "b"], &[]), "once is nothing");
        failed(&mut suspects, "a", Fault::Work);
        assert!(!suspects.takes_one(), "it is found");
        assert_eq!(chosen(&mut suspects, &["a", "b"]), both(&["b"], &["a"]));
        assert_eq!(chosen(&mut suspects, &["a"]), both(&["a"], &[]), "alone it is tried again");
        committed(&mut suspects, Processed::Processed, &["a"]);
        assert_eq!(suspects.failures(&messages(&["a"])), (0, 0));
    }

    #[test]
    fn exc_25_one_that_fails_at_commit_without_a_reason_is_left_out_before_it_is_tried_again() {
        let mut suspects = Suspects::default();
        for _ in 0..FAILURES_MAX {
            failed(&mut suspects, "a", Fault::Commit);
        }
        assert_eq!(chosen(&mut suspects, &["a"]), both(&[], &["a"]));
        assert_eq!(chosen(&mut suspects, &["a"]), both(&["a"], &[]));
        assert!(suspects.blame(&messages(&["a"])).is_empty(), "nobody knows whether it is to blame");
    }

    #[test]
    fn exc_25_one_whose_commit_is_refused_twice_is_to_blame_whoever_is_with_it() {
        let mut suspects = Suspects::default();
        failed(&mut suspects, "a", Fault::Refused);
        assert!(suspects.blame(&messages(&["a"])).is_empty());
        failed(&mut suspects, "a", Fault::Refused);
        let blame = suspects.blame(&messages(&["a", "b"]));
        assert_eq!(blame.keys().collect::<Vec<_>>(), ["a"]);
        assert_eq!(chosen(&mut suspects, &["a", "b"]), both(&["a", "b"], &[]), "its result is brought to the server");
        committed(&mut suspects, Processed::ProcessedIncorrect, &["a", "b"]);
        assert!(suspects.blame(&messages(&["a"])).is_empty());
    }

    #[test]
    fn exc_25_when_one_that_failed_goes_the_others_are_taken_together_again() {
        let mut suspects = Suspects::default();
        for id in ["a", "b", "c", "a", "b", "c"] {
            failed(&mut suspects, id, Fault::Work);
        }
        assert_eq!(chosen(&mut suspects, &["a", "b", "c"]), both(&["a"], &["b", "c"]));
        committed(&mut suspects, Processed::Processed, &["a"]);
        assert_eq!(chosen(&mut suspects, &["b", "c"]), both(&["b", "c"], &[]));
    }

    #[test]
    fn exc_25_one_that_waits_in_vain_again_and_again_lets_others_go_first_once() {
        let mut suspects = Suspects::default();
        for _ in 0..WAITS_MAX {
            committed(&mut suspects, Processed::ProcessedDeadlock, &["a"]);
        }
        assert_eq!(chosen(&mut suspects, &["a", "b"]), both(&["b"], &["a"]));
        assert_eq!(chosen(&mut suspects, &["a", "b"]), both(&["a", "b"], &[]));
    }

    #[test]
    fn exc_25_one_that_waits_in_vain_alone_is_left_out_once_too() {
        let mut suspects = Suspects::default();
        for _ in 0..WAITS_MAX {
            assert_eq!(chosen(&mut suspects, &["a"]), both(&["a"], &[]));
            committed(&mut suspects, Processed::ProcessedDeadlock, &["a"]);
        }
        assert_eq!(chosen(&mut suspects, &["a"]), both(&[], &["a"]));
        assert_eq!(chosen(&mut suspects, &["a"]), both(&["a"], &[]));
    }
}
