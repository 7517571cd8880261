//! The contract of the engines: what `base::store` promises, as tests that run unchanged on every engine.
//!
//! An engine's test binary brings a [`Fixture`] and one line, `store_suite::contract_tests!(MyFixture::new());`, which
//! becomes one `#[test]` per contract. A new contract is a `pub fn` in `contracts/` and one line in the list below; one
//! that is not in the list does not compile without a warning.
//!
//! Invariants: contracts use the public contract only, so they know no engine; each has a fresh fixture; all waiting is
//! bounded by [`LONG`]; nothing sleeps; SQL is the portable subset.
//!
//! Deliberately not here: crashes, torn writes and lost syncs (the kill harness and the simulator), speed (`bench`), and
//! what only one engine can do (its own tests).

pub mod blobs;
mod contracts;
mod fixture;
mod pace;
mod tables;
mod work;

pub use contracts::statements::every_statement_prepares;
pub use fixture::Fixture;
pub use pace::LONG;
pub use work::{Answer, Gate, Work, change, look, work};

/// The list of all contracts, handed to another macro: `store_suite::contracts! { then (arguments) }`.
#[doc(hidden)]
#[macro_export]
macro_rules! contracts {
    ($then:ident $arguments:tt) => {
        $crate::$then! { $arguments
            budget::ker_7_a_long_read_ends_at_its_budget,
            budget::ker_7_a_long_write_ends_at_its_budget,
            budget::ker_34_more_rows_than_asked_for_is_an_error,
            budget::ker_34_rows_of_one_job_are_bounded,
            claims::ker_18_each_row_is_claimed_exactly_once,
            closing::ker_35_close_answers_everybody,
            closing::ker_35_a_closed_store_refuses_and_its_data_stays,
            errors::ker_6_the_first_error_is_final,
            errors::ker_6_the_first_error_outweighs_the_verdict_in_a_batch,
            errors::ker_6_an_error_of_a_deferred_write_fails_its_job,
            errors::a_wrong_statement_is_named,
            full::ker_31_a_full_disk_refuses_writes_and_serves_reads,
            full::ker_31_a_job_that_does_not_fit_leaves_its_batch_whole,
            heard::ker_5_heard_never_goes_back,
            history::ker_6_the_end_is_the_sum_of_what_was_acknowledged,
            hot::ker_7_a_hot_row_starves_nobody,
            hot::ker_7_keys_in_conflicting_orders_starve_nobody,
            migrations::ker_39_steps_are_applied_once,
            migrations::ker_39_a_changed_step_is_refused,
            migrations::ker_39_a_newer_schema_is_refused,
            migrations::ker_39_a_failed_step_leaves_no_trace,
            migrations::ker_39_two_at_once_apply_once,
            panics::ker_6_a_panic_fails_its_job_alone,
            panics::a_panic_in_a_read_or_an_answer_harms_nobody,
            parameters::every_value_comes_back,
            parameters::every_column_holds_nothing,
            parameters::parameters_go_by_number_not_by_place,
            parameters::text_is_ordered_by_bytes,
            parameters::a_change_tells_how_many_rows,
            parameters::many_reads_at_once_give_what_single_ones_give,
            parameters::ker_6_an_error_among_many_reads_is_final,
            refusals::ker_6_a_refused_job_leaves_no_trace,
            refusals::ker_6_refused_jobs_leave_their_batch_whole,
            skew::ker_6_write_skew_is_refused,
            skew::ker_6_write_skew_is_refused_between_two_stores,
            statements::the_suites_own_statements_prepare,
            statements::a_wrong_text_does_not_prepare,
            visible::ker_6_nobody_hears_before_commit,
            visible::ker_6_a_job_sees_what_was_answered_before_it_came,
            visible::ker_6_a_read_sees_committed_state_only,
            visible::ker_6_a_snapshot_is_stable,
            visible::a_read_cannot_write,
            waiting::ker_7_an_expired_job_does_not_run,
            waiting::ker_7_a_job_expires_while_it_waits,
            waiting::ker_45_a_full_queue_answers_at_once,
        }
    };
}

/// One `#[test]` per contract, each on a fixture of its own: `contract_tests!(MyFixture::new());`.
#[macro_export]
macro_rules! contract_tests {
    ($fixture:expr) => {
        $crate::contracts! { tests_of ($fixture) }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! tests_of {
    (($fixture:expr) $($module:ident :: $name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                $crate::$name(&$fixture);
            }
        )*
    };
}

macro_rules! exports_of {
    (() $($module:ident :: $name:ident),* $(,)?) => {
        $(pub use contracts::$module::$name;)*
    };
}
use exports_of;

contracts! { exports_of () }
