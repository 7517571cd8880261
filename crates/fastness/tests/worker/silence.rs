//! Heartbeats, checkpoints, and tasks that are somebody else's by now.

use std::sync::Arc;

use client::workflow::{Event, Failure, Retry, Task, Work, Worker};
use tokio::sync::{Notify, Semaphore};

use crate::kit::{Kit, beside};

#[tokio::test]
async fn wfl_6_heartbeats_keep_a_task_that_takes_far_longer_than_its_time() {
    let kit = Kit::start();
    kit.hasten("slow#1").await;
    let beats = Arc::new(Semaphore::new(0));
    let heard = beats.clone();
    // Ends after nine heartbeats: three times what it may be silent.
    let slow = move |work: Work| {
        let beats = beats.clone();
        async move {
            beats.acquire_many(9).await.unwrap().forget();
            Ok::<_, Failure>(work.attempt())
        }
    };
    let count = move |event: Event<'_>| {
        if let Event::Beaten { .. } = event {
            heard.add_permits(1);
        }
    };
    let worker = Worker::new(&kit.client, "slow#1").on("wait", slow).tell(count);
    let (served, attempt) = beside(worker, kit.result::<i64>(Task::new("slow#1", "wait"))).await;
    assert_eq!((attempt, served.done, served.lost), (Ok(1), 1, 0));
}

/// Tells when it is dropped.
struct Dropped(Arc<Notify>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[tokio::test]
async fn wfl_26_a_function_is_cancelled_when_its_task_is_not_its_own_any_more() {
    let kit = Kit::start();
    kit.hasten("slow#1").await;
    let (begun, dropped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell_begun, tell_dropped) = (begun.clone(), dropped.clone());
    let slow = move |number: u32| {
        let (begun, dropped) = (tell_begun.clone(), Dropped(tell_dropped.clone()));
        async move {
            begun.notify_one();
            std::future::pending::<()>().await;
            drop(dropped);
            Ok::<_, Failure>(number)
        }
    };
    let worker = Worker::new(&kit.client, "slow#1").on("wait", slow);
    let work = async {
        let workflow = kit.client.workflow();
        let process = kit.begin(Task::new("slow#1", "wait").arg(1)).await;
        begun.notified().await;
        workflow.restart(&process).await.unwrap();
        dropped.notified().await;
        begun.notified().await;
        workflow.abort(&process, "enough").await.unwrap();
        dropped.notified().await;
    };
    let (served, ()) = beside(worker, work).await;
    assert_eq!((served.done, served.lost), (0, 2));
}

async fn climb(work: Work) -> Result<(i64, Option<u32>), Failure> {
    let reached = work.checkpoint::<u32>()?;
    if reached.is_none() {
        work.save(&7_u32).await?;
        return Err(Failure::new("Slipped", "after it saved how far it is"));
    }
    Ok((work.attempt(), reached))
}

#[tokio::test]
async fn wfl_26_what_an_attempt_saved_is_there_for_the_next() {
    let kit = Kit::start();
    let worker = Worker::new(&kit.client, "climb#1").on("climb", climb);
    let task = Task::new("climb#1", "climb").retry(Retry::linear(std::time::Duration::ZERO)).key("k");
    let (_, value) = beside(worker, kit.result::<(i64, Option<u32>)>(task)).await;
    assert_eq!(value, Ok((2, Some(7))));
}
