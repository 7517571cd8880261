//! The simulator's own promises: a fixed list of seeds, the same trace for the same seed, and every mutant found.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base::mutants::Mutant;
use sim::{Options, exchange_cuts, mutants, run};

/// Mutants are switched for the whole process, so tests take turns.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn options(seed: u64) -> Options {
    Options { seed, events: 1_000, print: false }
}

fn check(seed: u64) {
    if let Err(failure) = run(&options(seed)) {
        panic!("seed {seed}: {}\n{}", failure.message, failure.last);
    }
}

/// Seeds that found something once. What they found is also a test of its own where the bug was; a seed alone would be
/// worth little, because every change of the simulator gives it another run.
#[test]
fn ker_6_ker_10_past_bad_seeds_pass() {
    let _turn = turn();
    [125].into_iter().for_each(check);
}

#[test]
fn ker_6_ker_10_ker_13_the_first_seeds_pass() {
    let _turn = turn();
    (1..=40).for_each(check);
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    let _turn = turn();
    let hash = |seed| run(&options(seed)).map(|report| report.hash).map_err(|failure| failure.message);
    assert_eq!(hash(7), hash(7));
    assert_ne!(hash(7), hash(8));
}

/// A run in which nothing was acknowledged, or the server never ended, proves nothing.
#[test]
fn runs_have_traffic_and_faults() {
    let _turn = turn();
    let reports: Vec<_> = (1..=10).map(|seed| run(&options(seed)).expect("a good seed")).collect();
    assert!(reports.iter().map(|report| report.acknowledged).sum::<u64>() > 300);
    assert!(reports.iter().map(|report| report.lives).sum::<u32>() > 20);
}

/// Seeds whose worlds are those of exchange.
fn exchange_seeds(count: usize) -> impl Iterator<Item = u64> {
    (4..).step_by(6).take(count)
}

#[test]
fn exc_10_to_20_the_first_worlds_of_exchange_pass() {
    let _turn = turn();
    exchange_seeds(20).for_each(check);
}

/// Seeds whose worlds are those of daemons.
fn daemon_seeds(count: usize) -> impl Iterator<Item = u64> {
    (7..).step_by(24).zip((20..).step_by(24)).flat_map(|(one, other)| [one, other]).take(count)
}

#[test]
fn fld_26_fld_3_fld_7_fld_11_fld_17_the_first_worlds_of_daemons_pass() {
    let _turn = turn();
    daemon_seeds(60).for_each(check);
}

/// Points that are never cut are ones of which nothing is known. All of them are cut one by one by the kill drill; here many at once.
#[test]
fn exc_25_everything_is_cut_at_more_than_forty_points() {
    let _turn = turn();
    let all: BTreeSet<String> = exchange_cuts().into_iter().collect();
    let mut cut = BTreeSet::new();
    for seed in exchange_seeds(60) {
        let report = run(&options(seed)).unwrap_or_else(|failure| panic!("seed {seed}: {}", failure.message));
        cut.extend(report.cuts.intersection(&all).cloned());
        if cut.len() > 40 {
            return;
        }
    }
    panic!("only {} points were cut: {cut:?}", cut.len());
}

/// Seeds whose worlds are those of processes.
fn workflow_seeds(count: usize) -> impl Iterator<Item = u64> {
    (9..).step_by(12).flat_map(|seed| [seed, seed + 2]).take(count)
}

#[test]
fn wfl_7_wfl_15_wfl_25_the_first_worlds_of_processes_pass() {
    let _turn = turn();
    workflow_seeds(20).for_each(check);
}

fn found(mutant: Mutant) {
    let _turn = turn();
    assert!(mutants::find(mutant).is_some(), "{} is not found: the checker is asleep", mutant.name());
}

macro_rules! mutants_are_found {
    ($($name:ident: $mutant:ident,)*) => {
        $(#[test]
        fn $name() {
            found(Mutant::$mutant);
        })*

        #[test]
        fn every_mutant_of_ours_has_its_test() {
            let tested = [$(Mutant::$mutant),*];
            assert!(mutants::OURS.iter().all(|mutant| tested.contains(mutant)), "{tested:?}");
        }
    };
}

mutants_are_found! {
    mutant_commit_error_ignored: CommitErrorIgnored,
    mutant_undo_skipped: UndoSkipped,
    mutant_lost_batch_not_rerun: LostBatchNotRerun,
    mutant_effects_after_commit: EffectsAfterCommit,
    mutant_request_row_ignored: RequestRowIgnored,
    mutant_request_row_after_commit: RequestRowAfterCommit,
    mutant_refusal_kept: RefusalKept,
    mutant_stamp_is_wall: StampIsWall,
    mutant_ids_per_attempt: IdsPerAttempt,
    mutant_heard_is_wall: HeardIsWall,
    mutant_unknown_run_again: UnknownRunAgain,
    mutant_rename_before_sync: RenameBeforeSync,
    mutant_directory_not_synced: DirectoryNotSynced,
    mutant_sync_error_ignored: SyncErrorIgnored,
    mutant_settle_not_fenced: SettleNotFenced,
    mutant_timer_in_memory: TimerInMemory,
    mutant_loss_not_counted: LossNotCounted,
    mutant_lost_node_ignored: LostNodeIgnored,
    mutant_lane_not_left: LaneNotLeft,
    mutant_row_gone_at_claim: RowGoneAtClaim,
    mutant_alert_done_before_sent: AlertDoneBeforeSent,
    ker_27_mutant_alert_given_up: AlertGivenUp,
    mutant_alert_successor_forgotten: AlertSuccessorForgotten,
    mutant_counter_flush_again: CounterFlushAgain,
    mutant_event_numbered_outside: EventNumberedOutside,
    mutant_cursor_before_delivery: CursorBeforeDelivery,
    mutant_gone_is_silent: GoneIsSilent,
    mutant_overlap_ignored: OverlapIgnored,
    ker_26_mutant_bytes_not_awaited: BytesNotAwaited,
    ker_26_mutant_second_look_skipped: SecondLookSkipped,
    ker_26_mutant_grace_ignored: GraceIgnored,
    ker_26_mutant_late_put_taken: LatePutTaken,
    ker_32_mutant_sessions_outlive_password: SessionsOutlivePassword,
    ker_32_mutant_login_try_not_counted: LoginTryNotCounted,
    ker_32_mutant_old_password_taken: OldPasswordTaken,
    ker_2_mutant_other_life_settled: OtherLifeSettled,
    ker_2_mutant_other_life_kept: OtherLifeKept,
    ker_1_mutant_grants_outlive_namespace: GrantsOutliveNamespace,
    doc_4_mutant_dtime_forgotten: DtimeForgotten,
    doc_2_mutant_tombstone_skipped: TombstoneSkipped,
    doc_9_mutant_keys_left_out: KeysLeftOut,
    doc_1_mutant_ctime_kept: CtimeKept,
    doc_6_mutant_expect_ignored: ExpectIgnored,
    doc_14_mutant_copy_order_ignored: CopyOrderIgnored,
    doc_14_mutant_copy_revived: CopyRevived,
    doc_14_mutant_copy_not_told: CopyNotTold,
    doc_12_mutant_attachment_not_counted: AttachmentNotCounted,
    sen_3_mutant_sensor_repeats_count: SensorRepeatsCount,
    sen_3_mutant_sensor_order_ignored: SensorOrderIgnored,
    sen_3_mutant_sensor_in_flight_ignored: SensorInFlightIgnored,
    sen_5_mutant_sensor_life_not_kept: SensorLifeNotKept,
    sen_9_mutant_sensor_superseded_told: SensorSupersededTold,
    sen_8_mutant_sensor_try_not_written: SensorTryNotWritten,
    sen_9_mutant_sensor_order_broken: SensorOrderBroken,
    sen_6_mutant_sensor_lost_again: SensorLostAgain,
    sen_6_mutant_sensor_deaf_ignored: SensorDeafIgnored,
    sen_4_mutant_sensor_taken_early: SensorTakenEarly,
    sen_7_mutant_sensor_id_per_try: SensorIdPerTry,
    sen_9_mutant_sensor_restored_twice: SensorRestoredTwice,
    sen_11_mutant_sensor_archive_trusted: SensorArchiveTrusted,
    sen_11_mutant_sensor_age_is_wall: SensorAgeIsWall,
    sen_7_mutant_sensor_old_secret_dropped: SensorOldSecretDropped,
    sen_9_mutant_sensor_holder_ignored: SensorHolderIgnored,
    exc_9_mutant_exchange_content_ignored: ExchangeContentIgnored,
    exc_9_mutant_exchange_resend_counted: ExchangeResendCounted,
    exc_13_mutant_exchange_prepare_twice: ExchangePrepareTwice,
    exc_13_mutant_exchange_replies_early: ExchangeRepliesEarly,
    exc_15_mutant_exchange_undo_counted: ExchangeUndoCounted,
    exc_18_mutant_exchange_late_commit_ignored: ExchangeLateCommitIgnored,
    exc_18_mutant_exchange_ready_undone: ExchangeReadyUndone,
    exc_15_mutant_exchange_drafts_kept: ExchangeDraftsKept,
    exc_21_mutant_exchange_ledger_skipped: ExchangeLedgerSkipped,
    exc_20_mutant_exchange_errors_kept: ExchangeErrorsKept,
    exc_14_mutant_exchange_file_forgotten: ExchangeFileForgotten,
    exc_18_mutant_exchange_time_is_wall: ExchangeTimeIsWall,
    exc_12_mutant_exchange_narrow_forgotten: ExchangeNarrowForgotten,
    exc_24_mutant_exchange_alert_kept: ExchangeAlertKept,
    exc_14_mutant_exchange_deadlock_done: ExchangeDeadlockDone,
    wfl_7_mutant_workflow_attempt_ignored: WorkflowAttemptIgnored,
    wfl_26_mutant_workflow_attempt_kept: WorkflowAttemptKept,
    wfl_2_mutant_workflow_graph_forgotten: WorkflowGraphForgotten,
    wfl_6_mutant_workflow_place_kept: WorkflowPlaceKept,
    wfl_8_mutant_workflow_retry_without_end: WorkflowRetryWithoutEnd,
    wfl_9_mutant_workflow_signal_kept: WorkflowSignalKept,
    wfl_18_mutant_workflow_numbers_again: WorkflowNumbersAgain,
    wfl_15_mutant_workflow_work_queued_again: WorkflowWorkQueuedAgain,
    wfl_15_mutant_workflow_backlog_queued_again: WorkflowBacklogQueuedAgain,
    wfl_28_mutant_workflow_place_of_job_lost: WorkflowPlaceOfJobLost,
    wfl_9_mutant_workflow_timer_lost: WorkflowTimerLost,
    wfl_3_mutant_workflow_start_early: WorkflowStartEarly,
    wfl_9_mutant_workflow_child_twice: WorkflowChildTwice,
    wfl_7_mutant_workflow_second_result: WorkflowSecondResult,
    wfl_26_mutant_workflow_beat_of_anybody: WorkflowBeatOfAnybody,
    wfl_2_mutant_workflow_key_ignored: WorkflowKeyIgnored,
    wfl_18_mutant_workflow_abort_ignored: WorkflowAbortIgnored,
    wfl_11_mutant_workflow_silence_ignored: WorkflowSilenceIgnored,
    wfl_7_mutant_workflow_pass_ignored: WorkflowPassIgnored,
    wfl_25_mutant_workflow_loss_left: WorkflowLossLeft,
    fld_5_mutant_folders_base_unchecked: FoldersBaseUnchecked,
    fld_10_mutant_folders_repeat_made_again: FoldersRepeatMadeAgain,
    fld_6_mutant_folders_seats_kept: FoldersSeatsKept,
    fld_3_mutant_folders_followed_untold: FoldersFollowedUntold,
}
