//! Room for outside calls (KER-16): so many of one kind, and so many of those to one target, so that targets which hang leave
//! room for the others.

use std::collections::BTreeMap;

use base::Call;

/// Shortest and longest pause of a task that found no room.
const PAUSE_MS: (u64, u64) = (1_000, 60_000);
/// So many of those who found no room come back in a second.
const COME_BACK_PER_S: u64 = 100;

/// Where a call goes, as far as room is counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    kind: &'static str,
    target: String,
}

impl Place {
    pub(super) fn of(call: &Call) -> Self {
        match call {
            Call::Http(call) => Self { kind: "http", target: origin(&call.url).to_owned() },
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

/// Calls under way.
#[derive(Debug)]
pub(super) struct Calls {
    max: usize,
    per_target_max: usize,
    kinds: BTreeMap<&'static str, usize>,
    targets: BTreeMap<Place, usize>,
    /// Who found no room since a call to the target ended.
    refused: BTreeMap<Place, u64>,
}

impl Calls {
    pub(super) fn new(max: usize, per_target_max: usize) -> Self {
        Self { max, per_target_max, kinds: BTreeMap::new(), targets: BTreeMap::new(), refused: BTreeMap::new() }
    }

    /// Takes room, or says how long to stay away: the longer the more others stay away too.
    pub(super) fn enter(&mut self, place: &Place) -> Result<(), u64> {
        let kind = self.kinds.entry(place.kind).or_default();
        let target = self.targets.get(place).copied().unwrap_or(0);
        if *kind >= self.max || target >= self.per_target_max {
            let refused = self.refused.entry(place.clone()).or_default();
            *refused += 1;
            return Err((*refused * 1_000 / COME_BACK_PER_S).clamp(PAUSE_MS.0, PAUSE_MS.1));
        }
        *kind += 1;
        *self.targets.entry(place.clone()).or_default() += 1;
        Ok(())
    }

    /// Gives room back.
    pub(super) fn leave(&mut self, place: &Place) {
        if let Some(kind) = self.kinds.get_mut(place.kind) {
            *kind -= 1;
        }
        if let Some(target) = self.targets.get_mut(place) {
            *target -= 1;
            if *target == 0 {
                self.targets.remove(place);
            }
        }
        self.refused.remove(place);
    }

    /// Calls under way.
    pub(super) fn count(&self) -> usize {
        self.kinds.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(target: &str) -> Place {
        Place { kind: "http", target: target.into() }
    }

    #[test]
    fn ker_16_a_target_that_hangs_leaves_room_for_the_others() {
        let mut calls = Calls::new(5, 2);
        assert!(calls.enter(&place("a")).is_ok() && calls.enter(&place("a")).is_ok());
        assert_eq!(calls.enter(&place("a")), Err(1_000));
        assert!(
            calls.enter(&place("b")).is_ok() && calls.enter(&place("c")).is_ok() && calls.enter(&place("d")).is_ok()
        );
        assert!(calls.enter(&place("e")).is_err(), "all room of the kind is taken");
        assert!(calls.enter(&Place { kind: "mail", target: String::new() }).is_ok());
        calls.leave(&place("a"));
        assert!(calls.enter(&place("e")).is_ok());
        assert_eq!(calls.count(), 6);
    }

    #[test]
    fn ker_16_the_more_find_no_room_the_longer_they_stay_away() {
        let mut calls = Calls::new(1, 1);
        assert!(calls.enter(&place("a")).is_ok());
        let pauses: Vec<u64> = (0..10_000).filter_map(|_| calls.enter(&place("a")).err()).collect();
        assert_eq!((pauses[0], pauses[499], pauses[9_999]), (1_000, 5_000, 60_000));
        calls.leave(&place("a"));
        assert!(calls.enter(&place("a")).is_ok());
        assert_eq!(calls.enter(&place("a")), Err(1_000), "counted anew");
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
