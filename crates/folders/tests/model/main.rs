//! The protocol's model (FLD-26): a server and clients that edit one file, searched exhaustively.
//!
//! The server's decisions are the real ones (`Seat`, `answer`); clients do what the protocol says, with its repairs. Messages of a connection
//! keep their order. Whatever can happen happens, in every order: edits at any moment, messages that take their time, a connection that
//! breaks, a device that never comes back, an uploader that falls silent, a server that crashes.
//!
//! In every state: versions only grow, one writes at a time. From every state the end can be reached, and in every end all devices hold what
//! the server holds, nobody waits, and each edit is in that content, in what it was made from, or in a visible copy; and no copy is made
//! of what the content has anyway. Each rule of the original text that loses data is a mutant here, and must be found.
//!
//! `together` is a model of its own: several files that are asked for in one group, of which some are free and some are not.

mod client;
mod search;
mod server;
mod together;
mod world;

use search::{Verdict, search};
use world::{Mutant, Start, World};

fn verdict(clients: usize, edits: u8, faults: u8, mutant: Option<Mutant>) -> Verdict {
    search(World::new(&Start { clients, edits, faults, mutant }))
}

fn is_well(clients: usize, edits: u8, faults: u8) {
    match verdict(clients, edits, faults, None) {
        Verdict::Well { states } => println!("{clients} clients, {edits} edits each, {faults} faults: {states} states"),
        Verdict::Wrong { what, trace } => panic!("{what}\n{}", trace.join("\n")),
    }
}

fn is_found(mutant: Mutant) {
    let found = [(2, 1, 0), (2, 1, 1), (2, 2, 1)].into_iter().find_map(|(clients, edits, faults)| {
        match verdict(clients, edits, faults, Some(mutant)) {
            Verdict::Wrong { what, .. } => Some(what),
            Verdict::Well { .. } => None,
        }
    });
    println!("{mutant:?}: {}", found.unwrap_or_else(|| panic!("{mutant:?} was not found")));
}

#[test]
fn fld_26_two_clients_with_two_edits_each_and_a_fault_end_well() {
    is_well(2, 2, 1);
}

#[test]
fn fld_26_three_clients_with_an_edit_each_end_well() {
    is_well(3, 1, 0);
}

#[test]
fn fld_26_two_clients_with_an_edit_each_and_two_faults_end_well() {
    is_well(2, 1, 2);
}

#[test]
fn fld_5_the_text_that_lets_times_decide_loses_edits() {
    is_found(Mutant::TimesDecide);
}

#[test]
fn fld_6_the_text_that_wakes_nobody_after_a_rollback_leaves_waiters_asleep() {
    is_found(Mutant::RollbackWakesNobody);
}

#[test]
fn fld_7_a_download_that_is_installed_without_a_look_loses_edits() {
    is_found(Mutant::InstallsUnseen);
}

#[test]
fn fld_8_the_text_that_answers_before_it_commits_loses_what_it_acknowledged() {
    is_found(Mutant::AnswersBeforeCommit);
}

#[test]
fn fld_8_the_text_that_locks_readers_out_leaves_them_behind() {
    is_found(Mutant::ReadersAreDenied);
}

#[test]
fn fld_10_a_server_that_forgets_what_it_answered_makes_false_conflicts() {
    is_found(Mutant::ForgetsAnswers);
}

#[test]
fn fld_11_the_text_that_drops_what_was_denied_loses_edits() {
    is_found(Mutant::DropsTheDenied);
}
