//! Who may write a file (FLD-6): one at a time, first come first served.
//!
//! Invariants: whoever leaves, in whatever way, wakes everybody who waits; the first of them has the seat reserved, so that a crowd that is
//! woken together does not take it from the one who waited longest. A reservation lapses by a timer of its own, and what lapses wakes
//! as well: nobody sleeps before a seat that is empty.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// What is said of a file to somebody who asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// It may be had.
    Free,
    /// Somebody else has it: whoever asked is woken when it can be had.
    Blocked,
    /// The change was made from an older version, and cannot be taken.
    Denied,
}

/// The seat of one file. `W`: who somebody is, on whatever connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Seat<W> {
    holder: Option<W>,
    reserved: Option<W>,
    waiting: VecDeque<W>,
}

impl<W> Default for Seat<W> {
    fn default() -> Self {
        Self { holder: None, reserved: None, waiting: VecDeque::new() }
    }
}

impl<W: Clone + PartialEq> Seat<W> {
    /// A seat as it was kept.
    pub fn of(holder: Option<W>, reserved: Option<W>, waiting: impl IntoIterator<Item = W>) -> Self {
        Self { holder, reserved, waiting: waiting.into_iter().collect() }
    }

    /// Who waits, in the order in which they came.
    pub fn waiting(&self) -> impl Iterator<Item = &W> {
        self.waiting.iter()
    }

    /// Who writes.
    pub fn holder(&self) -> Option<&W> {
        self.holder.as_ref()
    }

    /// For whom it is kept free.
    pub fn reserved(&self) -> Option<&W> {
        self.reserved.as_ref()
    }

    /// Nobody has it, wants it or waits for it.
    pub fn is_empty(&self) -> bool {
        self.holder.is_none() && self.reserved.is_none() && self.waiting.is_empty()
    }

    /// Whether somebody may have it now.
    pub fn is_free_for(&self, who: &W) -> bool {
        let is_own = |one: &Option<W>| one.as_ref().is_none_or(|one| one == who);
        is_own(&self.holder) && is_own(&self.reserved)
    }

    /// Somebody writes from now on; the seat is free for them.
    pub fn take(&mut self, who: &W) {
        assert!(self.is_free_for(who), "a seat is taken by somebody for whom it is free");
        self.forget(who);
        self.holder = Some(who.clone());
    }

    /// Somebody asked in vain: they are woken when it is free.
    pub fn wait(&mut self, who: &W) {
        if !self.waiting.contains(who) {
            self.waiting.push_back(who.clone());
        }
    }

    /// It is free, but something else that was asked for with it is not: kept for them for a moment.
    pub fn reserve(&mut self, who: &W) {
        if self.is_free_for(who) && self.holder.is_none() {
            self.reserved = Some(who.clone());
        }
    }

    /// Somebody is done with it, gave up, fell silent or went away. Who is to be woken: all who wait, if it is free now.
    #[must_use]
    pub fn leave(&mut self, who: &W) -> Vec<W> {
        let had = [&self.holder, &self.reserved].into_iter().flatten().any(|one| one == who);
        self.forget(who);
        if had { self.wake() } else { vec![] }
    }

    /// The time of the reservation is over. Who is to be woken.
    #[must_use]
    pub fn lapse(&mut self) -> Vec<W> {
        self.reserved = None;
        self.wake()
    }

    fn forget(&mut self, who: &W) {
        let is_them = |one: &Option<W>| one.as_ref() == Some(who);
        if is_them(&self.holder) {
            self.holder = None;
        }
        if is_them(&self.reserved) {
            self.reserved = None;
        }
        self.waiting.retain(|one| one != who);
    }

    /// All who wait, the first of them with a reservation.
    fn wake(&mut self) -> Vec<W> {
        if self.holder.is_some() {
            return vec![];
        }
        self.reserved = self.waiting.front().cloned();
        self.waiting.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held_by(who: u8, waiting: &[u8]) -> Seat<u8> {
        let mut seat = Seat::default();
        seat.take(&who);
        waiting.iter().for_each(|one| seat.wait(one));
        seat
    }

    #[test]
    fn fld_6_whoever_leaves_wakes_all_and_the_first_has_it_reserved() {
        let mut seat = held_by(1, &[2, 3, 2]);
        assert!(!seat.is_free_for(&2));
        assert_eq!(seat.leave(&1), [2, 3], "each once");
        assert_eq!((seat.is_free_for(&2), seat.is_free_for(&3)), (true, false));
        seat.take(&2);
        assert_eq!(seat.holder(), Some(&2));
    }

    #[test]
    fn fld_6_a_reservation_that_lapses_wakes_those_who_wait_by_then() {
        let mut seat = held_by(1, &[2]);
        let _ = seat.leave(&1);
        seat.wait(&3);
        assert_eq!(seat.lapse(), [3]);
        assert!(seat.is_free_for(&3) && !seat.is_free_for(&2));
        assert_eq!(seat.lapse(), [0; 0]);
        assert!(seat.is_empty());
    }

    #[test]
    fn fld_6_whoever_only_waits_wakes_nobody_by_leaving() {
        let mut seat = held_by(1, &[2, 3]);
        assert_eq!(seat.leave(&2), [0; 0]);
        assert_eq!(seat.leave(&1), [3]);
    }

    #[test]
    fn fld_6_what_is_kept_for_one_is_not_reserved_by_another() {
        let mut seat = Seat::default();
        seat.reserve(&1);
        seat.reserve(&2);
        assert_eq!(seat.reserved(), Some(&1));
        assert_eq!(seat.leave(&1), [0; 0]);
        seat.reserve(&2);
        assert_eq!(seat.reserved(), Some(&2));
    }
}
