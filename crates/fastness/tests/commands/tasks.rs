//! Tasks, queues and what is stuck (KER-22, KER-40).

use expect_test::expect;

use crate::kit::{Kit, plain};

/// A task for a target that nobody serves, far in the future.
fn create(kit: &Kit) -> String {
    let words = ["tasks", "task", "create", "report.north", "--target", "http://127.0.0.1:9/x", "--start-at", "+2h"];
    let more = ["--info", "nightly \u{202e}report", "--param", r#"{"text":"\u001b[31mred\u009b"}"#, "-q"];
    let made = kit.run_words(&[&words[..], &more[..]].concat(), "");
    assert_eq!(made.code, 0, "{made:?}");
    made.out.trim().to_owned()
}

#[test]
fn ker_22_a_task_is_created_shown_moved_run_and_deleted() {
    let kit = Kit::start();
    let id = create(&kit);
    expect![[r#"
        ID  STATE  OPERATION  QUEUE  START  RETRY  ERROR  INFO
        ID  waiting  report.north  0  SOON  0  nightly \u{202e}report
    "#]]
    .assert_eq(&kit.table("tasks task list --op report.north"));
    expect![[r#"
        id  ID
        namespace  main
        operation  report.north
        state  waiting
        info  nightly \u{202e}report
        param  {"text":"\u001b[31mred\u009b"}
        queue  0
        target  http://127.0.0.1:9/x
        created  AT AT UTC (AGO)
        start  AT AT UTC (SOON)
        attempt  0
        retry  0
    "#]]
    .assert_eq(&kit.table(&format!("tasks task show {id}")));
    assert_eq!(kit.json("tasks task list --op report.north")["items"][0]["id"], id);
    let shown = kit.json(&format!("tasks task show {id}"));
    assert_eq!(shown["param"]["text"], "\u{1b}[31mred\u{9b}", "programs get what is there");
    assert_eq!(
        plain(&kit.out(&format!("tasks task move {id} --start-at 2030-01-01"))),
        "task ID starts at 2030-01-01T00:00:00.000Z\n"
    );
    assert_eq!(kit.json(&format!("tasks task show {id}"))["start_at"], "2030-01-01T00:00:00.000Z");
    assert_eq!(kit.json(&format!("tasks task run {id}")), serde_json::json!({}));
    assert_eq!(plain(&kit.out(&format!("tasks task delete {id} --yes"))), "task ID is deleted\n");
    assert_eq!(kit.run(&format!("tasks task show {id}")).code, 3);
    assert_eq!(kit.run("tasks task list --op report.north").err, "no tasks\n");
}

#[test]
fn ker_22_nothing_that_a_terminal_obeys_is_printed() {
    let kit = Kit::start();
    let id = create(&kit);
    for words in ["list", "list --json", &format!("show {id}"), &format!("show {id} --json"), "list -q"] {
        let out = kit.out(&format!("tasks task {words}"));
        let obeyed = |c: &char| c.is_control() && *c != '\n' || *c == '\u{202e}';
        assert_eq!(out.chars().find(obeyed), None, "{words}: {out:?}");
    }
}

#[test]
fn ker_22_a_list_goes_on_by_itself_and_ends_where_it_should() {
    let kit = Kit::start();
    let ids: Vec<String> = (0..5).map(|_| create(&kit)).collect();
    let listed = |flags: &str| kit.out(&format!("tasks task list --op report.north -q {flags}"));
    assert_eq!(listed("--all").lines().collect::<Vec<_>>(), ids);
    assert_eq!(listed("--limit 2").lines().collect::<Vec<_>>(), ids[..2]);
    let cut = kit.json("tasks task list --op report.north --limit 3");
    let next = cut["next"].as_str().expect("a cursor");
    assert_eq!(listed(&format!("--after {next}")).lines().collect::<Vec<_>>(), ids[3..]);
    let told = kit.run("tasks task list --op report.north --limit 2");
    assert_eq!(told.err, "there are more: --limit N or --all shows them\n");
    assert!(kit.out("tasks task list --namespace z --limit 1").starts_with("NAMESPACE"));
}

#[test]
fn ker_22_a_repeat_with_the_same_idempotency_key_is_not_done_again() {
    let kit = Kit::start();
    let create =
        "tasks task create x.y --target http://127.0.0.1:9/x --start-at 2030-01-01 -q --idempotency-key once-1";
    assert_eq!(kit.out(create), kit.out(create));
    assert_eq!(kit.out("tasks task list --op x.y -q").lines().count(), 1);
}

#[test]
fn ker_22_a_target_reports_what_it_did() {
    let kit = Kit::start();
    let id = create(&kit);
    let early = kit.run(&format!("tasks task done {id} --attempt 7"));
    assert_eq!(early.code, 3);
    assert!(early.err.contains("(ATASK)") || early.err.contains("(AATTEMPT)"), "{early:?}");
}

#[test]
fn ker_22_queues_are_suspended_and_resumed_one_or_all() {
    let kit = Kit::start();
    assert_eq!(kit.out("tasks queue suspend 1"), "queue 1 is suspended\n");
    let table = kit.table("tasks queue list");
    assert!(table.starts_with("NAMESPACE  QUEUE  WORKERS  SUSPENDED  DUE  LATER  PARKED  RUNNING  NEXT\n"), "{table}");
    assert!(table.contains("main  1  2  yes  0"), "{table}");
    assert_eq!(kit.json("tasks queue list")["items"][1]["suspended"], true);
    assert_eq!(kit.out("tasks queue resume 1"), "queue 1 is resumed\n");
    assert_eq!(kit.json("tasks queue suspend all")["suspended"], true);
    assert_eq!(kit.out("tasks queue resume all"), "all queues are resumed\n");
    let wrong = kit.run("tasks queue suspend 99");
    assert_eq!((wrong.code, wrong.err.as_str()), (3, "error: queue is 99, it must be 0 to 3 (ALIMIT)\n"));
}

#[test]
fn ker_40_nothing_is_stuck() {
    let kit = Kit::start();
    let ran = kit.run("tasks stuck list");
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", "no stuck work: everything goes on\n"));
    assert_eq!(kit.out("tasks stuck list --json"), "{\"items\":[],\"next\":null}\n");
}
