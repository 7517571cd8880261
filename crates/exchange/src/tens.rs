//! Statements over many messages by their numbers, ten at a time: SQL that both engines take has no lists of any length.

use base::Value;

/// The parameters of a statement that begins with `first` and ends with ten numbers. A last portion that is smaller names its last one
/// again, which does no harm where each number is looked for.
pub(crate) fn tens<'a>(first: &'a [Value<'a>], numbers: &'a [i64]) -> impl Iterator<Item = Vec<Value<'a>>> {
    numbers.chunks(10).map(move |some| {
        let last = some.last().copied().unwrap_or_default();
        let ten = some.iter().copied().chain(std::iter::repeat(last)).take(10);
        first.iter().cloned().chain(ten.map(Value::from)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::args;

    #[test]
    fn every_number_is_named_and_no_other() {
        let first = args!["log"];
        let numbers: Vec<i64> = (1..=12).collect();
        let all: Vec<_> = tens(first, &numbers).collect();
        assert_eq!(all.len(), 2);
        assert!(all.iter().all(|one| one.len() == 11 && one[0] == Value::from("log")));
        assert_eq!(all[1][1..], [11, 12, 12, 12, 12, 12, 12, 12, 12, 12].map(Value::Int));
        assert_eq!(tens(args![], &[]).count(), 0);
    }
}
