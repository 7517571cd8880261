//! Room for outside calls (KER-16): so many of one kind, and so many of those to one target, so that targets which hang leave
//! room for the others. Pure: told the time, answers who goes, who waits and who stays away for how long.
//!
//! The room of a target that is told something grows with trust (SEN-9): it begins small, doubles with every call that is answered
//! quickly and is small again as soon as one is not answered. While one of its calls is unanswered for longer than that, or half
//! of all room is taken, no target gets more than the small room: so those that hang, however many tasks go to them, hold a few
//! calls each. Work that takes minutes by its nature has the whole room from the beginning and is counted as a kind of its own.
//!
//! Who finds no room waits in a short line for a moment, for most calls are over in no time. Where the line is full, or the target is
//! known to answer badly, the task goes back to the store: those of one target come back one after the other, and the more
//! targets answer badly the more slowly, so that all of them together are no storm.

use std::collections::{BTreeMap, VecDeque};

use base::Call;

/// Room of a target that nobody knows yet.
const SMALL_ROOM: usize = 2;
/// A call that is answered within this time earns trust.
const QUICK_MS: u64 = 1_000;
/// Calls that are given more time than this are long work, not a message.
const MESSAGE_MS: u64 = 30_000;
/// Those who wait for room of one target.
const LINE_MAX: usize = 32;
/// They wait no longer than this.
pub(super) const LINE_MS: u64 = 2_000;
/// Shortest and longest pause of a task that found no room where it may be had soon, and one after the other by this.
const SOON_MS: (u64, u64, u64) = (100, 60_000, 1);
/// The same where a target answers badly; the last for all of these targets together.
const LATER_MS: (u64, u64, u64) = (1_000, 300_000, 10);
/// How often those are counted.
const COUNT_EVERY_MS: u64 = 100;
/// Targets that are remembered while nothing is under way to them.
const REMEMBERED_MAX: usize = 10_000;

/// Where a call goes, as far as room is counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    kind: &'static str,
    target: String,
}

/// Room that a call has: whoever got it gives it back as it is. When the call began is what it is known by.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Seat {
    place: Place,
    begun: u64,
}

/// The kind of calls whose room grows with trust.
const MESSAGE: &str = "message";

impl Place {
    pub(super) fn of(call: &Call) -> Self {
        match call {
            Call::Http(call) => {
                let kind = if call.timeout_ms <= MESSAGE_MS { MESSAGE } else { "http" };
                Self { kind, target: origin(&call.url).to_owned() }
            }
            Call::Mail(_) => Self { kind: "mail", target: String::new() },
            Call::Work(call) => Self { kind: "work", target: call.name.to_owned() },
        }
    }
}

/// Scheme and authority of a URL.
fn origin(url: &str) -> &str {
    let from = url.find("://").map_or(0, |at| at + 3);
    let length = url[from..].find(['/', '?', '#']).unwrap_or(url.len() - from);
    &url[..from + length]
}

/// What becomes of somebody who wants to call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entered<T> {
    /// The call may be made now.
    Goes(T, Seat),
    /// It waits under this number.
    Waits(u64),
    /// It has to come back after so many milliseconds.
    Away(T, u64),
}

/// A target of calls.
#[derive(Debug)]
struct Target<T> {
    room: usize,
    /// Whether the last call that ended was not answered, and took its time.
    failed: bool,
    /// When the calls under way began.
    begun: Vec<u64>,
    line: VecDeque<(u64, T)>,
    /// When the last one of those who are away comes back.
    back_at: u64,
}

impl<T> Target<T> {
    fn is_idle(&self) -> bool {
        self.begun.is_empty() && self.line.is_empty()
    }

    fn is_bad(&self, now: u64) -> bool {
        self.failed || self.hangs(now)
    }

    fn hangs(&self, now: u64) -> bool {
        self.begun.iter().any(|begun| now.saturating_sub(*begun) > QUICK_MS)
    }
}

/// Calls under way and those who wait for room.
#[derive(Debug)]
pub(super) struct Calls<T> {
    max: usize,
    per_target_max: usize,
    kinds: BTreeMap<&'static str, usize>,
    targets: BTreeMap<Place, Target<T>>,
    number: u64,
    /// How many targets answered badly, and when they were counted.
    bad: Option<(u64, u64)>,
}

impl<T> Calls<T> {
    pub(super) fn new(max: usize, per_target_max: usize) -> Self {
        Self { max, per_target_max, kinds: BTreeMap::new(), targets: BTreeMap::new(), number: 0, bad: None }
    }

    /// Somebody wants to call.
    pub(super) fn enter(&mut self, place: &Place, who: T, now: u64) -> Entered<T> {
        let small = self.small_room(place);
        let known = self.targets.entry(place.clone()).or_insert_with(|| Target::new(small));
        let (may_wait, number) = (!known.failed && known.line.len() < LINE_MAX, self.number);
        // Whoever waits already goes first.
        if known.line.is_empty() && self.has_room(place, now) {
            return Entered::Goes(who, self.begin(place, now));
        }
        if !may_wait {
            return Entered::Away(who, self.pause_ms(place, now));
        }
        self.number += 1;
        if let Some(target) = self.targets.get_mut(place) {
            target.line.push_back((number, who));
        }
        Entered::Waits(number)
    }

    /// A call is over. Says who goes now.
    pub(super) fn leave(&mut self, Seat { place, begun }: Seat, now: u64, answered: bool) -> Vec<(T, Seat)> {
        let place = &place;
        let small = self.small_room(place);
        let was_tight = self.is_tight(place.kind);
        if let Some(under_way) = self.kinds.get_mut(place.kind) {
            *under_way -= 1;
        }
        if let Some(target) = self.targets.get_mut(place) {
            target.end(begun, now, answered, (small, self.per_target_max));
        }
        let mut going = self.called_up(place, now);
        if was_tight {
            let others: Vec<Place> = self.in_line(place.kind);
            going.extend(others.iter().flat_map(|other| self.called_up(other, now)).collect::<Vec<_>>());
        }
        self.forget(place, now);
        going
    }

    /// Somebody waited long enough. Says for how long to stay away; `None` if it goes already.
    pub(super) fn withdraw(&mut self, place: &Place, number: u64, now: u64) -> Option<(T, u64)> {
        let target = self.targets.get_mut(place)?;
        let at = target.line.iter().position(|(waits, _)| *waits == number)?;
        let (_, who) = target.line.remove(at)?;
        Some((who, self.pause_ms(place, now)))
    }

    /// Calls under way.
    pub(super) fn count(&self) -> usize {
        self.kinds.values().sum()
    }

    fn small_room(&self, place: &Place) -> usize {
        if place.kind == MESSAGE { SMALL_ROOM.min(self.per_target_max) } else { self.per_target_max }
    }

    /// Whether so much is under way that nobody gets more than the small room.
    fn is_tight(&self, kind: &'static str) -> bool {
        self.kinds.get(kind).copied().unwrap_or(0) * 2 >= self.max
    }

    fn has_room(&self, place: &Place, now: u64) -> bool {
        let under_way = self.kinds.get(place.kind).copied().unwrap_or(0);
        let Some(target) = self.targets.get(place) else { return under_way < self.max };
        let small = self.is_tight(place.kind) || target.hangs(now);
        let room = if small { self.small_room(place) } else { target.room };
        under_way < self.max && target.begun.len() < room
    }

    fn begin(&mut self, place: &Place, now: u64) -> Seat {
        *self.kinds.entry(place.kind).or_default() += 1;
        if let Some(target) = self.targets.get_mut(place) {
            target.begun.push(now);
        }
        Seat { place: place.clone(), begun: now }
    }

    /// Those of the line for whom there is room now.
    fn called_up(&mut self, place: &Place, now: u64) -> Vec<(T, Seat)> {
        let mut going = vec![];
        while self.has_room(place, now) {
            let Some((_, who)) = self.targets.get_mut(place).and_then(|target| target.line.pop_front()) else { break };
            going.push((who, self.begin(place, now)));
        }
        going
    }

    fn in_line(&self, kind: &'static str) -> Vec<Place> {
        let waits = |(place, target): (&Place, &Target<T>)| {
            (place.kind == kind && !target.line.is_empty()).then(|| place.clone())
        };
        self.targets.iter().filter_map(waits).collect()
    }

    fn pause_ms(&mut self, place: &Place, now: u64) -> u64 {
        let many_bad = self.count_bad(now);
        let Some(target) = self.targets.get_mut(place) else { return SOON_MS.0 };
        let ((shortest, longest, apart), times) =
            if target.is_bad(now) { (LATER_MS, many_bad.max(1)) } else { (SOON_MS, 1) };
        target.back_at = (target.back_at + apart * times).clamp(now + shortest, now + longest);
        target.back_at - now
    }

    /// Looked at now and then only: there may be thousands of targets.
    fn count_bad(&mut self, now: u64) -> u64 {
        if let Some((many, counted_at)) = self.bad
            && now < counted_at + COUNT_EVERY_MS
        {
            return many;
        }
        let many = self.targets.values().filter(|target| target.is_bad(now)).count() as u64;
        self.bad = Some((many, now));
        many
    }

    /// Nothing is remembered of a target that is as if it were new, and not of too many others.
    fn forget(&mut self, place: &Place, now: u64) {
        let small = self.small_room(place);
        let as_new = |target: &Target<T>| target.room == small && !target.failed && target.back_at <= now;
        if self.targets.get(place).is_some_and(|target| target.is_idle() && as_new(target)) {
            self.targets.remove(place);
        }
        if self.targets.len() > REMEMBERED_MAX {
            self.targets.retain(|_, target| !target.is_idle());
        }
    }
}

impl<T> Target<T> {
    fn new(room: usize) -> Self {
        Self { room, failed: false, begun: vec![], line: VecDeque::new(), back_at: 0 }
    }

    /// Trust grows with a quick answer and is gone without one.
    fn end(&mut self, begun: u64, now: u64, answered: bool, (small, most): (usize, usize)) {
        if let Some(at) = self.begun.iter().position(|known| *known == begun) {
            self.begun.swap_remove(at);
        }
        let quick = now.saturating_sub(begun) <= QUICK_MS;
        // A refusal that comes at once holds no room: only silence does.
        self.failed = !answered && !quick;
        self.room = match (answered, quick) {
            (true, true) => (self.room * 2).min(most),
            (false, true) => self.room,
            (true, false) => (self.room / 2).max(small),
            (false, false) => small,
        };
        if answered {
            self.back_at = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(target: &str) -> Place {
        Place { kind: MESSAGE, target: target.into() }
    }

    fn seat(target: &str, begun: u64) -> Seat {
        Seat { place: place(target), begun }
    }

    fn goes(calls: &mut Calls<u32>, target: &str, now: u64) -> bool {
        matches!(calls.enter(&place(target), 0, now), Entered::Goes(..))
    }

    /// Lets some go and answers them at once.
    fn trusted(calls: &mut Calls<u32>, target: &str, now: u64) {
        for _ in 0..5 {
            assert!(goes(calls, target, now));
            calls.leave(seat(target, now), now + 1, true);
        }
    }

    #[test]
    fn ker_16_a_target_that_hangs_leaves_room_for_the_others() {
        let mut calls = Calls::new(5, 2);
        assert!(goes(&mut calls, "a", 0) && goes(&mut calls, "a", 0) && !goes(&mut calls, "a", 0));
        assert!(goes(&mut calls, "b", 0) && goes(&mut calls, "c", 0) && goes(&mut calls, "d", 0));
        assert!(!goes(&mut calls, "e", 0), "all room of the kind is taken");
        assert!(matches!(calls.enter(&Place { kind: "mail", target: String::new() }, 0, 0), Entered::Goes(..)));
        let going = calls.leave(seat("a", 0), 1, false);
        assert_eq!(going.len(), 1, "the next in line");
        assert_eq!(calls.count(), 6);
    }

    #[test]
    fn sen_9_room_grows_with_quick_answers_and_falls_without_one() {
        let mut calls = Calls::new(512, 32);
        trusted(&mut calls, "a", 0);
        assert_eq!((0..40).filter(|_| goes(&mut calls, "a", 10)).count(), 32);
        assert!(!calls.targets[&place("a")].failed);
        calls.leave(seat("a", 10), 15_010, false);
        assert_eq!(calls.targets[&place("a")].room, SMALL_ROOM);
        for _ in 1..32 {
            calls.leave(seat("a", 10), 15_010, false);
        }
        let waits = calls.targets[&place("a")].line.len();
        assert_eq!((calls.count(), waits), (SMALL_ROOM, 8 - SMALL_ROOM), "the line goes on in the small room");
    }

    #[test]
    fn sen_9_a_hundred_that_hang_hold_two_hundred_calls_though_they_were_trusted() {
        let mut calls = Calls::new(512, 32);
        let names: Vec<String> = (0..100).map(|number| format!("hangs-{number}")).collect();
        names.iter().for_each(|name| trusted(&mut calls, name, 0));
        trusted(&mut calls, "fast", 0);
        let held: usize =
            (0..50).map(|round| names.iter().filter(|name| goes(&mut calls, name, 100 + round * 100)).count()).sum();
        assert!(held <= 256 + 100 * SMALL_ROOM, "{held} of 512");
        assert!(goes(&mut calls, "fast", 6_000) && goes(&mut calls, "fast", 6_000) && goes(&mut calls, "new", 6_000));

        let mut calls = Calls::new(512, 32);
        let held: usize = (0..50).map(|now| names.iter().filter(|name| goes(&mut calls, name, now)).count()).sum();
        assert_eq!(held, 100 * SMALL_ROOM, "those nobody knew before");
    }

    #[test]
    fn sen_9_who_waits_in_line_goes_when_there_is_room_or_stays_away() {
        let mut calls = Calls::new(512, 32);
        assert!(goes(&mut calls, "a", 0) && goes(&mut calls, "a", 0));
        let Entered::Waits(third) = calls.enter(&place("a"), 3, 0) else { panic!("no place in line") };
        let Entered::Waits(fourth) = calls.enter(&place("a"), 4, 0) else { panic!("no place in line") };
        assert_eq!(calls.leave(seat("a", 0), 5, true), vec![(3, seat("a", 5)), (4, seat("a", 5))]);
        assert_eq!((calls.withdraw(&place("a"), third, 9), calls.withdraw(&place("a"), fourth, 9)), (None, None));
        (0..2).for_each(|_| assert!(matches!(calls.enter(&place("a"), 9, 9), Entered::Goes(9, _) | Entered::Waits(_))));
        let Entered::Waits(late) = calls.enter(&place("a"), 5, 9) else { panic!("no place in line") };
        assert_eq!(calls.withdraw(&place("a"), late, 2_009), Some((5, LATER_MS.0)), "it hangs");
    }

    #[test]
    fn ker_16_those_who_found_no_room_come_back_one_after_the_other() {
        let mut calls: Calls<u32> = Calls::new(512, 32);
        let mut pauses = |names: &[&str], many: usize, now: u64| -> Vec<u64> {
            names.iter().for_each(|name| {
                let _ = goes(&mut calls, name, now);
                calls.leave(seat(name, now), now + QUICK_MS + 1, false);
                let _ = (goes(&mut calls, name, now), goes(&mut calls, name, now));
            });
            let away = |entered| if let Entered::Away(_, pause) = entered { pause } else { panic!("not away") };
            (0..many).map(|_| away(calls.enter(&place(names[0]), 0, now))).collect()
        };
        let one = pauses(&["a"], 501, 0);
        assert_eq!((one[0], one[1], one[500]), (1_000, 1_010, 6_000), "a hundred in a second");
        let two = pauses(&["b", "c", "d"], 101, 1_000);
        assert_eq!(two[100], 5_000, "fewer of each where more targets answer badly");
        assert_eq!(pauses(&["e"], 40_000, 2_000)[39_999], 300_000);
    }

    #[test]
    fn ker_16_long_work_has_its_whole_room_at_once() {
        let long = Place { kind: "http", target: "a".into() };
        let mut calls = Calls::new(512, 32);
        let under_way = (0..40).filter(|_| matches!(calls.enter(&long, 0, 0), Entered::Goes(..))).count();
        assert_eq!(under_way, 32);
    }

    #[test]
    fn nothing_is_remembered_of_targets_that_are_as_new() {
        let mut calls = Calls::new(512, 1);
        for number in 0..30_000 {
            let name = number.to_string();
            assert!(goes(&mut calls, &name, 0));
            calls.leave(seat(&name, 0), 0, number % 2 == 0);
        }
        assert!(calls.targets.len() <= REMEMBERED_MAX && calls.count() == 0, "{}", calls.targets.len());
    }

    #[test]
    fn the_origin_of_a_url() {
        for (url, expected) in [
            ("https://a.example:8443/x/y?z", "https://a.example:8443"),
            ("http://a.example", "http://a.example"),
            ("http://a.example?x", "http://a.example"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(origin(url), expected);
        }
    }
}
