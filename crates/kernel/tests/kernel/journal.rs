//! KER-28: the journal is searched, forgotten, and caught up with.

use std::sync::atomic::Ordering;

use base::Wall;
use kernel::journal::search::{Found, LOOKED_AT_MAX, Place, SEARCH_JOURNAL, Search};
use kernel::journal::{SERVICE, TEXT_MAX};
use kernel::{Op, Plan, TaskRow};

use crate::world::{NOON, World, error_code};

static SAY: Op<(String, String, String), ()> = Op::new("test.say", |_, cx, (kind, subject, text)| {
    cx.fx.journal(kind, subject, text);
    Ok(())
});
static MANY: Op<usize, ()> = Op::new("test.say_many", |_, cx, count| {
    (0..*count).for_each(|_| cx.fx.journal("noise.made", "n", "noise"));
    Ok(())
});

fn say(world: &World, kind: &str, subject: &str, text: &str) {
    world.call(&SAY, world.request(), (kind.into(), subject.into(), text.into())).unwrap();
    world.clock.wall_ms.fetch_add(1_000, Ordering::Relaxed);
}

fn find(world: &World, search: Search) -> Found {
    world.read(&SEARCH_JOURNAL, Search { limit: search.limit.max(1), ..search }).unwrap()
}

fn texts(found: &Found) -> Vec<&str> {
    found.lines.iter().map(|line| line.text.as_str()).collect()
}

fn world_with_lines() -> World {
    let world = World::new();
    say(&world, "login.failed", "anna", "wrong password from 10.0.0.1");
    say(&world, "login.done", "anna", "in");
    say(&world, "loginx.odd", "bert", "Wrong turn");
    say(&world, "key.created", "k1", "reader key");
    world
}

#[test]
fn ker_28_lines_are_found_by_time_kind_subject_and_words_newest_first() {
    let world = world_with_lines();
    let all = Search { limit: 10, ..Search::default() };
    assert_eq!(texts(&find(&world, all.clone())), ["reader key", "Wrong turn", "in", "wrong password from 10.0.0.1"]);
    let check = |search: Search, expected: &[&str]| assert_eq!(texts(&find(&world, search)), expected);
    check(Search { kind: Some("login.".into()), ..all.clone() }, &["in", "wrong password from 10.0.0.1"]);
    check(Search { subject: Some("bert".into()), ..all.clone() }, &["Wrong turn"]);
    check(Search { caller: Some("nobody".into()), ..all.clone() }, &[]);
    check(
        Search { words: kernel::watch::query_words("WRONG anna").unwrap(), ..all.clone() },
        &["wrong password from 10.0.0.1"],
    );
    let (from, to) = (Some(Wall(NOON + 1_000)), Some(Wall(NOON + 3_000)));
    check(Search { from, to, ..all }, &["Wrong turn", "in"]);
}

#[test]
fn ker_28_a_search_goes_on_page_by_page_also_where_nothing_was_found() {
    let world = world_with_lines();
    for _ in 0..2 {
        world.call(&MANY, world.request(), 1_500).unwrap();
    }
    let (mut after, mut lines, mut pages) = (None, 0, 0);
    loop {
        let found = find(&world, Search { kind: Some("login.".into()), after, limit: 10, ..Search::default() });
        (lines, pages) = (lines + found.lines.len(), pages + 1);
        let Some(next) = found.next else { break };
        after = Some(Place::read(&next.text()).unwrap());
    }
    assert_eq!((lines, pages), (2, 1 + 3_000 / LOOKED_AT_MAX));
}

#[test]
fn ker_34_edited_cursors_and_endless_queries_are_refused() {
    for bad in ["", "-", "5", "x-01KA2B3C4D5E6F7G8H9JKMNPQR", "5-1"] {
        assert_eq!(error_code(Place::read(bad)).0, "ABODY", "{bad}");
    }
    assert_eq!(error_code(kernel::watch::query_words(&"a ".repeat(11))).0, "ALIMIT");
    assert_eq!(error_code(kernel::watch::query_words(&"a".repeat(201))).0, "ALIMIT");
}

#[test]
fn ker_28_a_line_is_one_line_of_bounded_length() {
    let world = World::new();
    say(&world, "test.x", "a\nFORGED", &"y\u{1b}[2J".repeat(5_000));
    let line = find(&world, Search::default()).lines.remove(0);
    assert_eq!(line.subject, "a␊FORGED");
    assert!(line.text.len() <= 2 * TEXT_MAX && !line.text.contains(char::is_control) && line.text.ends_with('…'));
}

#[test]
fn ker_28_old_lines_are_forgotten_and_a_jump_of_the_calendar_forgets_none() {
    static FORGET: Op<(), bool> = Op::new("test.forget_lines", |tx, cx, ()| {
        let task = TaskRow::first_attempt(cx.id(), "journal.forget", "null", cx.wall);
        Ok((SERVICE.tasks[0].plan)(tx, cx, &task)? != Plan::Done)
    });
    let world = World::new();
    world.call(&MANY, world.request(), 1_200).unwrap();
    world.clock.wall_ms.fetch_add(3_000_000_000_000, Ordering::Relaxed);
    assert!(!world.call(&FORGET, world.request(), ()).unwrap().out);
    assert_eq!(find(&world, Search { limit: 2_000, ..Search::default() }).lines.len(), 1_200);
    world.clock.ran_ms.fetch_add(90 * 86_400_000 + 1, Ordering::Relaxed);
    say(&world, "test.young", "a", "young");
    let more: Vec<bool> = (0..3).map(|_| world.call(&FORGET, world.request(), ()).unwrap().out).collect();
    assert_eq!(more, [true, true, false], "500 at a time");
    assert_eq!(texts(&find(&world, Search { limit: 10, ..Search::default() })), ["young"]);
}

#[test]
fn ker_28_what_could_not_be_journaled_is_journaled_later_once_and_losses_are_told() {
    let world = World::new();
    let env = world.kernel.env().clone();
    let tell = |subject: &str| {
        world.main().watched.later.tell(
            (env.clock.as_ref(), env.entropy.as_ref()),
            "login.undecided",
            subject,
            "store down",
        );
    };
    (0..3).for_each(|_| tell("anna"));
    (0..1_004).for_each(|number| tell(&format!("s{number}")));
    assert_eq!(world.main().watched.later.counts(), (1_000, 5));
    world.kernel.watch_over();
    (0..6).for_each(|_| world.run_timers_once());
    assert!(world.main().watched.later.is_empty());
    let found = find(&world, Search { limit: 2_000, ..Search::default() });
    assert_eq!(found.lines.len(), 1_001);
    assert!(found.lines.iter().any(|line| line.subject == "anna" && line.text == "store down (3 times)"));
    assert!(texts(&found).iter().any(|text| text.starts_with("5 lines found no room")));
}
