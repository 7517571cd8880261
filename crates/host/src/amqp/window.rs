//! Which deliveries of one channel are done, and what may be acknowledged of them: pure.
//!
//! Tags are numbers from 1 on without gaps. One frame acknowledges all up to a tag, so the usual case costs one frame for many
//! deliveries; only what is done behind one that must come again is acknowledged by itself.

use std::collections::VecDeque;

/// A frame to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Acknowledge {
    pub(super) tag: u64,
    /// All up to the tag, or this one alone.
    pub(super) multiple: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Waiting,
    /// It waits, and what is behind it must not wait for it.
    Held,
    /// Not yet acknowledged.
    Done,
    Acknowledged,
}

/// Deliveries that are not yet done, and those behind them.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// Tag of the first place, less one: the last that is done with all before it.
    through: u64,
    places: VecDeque<Place>,
    held: usize,
}

impl Window {
    /// The next delivery came. Says its tag.
    pub(super) fn delivered(&mut self) -> u64 {
        self.places.push_back(Place::Waiting);
        self.last()
    }

    /// The tag of the last delivery.
    pub(super) fn last(&self) -> u64 {
        self.through + self.places.len() as u64
    }

    /// How many are not done.
    pub(super) fn waiting(&self) -> usize {
        self.places.iter().filter(|place| matches!(place, Place::Waiting | Place::Held)).count()
    }

    /// Whether all up to this tag are done.
    pub(super) fn is_done_through(&self, tag: u64) -> bool {
        self.through >= tag
    }

    /// This one is done.
    pub(super) fn done(&mut self, tag: u64) {
        if let Some(place) = self.place(tag)
            && matches!(place, Place::Waiting | Place::Held)
        {
            let was_held = *place == Place::Held;
            *place = Place::Done;
            self.held -= usize::from(was_held);
        }
    }

    /// This one must come again.
    pub(super) fn hold(&mut self, tag: u64) {
        if let Some(place) = self.place(tag)
            && *place == Place::Waiting
        {
            *place = Place::Held;
            self.held += 1;
        }
    }

    /// What can be acknowledged now; to be sent in this order.
    pub(super) fn acknowledge(&mut self) -> Vec<Acknowledge> {
        let mut frames: Vec<Acknowledge> = self.leave_front().into_iter().collect();
        if self.held > 0 {
            frames.extend(self.leave_behind());
        }
        frames
    }

    /// Lets go what is done at the front: one frame for all.
    fn leave_front(&mut self) -> Option<Acknowledge> {
        let mut last = None;
        while let Some(place @ (Place::Done | Place::Acknowledged)) = self.places.front().copied() {
            self.places.pop_front();
            self.through += 1;
            if place == Place::Done {
                last = Some(self.through);
            }
        }
        last.map(|tag| Acknowledge { tag, multiple: true })
    }

    /// What is done behind one that is held.
    fn leave_behind(&mut self) -> Vec<Acknowledge> {
        let first = self.places.iter().position(|place| *place == Place::Held).unwrap_or(self.places.len());
        let mut frames = vec![];
        for (at, place) in self.places.iter_mut().enumerate().skip(first) {
            if *place == Place::Done {
                *place = Place::Acknowledged;
                frames.push(Acknowledge { tag: self.through + 1 + at as u64, multiple: false });
            }
        }
        frames
    }

    fn place(&mut self, tag: u64) -> Option<&mut Place> {
        let at = tag.checked_sub(self.through + 1)?;
        self.places.get_mut(usize::try_from(at).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(count: u64) -> Window {
        let mut window = Window::default();
        assert_eq!((1..=count).map(|_| window.delivered()).collect::<Vec<_>>(), (1..=count).collect::<Vec<_>>());
        window
    }

    fn all_to(tag: u64) -> Acknowledge {
        Acknowledge { tag, multiple: true }
    }

    fn only(tag: u64) -> Acknowledge {
        Acknowledge { tag, multiple: false }
    }

    #[test]
    fn sen_2_one_frame_acknowledges_all_that_are_done_from_the_front() {
        let mut window = window(10);
        (4..=6).for_each(|tag| window.done(tag));
        assert_eq!(window.acknowledge(), [], "the first three are not done");
        (1..=3).for_each(|tag| window.done(tag));
        assert_eq!(window.acknowledge(), [all_to(6)]);
        assert_eq!(window.acknowledge(), [], "once");
        assert!(window.is_done_through(6) && !window.is_done_through(7));
        assert_eq!((window.waiting(), window.last(), window.delivered()), (4, 10, 11));
    }

    #[test]
    fn sen_2_what_is_done_behind_a_held_one_does_not_wait_for_it() {
        let mut window = window(6);
        [1, 3, 5].into_iter().for_each(|tag| window.done(tag));
        window.hold(4);
        assert_eq!(window.acknowledge(), [all_to(1), only(5)], "3 stands behind 2, which is on its way");
        window.done(2);
        assert_eq!(window.acknowledge(), [all_to(3)]);
        window.done(6);
        assert_eq!(window.acknowledge(), [only(6)]);
        assert!(!window.is_done_through(4));
        window.done(4);
        assert_eq!(window.acknowledge(), [all_to(4)], "5 and 6 are acknowledged already");
        assert!(window.is_done_through(6) && window.waiting() == 0);
    }

    #[test]
    fn sen_2_nothing_is_acknowledged_twice_or_before_it_is_done() {
        let mut window = window(3);
        window.done(9);
        window.done(0);
        window.hold(2);
        window.hold(2);
        window.done(2);
        window.done(2);
        assert_eq!(window.acknowledge(), []);
        window.done(1);
        assert_eq!(window.acknowledge(), [all_to(2)]);
    }
}
