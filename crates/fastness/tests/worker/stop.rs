//! A worker that stops takes nothing new, ends what it has, and hands back what it cannot end.

use std::sync::Arc;
use std::time::Duration;

use client::workflow::{Event, Failure, Task, Work, Worker};
use tokio::sync::{Notify, oneshot};

use crate::kit::{Kit, beside};

/// A function that waits to be let go, and says that it began.
fn held(
    begun: &Arc<Notify>,
    go: &Arc<Notify>,
) -> impl Fn(Work) -> std::pin::Pin<Box<dyn Future<Output = Result<i64, Failure>> + Send>> + Send + Sync + 'static {
    let (begun, go) = (begun.clone(), go.clone());
    move |work: Work| {
        let (begun, go) = (begun.clone(), go.clone());
        Box::pin(async move {
            begun.notify_one();
            go.notified().await;
            Ok(work.attempt())
        })
    }
}

#[tokio::test]
async fn wfl_1_what_is_in_work_ends_before_a_worker_stops() {
    let kit = Kit::start();
    let (begun, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let worker = Worker::new(&kit.client, "slow#1").on("wait", held(&begun, &go));
    let (stop, stopped) = oneshot::channel::<()>();
    let process = kit.begin(Task::new("slow#1", "wait")).await;
    let work = async {
        begun.notified().await;
        drop(stop);
        go.notify_one();
    };
    let stopped = async { drop(stopped.await) };
    let (served, ()) = tokio::join!(worker.run(stopped), work);
    assert_eq!(served.unwrap().done, 1);
    assert_eq!(kit.ended(&process).await.result::<i64>(), Ok(1));
}

#[tokio::test]
async fn wfl_1_what_does_not_end_in_time_is_handed_back_and_done_by_the_next_at_once() {
    let kit = Kit::start();
    let (begun, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    // Of this actor nothing has to be heard for a minute.
    let first = Worker::new(&kit.client, "slow#1").on("wait", held(&begun, &go)).grace(Duration::ZERO);
    let process = kit.begin(Task::new("slow#1", "wait")).await;
    let (served, ()) = beside(first, begun.notified()).await;
    assert_eq!((served.done, served.handed_back), (0, 1));
    go.notify_one();
    let next = Worker::new(&kit.client, "slow#1").on("wait", held(&begun, &go));
    assert_eq!(beside(next, kit.ended(&process)).await.1.result::<i64>(), Ok(2));
}

#[tokio::test]
async fn wfl_1_a_worker_takes_as_many_tasks_as_it_has_hands() {
    let kit = Kit::start();
    let given = Arc::new(Notify::new());
    let (begun, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let tell = given.clone();
    let worker = Worker::new(&kit.client, "slow#1").on("wait", held(&begun, &go)).concurrency(3).tell(move |event| {
        if let Event::Given { .. } = event {
            tell.notify_one();
        }
    });
    let mut processes = vec![];
    for _ in 0..4 {
        processes.push(kit.begin(Task::new("slow#1", "wait")).await);
    }
    let work = async {
        // Three at once; the fourth comes when one has ended.
        begun.notified().await;
        let in_work = kit.client.call(client::Request::get(&["workflow", "actors", "slow#1"])).await.unwrap().value;
        assert_eq!(in_work["waiting"], 1, "{in_work}");
        for process in &processes {
            while kit.client.workflow().process(process).await.unwrap().state == client::workflow::State::Active {
                go.notify_one();
            }
        }
    };
    assert_eq!(beside(worker, work).await.0.done, 4);
}
