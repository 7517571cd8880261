//! Processes of plain functions: values, errors, signals, times, processes within processes.

use std::time::Duration;

use client::workflow::{Failure, Outcome, Plan, Promise, Rest, Retry, Start, Task, Tried, Work, Worker};

use crate::kit::{Kit, beside};

async fn fan_out(mut plan: Plan, numbers: Vec<u64>) -> Result<Outcome, Failure> {
    let squares: Vec<Promise> =
        numbers.iter().map(|number| plan.add(Task::new("maths#1", "square").arg(number))).collect();
    let sum = plan.add(Task::new("maths#1", "sum").args(&squares));
    let double = plan.add(Task::new("maths#1", "sum").arg(&sum).arg(&sum));
    Ok(plan.result(&double))
}

async fn square(number: u64) -> Result<u64, Failure> {
    Ok(number * number)
}

async fn sum(numbers: Rest<u64>) -> Result<u64, Failure> {
    Ok(numbers.0.iter().sum())
}

fn maths(kit: &Kit) -> Worker {
    Worker::new(&kit.client, "maths#1").on("fan_out", fan_out).on("square", square).on("sum", sum).concurrency(8)
}

#[tokio::test]
async fn wfl_1_a_process_of_plain_functions_ends_with_the_value_of_a_serial_run() {
    let kit = Kit::start();
    let numbers: Vec<u64> = (1..=100).collect();
    let expected = 2 * numbers.iter().map(|number| number * number).sum::<u64>();
    let task = Task::new("maths#1", "fan_out").arg(&numbers);
    let (served, value) = beside(maths(&kit), kit.result::<u64>(task)).await;
    assert_eq!(value, Ok(expected));
    assert_eq!((served.done, served.lost, served.handed_back), (103, 0, 0));
}

#[tokio::test]
async fn wfl_2_a_start_with_a_key_is_made_once_and_processes_are_looked_after() {
    let kit = Kit::start();
    let workflow = kit.client.workflow();
    let start = |key: &str| Start::new("test", Task::new("maths#1", "sum").arg(2)).key(key).custom_id("mine");
    let first = workflow.start(&start("a")).await.unwrap();
    assert_eq!(workflow.start(&start("a")).await.unwrap(), first);
    let like = workflow.start_like(&first).await.unwrap();
    assert_ne!(like, first);
    workflow.abort(&like, "not wanted").await.unwrap();
    assert_eq!(kit.ended(&like).await.result::<u64>().unwrap_err().class, "Aborted");
    let work = async {
        let before = kit.ended(&first).await.result::<u64>();
        workflow.restart(&first).await.unwrap();
        workflow.restart(&like).await.unwrap();
        (before, kit.ended(&first).await.result::<u64>(), kit.ended(&like).await.result::<u64>())
    };
    assert_eq!(beside(maths(&kit), work).await.1, (Ok(2), Ok(2), Ok(2)));
    let shown = workflow.process(&first).await.unwrap();
    assert_eq!((shown.kind.as_str(), shown.custom_id.as_deref()), ("test", Some("mine")));
}

/// Fails as often as it is told to.
async fn falter(work: Work, times: i64) -> Result<i64, Failure> {
    if work.attempt() <= times {
        return Err(Failure::new("Busy", format!("attempt {}", work.attempt())));
    }
    Ok(work.attempt())
}

async fn bear(mut plan: Plan) -> Result<Outcome, Failure> {
    let again = Retry::linear(Duration::from_millis(1)).attempts(2);
    let failed = plan.add(Task::new("weak#1", "falter").arg(5).retry(again).accept_fail());
    let told = plan.add(Task::new("weak#1", "tell").arg(&failed));
    Ok(plan.result(&told))
}

async fn tell(failed: Tried<i64>) -> Result<String, Failure> {
    Ok(failed.0.unwrap_err().to_string())
}

async fn tumble(text: String) -> Result<(), Failure> {
    panic!("fell over {text}");
}

#[tokio::test]
async fn wfl_8_errors_are_tried_again_borne_or_break_the_process() {
    let kit = Kit::start();
    let weak =
        Worker::new(&kit.client, "weak#1").on("falter", falter).on("bear", bear).on("tell", tell).on("tumble", tumble);
    let again = Retry::exponential(Duration::from_millis(1)).attempts(5).on(&["Busy"]);
    let work = async {
        let task = Task::new("weak#1", "falter").arg(3).retry(again);
        assert_eq!(kit.result::<i64>(task).await, Ok(4));
        assert_eq!(kit.result::<String>(Task::new("weak#1", "bear")).await, Ok("Busy: attempt 2".to_owned()));
        let panicked = kit.result::<()>(Task::new("weak#1", "tumble").arg("a stone")).await.unwrap_err();
        assert_eq!((panicked.class.as_str(), panicked.message.as_str()), ("Panic", "fell over a stone"));
        let class = |failure: Failure| failure.class;
        let unknown = Task::new("weak#1", "nothing");
        assert_eq!(kit.result::<()>(unknown).await.map_err(class), Err("UnknownMethod".to_owned()));
        let bad = Task::new("weak#1", "falter").arg("three");
        assert_eq!(kit.result::<()>(bad).await.map_err(class), Err("BadArguments".to_owned()));
    };
    beside(weak, work).await;
}

async fn refer_to_nothing(plan: Plan) -> Result<Outcome, Failure> {
    Ok(plan.result(Promise::of_task("nothing")))
}

async fn wait_for_itself(mut plan: Plan) -> Result<Outcome, Failure> {
    let task = Task::new("odd#1", "x").named("a").wait_for([&Promise::of_task("a")]);
    plan.add(task);
    Ok(plan.done())
}

#[tokio::test]
async fn wfl_5_a_decision_that_cannot_be_ends_its_task_with_an_error() {
    let kit = Kit::start();
    let odd = Worker::new(&kit.client, "odd#1").on("refer", refer_to_nothing).on("cycle", wait_for_itself);
    let work = async {
        for method in ["refer", "cycle"] {
            let failure = kit.result::<()>(Task::new("odd#1", method)).await.unwrap_err();
            assert_eq!(failure.class, "RefusedResult", "{method}: {failure}");
        }
    };
    assert_eq!(beside(odd, work).await.0.lost, 2);
}

async fn wait_for_all(mut plan: Plan) -> Result<Outcome, Failure> {
    let said = plan.add(Task::signal("said"));
    let never = plan.add(Task::signal("never").timeout(Duration::from_millis(50)).accept_fail());
    let timer = plan.add(Task::timer(Duration::from_millis(5)));
    let child = plan.add(Task::process(&Start::new("child", Task::new("maths#1", "sum").arg(3).arg(4))));
    let gather = Task::new("patient#1", "gather").arg(&said).arg(&never).arg(&child).wait_for([&timer]);
    let gather = plan.add(gather);
    Ok(plan.result(&gather))
}

async fn gather(said: String, never: Tried<()>, child: u64) -> Result<(String, String, u64), Failure> {
    Ok((said, never.0.unwrap_err().class, child))
}

#[tokio::test]
async fn wfl_9_signals_timers_and_processes_are_waited_for() {
    let kit = Kit::start();
    let patient = Worker::new(&kit.client, "patient#1").on("begin", wait_for_all).on("gather", gather);
    let work = async {
        let process = kit.begin(Task::new("patient#1", "begin")).await;
        kit.client.workflow().signal(&process, "said", &"yes").await.unwrap();
        kit.ended(&process).await.result::<(String, String, u64)>()
    };
    let (_, (_, value)) = beside(maths(&kit), beside(patient, work)).await;
    assert_eq!(value, Ok(("yes".into(), "TaskTimeout".into(), 7)));
}

#[tokio::test]
async fn wfl_1_a_task_list_is_a_queue_of_its_own() {
    let kit = Kit::start();
    let north = maths(&kit).task_list("north").named("north");
    let work = async {
        let own = kit.begin(Task::new("maths#1", "sum").arg(1)).await;
        assert_eq!(kit.result::<u64>(Task::new("maths#1", "sum").arg(2).task_list("north")).await, Ok(2));
        kit.client.workflow().process(&own).await.unwrap().result::<u64>().unwrap_err().class
    };
    assert_eq!(beside(north, work).await.1, "Active");
}
