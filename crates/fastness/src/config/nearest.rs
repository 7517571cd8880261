//! The key that was probably meant.

use super::key::Key;
use super::keys::{KEYS, SECTIONS};

/// What a wrong section costs when the name is right: less than most wrong names.
const OTHER_SECTION: usize = 3;
/// Longer names are compared by their beginning.
const COMPARED_MAX: usize = 64;

/// The key whose path, or whose name in another section, takes the fewest edits; a beginning counts as one edit.
pub(super) fn nearest(given: &str) -> &'static Key {
    let name = given.rsplit('.').next().unwrap_or(given);
    let cost = |key: &Key| distance(given, key.path).min(distance(name, key.name()) + OTHER_SECTION);
    let cost = |key: &Key| if key.path.starts_with(given) { 1 } else { cost(key) };
    KEYS.iter().min_by_key(|key| cost(key)).unwrap_or(&KEYS[0])
}

/// The section whose name takes the fewest edits.
pub(super) fn nearest_section(given: &str) -> &'static str {
    SECTIONS.iter().map(|section| section.name).min_by_key(|name| distance(given, name)).unwrap_or_default()
}

/// Levenshtein's distance in characters.
pub(super) fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().take(COMPARED_MAX).collect();
    let first: Vec<usize> = (0..=to.len()).collect();
    let last = from.chars().take(COMPARED_MAX).fold(first, |row, letter| next_row(&row, letter, &to));
    last.last().copied().unwrap_or(0)
}

fn next_row(above: &[usize], letter: char, to: &[char]) -> Vec<usize> {
    let mut row = vec![above[0] + 1];
    for (at, other) in to.iter().enumerate() {
        let replaced = above[at] + usize::from(letter != *other);
        row.push(replaced.min(above[at + 1] + 1).min(row[at] + 1));
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_36_the_nearest_key_is_the_one_meant() {
        for (given, meant) in [
            ("server.listn", "server.listen"),
            ("sever.listen", "server.listen"),
            ("listen", "server.listen"),
            ("http.listen", "server.listen"),
            ("store.wal", "store.wal_max"),
            ("log.lvl", "log.level"),
            ("namespace.admin", "namespaces.admin"),
            ("server.body_time_out", "server.body_timeout"),
        ] {
            assert_eq!(nearest(given).path, meant, "{given}");
        }
    }

    #[test]
    fn a_distance_counts_edits() {
        assert_eq!(
            [distance("kitten", "sitting"), distance("", "ab"), distance("ab", ""), distance("é", "é")],
            [3, 2, 2, 0]
        );
        assert_eq!(distance(&"x".repeat(100_000), ""), COMPARED_MAX);
    }
}
