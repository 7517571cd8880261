//! Why there is no connection, in the same words wherever a person is told of it.

use std::io::ErrorKind;

/// Where it was to lead, and what is in the way; `cause` is what the system says of what is not known better.
#[must_use]
pub fn unreached(place: &str, kind: Option<ErrorKind>, cause: &str) -> String {
    match kind {
        Some(ErrorKind::ConnectionRefused) => format!("nothing listens at {place} (connection refused)"),
        Some(ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable) => {
            format!("no way leads to {place} ({cause})")
        }
        Some(ErrorKind::TimedOut) => format!("{place} did not answer in time"),
        _ => format!("no connection to {place}: {cause}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_36_what_is_in_the_way_is_told_with_the_place() {
        let told = |kind| unreached("http://h:1", kind, "why");
        assert_eq!(told(Some(ErrorKind::ConnectionRefused)), "nothing listens at http://h:1 (connection refused)");
        assert_eq!(told(Some(ErrorKind::HostUnreachable)), "no way leads to http://h:1 (why)");
        assert_eq!(told(Some(ErrorKind::TimedOut)), "http://h:1 did not answer in time");
        assert_eq!(told(None), "no connection to http://h:1: why");
    }
}
