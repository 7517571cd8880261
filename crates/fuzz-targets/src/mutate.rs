//! Inputs that differ a little from those of a corpus, from one seed: for whoever has no fuzzer at hand, and for every run of the tests.
//!
//! Blind: nothing is learned of what a target does with them. libFuzzer finds more, and needs another compiler.

/// What texts are often broken by.
const WORDS: [&str; 26] = [
    "\0",
    "\u{1b}",
    "\u{202e}",
    "\u{feff}",
    "..",
    "/../",
    "%2e%2e",
    "%00",
    "\\ud800",
    "\"",
    "{",
    "[",
    "}",
    "]",
    ",",
    "-1",
    "+1",
    "0x",
    "1e999",
    "9223372036854775808",
    "18446744073709551615",
    "9007199254740993",
    "-9223372036854775808",
    "\r\n",
    "\u{130}",
    "~",
];

/// A row of numbers that only its seed decides.
pub struct Chance(u64);

impl Chance {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Below this, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        ((self.next() >> 11) % end.max(1) as u64) as usize
    }
}

/// One of the corpus with a few changes; `None` if there is no corpus.
pub fn mutated(corpus: &[Vec<u8>], chance: &mut Chance) -> Option<Vec<u8>> {
    let mut bytes = corpus.get(chance.below(corpus.len()))?.clone();
    for _ in 0..=chance.below(4) {
        change(&mut bytes, corpus, chance);
    }
    bytes.truncate(64 << 10);
    Some(bytes)
}

fn change(bytes: &mut Vec<u8>, corpus: &[Vec<u8>], chance: &mut Chance) {
    let at = chance.below(bytes.len() + 1);
    let end = at + chance.below(bytes.len() - at + 1).min(chance.below(40) + 1).min(bytes.len() - at);
    match chance.below(8) {
        0 => drop(bytes.drain(at..end)),
        1 => bytes.splice(at..at, WORDS[chance.below(WORDS.len())].bytes()).for_each(drop),
        2 => bytes.splice(at..end, WORDS[chance.below(WORDS.len())].bytes()).for_each(drop),
        3 => {
            let again = bytes[at..end].repeat(chance.below(20) + 1);
            bytes.splice(at..at, again).for_each(drop);
        }
        4 => {
            let other = &corpus[chance.below(corpus.len())];
            let from = chance.below(other.len() + 1);
            bytes.splice(at.., other[from..].iter().copied()).for_each(drop);
        }
        5 => bytes.truncate(at),
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = match chance.below(3) {
                    0 => *byte ^ (1 << chance.below(8)),
                    1 => byte.wrapping_add(1),
                    _ => u8::try_from(chance.below(256)).unwrap_or(0),
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_and_most_differ_from_the_corpus() {
        let corpus = [b"hello".to_vec(), b"{\"a\":1}".to_vec(), vec![]];
        let all = |seed| {
            let mut chance = Chance::new(seed);
            (0..500).filter_map(|_| mutated(&corpus, &mut chance)).collect::<Vec<_>>()
        };
        assert_eq!(all(7), all(7));
        assert_ne!(all(7), all(8));
        assert!(all(7).iter().filter(|bytes| !corpus.contains(bytes)).count() > 300);
        assert_eq!(mutated(&[], &mut Chance::new(1)), None);
    }
}
