//! Lists among many (KER-22): each page is quick and the pages together are complete, on both engines.

use base::{OpResult, Sql, Tx, Value, Wall, args};
use kernel::Op;
use kernel::tasks::{LOOKED_AT_MAX, Order, PAGE, Search, State, Whose, parked_at};

use crate::nodes::Node;

/// Tasks that wait; every thousandth is parked, every 997th runs, every 991st is behind, every 983rd failed.
const MANY: i64 = 12_000;
/// So many in one operation.
const PORTION: i64 = 1_500;

static FILL: Sql = Sql::new(
    "test.fill",
    "INSERT INTO task (id, op, param, info, queue, lane, behind, place, start_at, start_time, owner, lost_at, attempt, retry, \
     forgiven, exc, created_at) WITH RECURSIVE numbers (n) AS (SELECT CAST(?1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2) \
     SELECT '01KA2B3C4D5E6F7G8H' || CAST(10000000 + n AS TEXT), CASE WHEN n % 10 = 0 THEN 'test.rare' ELSE 'test.often' END, \
     'null', 'number ' || CAST(n AS TEXT), n % 3, \
     CASE WHEN n % 991 = 0 THEN 'lane' ELSE NULL END, CASE WHEN n % 991 = 0 THEN 1 ELSE 0 END, n, \
     CASE WHEN n % 1000 = 0 THEN CAST(?3 AS BIGINT) ELSE CAST(?4 AS BIGINT) + n END, CASE WHEN n % 997 = 0 THEN 1 ELSE NULL END, \
     CASE WHEN n % 997 = 0 THEN 'node' ELSE NULL END, CASE WHEN n % 997 = 0 THEN CAST(?3 AS BIGINT) ELSE NULL END, 5, \
     CASE WHEN n % 983 = 0 THEN 4 ELSE 0 END, 0, CASE WHEN n % 983 = 0 THEN 'XTARGET' ELSE NULL END, 0 FROM numbers",
);
static FILL_OP: Op<i64, ()> = Op::new("test.fill", |tx, cx, first| {
    let later = cx.wall.plus_ms(86_400_000);
    Ok(tx.write(&FILL, args![*first, *first + PORTION - 1, parked_at(), later])?)
});

fn fill(node: &Node, many: i64) {
    (0..many / PORTION).for_each(|portion| node.call(&FILL_OP, portion * PORTION + 1).unwrap());
}

/// All that fits, page by page, and how many pages that took.
fn all(node: &Node, search: &Search) -> (usize, usize) {
    let (mut search, mut count, mut pages, mut ids) = (search.clone(), 0, 0, vec![]);
    loop {
        let page = node.read(&PAGE, search.clone()).unwrap();
        ids.extend(page.tasks.iter().map(|task| task.id));
        (count, pages) = (count + page.tasks.len(), pages + 1);
        assert!(page.tasks.len() <= search.limit as usize);
        let Some(next) = page.next else { break };
        search.after = Some(next);
    }
    let ordered = match search.order {
        Order::Oldest => ids.is_sorted_by(|one, other| one < other),
        Order::Newest => ids.is_sorted_by(|one, other| one > other),
    };
    assert!(ordered, "in order, none twice");
    (count, pages)
}

fn check_lists(node: &Node) {
    fill(node, MANY);
    let base = Search { limit: 100, ..Search::default() };
    let (of, many) = (|every: i64| usize::try_from(MANY / every).unwrap(), usize::try_from(MANY).unwrap());
    for order in [Order::Oldest, Order::Newest] {
        let base = Search { order, ..base.clone() };
        let state = |state: State| Search { state: Some(state), ..base.clone() };
        assert_eq!(all(node, &state(State::Parked)), (of(1000), 1));
        assert_eq!(all(node, &state(State::Running)), (of(997), 1));
        assert_eq!(all(node, &state(State::Behind)), (of(991), 1));
        assert_eq!(all(node, &Search { retry_min: 1, ..base.clone() }), (of(983), 1));
        assert_eq!(all(node, &Search { op: Some("test.rare".into()), limit: 1_000, ..base.clone() }), (of(10), 2));
        assert_eq!(all(node, &Search { info: Some("number 77".into()), ..base.clone() }), (1, 1));
        let walked = 1 + many / LOOKED_AT_MAX;
        let words = kernel::watch::query_words("XTARGET OFTEN").unwrap();
        assert_eq!(all(node, &Search { words, ..base.clone() }).1, walked, "a bounded part of all for each page");
        let prefix = Search { info_prefix: Some("number 11".into()), limit: 1_000, ..base.clone() };
        assert_eq!(all(node, &prefix).0, 1 + 10 + 100 + 1_000);
        assert_eq!(all(node, &Search { queue: Some(1), limit: 1_000, ..base.clone() }).0, many / 3);
        assert_eq!(all(node, &Search { from: Some(parked_at()), ..base.clone() }), (of(1000), walked));
        let people = Search { whose: Whose::People, limit: 1_000, ..base.clone() };
        assert_eq!(all(node, &people), (many, many / 1_000), "all of them, along two operations at once");
        assert_eq!(all(node, &Search { limit: 1_000, ..base }).0, many);
    }
}

#[test]
fn ker_22_lists_among_many_are_complete_and_bounded() {
    check_lists(&Node::sqlite());
}

#[test]
fn ker_22_lists_among_many_are_complete_and_bounded_on_postgres() {
    check_lists(&Node::postgres(1).remove(0));
}

static ANALYZE: Sql = Sql::new("test.analyze_list", "ANALYZE task");

/// The statements of lists with the index that each must use.
const WANTED: [(&str, &str); 10] = [
    ("all", "task_pkey"),
    ("op", "task_by_op"),
    ("info", "task_by_info"),
    ("behind", "task_behind_by_id"),
    ("retried", "task_retried"),
    ("targeted", "task_targeted"),
    ("next_op", "task_by_op"),
    ("parked", "task_waiting"),
    ("next_queue", "task_waiting"),
    ("oldest_due", "task_waiting"),
];

fn plan(tx: &mut dyn Tx, explain: &str, name: &str, back: bool) -> OpResult<String> {
    let name = match (name, back) {
        ("next_queue" | "next_op" | "oldest_due", _) => format!("task.{name}"),
        (_, false) => format!("task.walk_{name}"),
        (_, true) => format!("task.walk_back_{name}"),
    };
    let mut known = kernel::OWN.iter().flat_map(|service| service.statements);
    let text = known.find(|sql| sql.name == name).expect("a statement").text;
    let explain: &'static Sql =
        Box::leak(Box::new(Sql::new(format!("test.plan.{name}").leak(), format!("{explain} {text}").leak())));
    let place = if back { "~" } else { "" };
    let args: Vec<Value<'_>> = match name.rsplit('_').next() {
        _ if name == "task.next_op" => vec![Value::from("")],
        Some("queue") => vec![Value::from(0)],
        Some("due") => vec![Value::from(0), Value::from(Wall(1))],
        Some("op" | "info") => vec![Value::from(place), Value::from(1), Value::from("x")],
        Some("parked") => vec![Value::from(place), Value::from(1), Value::from(0), Value::from(Wall(1))],
        _ => vec![Value::from(place), Value::from(1)],
    };
    let rows = tx.query(explain, &args, 100)?;
    let column = if tx.engine() == base::Engine::Sqlite { 3 } else { 0 };
    Ok(rows.iter().map(|line| line.text(column).to_owned() + "\n").collect())
}

static PLANS: Op<String, Vec<String>> = Op::new("test.list_plans", |tx, _, explain| {
    if tx.engine() == base::Engine::Postgres {
        tx.execute(&ANALYZE, args![])?;
    }
    let both = WANTED.iter().flat_map(|(name, _)| [(name, false), (name, true)]);
    both.map(|(name, back)| plan(tx, explain, name, back)).collect()
});

fn check_plans(node: &Node, explain: &str, sorts: &str) {
    let plans = node.call(&PLANS, explain.to_owned()).unwrap();
    for (at, plan) in plans.iter().enumerate() {
        let index = WANTED[at / 2].1;
        let own_key = index == "task_pkey" && plan.contains("sqlite_autoindex_task_1");
        assert!(plan.contains(index) || own_key, "{plan} is not by {index}");
        assert!(!plan.contains(sorts), "{plan}");
    }
}

#[test]
fn ker_22_every_list_has_its_index() {
    check_plans(&Node::sqlite(), "EXPLAIN QUERY PLAN", "TEMP B-TREE");
}

/// On a table that PostgreSQL knows to be empty, and on one with many tasks.
#[test]
fn ker_22_every_list_has_its_index_on_postgres() {
    let node = Node::postgres(1).remove(0);
    fill(&node, MANY);
    check_plans(&node, "EXPLAIN", "Sort");
}
