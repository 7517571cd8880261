//! What earlier rounds, or a connector that was killed, left open (EXC-20): the markers tell, and nobody has to be asked.

use crate::connector::{Connector, word};
use crate::next::{MarkerSeen, Word};
use crate::outcome::Round;

/// The state of a process that was prepared.
const READY: &str = "READY_TO_COMMIT";

impl Connector {
    /// Processes whose outcome the server does not know, and those of ours that we did not know.
    pub(crate) async fn settle_earlier(&mut self, round: &mut Round) {
        for process in std::mem::take(&mut self.doubtful) {
            let seen = self.marker(&process).await;
            let answer = match seen {
                MarkerSeen::Present => Some(self.client.commit_process(&process).await),
                MarkerSeen::Absent => Some(self.client.rollback_process(&process, "found not committed", false).await),
                MarkerSeen::Open => None,
            };
            let answer = answer.map(word);
            if !matches!(answer, Some(Word::Ok | Word::Cancelled | Word::Refused(_))) {
                self.doubtful.push(process.clone());
            }
            note(round, process, seen, answer);
        }
        let unresolved = match self.client.unresolved_processes(&self.settings.database).await {
            Ok(unresolved) => unresolved,
            Err(error) => return round.trouble.push(format!("processes to be resolved cannot be listed: {error}")),
        };
        for process in unresolved {
            let seen = self.marker(&process.id).await;
            let answer = match seen {
                MarkerSeen::Present => Some(self.client.resolve_process(&process.id, true).await),
                MarkerSeen::Absent => Some(self.client.resolve_process(&process.id, false).await),
                MarkerSeen::Open => None,
            };
            note(round, process.id, seen, answer.map(word));
        }
    }

    /// A process that is prepared and whose marker is there for all to see was committed, whoever did it: the server need not wait for
    /// its time. One without a marker may be another connector's that lives: it is left alone.
    pub(crate) async fn confirm_committed(&mut self, round: &mut Round) {
        let Ok(active) = self.client.active_processes(&self.settings.database).await else { return };
        for process in active.into_iter().filter(|process| process.state.as_deref() == Some(READY)) {
            let id = process.id.clone();
            let seen = self.desk.ask(move |database| database.is_committed(&id)).await;
            if matches!(seen, Ok(Ok(true))) {
                let answer = word(self.client.commit_process(&process.id).await);
                note(round, process.id, MarkerSeen::Present, Some(answer));
            }
        }
    }
}

fn note(round: &mut Round, process: String, seen: MarkerSeen, answer: Option<Word>) {
    match (seen, answer) {
        (MarkerSeen::Open, _) | (_, None) => round.open.push(process),
        (seen, Some(Word::Ok)) => round.settled.push((process, seen == MarkerSeen::Present)),
        (_, Some(other)) => round.trouble.push(format!("process {process} cannot be settled: {other:?}")),
    }
}
