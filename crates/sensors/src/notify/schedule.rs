//! When to try again (SEN-8): growing pauses, spread a little so that not all come back at once.

/// Tries of one notification.
pub const TRIES_MAX: i64 = 10;

/// Seconds after the first, second … try.
const PAUSES_S: [i64; 9] = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800];

/// Shortest and longest time that a client may ask for.
const ASKED_S: (i64, i64) = (1, 3_600);

/// Milliseconds from one try to the next, a tenth more or less by chance. After the last one somebody may still have died
/// before its outcome was written: the longest pause holds.
#[must_use]
pub fn delay_ms(tries: i64, chance: [u8; 32]) -> i64 {
    let place = usize::try_from(tries - 1).unwrap_or(0).min(PAUSES_S.len() - 1);
    let pause_ms = PAUSES_S[place] * 1_000;
    let spread = i64::from(chance[0]) * 256 + i64::from(chance[1]);
    pause_ms - pause_ms / 10 + pause_ms / 5 * spread / 65_536
}

/// What a client asked for with `Retry-After`, within bounds: seconds, or a date as HTTP writes it is not read.
pub(super) fn asked_ms(retry_after: Option<&str>) -> Option<i64> {
    let seconds: i64 = retry_after?.trim().parse().ok()?;
    Some(seconds.clamp(ASKED_S.0, ASKED_S.1) * 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_8_pauses_grow_and_are_spread_by_a_tenth() {
        for (tries, seconds) in (1..).zip(PAUSES_S) {
            for chance in [[0; 32], [128; 32], [255; 32]] {
                let ms = delay_ms(tries, chance);
                assert!(ms >= seconds * 900 && ms <= seconds * 1_100, "{tries}: {ms}");
            }
        }
        assert!(delay_ms(1, [0; 32]) < delay_ms(1, [255; 32]));
        assert_eq!(delay_ms(10, [7; 32]), delay_ms(9, [7; 32]));
        assert_eq!(i64::try_from(PAUSES_S.len()).unwrap() + 1, TRIES_MAX);
    }

    #[test]
    fn sen_7_a_client_may_ask_for_patience_within_bounds() {
        let asked = |text| asked_ms(Some(text));
        assert_eq!([asked("120"), asked(" 0 "), asked("999999999")], [Some(120_000), Some(1_000), Some(3_600_000)]);
        assert_eq!([asked("-5"), asked("soon"), asked_ms(None)], [Some(1_000), None, None]);
    }
}
