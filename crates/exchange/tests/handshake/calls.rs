//! Every call of the handshake, in order and out of order.

use exchange::process::Answer::{Cancelled, Ok as Yes};
use exchange::process::Processed::{Processed, ProcessedDeadlock, ProcessedIncorrect};
use exchange::process::{Start, StartAnswer};
use exchange::registry::{CREATE_SUBSYSTEM, NewSubsystem};
use exchange::{Rules, Settings};
use serde_json::json;

use crate::kit::{Office, Open, everywhere, ids};

fn exc_10_14_a_batch_goes_through_and_each_message_ends_where_its_result_says(open: Open) {
    let office = open();
    assert_eq!(office.start().status, StartAnswer::Idle);
    office.sent(&["a", "b", "c"]);
    let started = office.start();
    assert_eq!((started.status, ids(&started)), (StartAnswer::Ok, vec!["a".to_owned(), "b".into(), "c".into()]));
    let process = started.process.unwrap();
    assert_eq!((office.start().status, office.ledger()), (StartAnswer::Busy, [3, 0, 3, 0, 0, 0]));
    let results = [("a", Processed), ("b", ProcessedIncorrect), ("c", ProcessedDeadlock)];
    assert_eq!(office.prepare(&process, &results, &[office.reply("r1")]), Ok(Yes));
    assert_eq!(office.prepare(&process, &results, &[office.reply("r1")]), Ok(Yes), "the same again");
    assert_eq!(office.prepare(&process, &results, &[]), Ok(Cancelled), "something else");
    assert!(office.fetched().is_empty(), "not before the commit");
    assert_eq!((office.commit(&process), office.commit(&process)), (Ok(Yes), Ok(Yes)));
    assert_eq!(office.ledger(), [4, 2, 0, 1, 1, 0]);
    assert_eq!(["a", "b", "c"].map(|id| office.state(id)), ["processed", "error", "deadlock_waiting"]);
    assert_eq!(office.fetched(), ["r1"]);
    assert_eq!((office.ack("r1").is_ok(), office.ack("r1").is_ok()), (true, true));
    assert!(office.fetched().is_empty());
    assert_eq!(ids(&office.start()), ["c"]);
}

fn exc_15_exc_16_what_is_undone_leaves_no_trace_and_is_offered_again(open: Open) {
    let office = open();
    office.sent(&["a"]);
    for undo in [Office::rollback, Office::interrupt] {
        let process = office.start().process.unwrap();
        assert_eq!(office.prepare(&process, &[("a", Processed)], &[office.reply("r1")]), Ok(Yes));
        assert_eq!((undo(&office, &process), undo(&office, &process)), (Ok(Yes), Ok(Yes)));
        assert_eq!(office.commit(&process), Ok(Cancelled));
        assert_eq!((office.ledger(), office.state("a")), ([1, 1, 0, 0, 0, 0], "queued".to_owned()));
    }
}

fn exc_16_a_process_is_given_up_only_before_it_is_prepared(open: Open) {
    let office = open();
    office.sent(&["a"]);
    let process = office.start().process.unwrap();
    assert_eq!((office.give_up(&process), office.give_up(&process)), (Ok(Yes), Ok(Yes)));
    assert_eq!(office.prepare(&process, &[("a", Processed)], &[]), Ok(Cancelled), "its database is told in time");
    assert_eq!(office.ledger(), [1, 1, 0, 0, 0, 0]);
    let process = office.start().process.unwrap();
    office.prepare(&process, &[("a", Processed)], &[office.reply("r1")]).unwrap();
    assert_eq!(office.give_up(&process), Ok(Cancelled), "its database may be committing");
    assert_eq!((office.commit(&process), office.ledger()), (Ok(Yes), [2, 1, 0, 1, 0, 0]));
    assert_eq!(office.give_up(&process), Ok(Cancelled));
    assert_eq!(office.give_up("nothing"), Ok(Cancelled));
}

fn exc_13_results_are_complete_and_of_what_was_given(open: Open) {
    let office = open();
    office.sent(&["a", "b"]);
    let process = office.start().process.unwrap();
    for wrong in [&[("a", Processed)][..], &[("a", Processed), ("x", Processed)], &[("a", Processed), ("a", Processed)]]
    {
        assert_eq!(office.prepare(&process, wrong, &[]).unwrap_err().code.name, "AEXCHANGE");
    }
    assert_eq!(office.commit(&process), Ok(Cancelled), "commit before prepare");
    assert_eq!(office.prepare("nothing", &[], &[]), Ok(Cancelled));
    let both = [("a", Processed), ("b", Processed)];
    let mut foreign = office.reply("r");
    foreign["head"]["from"] = serde_json::json!("other");
    assert_eq!(office.prepare(&process, &both, &[foreign]).unwrap_err().code.name, "AEXCHANGE");
    assert_eq!(office.prepare(&process, &both, &[]), Ok(Yes));
}

fn exc_12_what_is_left_out_is_free_at_once_and_comes_after_the_others(open: Open) {
    let office = open();
    office.sent(&["a", "b"]);
    let process = office.start().process.unwrap();
    assert_eq!(office.narrow(&process, &["x"]).unwrap_err().code.name, "AEXCHANGE");
    assert_eq!(office.narrow(&process, &["b"]), Ok(Yes));
    assert_eq!(office.ledger(), [2, 1, 1, 0, 0, 0]);
    assert_eq!(office.prepare(&process, &[("b", Processed)], &[]), Ok(Yes));
    assert_eq!(office.commit(&process), Ok(Yes));
    office.send(&office.message("c", 50)).unwrap();
    let started = office.start();
    assert_eq!(ids(&started), ["c", "a"], "never skipped ones first");
    assert_eq!(
        office.narrow(&started.process.unwrap(), &[]),
        Ok(Yes),
        "nothing at all is an interrupt, and leaves all of them out"
    );
    assert_eq!(office.ledger(), [3, 2, 0, 1, 0, 0]);
    office.send(&office.message("d", 55)).unwrap();
    let started = office.start();
    assert_eq!(ids(&started), ["d", "c", "a"], "what was left out altogether comes after the others too");
    let process = started.process.unwrap();
    let all = [("a", Processed), ("c", Processed), ("d", Processed)];
    assert_eq!(office.prepare(&process, &all, &[]), Ok(Yes));
    assert_eq!(office.narrow(&process, &[]), Ok(Cancelled), "too late: the database may be committing");
    assert_eq!(office.commit(&process), Ok(Yes));
}

fn exc_18_20_what_took_too_long_is_unknown_until_somebody_knows(open: Open) {
    for committed in [true, false] {
        let office = open();
        office.sent(&["a", "b", "c"]);
        let process = office.start().process.unwrap();
        let results = [("a", Processed), ("b", ProcessedIncorrect), ("c", ProcessedDeadlock)];
        office.prepare(&process, &results, &[office.reply("r1")]).unwrap();
        office.look_after_ms(301_000);
        assert_eq!(office.ledger(), [3, 1, 0, 0, 1, 1]);
        assert_eq!(["a", "b", "c"].map(|id| office.state(id)), ["unknown", "unknown", "deadlock_waiting"]);
        assert_eq!(ids(&office.start()), ["c"], "the database can go on");
        let settled = if committed { office.commit(&process) } else { office.resolve(&process, false) };
        assert_eq!(settled, Ok(Yes));
        if committed {
            assert_eq!((office.ledger(), office.fetched()), ([4, 1, 1, 1, 1, 0], vec!["r1".to_owned()]));
        } else {
            assert_eq!((office.ledger(), office.fetched().len()), ([3, 2, 1, 0, 0, 0], 0));
        }
    }
}

fn exc_10_limits_and_filters(open: Open) {
    let office = open();
    office.sent(&["a", "b", "c"]);
    let with = |wanted: Start| {
        let started = office.start_with(Start { db: "erp".into(), ..wanted });
        if let Some(process) = &started.process {
            office.interrupt(process).unwrap();
        }
        ids(&started)
    };
    assert_eq!(with(Start { max_files: Some(2), ..Start::default() }), ["a", "b"]);
    assert_eq!(with(Start { max_mb: Some(0.000_001), ..Start::default() }), ["a"], "one at least");
    assert_eq!(with(Start { subsystems: Some(vec!["sales".into()]), ..Start::default() }), ["a", "b", "c"]);
    assert!(with(Start { subsystems: Some(vec!["other".into()]), ..Start::default() }).is_empty());
    assert_eq!(with(Start { senders: Some(vec![office.phone.clone()]), ..Start::default() }), ["a", "b", "c"]);
    assert!(with(Start { senders: Some(vec!["nobody".into()]), ..Start::default() }).is_empty());
}

fn exc_10_many_names_in_a_filter_are_read_in_bounds_and_in_order(open: Open) {
    let mut office = open();
    let rules = office.world.kernel.common::<Rules>();
    rules.set(Settings { files_max: 1_000, ..rules.get() });
    let first = office.phone.clone();
    let many: Vec<String> = (0..52).map(|n| format!("a{n:02}")).collect();
    office.sent(&many.iter().map(String::as_str).collect::<Vec<_>>());
    office.phone = Office::device(&office.world);
    office.send(&office.message("b", 10)).unwrap();
    office.send(&office.message("late", 55)).unwrap();
    let mut senders = vec![first, office.phone.clone()];
    senders.extend((0..98).map(|n| format!("nobody-{n}")));
    let given = ids(&office.start_with(Start { db: "erp".into(), senders: Some(senders), ..Start::default() }));
    assert_eq!((given.len(), given.last().map(String::as_str)), (51, Some("a49")), "fifty of each name");
    assert_eq!((given[10].as_str(), given[11].as_str()), ("a10", "b"), "in the order of all");
}

fn exc_10_older_messages_of_another_subsystem_hide_nothing_that_is_wanted(open: Open) {
    let mut office = open();
    let stock = NewSubsystem { id: "stock".into(), company: "acme".into(), name: "Stock".into() };
    office.world.call(&CREATE_SUBSYSTEM, stock).unwrap();
    let wanted = std::mem::replace(&mut office.phone, Office::device_of(&office.world, "stock"));
    for id in ["x", "y"] {
        let mut other = office.message(id, 0);
        other["head"]["subsystem"] = json!("stock");
        office.send(&other).unwrap();
    }
    let senders = vec![office.phone.clone(), wanted.clone(), "nobody".into()];
    office.phone = wanted;
    office.send(&office.message("a", 30)).unwrap();
    let start = Start { senders: Some(senders), subsystems: Some(vec!["sales".into()]), ..Start::default() };
    let started = office.start_with(Start { db: "erp".into(), max_files: Some(1), ..start });
    assert_eq!((started.status, ids(&started)), (StartAnswer::Ok, vec!["a".to_owned()]));
}

fn exc_17_a_start_repeated_with_its_key_gives_the_same_process(open: Open) {
    let office = open();
    office.sent(&["a", "b"]);
    let start = || office.start_again("key-1");
    let first = start();
    assert_eq!((start().process, ids(&start())), (first.process.clone(), vec!["a".to_owned(), "b".into()]));
    assert_eq!(office.start().status, StartAnswer::Busy, "without a key it is another start");
    let process = first.process.unwrap();
    office.prepare(&process, &[("a", Processed), ("b", ProcessedDeadlock)], &[]).unwrap();
    office.commit(&process).unwrap();
    assert_eq!((start().process, ids(&start()).len()), (Some(process.clone()), 0), "what it let go is not given again");
    assert_eq!(office.prepare(&process, &[], &[]), Ok(Cancelled));
}

fn exc_15_senders_are_told_if_the_database_asks_for_it(open: Open) {
    let office = open();
    office.sent(&["a", "b"]);
    let process = office.start().process.unwrap();
    assert_eq!(office.rollback_telling(&process, "no disk space"), Ok(Yes));
    let told = office.fetched_whole();
    let answers: Vec<_> = told.iter().map(|message| message["head"]["reply_to"].as_str().unwrap()).collect();
    assert_eq!(answers, ["a", "b"]);
    assert_eq!(told[0]["body"]["payload"]["error"], "no disk space");
    assert_eq!(office.ledger(), [4, 4, 0, 0, 0, 0]);
    assert_eq!(office.rollback_telling(&process, "again"), Ok(Yes));
    assert_eq!(office.fetched().len(), 2, "once");
}

fn exc_10_13_two_senders_may_use_one_id_and_each_message_has_its_own_result(open: Open) {
    let mut office = open();
    office.sent(&["a"]);
    office.phone = Office::device(&office.world);
    office.sent(&["a", "b"]);
    for (given, result) in [(vec!["a"], Processed), (vec!["a", "b"], ProcessedIncorrect)] {
        let started = office.start();
        assert_eq!(ids(&started), given, "results are told by id");
        let results: Vec<_> = given.iter().map(|id| (*id, result)).collect();
        let process = started.process.unwrap();
        assert_eq!(office.prepare(&process, &results, &[]), Ok(Yes));
        assert_eq!(office.commit(&process), Ok(Yes));
    }
    assert_eq!(office.ledger(), [3, 0, 0, 1, 2, 0]);
}

everywhere! {
    exc_10_13_two_senders_may_use_one_id_and_each_message_has_its_own_result
    exc_10_14_a_batch_goes_through_and_each_message_ends_where_its_result_says
    exc_15_exc_16_what_is_undone_leaves_no_trace_and_is_offered_again
    exc_16_a_process_is_given_up_only_before_it_is_prepared
    exc_13_results_are_complete_and_of_what_was_given
    exc_12_what_is_left_out_is_free_at_once_and_comes_after_the_others
    exc_18_20_what_took_too_long_is_unknown_until_somebody_knows
    exc_10_limits_and_filters
    exc_10_many_names_in_a_filter_are_read_in_bounds_and_in_order
    exc_10_older_messages_of_another_subsystem_hide_nothing_that_is_wanted
    exc_17_a_start_repeated_with_its_key_gives_the_same_process
    exc_15_senders_are_told_if_the_database_asks_for_it
}
