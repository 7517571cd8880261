//! Finds tasks that wait for each other.

use std::collections::BTreeMap;

use super::Item;

/// A task that waits for itself, directly or through others: whatever is left when all that can become ready are taken away.
pub(super) fn find(open: &BTreeMap<i64, Item>) -> Option<i64> {
    let mut missing: BTreeMap<i64, usize> = open.iter().map(|(number, item)| (*number, item.waits.len())).collect();
    let mut waiters: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (number, item) in open {
        item.waits.iter().for_each(|wait| waiters.entry(*wait).or_default().push(*number));
    }
    let mut free: Vec<i64> = missing.iter().filter(|(_, waits)| **waits == 0).map(|(number, _)| *number).collect();
    while let Some(number) = free.pop() {
        missing.remove(&number);
        for waiter in waiters.remove(&number).unwrap_or_default() {
            let Some(waits) = missing.get_mut(&waiter) else { continue };
            *waits -= 1;
            if *waits == 0 {
                free.push(waiter);
            }
        }
    }
    missing.into_keys().next()
}
