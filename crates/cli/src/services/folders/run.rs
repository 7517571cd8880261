//! `fastness folders run`: keeps folders in step until it is stopped.
//!
//! Stopping it at any moment is safe, by a signal or by force: it goes on from what was saved.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use folder_agent::run::Progress;
use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::keeping::{Keeping, Kept};
use super::place;
use super::tell::Teller;
use crate::failure::{Done, Failure};
use crate::local;
use crate::session::Session;

/// What happened is told so often.
const ROUND: Duration = Duration::from_millis(500);
/// Links are looked at every so many rounds.
const LINKS: u32 = 4;
/// Seconds without a server, or with the same trouble, after which `--once` gives up.
const PATIENCE_S: u64 = 30;

/// Which folders, and how long.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// These folders [default: all that are linked]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// End when everything is in step
    #[arg(long)]
    once: bool,
}

impl Run {
    pub(super) async fn run(self, session: &Session) -> Done {
        let mut keeping = Keeping::new(place::home()?, &self.paths)?;
        keeping.look_at_links()?;
        if keeping.folders.is_empty() {
            session.out.remark("no folder is linked yet: `fastness folders link` does that");
        }
        match self.once {
            true => keep_once(&mut keeping, session).await,
            false => keep_on(&mut keeping, session).await,
        }
    }
}

/// A word from outside to end.
struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

impl Stop {
    fn new() -> Result<Self, Failure> {
        let open = |kind| signal(kind).map_err(|error| Failure::here(format!("no signals: {error}")));
        Ok(Self { interrupt: open(SignalKind::interrupt())?, terminate: open(SignalKind::terminate())? })
    }

    /// Lets a round pass; whether a word came.
    async fn comes_within(&mut self, pause: Duration) -> bool {
        tokio::select! {
            _ = self.interrupt.recv() => true,
            _ = self.terminate.recv() => true,
            () = local::pause(pause) => false,
        }
    }
}

/// Until a signal comes, which is a good end. Links that come and go meanwhile are taken up and let go.
async fn keep_on(keeping: &mut Keeping, session: &Session) -> Done {
    let (mut stop, mut teller) = (Stop::new()?, Teller::new(&session.out));
    for round in 1_u32.. {
        keeping.start();
        teller.tell(&mut keeping.folders)?;
        if stop.comes_within(ROUND).await {
            break;
        }
        if round.is_multiple_of(LINKS)
            && let Err(failure) = keeping.look_at_links()
        {
            // What is kept is kept on: a file that cannot be read now may be mended.
            session.out.remark(failure.message());
        }
    }
    teller.wipe();
    Ok(())
}

/// Until everything is in step, or cannot be.
pub(super) async fn keep_once(keeping: &mut Keeping, session: &Session) -> Done {
    let (mut stop, mut teller) = (Stop::new()?, Teller::new(&session.out));
    let rounds = session.common().reach.timeout.unwrap_or(PATIENCE_S) * 1_000 / 500;
    let mut patience = Patience { rounds, seen: vec![], same: 0 };
    let ended = loop {
        keeping.start();
        teller.tell(&mut keeping.folders)?;
        match patience.judge(&keeping.folders) {
            Some(ended) => break ended,
            None if stop.comes_within(ROUND).await => {
                break Err(Failure::here("stopped before everything was in step"));
            }
            None => {}
        }
    };
    teller.tell(&mut keeping.folders)?;
    teller.wipe();
    ended?;
    let files: u64 = keeping.folders.iter().filter_map(Kept::progress).map(|progress| progress.report.files).sum();
    let sentence = format!("everything is in step: {files} files");
    match session.out.json {
        true => Ok(()),
        false => session.out.done(&json!({ "files": files }), &sentence, None),
    }
}

/// Whether it is still worth waiting.
struct Patience {
    rounds: u64,
    seen: Vec<Option<Progress>>,
    same: u64,
}

impl Patience {
    fn judge(&mut self, folders: &[Kept]) -> Option<Done> {
        let now: Vec<Option<Progress>> = folders.iter().map(Kept::progress).collect();
        self.same = if now == self.seen { self.same + 1 } else { 0 };
        let is_over = self.same >= self.rounds;
        self.seen = now;
        let outcomes: Vec<Option<Done>> = folders.iter().map(|kept| outcome(kept, is_over)).collect();
        // A failure is told when all others are done: they are worth something by themselves.
        let all: Option<Vec<Done>> = outcomes.into_iter().collect();
        all.map(|all| all.into_iter().collect())
    }
}

/// What a folder came to; `None` while it is on its way.
fn outcome(kept: &Kept, is_over: bool) -> Option<Done> {
    let folder = place::folder(&kept.link);
    let Some(progress) = kept.progress() else {
        let why = kept.trouble.clone()?;
        return Some(Err(Failure::here(format!("{folder} is not kept in step: {why}"))));
    };
    judge(&folder, &progress, is_over)
}

fn judge(folder: &str, progress: &Progress, is_over: bool) -> Option<Done> {
    let report = &progress.report;
    if let Some((here, there)) = report.held.filter(|_| progress.is_idle) {
        let why = format!("{folder}: {here} removals here and {there} on the server wait for a confirmation");
        return Some(Err(Failure::here(why).hint("`fastness folders confirm PATH` lets them happen")));
    }
    if progress.is_idle {
        return Some(Ok(()));
    }
    match (&progress.offline, &report.trouble) {
        (Some(offline), _) if offline.is_refused => Some(Err(Failure::refused(format!("{folder}: {}", offline.why)))),
        (Some(offline), _) if is_over => {
            let away = Failure::unreached(format!("{folder}: {}", offline.why));
            Some(Err(away.hint("is the server running? `fastness serve` starts one")))
        }
        (None, Some(trouble)) if is_over => Some(Err(Failure::here(format!("{folder}: {trouble}")))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use folder_agent::agent::Report;
    use folder_agent::run::Offline;

    use super::*;
    use crate::failure::Kind;

    fn progress(is_idle: bool) -> Progress {
        let report = Report {
            connected: is_idle,
            files: 3,
            to_send: 0,
            to_fetch: 0,
            waiting: u64::from(!is_idle),
            held: None,
            trouble: None,
        };
        Progress { report, is_idle, offline: None }
    }

    fn kind(progress: &Progress, is_over: bool) -> Option<Result<(), Kind>> {
        judge("/plans", progress, is_over).map(|done| done.map_err(|failure| failure.kind))
    }

    #[test]
    fn fld_22_once_ends_well_when_all_is_in_step_and_says_why_it_cannot_be() {
        assert_eq!(kind(&progress(true), false), Some(Ok(())));
        assert_eq!(kind(&progress(false), true), None, "work without trouble takes as long as it takes");
        let offline = |is_refused| {
            let offline = Offline { is_refused, why: "no".to_owned() };
            Progress { offline: Some(offline), ..progress(false) }
        };
        assert_eq!((kind(&offline(false), false), kind(&offline(false), true)), (None, Some(Err(Kind::Unreached))));
        assert_eq!(kind(&offline(true), false), Some(Err(Kind::Refused)), "another try changes nothing");
        let mut troubled = progress(false);
        troubled.report.trouble = Some("no room".to_owned());
        assert_eq!((kind(&troubled, false), kind(&troubled, true)), (None, Some(Err(Kind::Failed))));
        let mut held = progress(true);
        held.report.held = Some((0, 20));
        assert_eq!(kind(&held, false), Some(Err(Kind::Failed)), "what waits for a person is not in step");
    }
}
