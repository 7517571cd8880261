//! Deliberate bugs behind a switch that only the simulator and the kill harness have.
//!
//! A checker that never fires proves nothing. At each place where a promise is kept there is a line that can break it:
//! `if mutants::on(Mutant::UndoSkipped) { … }`. Without the feature `mutants` the function is a constant `false` and the
//! compiler removes the line. `cargo run -p sim -- --mutants` switches each on in turn and must find it.

/// A promise that can be broken on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// A COMMIT that failed is taken for done.
    CommitErrorIgnored = 1,
    /// What a refused job wrote in a batch stays.
    UndoSkipped,
    /// A batch that the engine dropped is answered as if it had been committed.
    LostBatchNotRerun,
    /// Effects are written after the commit, in a transaction of their own.
    EffectsAfterCommit,
    /// The row of an idempotent request is not looked at.
    RequestRowIgnored,
    /// The row of an idempotent request is written after the commit.
    RequestRowAfterCommit,
    /// A refused operation is committed.
    RefusalKept,
    /// The stamp is the clock, whatever was seen.
    StampIsWall,
    /// Ids differ from attempt to attempt.
    IdsPerAttempt,
    /// Listening time is the calendar.
    HeardIsWall,
    /// An operation whose outcome is unknown is run again though nothing tells whether it was done.
    UnknownRunAgain,
    /// A file gets its name before its content is synced.
    RenameBeforeSync,
    /// The directory of a new name is not synced.
    DirectoryNotSynced,
    /// An error of a sync is ignored.
    SyncErrorIgnored,
    /// What came of an earlier attempt's call settles a later one.
    SettleNotFenced,
    /// The wake-up of claimed work is in memory only.
    TimerInMemory,
    /// A task is ended by whoever says that it did it, whatever attempt that was.
    EndNotFenced,
    /// A run that was lost counts for nothing.
    LossNotCounted,
    /// The tasks of a node that ended stay its own.
    LostNodeIgnored,
    /// Whoever leaves a lane leaves those behind it waiting.
    LaneNotLeft,
    /// A task's row goes when it is claimed, before its work is done.
    RowGoneAtClaim,
    /// An event's number comes from memory, outside of its commit.
    EventNumberedOutside,
    /// The cursor of a page is sent with its first event, before the others.
    CursorBeforeDelivery,
    /// A cursor older than what is kept is answered from what is left, with a hole.
    GoneIsSilent,
    /// A rotated key's older secrets end at once, whatever overlap was asked for.
    OverlapIgnored,
    /// The writer answers before COMMIT; a kill in between loses what was acknowledged.
    AckBeforeCommit,
    /// `PRAGMA synchronous=OFF`; only a power cut shows it.
    SynchronousOff,
    /// A COMMIT whose sync failed is taken for done, and the handle is used on.
    SyncErrorTakenForDone,
    /// A message about alerts counts as sent before it is.
    AlertDoneBeforeSent,
    /// A message that no channel took is given up.
    AlertGivenUp,
    /// The task that sends messages about alerts does not inscribe its next moment.
    AlertSuccessorForgotten,
    /// A flush of counters that comes again is added again.
    CounterFlushAgain,
    /// A part that is stuck stays so: nobody ends the process.
    WatchdogOff,
    /// The row of a blob is written though its bytes did not come to their place.
    BytesNotAwaited,
    /// The second pass of the collection does not look whether a blob is used again.
    SecondLookSkipped,
    /// A blob is collected as soon as nothing refers to it.
    GraceIgnored,
    /// A row is given to bytes that were put so late that they may have been swept.
    LatePutTaken,
    /// Tombstones of a document are purged and its dtime stays: copies that lag keep what was deleted.
    DtimeForgotten,
    /// A deleted item leaves no tombstone.
    TombstoneSkipped,
    /// A copy older than the dtime of its source is sent changes without the list of keys.
    KeysLeftOut,
    /// A document that is created anew keeps the stamp of its former life.
    CtimeKept,
    /// A commit does not look at the version that its caller expects.
    ExpectIgnored,
    /// A copy from before a restore is sent changes as if nothing had happened.
    SyncEpochIgnored,
    /// A deferred copy overwrites a newer one.
    CopyOrderIgnored,
    /// A deferred copy that was deleted in its target comes back.
    CopyRevived,
    /// Copies are not told when their source is deleted.
    CopyNotTold,
    /// A document stays in the cache though it changed.
    CacheNotDropped,
    /// Bytes that an attachment names are not referred to.
    AttachmentNotCounted,
    /// The sessions of an account go on when its password is changed.
    SessionsOutlivePassword,
    /// A try to log in is let in without being counted.
    LoginTryNotCounted,
    /// A login that began before the password was changed succeeds with the old one.
    OldPasswordTaken,
    /// A late word about one life of a namespace ends the creation or removal of the next.
    OtherLifeSettled,
    /// A node takes another life of a namespace's name for the one that it serves.
    OtherLifeKept,
    /// The grants of a removed namespace stay.
    GrantsOutliveNamespace,
    /// A signal that came before counts again.
    SensorRepeatsCount,
    /// A signal that is older than the last one counts.
    SensorOrderIgnored,
    /// A signal is compared with what memory knows while an earlier one of its sensor is being judged.
    SensorInFlightIgnored,
    /// Signs of life stay in memory, however old the durable one is.
    SensorLifeNotKept,
    /// A notification that failed is tried again though a newer one waits.
    SensorSupersededTold,
    /// The next time of a notification is not written before the try.
    SensorTryNotWritten,
    /// A newer notification is sent while the older one is on its way.
    SensorOrderBroken,
    /// Whoever is lost is lost again at every look.
    SensorLostAgain,
    /// Silence is judged while our own intake is behind.
    SensorDeafIgnored,
    /// Signals are acknowledged before what they mean is committed.
    SensorTakenEarly,
    /// Each try of a notification has a webhook-id of its own.
    SensorIdPerTry,
    /// Whoever speaks again is told twice.
    SensorRestoredTwice,
    /// History leaves the store though nobody knows whether the archive has it.
    SensorArchiveTrusted,
    /// How old history is, is told by the calendar.
    SensorAgeIsWall,
    /// The secret before signs no more as soon as there is another.
    SensorOldSecretDropped,
    /// Whoever is sending a notification is taken for dead at once.
    SensorHolderIgnored,
    /// A message whose id is taken is answered as that one, whatever its content.
    ExchangeContentIgnored,
    /// A message that is sent again counts again.
    ExchangeResendCounted,
    /// A prepare that comes again is taken again.
    ExchangePrepareTwice,
    /// Replies go out before the database says that it committed.
    ExchangeRepliesEarly,
    /// Results count though the database did not commit.
    ExchangeUndoCounted,
    /// A commit that comes after its process was set aside is not believed.
    ExchangeLateCommitIgnored,
    /// A process that took too long to commit is taken for undone.
    ExchangeReadyUndone,
    /// Replies stay when their process is undone.
    ExchangeDraftsKept,
    /// What a commit moves is not counted in the ledger.
    ExchangeLedgerSkipped,
    /// Errors of a process that turns out not to have committed stay errors.
    ExchangeErrorsKept,
    /// The file of a message that a commit moves is left where it is.
    ExchangeFileForgotten,
    /// How long a process takes is told by the calendar.
    ExchangeTimeIsWall,
    /// What a database left out stays in the list of its process.
    ExchangeNarrowForgotten,
    /// A person is still alerted when the outcome of a process is known.
    ExchangeAlertKept,
    /// A message that met a lock counts as processed.
    ExchangeDeadlockDone,
    /// A result counts though its attempt was never given out.
    WorkflowAttemptIgnored,
    /// A task is given out again as the attempt that it was.
    WorkflowAttemptKept,
    /// A result is kept without the graph that it changes.
    WorkflowGraphForgotten,
    /// A task that is given out stays in its queue.
    WorkflowPlaceKept,
    /// A task that fails is tried again, however often it was.
    WorkflowRetryWithoutEnd,
    /// A signal that was taken is there for the next one too.
    WorkflowSignalKept,
    /// A process that begins anew uses the numbers of before.
    WorkflowNumbersAgain,
    /// Recovery queues what somebody works on.
    WorkflowWorkQueuedAgain,
    /// Recovery queues what only waits for its turn.
    WorkflowBacklogQueuedAgain,
    /// A job does not keep how far it came.
    WorkflowPlaceOfJobLost,
    /// Nobody begins a task when its time has come.
    WorkflowTimerLost,
    /// A task begins before its time.
    WorkflowStartEarly,
    /// A process is started for a task that has one.
    WorkflowChildTwice,
    /// A second result of a task counts.
    WorkflowSecondResult,
    /// Whoever lost a task is told that it still has it.
    WorkflowBeatOfAnybody,
    /// A start with a key that was used is another start.
    WorkflowKeyIgnored,
    /// Results of a process that was aborted count.
    WorkflowAbortIgnored,
    /// A task whose worker is silent stays its own.
    WorkflowSilenceIgnored,
    /// Where the last pass counts, any does.
    WorkflowPassIgnored,
    /// A value that is lost and needed is not made again.
    WorkflowLossLeft,
    /// A change is taken on top of whatever there is.
    FoldersBaseUnchecked,
    /// A change whose answer was lost is made once more.
    FoldersRepeatMadeAgain,
    /// Seats of whoever fell silent are kept.
    FoldersSeatsKept,
    /// Whoever makes a change is not told what followed from it.
    FoldersFollowedUntold,
}

impl Mutant {
    /// Every mutant.
    pub const ALL: &'static [Self] = &[
        Self::CommitErrorIgnored,
        Self::UndoSkipped,
        Self::LostBatchNotRerun,
        Self::EffectsAfterCommit,
        Self::RequestRowIgnored,
        Self::RequestRowAfterCommit,
        Self::RefusalKept,
        Self::StampIsWall,
        Self::IdsPerAttempt,
        Self::HeardIsWall,
        Self::UnknownRunAgain,
        Self::RenameBeforeSync,
        Self::DirectoryNotSynced,
        Self::SyncErrorIgnored,
        Self::SettleNotFenced,
        Self::TimerInMemory,
        Self::EndNotFenced,
        Self::LossNotCounted,
        Self::LostNodeIgnored,
        Self::LaneNotLeft,
        Self::RowGoneAtClaim,
        Self::EventNumberedOutside,
        Self::CursorBeforeDelivery,
        Self::GoneIsSilent,
        Self::OverlapIgnored,
        Self::AckBeforeCommit,
        Self::SynchronousOff,
        Self::SyncErrorTakenForDone,
        Self::AlertDoneBeforeSent,
        Self::AlertGivenUp,
        Self::AlertSuccessorForgotten,
        Self::CounterFlushAgain,
        Self::WatchdogOff,
        Self::BytesNotAwaited,
        Self::SecondLookSkipped,
        Self::GraceIgnored,
        Self::LatePutTaken,
        Self::DtimeForgotten,
        Self::TombstoneSkipped,
        Self::KeysLeftOut,
        Self::CtimeKept,
        Self::ExpectIgnored,
        Self::SyncEpochIgnored,
        Self::CopyOrderIgnored,
        Self::CopyRevived,
        Self::CopyNotTold,
        Self::CacheNotDropped,
        Self::AttachmentNotCounted,
        Self::SessionsOutlivePassword,
        Self::LoginTryNotCounted,
        Self::OldPasswordTaken,
        Self::OtherLifeSettled,
        Self::OtherLifeKept,
        Self::GrantsOutliveNamespace,
        Self::SensorRepeatsCount,
        Self::SensorOrderIgnored,
        Self::SensorInFlightIgnored,
        Self::SensorLifeNotKept,
        Self::SensorSupersededTold,
        Self::SensorTryNotWritten,
        Self::SensorOrderBroken,
        Self::SensorLostAgain,
        Self::SensorDeafIgnored,
        Self::SensorTakenEarly,
        Self::SensorIdPerTry,
        Self::SensorRestoredTwice,
        Self::SensorArchiveTrusted,
        Self::SensorAgeIsWall,
        Self::SensorOldSecretDropped,
        Self::SensorHolderIgnored,
        Self::ExchangeContentIgnored,
        Self::ExchangeResendCounted,
        Self::ExchangePrepareTwice,
        Self::ExchangeRepliesEarly,
        Self::ExchangeUndoCounted,
        Self::ExchangeLateCommitIgnored,
        Self::ExchangeReadyUndone,
        Self::ExchangeDraftsKept,
        Self::ExchangeLedgerSkipped,
        Self::ExchangeErrorsKept,
        Self::ExchangeFileForgotten,
        Self::ExchangeTimeIsWall,
        Self::ExchangeNarrowForgotten,
        Self::ExchangeAlertKept,
        Self::ExchangeDeadlockDone,
        Self::WorkflowAttemptIgnored,
        Self::WorkflowAttemptKept,
        Self::WorkflowGraphForgotten,
        Self::WorkflowPlaceKept,
        Self::WorkflowRetryWithoutEnd,
        Self::WorkflowSignalKept,
        Self::WorkflowNumbersAgain,
        Self::WorkflowWorkQueuedAgain,
        Self::WorkflowBacklogQueuedAgain,
        Self::WorkflowPlaceOfJobLost,
        Self::WorkflowTimerLost,
        Self::WorkflowStartEarly,
        Self::WorkflowChildTwice,
        Self::WorkflowSecondResult,
        Self::WorkflowBeatOfAnybody,
        Self::WorkflowKeyIgnored,
        Self::WorkflowAbortIgnored,
        Self::WorkflowSilenceIgnored,
        Self::WorkflowPassIgnored,
        Self::WorkflowLossLeft,
        Self::FoldersBaseUnchecked,
        Self::FoldersRepeatMadeAgain,
        Self::FoldersSeatsKept,
        Self::FoldersFollowedUntold,
    ];

    /// The mutant of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|mutant| mutant.name() == name)
    }

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> String {
        let mut name = String::new();
        for c in format!("{self:?}").chars() {
            if c.is_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }
}

#[cfg(feature = "mutants")]
mod switch {
    use super::Mutant;
    use std::sync::atomic::{AtomicU8, Ordering};

    static ON: AtomicU8 = AtomicU8::new(0);

    /// Whether this mutant is switched on.
    #[must_use]
    pub fn on(mutant: Mutant) -> bool {
        ON.load(Ordering::Relaxed) == mutant as u8
    }

    /// Switches one on, or all off. For the whole process: the simulator runs one at a time.
    pub fn switch(mutant: Option<Mutant>) {
        ON.store(mutant.map_or(0, |mutant| mutant as u8), Ordering::Relaxed);
    }
}

#[cfg(feature = "mutants")]
pub use switch::{on, switch};

/// Whether this mutant is switched on: never, without the feature.
#[cfg(not(feature = "mutants"))]
#[must_use]
pub const fn on(_: Mutant) -> bool {
    false
}
