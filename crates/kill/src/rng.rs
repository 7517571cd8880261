//! Chance from a seed: what a round does is drawn from here, so that a seed names it.

/// SplitMix64.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The chance of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `from` on, below `to`; `from` if there is none.
    pub fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.number().checked_rem(to.saturating_sub(from)).unwrap_or(0)
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.between(0, 100) < percent
    }

    /// One of these.
    ///
    /// # Panics
    /// There is none to choose.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let at = self.between(0, all.len() as u64);
        &all[usize::try_from(at).unwrap_or(0)]
    }

    /// A number of a size that is as often small as large: from 0 on, below `to`.
    pub fn skewed(&mut self, to: u64) -> u64 {
        let top = self.between(1, to.max(2));
        self.between(0, top)
    }

    /// A seed for something of its own.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self(self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_within_their_bounds() {
        let draw = |seed| (0..100).map(move |_| 0).scan(Rng::new(seed), |rng, _: u8| Some(rng.between(3, 9)));
        assert_eq!(draw(7).collect::<Vec<_>>(), draw(7).collect::<Vec<_>>());
        assert_ne!(draw(7).collect::<Vec<_>>(), draw(8).collect::<Vec<_>>());
        assert!(draw(7).all(|number| (3..9).contains(&number)));
        assert_eq!(Rng::new(1).between(5, 5), 5);
    }
}
