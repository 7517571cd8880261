//! A signal as it is written: JSON of a stranger, to be believed in nothing.
//!
//! A time that is ahead of our calendar is not believed, but the signal is: which of the two clocks is wrong nobody knows, and if ours
//! is, refusing would lose what every sensor with a clock says. Such a time orders nothing, but it still tells a repeat.

use base::Wall;
use serde::Deserialize;
use serde_json::Value;

use super::{Signal, key_of, key_of_time};
use crate::limits::{AHEAD_MAX_MS, AHEAD_MS, SIGNAL_ID_MAX};

/// A signal as JSON.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given<'a> {
    /// Whose.
    #[serde(borrow)]
    pub sensor_id: std::borrow::Cow<'a, str>,
    /// 1 closed, 0 open.
    pub data: Value,
    /// When, RFC 3339.
    #[serde(default, borrow)]
    pub at: Option<std::borrow::Cow<'a, str>>,
    /// Tells it from the sensor's other signals.
    #[serde(default, borrow)]
    pub id: Option<std::borrow::Cow<'a, str>>,
    /// Version of this form: 1.
    #[serde(default)]
    pub version: Option<Value>,
}

/// A signal as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// The signal.
    pub signal: Signal,
    /// The time that it brought, if that is so far ahead that it counts as without one.
    pub ahead: Option<Wall>,
}

impl Read {
    /// The signal with what tells its repeat: its id, or that of its message, or else a time that is not believed, together with its data.
    #[must_use]
    pub fn named(self, message: Option<&str>) -> Signal {
        let Self { signal, ahead } = self;
        let by_time = || ahead.map(|at| key_of_time(at, signal.closed));
        Signal { key: signal.key.or_else(|| message.map(key_of)).or_else(by_time), ..signal }
    }
}

/// Reads a signal; the error says what is wrong with it.
///
/// # Errors
/// Why it is none.
pub fn parse(json: &[u8], now: Wall) -> Result<Read, String> {
    let given: Given<'_> = serde_json::from_slice(json).map_err(|error| format!("not a signal: {error}"))?;
    given.check(now)
}

impl Given<'_> {
    /// The signal, if it is one.
    ///
    /// # Errors
    /// Why it is none.
    pub fn check(&self, now: Wall) -> Result<Read, String> {
        let sensor = self.sensor_id.parse().map_err(|error: crate::InvalidSensorId| error.to_string())?;
        let closed = match self.data.as_u64() {
            Some(0) => false,
            Some(1) => true,
            _ => return Err(format!("data is 0 (open) or 1 (closed), not {}", cut(&self.data.to_string()))),
        };
        if let Some(version) = self.version.as_ref().filter(|version| version.as_u64() != Some(1)) {
            return Err(format!("version {} of signals is not known, 1 is", cut(&version.to_string())));
        }
        let (at, key) = (self.time(now)?, self.key()?);
        let ahead = at.filter(|at| *at > now.plus_ms(AHEAD_MS));
        Ok(Read { signal: Signal { sensor, closed, at: at.filter(|_| ahead.is_none()), key }, ahead })
    }

    fn time(&self, now: Wall) -> Result<Option<Wall>, String> {
        let Some(text) = self.at.as_deref() else { return Ok(None) };
        let at = Wall::parse_rfc3339(text).ok_or_else(|| format!("at {:?} is not an RFC 3339 time", cut(text)))?;
        if at > now.plus_ms(AHEAD_MAX_MS) {
            return Err(format!("at {text} is more than a hundred years in the future: it is {} here", now.rfc3339()));
        }
        Ok(Some(at))
    }

    fn key(&self) -> Result<Option<u64>, String> {
        match self.id.as_deref() {
            Some(id) if id.is_empty() || id.len() > SIGNAL_ID_MAX => {
                Err(format!("id has {} bytes, 1 to {SIGNAL_ID_MAX} are allowed", id.len()))
            }
            id => Ok(id.map(key_of)),
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Wall = Wall(1_794_744_000_000);

    fn read(json: &[u8]) -> Signal {
        parse(json, NOW).unwrap().signal
    }

    #[test]
    fn sen_2_a_signal() {
        let full = br#"{"sensor_id":"a1","data":1,"at":"2026-11-15T12:00:00Z","id":"x","version":1}"#;
        let signal = read(full);
        assert_eq!((signal.sensor.as_str(), signal.closed, signal.at), ("a1", true, Some(NOW)));
        assert_eq!(signal.key, Some(key_of("x")));
        let short = read(br#"{"sensor_id":"a1","data":0}"#);
        assert_eq!((short.closed, short.at, short.key), (false, None, None));
    }

    #[test]
    fn sen_3_a_time_ahead_of_our_calendar_counts_as_none_and_the_signal_is_one() {
        for (at, known) in
            [("2026-11-15T12:05:00Z", true), ("2026-11-15T12:05:01Z", false), ("2099-01-01T00:00:00Z", false)]
        {
            let json = format!(r#"{{"sensor_id":"a","data":1,"at":"{at}","id":"x"}}"#);
            let Read { signal, ahead } = parse(json.as_bytes(), NOW).unwrap();
            assert_eq!((signal.at.is_some(), ahead.is_some()), (known, !known), "{at}");
            assert!(signal.closed && signal.key == Some(key_of("x")));
        }
    }

    #[test]
    fn sen_3_a_time_ahead_of_our_calendar_tells_a_repeat_where_there_is_no_id() {
        let key = |data: u8, at: &str, more: &str, message: Option<&str>| {
            let json = format!(r#"{{"sensor_id":"a","data":{data},"at":"{at}"{more}}}"#);
            parse(json.as_bytes(), NOW).unwrap().named(message).key
        };
        let (now, later, latest) = ("2026-11-15T12:00:00Z", "2026-11-15T14:00:00Z", "2026-11-15T14:00:01Z");
        assert_eq!(key(1, now, "", None), None, "a time that is believed needs none");
        assert_eq!(key(1, later, "", None), key(1, "2026-11-15T15:00:00+01:00", "", None), "the same moment");
        assert!(key(1, later, "", None).is_some() && key(1, later, "", None) != key(0, later, "", None));
        assert_ne!(key(1, later, "", None), key(1, latest, "", None));
        assert_eq!(key(1, later, r#","id":"s""#, Some("m")), Some(key_of("s")));
        assert_eq!(key(1, later, "", Some("m")), Some(key_of("m")), "two of one moment may have messages of their own");
    }

    #[test]
    fn sen_2_what_is_no_signal_says_why() {
        for (json, reason) in [
            (r#"{"sensor_id":"0123456789aBcDeF0","data":1}"#, "not 1 to 16 letters"),
            (r#"{"sensor_id":"a-b","data":1}"#, "not 1 to 16 letters"),
            (r#"{"sensor_id":"a","data":2}"#, "not 2"),
            (r#"{"sensor_id":"a","data":"1"}"#, "not \"1\""),
            (r#"{"sensor_id":"a","data":1.5}"#, "not 1.5"),
            (r#"{"sensor_id":"a","data":true}"#, "not true"),
            (r#"{"sensor_id":"a"}"#, "missing field `data`"),
            (r#"{"sensor_id":7,"data":1}"#, "not a signal"),
            (r#"{"sensor_id":"a","data":1,"more":2}"#, "unknown field `more`"),
            (r#"{"sensor_id":"a","data":1,"at":"9999-01-01T00:00:00Z"}"#, "in the future"),
            (r#"{"sensor_id":"a","data":1,"at":"noon"}"#, "not an RFC 3339 time"),
            (r#"{"sensor_id":"a","data":1,"id":""}"#, "id has 0 bytes"),
            (r#"{"sensor_id":"a","data":1,"version":2}"#, "version 2"),
            (r#"{"sensor_id":"a","data":1"#, "not a signal"),
            ("", "not a signal"),
            ("[]", "not a signal"),
        ] {
            let said = parse(json.as_bytes(), NOW).unwrap_err();
            assert!(said.contains(reason), "{json}: {said}");
        }
    }
}
