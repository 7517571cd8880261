//! What an operation is given beside its transaction: times, caller, ids, chance, effects.

use base::mutants::{self, Mutant};
use base::{Heard, Id, IdSource, Stamp, Wall};
use sha2::{Digest, Sha256};

use crate::effects::Effects;
use crate::home::Home;
use crate::request::{Caller, Properties, Request};

/// The context of one attempt of one operation.
pub struct OpCx<'a> {
    /// Calendar time at which the attempt began.
    pub wall: Wall,
    /// Listening time of the store at which the attempt began.
    pub heard: Heard,
    /// When the caller says that it asked.
    pub op_time: Option<Stamp>,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// Who asks.
    pub caller: &'a Caller,
    /// In which namespace.
    pub namespace: &'a str,
    /// What is around it there.
    pub home: &'a Home,
    /// Name of the operation that the caller asked for.
    pub operation: &'static str,
    /// What the application says of itself; nothing of it was checked.
    pub properties: &'a Properties,
    /// What must happen later: rows in the same transaction.
    pub fx: &'a mut Effects,
    ids: IdSource,
    seed: [u8; 32],
    chances: u32,
    newest_seen: Option<Stamp>,
    stamp: Option<Stamp>,
}

impl<'a> OpCx<'a> {
    pub(crate) fn new(
        (request, operation, home): (&'a Request, &'static str, &'a Home),
        attempt: u32,
        (wall, heard): (Wall, Heard),
        fx: &'a mut Effects,
    ) -> Self {
        Self {
            wall,
            heard,
            op_time: request.op_time,
            attempt,
            caller: &request.caller,
            namespace: &home.namespace,
            home,
            operation,
            properties: &request.properties,
            fx,
            ids: IdSource::after(request.id),
            seed: request.seed,
            chances: 0,
            newest_seen: None,
            stamp: None,
        }
    }

    /// The next id of this request: time-ordered, the same in every attempt.
    pub fn id(&mut self) -> Id {
        self.ids.take()
    }

    /// 32 bytes of chance, the same in every attempt.
    pub fn chance(&mut self) -> [u8; 32] {
        self.chances += 1;
        Sha256::new().chain_update(self.seed).chain_update(self.chances.to_le_bytes()).finalize().into()
    }

    /// Tells that something of this version was read to be replaced; the stamp will lie above it.
    ///
    /// # Panics
    /// The stamp was taken already: read everything before you write.
    pub fn saw(&mut self, version: Stamp) {
        // Strictly, also where it would do no harm: it would do harm as soon as a clock goes back.
        let late = self.stamp.is_some() && !mutants::on(Mutant::StampIsWall);
        assert!(!late, "version {version} was seen after the stamp {:?} was taken", self.stamp);
        self.newest_seen = self.newest_seen.max(Some(version));
    }

    /// The validation stamp: the clock, raised to at least 1 ms above the newest version seen. One per operation.
    pub fn stamp(&mut self) -> Stamp {
        let clock = Stamp::from_wall(self.wall);
        let newest_seen = self.newest_seen;
        let newest_seen = newest_seen.filter(|_| !mutants::on(Mutant::StampIsWall));
        *self.stamp.get_or_insert_with(|| newest_seen.map_or(clock, |seen| clock.max(seen.next())))
    }

    /// The stamp, if the operation took one.
    #[must_use]
    pub fn stamp_taken(&self) -> Option<Stamp> {
        self.stamp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_cx(wall_ms: i64, check: impl FnOnce(&mut OpCx<'_>)) {
        let id = Id::new(Wall(1), [0; 10]);
        let caller = Caller::server("test");
        let properties = Properties::default();
        let request = Request { id, seed: [1; 32], caller, idempotency: None, op_time: None, build: None, properties };
        let home = Home::new("main", [].into(), std::sync::Arc::default());
        check(&mut OpCx::new((&request, "test", &home), 1, (Wall(wall_ms), Heard(0)), &mut Effects::default()));
    }

    #[test]
    fn ker_5_the_stamp_is_the_clock_when_nothing_newer_was_seen() {
        with_cx(1_468_535_445_697, |cx| {
            cx.saw(Stamp::MIN);
            assert_eq!(cx.stamp().number(), 160_714_223_045_697);
            assert_eq!(cx.stamp().number(), 160_714_223_045_697, "one per operation");
        });
    }

    #[test]
    fn ker_5_the_stamp_rises_above_what_was_seen_though_the_clock_went_back() {
        with_cx(1_000, |cx| {
            let ahead = Stamp::new(160_714_235_959_999).unwrap();
            cx.saw(ahead);
            assert_eq!(cx.stamp().number(), 160_715_000_000_000);
        });
    }

    #[test]
    #[should_panic(expected = "was seen after the stamp")]
    fn ker_5_a_newer_version_seen_after_the_stamp_is_a_bug() {
        with_cx(1_000, |cx| {
            let stamp = cx.stamp();
            cx.saw(stamp);
        });
    }

    #[test]
    fn ids_and_chance_are_the_same_in_every_attempt() {
        let mut made = vec![];
        for _ in 0..2 {
            with_cx(1, |cx| made.push((cx.id(), cx.id(), cx.chance(), cx.chance())));
        }
        assert_eq!(made[0], made[1]);
        assert_ne!(made[0].2, made[0].3);
    }
}
