//! Doors that are only played: where they are, and what they do next. Pure: the same seed plays the same.
//!
//! People come and go: a closed door opens now and then and is closed again soon. A few sensors fall silent for good half-way, as
//! with an empty battery; and one building does for a while in the middle, as with a gateway that lost its power.

/// Places with their streets.
const CITIES: [(&str, [&str; 3]); 5] = [
    ("Moscow, Russia", ["Svobody st. 23", "Tverskaya st. 7", "Arbat st. 12"]),
    ("Kazan, Russia", ["Baumana st. 5", "Pushkina st. 46", "Kremlyovskaya st. 18"]),
    ("Lyon, France", ["Rue Bugeaud 4", "Quai Perrache 31", "Rue Garibaldi 120"]),
    ("Geneva, Switzerland", ["Rue du Rhône 8", "Rue de Lausanne 54", "Quai Wilson 2"]),
    ("Bristol, England", ["Park Street 17", "Baldwin Street 3", "Queen Square 29"]),
];
/// Of so many sensors one falls silent for good.
const TIRED: usize = 25;
/// Of 100 looks at a closed door so many see it opened, and of those at an open one so many see it closed.
const OPENS: u64 = 8;
const CLOSES: u64 = 45;

/// A door.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Door {
    pub(super) id: String,
    pub(super) address: String,
    pub(super) closed: bool,
}

/// All doors.
#[derive(Debug)]
pub(super) struct Play {
    pub(super) doors: Vec<Door>,
    chance: u64,
    next: usize,
}

/// What a door says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) sensor: String,
    pub(super) closed: bool,
    pub(super) moved: bool,
}

impl Play {
    pub(super) fn new(seed: u64, count: usize) -> Self {
        let door = |at: usize| Door { id: id(seed, at), address: address(at), closed: true };
        Self { doors: (0..count).map(door).collect(), chance: seed, next: 0 }
    }

    /// What is said next, of so many looks at doors, when `part` of 1,000 of the time is over.
    pub(super) fn beat(&mut self, looks: usize, part: u64) -> Vec<Said> {
        (0..looks).filter_map(|_| self.look(part)).collect()
    }

    fn look(&mut self, part: u64) -> Option<Said> {
        let at = self.next;
        self.next = (at + 1) % self.doors.len().max(1);
        let chance = self.draw() % 100;
        if is_silent(at, part) {
            return None;
        }
        let door = self.doors.get_mut(at)?;
        let moved = chance < if door.closed { OPENS } else { CLOSES };
        door.closed ^= moved;
        Some(Said { sensor: door.id.clone(), closed: door.closed, moved })
    }

    /// How many are open, closed and silent.
    pub(super) fn counts(&self, part: u64) -> (usize, usize, usize) {
        let silent = (0..self.doors.len()).filter(|at| is_silent(*at, part)).count();
        let speaking = self.doors.iter().enumerate().filter(|(at, _)| !is_silent(*at, part));
        let (closed, open): (Vec<_>, Vec<_>) = speaking.partition(|(_, door)| door.closed);
        (open.len(), closed.len(), silent)
    }

    /// A number by chance (splitmix64).
    fn draw(&mut self) -> u64 {
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.chance ^ (self.chance >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Whether a door says nothing at this part of the time.
fn is_silent(at: usize, part: u64) -> bool {
    let tired = at % TIRED == TIRED - 1 && part >= 300;
    let without_power = building(at) == (1, 0) && (350..750).contains(&part);
    tired || without_power
}

/// City and street of a door.
fn building(at: usize) -> (usize, usize) {
    (at % CITIES.len(), at / CITIES.len() % 3)
}

/// The id of a door: 13 letters and digits, the same for the same seed.
pub(super) fn id(seed: u64, at: usize) -> String {
    format!("sim{:04x}n{at:05}", seed % 65_536)
}

fn address(at: usize) -> String {
    let (city, street) = building(at);
    let (name, streets) = CITIES[city];
    let room = at / (CITIES.len() * 3);
    format!("{name}, {}, fl {} room {}", streets[street], room / 8 + 1, room % 8 + 1)
}

/// Seconds of silence after which a door is lost: long enough for those that speak in turn, short enough to be seen.
pub(super) fn silence_s(sensors: u32, rate: u32) -> u32 {
    (4 * sensors / rate.max(1)).clamp(20, 3_600)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn con_7_the_same_seed_plays_the_same_and_another_one_does_not() {
        let played = |seed| Play::new(seed, 30).beat(300, 0);
        assert_eq!(played(7), played(7));
        assert_ne!(played(7), played(8));
    }

    #[test]
    fn con_7_ids_are_ids_of_sensors_and_no_two_doors_share_a_room() {
        let play = Play::new(u64::MAX, 1_000);
        let good = |door: &Door| door.id.len() <= 16 && door.id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        assert!(play.doors.iter().all(good));
        let addresses: BTreeSet<_> = play.doors.iter().map(|door| &door.address).collect();
        assert_eq!(addresses.len(), 1_000);
    }

    #[test]
    fn con_7_doors_open_and_close_and_most_stay_closed() {
        let mut play = Play::new(1, 100);
        let said = play.beat(10_000, 0);
        let moved = said.iter().filter(|said| said.moved).count();
        assert!((800..3_000).contains(&moved), "{moved}");
        let (open, closed, silent) = play.counts(0);
        assert!(closed > open && open > 0 && silent == 0 && open + closed == 100);
    }

    #[test]
    fn con_7_some_fall_silent_for_good_and_a_building_for_a_while() {
        let play = Play::new(1, 100);
        let silent = [0, 299, 300, 500, 800, 1_000].map(|part| play.counts(part).2);
        assert_eq!(silent, [0, 0, 4, 11, 4, 4]);
    }

    #[test]
    fn con_7_whoever_speaks_in_turn_is_not_lost() {
        assert_eq!([silence_s(50, 20), silence_s(1_000, 10), silence_s(5_000, 1)], [20, 400, 3_600]);
    }
}
