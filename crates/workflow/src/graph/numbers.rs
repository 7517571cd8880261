//! Sets of numbers as they are kept: runs of neighbours, so that a thousand tasks laid out at once are a few digits.

use std::collections::BTreeSet;

/// The runs of a set, first and last number each.
pub(super) fn runs(numbers: impl IntoIterator<Item = i64>) -> Vec<(i64, i64)> {
    let mut runs: Vec<(i64, i64)> = vec![];
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    runs
}

/// The set of runs; what is no run is left out.
pub(super) fn set(runs: &[(i64, i64)]) -> BTreeSet<i64> {
    runs.iter().flat_map(|(first, last)| *first..=*last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_run() {
        let numbers = BTreeSet::from([1, 2, 3, 7, 9, 10]);
        assert_eq!(runs(numbers.iter().copied()), [(1, 3), (7, 7), (9, 10)]);
        assert_eq!(set(&runs(numbers.iter().copied())), numbers);
        assert_eq!(set(&[(5, 4)]), BTreeSet::new());
    }
}
