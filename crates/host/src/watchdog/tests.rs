//! The watchdog with a clock that the test moves.

use std::sync::mpsc::channel;

use super::*;
use base::Wall;

/// Each look makes it a second later.
#[derive(Default)]
struct Hasty(AtomicU64);

impl Clock for Hasty {
    fn wall(&self) -> Wall {
        Wall(0)
    }

    fn monotonic_us(&self) -> u64 {
        0
    }

    fn ran_ms(&self) -> u64 {
        self.0.fetch_add(1_000, Ordering::Relaxed)
    }
}

fn watchdog() -> (Watchdog, Receiver<String>) {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let end = move |text: &str| drop(tell.lock().unwrap().send(text.to_owned()));
    (Watchdog::start(Arc::new(Hasty::default()), Box::new(end)), told)
}

#[test]
fn ker_47_a_part_that_does_not_answer_is_named_with_what_it_says_and_all_threads() {
    let (watchdog, told) = watchdog();
    let _good = watchdog.watch(Subject::new("good", "none", Box::new(|answer| answer())));
    let about = Box::new(|| "7 jobs wait".to_owned());
    let _bad = watchdog.watch(Subject { about, ..Subject::new("bad", "none", Box::new(drop)) });
    let text = told.recv_timeout(Duration::from_secs(60)).expect("a diagnosis");
    assert!(text.starts_with("bad neither answered nor moved for 1"), "{text}");
    assert!(text.contains("bad: 7 jobs wait") && text.contains("  watchdog "), "{text}");
}

#[test]
fn ker_47_a_part_whose_question_blocks_for_ever_is_found_too() {
    let (watchdog, told) = watchdog();
    let (held, hold) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let guard = held.lock().unwrap();
    let (asked, looked) = (held.clone(), held.clone());
    let ask = Box::new(move |_: Answer| drop(asked.lock()));
    let about = Box::new(move || format!("{:?}", looked.lock()));
    let _stuck = watchdog.watch(Subject { about, ..Subject::new("locked", "none", ask) });
    let text = told.recv_timeout(Duration::from_secs(60)).expect("a diagnosis, though nobody may ask");
    assert!(text.starts_with("locked neither"), "{text}");
    drop((guard, hold));
}

#[test]
fn ker_47_a_heart_that_stops_is_found_and_one_that_is_dropped_is_not_missed() {
    let (watchdog, told) = watchdog();
    drop(watchdog.heart("gone", "none"));
    let heart = watchdog.heart("still", "none");
    heart.beat();
    let text = told.recv_timeout(Duration::from_secs(60)).expect("a diagnosis");
    assert!(text.starts_with("still neither"), "{text}");
}
