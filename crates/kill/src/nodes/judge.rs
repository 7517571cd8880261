//! The judge: what was asked, against what is in PostgreSQL, what the partner heard and what readers saw.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use ledger::drill::{Inscribe, TOPIC};

use super::books::{Kept, Mark};
use super::partner::Called;
use super::reader::{Reader, Seen};
use crate::check::violation;

/// The marks that these waves leave: names and cycles.
pub(super) fn expected(waves: &[Inscribe]) -> BTreeSet<(String, u32)> {
    let cycles = |number| 0..Inscribe::cycles(number).unwrap_or(1);
    let of_wave = |wave: &Inscribe| -> Vec<(String, u32)> {
        (0..wave.count).flat_map(|number| cycles(number).map(move |cycle| (wave.name(number), cycle))).collect()
    };
    waves.iter().flat_map(of_wave).collect()
}

/// Each cycle of each task left one mark.
pub(super) fn judge_marks(expected: &BTreeSet<(String, u32)>, marks: &[Mark]) -> Result<()> {
    let mut left: BTreeMap<(String, u32), Vec<&Mark>> = BTreeMap::new();
    marks.iter().for_each(|mark| left.entry((mark.name.clone(), mark.cycle)).or_default().push(mark));
    if let Some(twice) = left.values().find(|marks| marks.len() > 1) {
        let count = left.values().filter(|marks| marks.len() > 1).count();
        return Err(violation(format!("{count} effects happened twice, such as {twice:?}")));
    }
    let lost = expected.iter().filter(|mark| !left.contains_key(*mark)).count();
    ensure!(lost == 0, violation(format!("{lost} effects of {} never happened", expected.len())));
    let strange = left.keys().find(|mark| !expected.contains(*mark));
    ensure!(strange.is_none(), violation(format!("a mark that nobody asked for: {strange:?}")));
    Ok(())
}

/// No settle of an attempt was accepted after a later one had begun: the partner hears of an attempt only after its claim.
pub(super) fn judge_calls(marks: &[Mark], calls: &BTreeMap<String, Called>) -> Result<()> {
    let accepted: BTreeMap<&str, &Mark> = marks.iter().map(|mark| (mark.task.as_str(), mark)).collect();
    for (task, called) in calls {
        let mark = accepted.get(task.as_str());
        let same = mark.is_some_and(|mark| mark.name == called.name && mark.attempt >= called.attempt);
        ensure!(same, violation(format!("task {task}: the partner heard {called:?}, accepted was {mark:?}")));
    }
    Ok(())
}

/// The feed has the marks' events once each, under numbers without a gap.
pub(super) fn judge_feed(expected: &BTreeSet<(String, u32)>, feed: &[Kept]) -> Result<Vec<Seen>> {
    for (place, event) in feed.iter().enumerate() {
        ensure!(event.number == place as i64 + 1, violation(format!("event {event:?} is number {}", place + 1)));
    }
    let of_marks = feed.iter().filter(|event| event.topic == TOPIC);
    let seen: Vec<Seen> = of_marks.map(seen).collect::<Result<_>>()?;
    let told: BTreeSet<(String, u32)> = seen.iter().map(|seen| (seen.subject.clone(), seen.cycle)).collect();
    ensure!(
        told == *expected && seen.len() == told.len(),
        violation(format!("{} events of {} marks for {} cycles", seen.len(), told.len(), expected.len()))
    );
    Ok(seen)
}

fn seen(event: &Kept) -> Result<Seen> {
    let data: serde_json::Value = serde_json::from_str(&event.data)?;
    let cycle = u32::try_from(data["cycle"].as_u64().unwrap_or(u64::MAX))?;
    Ok(Seen { number: event.number, subject: event.subject.clone(), cycle })
}

/// A reader saw the feed as it is.
pub(super) fn judge_reader(feed: &[Seen], reader: &Reader) -> Result<()> {
    if reader.seen == feed {
        return Ok(());
    }
    let other = feed.iter().zip(&reader.seen).find(|(kept, seen)| kept != seen);
    let (name, count) = (reader.name(), reader.seen.len());
    Err(violation(format!("{name} saw {count} events of {}; the first that differs: {other:?}", feed.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave() -> Inscribe {
        Inscribe { wave: "w".into(), count: 2, url: String::new() }
    }

    fn mark(name: &str, cycle: u32) -> Mark {
        Mark { name: name.into(), cycle, task: name.into(), attempt: 1 }
    }

    fn check(marks: &[Mark], expected_words: &str) {
        let judged = judge_marks(&expected(&[wave()]), marks).map_err(|error| error.to_string());
        let text = judged.err().unwrap_or_default();
        assert!(text.contains(expected_words) && text.is_empty() == expected_words.is_empty(), "{text}");
    }

    #[test]
    fn ker_18_marks_that_are_missing_or_doubled_are_noticed() {
        let all = [mark("w-0", 0), mark("w-1", 0), mark("w-1", 1), mark("w-1", 2)];
        check(&all, "");
        check(&all[1..], "1 effects of 4 never happened");
        check(&[&all[..], &all[..1]].concat(), "1 effects happened twice");
        check(&[&all[..], &[mark("w-2", 0)]].concat(), "nobody asked for");
    }

    #[test]
    fn ker_18_an_accepted_attempt_that_was_overtaken_is_noticed() {
        let called = |attempt| {
            BTreeMap::from([("w-0".to_owned(), Called { times: 1, first: None, attempt, name: "w-0".into() })])
        };
        assert!(judge_calls(&[mark("w-0", 0)], &called(1)).is_ok());
        assert!(judge_calls(&[mark("w-0", 0)], &called(2)).is_err());
        assert!(judge_calls(&[], &called(1)).is_err());
    }

    #[test]
    fn ker_25_gaps_doubles_and_another_order_are_noticed() {
        let kept = |number, cycle: u32| Kept {
            number,
            topic: TOPIC.into(),
            subject: "w-1".into(),
            data: format!("{{\"cycle\":{cycle}}}"),
        };
        let all: BTreeSet<(String, u32)> = (0..2).map(|cycle| ("w-1".to_owned(), cycle)).collect();
        let feed = judge_feed(&all, &[kept(1, 0), kept(2, 1)]).expect("a feed");
        assert!(judge_feed(&all, &[kept(1, 0), kept(3, 1)]).is_err(), "a gap");
        assert!(judge_feed(&all, &[kept(1, 0), kept(2, 1), kept(3, 1)]).is_err(), "a double");
        let mut reader = Reader::new(super::super::reader::Way::Pages, 0);
        reader.seen = feed.iter().rev().cloned().collect();
        assert!(judge_reader(&feed, &reader).is_err(), "another order");
        reader.seen = feed.clone();
        assert!(judge_reader(&feed, &reader).is_ok());
    }
}
