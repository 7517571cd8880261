//! Deliberate bugs that a checker must find: if it does not, it is asleep.

use base::mutants::{Mutant, switch};

use crate::run::{Options, run};
use crate::workload::World;

/// Seeds within which each must be found, of those in whose world it can do something.
const SEEDS_MAX: usize = 200;

/// Mutants that this simulator answers for; the others are the kill harness's.
pub const OURS: &[Mutant] = &[
    Mutant::CommitErrorIgnored,
    Mutant::UndoSkipped,
    Mutant::LostBatchNotRerun,
    Mutant::EffectsAfterCommit,
    Mutant::RequestRowIgnored,
    Mutant::RequestRowAfterCommit,
    Mutant::RefusalKept,
    Mutant::StampIsWall,
    Mutant::IdsPerAttempt,
    Mutant::HeardIsWall,
    Mutant::UnknownRunAgain,
    Mutant::RenameBeforeSync,
    Mutant::DirectoryNotSynced,
    Mutant::SyncErrorIgnored,
    Mutant::SettleNotFenced,
    Mutant::TimerInMemory,
    Mutant::LossNotCounted,
    Mutant::LostNodeIgnored,
    Mutant::LaneNotLeft,
    Mutant::RowGoneAtClaim,
    Mutant::AlertDoneBeforeSent,
    Mutant::AlertGivenUp,
    Mutant::AlertSuccessorForgotten,
    Mutant::CounterFlushAgain,
    Mutant::EventNumberedOutside,
    Mutant::CursorBeforeDelivery,
    Mutant::GoneIsSilent,
    Mutant::OverlapIgnored,
    Mutant::BytesNotAwaited,
    Mutant::SecondLookSkipped,
    Mutant::GraceIgnored,
    Mutant::LatePutTaken,
    Mutant::SessionsOutlivePassword,
    Mutant::LoginTryNotCounted,
    Mutant::OldPasswordTaken,
    Mutant::OtherLifeSettled,
    Mutant::OtherLifeKept,
    Mutant::GrantsOutliveNamespace,
    Mutant::DtimeForgotten,
    Mutant::TombstoneSkipped,
    Mutant::KeysLeftOut,
    Mutant::CtimeKept,
    Mutant::ExpectIgnored,
    Mutant::CopyOrderIgnored,
    Mutant::CopyRevived,
    Mutant::CopyNotTold,
    Mutant::AttachmentNotCounted,
    Mutant::SensorRepeatsCount,
    Mutant::SensorOrderIgnored,
    Mutant::SensorInFlightIgnored,
    Mutant::SensorLifeNotKept,
    Mutant::SensorSupersededTold,
    Mutant::SensorTryNotWritten,
    Mutant::SensorOrderBroken,
    Mutant::SensorLostAgain,
    Mutant::SensorDeafIgnored,
    Mutant::SensorTakenEarly,
    Mutant::SensorIdPerTry,
    Mutant::SensorRestoredTwice,
    Mutant::SensorArchiveTrusted,
    Mutant::SensorAgeIsWall,
    Mutant::SensorOldSecretDropped,
    Mutant::SensorHolderIgnored,
    Mutant::ExchangeContentIgnored,
    Mutant::ExchangeResendCounted,
    Mutant::ExchangePrepareTwice,
    Mutant::ExchangeRepliesEarly,
    Mutant::ExchangeUndoCounted,
    Mutant::ExchangeLateCommitIgnored,
    Mutant::ExchangeReadyUndone,
    Mutant::ExchangeDraftsKept,
    Mutant::ExchangeLedgerSkipped,
    Mutant::ExchangeErrorsKept,
    Mutant::ExchangeFileForgotten,
    Mutant::ExchangeTimeIsWall,
    Mutant::ExchangeNarrowForgotten,
    Mutant::ExchangeAlertKept,
    Mutant::ExchangeDeadlockDone,
    Mutant::WorkflowAttemptIgnored,
    Mutant::WorkflowAttemptKept,
    Mutant::WorkflowGraphForgotten,
    Mutant::WorkflowPlaceKept,
    Mutant::WorkflowRetryWithoutEnd,
    Mutant::WorkflowSignalKept,
    Mutant::WorkflowNumbersAgain,
    Mutant::WorkflowWorkQueuedAgain,
    Mutant::WorkflowBacklogQueuedAgain,
    Mutant::WorkflowPlaceOfJobLost,
    Mutant::WorkflowTimerLost,
    Mutant::WorkflowStartEarly,
    Mutant::WorkflowChildTwice,
    Mutant::WorkflowSecondResult,
    Mutant::WorkflowBeatOfAnybody,
    Mutant::WorkflowKeyIgnored,
    Mutant::WorkflowAbortIgnored,
    Mutant::WorkflowSilenceIgnored,
    Mutant::WorkflowPassIgnored,
    Mutant::WorkflowLossLeft,
    Mutant::FoldersBaseUnchecked,
    Mutant::FoldersRepeatMadeAgain,
    Mutant::FoldersSeatsKept,
    Mutant::FoldersFollowedUntold,
];

/// Names for the command line.
#[must_use]
pub fn names() -> Vec<String> {
    Mutant::ALL.iter().map(|mutant| mutant.name()).collect()
}

/// Switches a mutant on by its name; `false` if there is none of that name.
#[must_use]
pub fn switch_by_name(name: &str) -> bool {
    let found = Mutant::ALL.iter().copied().find(|mutant| mutant.name() == name);
    switch(found);
    found.is_some()
}

/// Where it can do something: sensors and messages between databases have worlds of their own.
fn world_of(mutant: Mutant) -> World {
    match mutant.name().split('-').next() {
        Some("sensor") => World::Quiet,
        Some("exchange") => World::Exchange,
        Some("workflow") => World::Workflow,
        Some("folders") => World::Folders,
        _ => World::Busy,
    }
}

/// Seeds until a mutant is found, and by what; `None` if it is not.
#[must_use]
pub fn find(mutant: Mutant) -> Option<(u64, String)> {
    switch(Some(mutant));
    let world = world_of(mutant);
    let mut seeds = (1..).filter(|seed| World::of(*seed) == world).take(SEEDS_MAX);
    let found = seeds.find_map(|seed| {
        let failure = run(&Options { seed, events: 1_000, print: false }).err()?;
        Some((seed, failure.message))
    });
    switch(None);
    found
}

/// Looks for all of ours, telling each; `None` if one was not found.
pub fn find_all(tell: &mut dyn FnMut(&str)) -> Option<()> {
    let mut all = Some(());
    for mutant in OURS {
        match find(*mutant) {
            Some((seeds, message)) => {
                let first = message.lines().next().unwrap_or_default();
                tell(&format!("{:<26} found in {seeds:>3} seeds: {first}", mutant.name()));
            }
            None => {
                tell(&format!("{:<26} NOT FOUND in {SEEDS_MAX} seeds", mutant.name()));
                all = None;
            }
        }
    }
    all
}
