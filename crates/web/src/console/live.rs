//! What keeps pages up to date (CON-2): server-sent events that say "look again", at most one a second while something commits, and
//! one every few seconds anyway, because other nodes commit too and time passes by itself.
//!
//! The event carries nothing: the script fetches the page again and takes over what changed in its live parts. So a page is written
//! once, and a lost event costs a few seconds.

use axum::http::HeaderMap;
use base::Ran;
use kernel::{Out, Role, Session, SessionDef, SessionEvent, Watch, events};

use super::page::{Page, PageResult};
use super::visit::Console;

/// Between two events while something commits.
const PACE_MS: u64 = 1_000;
/// Between two events at rest.
const REST_MS: u64 = 5_000;
/// The timer of the next event.
const NEXT: u64 = 7;

pub(super) fn pages() -> Vec<Page> {
    vec![Page::new("/console/{ns}/_live", live).roles(&Role::ALL)]
}

async fn live(console: Console, headers: HeaderMap) -> PageResult {
    console.sse(&headers, &LIVE, vec![])
}

const LIVE: SessionDef = SessionDef { name: "console.live", open: |_, _| Box::new(Live::default()) };

#[derive(Default)]
struct Live {
    told_at: u64,
    /// Whether something committed since the last event.
    stale: bool,
}

impl Session for Live {
    fn on(&mut self, event: SessionEvent, now: Ran) -> Vec<Out> {
        match event {
            SessionEvent::Message(_) => self.begin(now),
            SessionEvent::Wake => self.woken(now),
            SessionEvent::Timer(_) => self.tell(now),
            SessionEvent::Ended { .. } | SessionEvent::Gone => vec![],
            SessionEvent::Bytes { .. } | SessionEvent::News(_) | SessionEvent::Sent => vec![],
            SessionEvent::Stopping => events::stopping(),
        }
    }
}

impl Live {
    fn begin(&mut self, now: Ran) -> Vec<Out> {
        self.told_at = now.0;
        vec![Out::Reply(b"retry: 1000\n\n".to_vec()), Out::Watch(Watch::Commits), next(REST_MS)]
    }

    /// The first commit after an event moves the next one forward; those behind it change nothing.
    fn woken(&mut self, now: Ran) -> Vec<Out> {
        if std::mem::replace(&mut self.stale, true) {
            return vec![];
        }
        vec![next(PACE_MS.saturating_sub(now.0.saturating_sub(self.told_at)))]
    }

    fn tell(&mut self, now: Ran) -> Vec<Out> {
        (self.told_at, self.stale) = (now.0, false);
        vec![Out::Reply(b"event: look\ndata: again\n\n".to_vec()), next(REST_MS)]
    }
}

fn next(after_ms: u64) -> Out {
    Out::Timer { number: NEXT, after_ms }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timer(out: &[Out]) -> Option<u64> {
        out.iter().find_map(|out| match out {
            Out::Timer { number: NEXT, after_ms } => Some(*after_ms),
            _ => None,
        })
    }

    #[test]
    fn con_2_a_busy_namespace_is_told_once_a_second_and_a_quiet_one_seldom() {
        let mut live = Live::default();
        let out = live.on(SessionEvent::Message(vec![]), Ran(10_000));
        assert!(out.contains(&Out::Watch(Watch::Commits)));
        assert_eq!(timer(&out), Some(REST_MS));
        assert_eq!(timer(&live.on(SessionEvent::Wake, Ran(10_300))), Some(700), "a second after the last one");
        assert_eq!(live.on(SessionEvent::Wake, Ran(10_400)), [], "one of many");
        let told = live.on(SessionEvent::Timer(NEXT), Ran(11_000));
        assert!(matches!(&told[0], Out::Reply(text) if text.starts_with(b"event: look")));
        assert_eq!(timer(&told), Some(REST_MS));
        assert_eq!(timer(&live.on(SessionEvent::Wake, Ran(14_000))), Some(0), "at once after a rest");
    }
}
