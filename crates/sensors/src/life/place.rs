//! What is said to Redis.
//!
//! Two keys for each namespace: a sorted set of sensors by their last sign of life, and a hash of the nodes' marks. Each holds since
//! when nothing of it was lost, under a name that no sensor can have; of the two the later counts, so that it does not matter which
//! of them Redis drops.

use std::sync::Arc;

use base::{Redis, RedisCommand, RedisReply};

use super::decide::Span;
use super::signs::Load;
use crate::ear::Listened;
use crate::id::SensorId;

/// Sensors in one command.
const CHUNK: usize = 1_000;
const SINCE: &str = "-since";
/// A node whose mark is so far behind is not waited for any more.
const GONE_MS: i64 = 60_000;

/// Redis as the place of signs of life.
pub struct LastSeen {
    redis: Arc<dyn Redis>,
    /// This node's name.
    node: String,
}

/// What Redis knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sight {
    /// The last sign of life of each sensor that was asked for.
    pub(crate) seen: Vec<Option<Listened>>,
    /// The time of which it knows all.
    pub(crate) known: Option<Span>,
}

/// Told what came of it; no words: whoever asks goes on without Redis.
pub(crate) type Told<T> = Box<dyn FnOnce(Option<T>) + Send>;

impl LastSeen {
    /// On this server, as this node.
    #[must_use]
    pub fn new(redis: Arc<dyn Redis>, node: &str) -> Self {
        Self { redis, node: node.to_owned() }
    }

    /// Brings signs of life there; tells whether they are.
    pub(super) fn bring(&self, load: &Load, done: Told<()>) {
        let done = |answer: Result<Vec<RedisReply>, String>| match answer {
            Ok(replies) => done((!replies.iter().any(is_refused)).then_some(())),
            Err(error) => {
                tracing::debug!(%error, "signs of life stay in memory");
                done(None);
            }
        };
        self.redis.ask(bringing(load, &self.node), Box::new(done));
    }

    /// Asks for the last signs of life of sensors.
    pub(crate) fn ask(&self, key: &str, sensors: &[SensorId], now: Listened, done: Told<Sight>) {
        let many = sensors.len();
        let (redis, name) = (self.redis.clone(), key.to_owned());
        let answer = move |answer: Result<Vec<RedisReply>, String>| {
            let sight = answer.ok().and_then(|replies| sight(&replies, many));
            let marks = sight.as_ref().map(|(_, marks)| marks.clone()).unwrap_or_default();
            forget_gone(redis.as_ref(), &name, &marks, now);
            done(sight.map(|(sight, _)| sight));
        };
        self.redis.ask(asking(key, sensors), Box::new(answer));
    }
}

fn is_refused(reply: &RedisReply) -> bool {
    matches!(reply, RedisReply::Refused(_))
}

fn command<W: AsRef<[u8]>>(words: impl IntoIterator<Item = W>) -> RedisCommand {
    words.into_iter().map(|word| word.as_ref().to_vec()).collect()
}

fn seen(key: &str) -> String {
    format!("{key}:seen")
}

fn nodes(key: &str) -> String {
    format!("{key}:nodes")
}

/// The marks last: whoever reads them knows that what they say is there.
fn bringing(load: &Load, node: &str) -> Vec<RedisCommand> {
    let Load { key, signs, until, anew } = load;
    let (seen, nodes, until) = (seen(key), nodes(key), until.0.to_string());
    let mut commands: Vec<RedisCommand> = signs.chunks(CHUNK).map(|chunk| adding(&seen, chunk)).collect();
    let (how, set) = if *anew { ("GT", "HSET") } else { ("NX", "HSETNX") };
    commands.push(command(["ZADD", &seen, how, &until, SINCE]));
    commands.push(command([set, &nodes, SINCE, &until]));
    commands.push(command(["HSET", &nodes, node, &until]));
    commands
}

fn adding(seen: &str, signs: &[(SensorId, Listened)]) -> RedisCommand {
    let mut words = command(["ZADD", seen, "GT"]);
    for (sensor, at) in signs {
        words.extend([at.0.to_string().into_bytes(), sensor.as_str().as_bytes().to_vec()]);
    }
    words
}

fn asking(key: &str, sensors: &[SensorId]) -> Vec<RedisCommand> {
    // The marks first: what they say was there before they were.
    let marks = command(["HGETALL", &nodes(key)]);
    let mut scores = command(["ZMSCORE", &seen(key), SINCE]);
    scores.extend(sensors.iter().map(|sensor| sensor.as_str().as_bytes().to_vec()));
    vec![marks, scores]
}

type Marks = Vec<(String, Listened)>;

/// What the answers to [`asking`] say, with the marks of the nodes.
fn sight(replies: &[RedisReply], many: usize) -> Option<(Sight, Marks)> {
    let [RedisReply::List(marks), RedisReply::List(scores)] = replies else { return None };
    let (first, scores) = scores.split_first()?;
    if scores.len() != many {
        return None;
    }
    let pair = |pair: &[RedisReply]| Some((text(pair.first()?)?, time(pair.get(1)?)?));
    let all: Marks = marks.chunks(2).map(pair).collect::<Option<_>>()?;
    let (since, nodes): (Marks, Marks) = all.into_iter().partition(|(name, _)| name == SINCE);
    let since = since.first().map(|(_, at)| *at).zip(time(first)).map(|(one, other)| one.max(other));
    let until = nodes.iter().map(|(_, at)| *at).min();
    let known = since.zip(until).map(|(since, until)| Span { since, until });
    Some((Sight { seen: scores.iter().map(time).collect(), known }, nodes))
}

fn text(reply: &RedisReply) -> Option<String> {
    let RedisReply::Text(bytes) = reply else { return None };
    String::from_utf8(bytes.clone()).ok()
}

/// Milliseconds below 2⁵³, which a score holds exactly; Redis may write them with an exponent.
fn time(reply: &RedisReply) -> Option<Listened> {
    let number: f64 = text(reply)?.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "whole and far below the bounds")]
    (number.is_finite() && number.abs() < 9e15).then_some(Listened(number as i64))
}

/// What a node that ended had heard and not brought is missing for ever.
fn forget_gone(redis: &dyn Redis, key: &str, marks: &Marks, now: Listened) {
    let gone: Vec<&str> =
        marks.iter().filter(|(_, at)| now.0 - at.0 > GONE_MS).map(|(node, _)| node.as_str()).collect();
    if gone.is_empty() {
        return;
    }
    let now = now.0.to_string();
    let since = [command(["ZADD", &seen(key), "GT", &now, SINCE]), command(["HSET", &nodes(key), SINCE, &now])];
    let names = gone.iter().map(|node| command(["HDEL", &nodes(key), node]));
    redis.ask(since.into_iter().chain(names).collect(), Box::new(|_| {}));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(words: &[&str]) -> RedisReply {
        let reply = |word: &&str| match *word {
            "" => RedisReply::Nothing,
            word => RedisReply::Text(word.as_bytes().to_vec()),
        };
        RedisReply::List(words.iter().map(reply).collect())
    }

    #[test]
    fn sen_12_the_later_since_and_the_earliest_mark_count() {
        let marks = texts(&["-since", "50", "a", "900", "b", "800"]);
        let (sight, _) = sight(&[marks, texts(&["70", "600", ""])], 2).unwrap();
        assert_eq!(sight.known, Some(Span { since: Listened(70), until: Listened(800) }));
        assert_eq!(sight.seen, [Some(Listened(600)), None]);
    }

    #[test]
    fn sen_12_a_redis_that_was_emptied_knows_nothing_for_certain() {
        for (marks, scores) in [(texts(&[]), texts(&["", ""])), (texts(&["a", "9"]), texts(&["5", "7"]))] {
            let (sight, _) = sight(&[marks, scores], 1).unwrap();
            assert_eq!(sight.known, None);
        }
        assert_eq!(sight(&[RedisReply::Refused("WRONGTYPE".into()), texts(&["5", "7"])], 1), None);
        assert_eq!(sight(&[texts(&[]), texts(&["5"])], 1), None);
        assert_eq!(time(&RedisReply::Text(b"1.794744e+12".to_vec())), Some(Listened(1_794_744_000_000)));
    }
}
