//! The certificate: its files can be read, belong together, and are good for a while yet.

use base::Clock;
use host::RealClock;
use web::Tls;

use super::Line;
use crate::config::Config;
use crate::tls::pair;

const DAY_MS: i64 = 24 * 3_600_000;
/// Whoever renews by a program does so earlier.
const SOON_MS: i64 = 14 * DAY_MS;

pub(super) fn lines(config: &Config) -> Vec<Line> {
    let (Some(certificate), Some(key)) = (&config.server.tls_certificate, &config.server.tls_key) else {
        return vec![];
    };
    let why = "the server does not start with it, and a running one keeps the old";
    let (certificate_pem, key_pem) = match pair(certificate, key) {
        Ok(pair) => pair,
        Err(reason) => {
            let mend = "check server.tls_certificate, server.tls_key, and who may read the files";
            return vec![Line::bad(reason, why, mend)];
        }
    };
    if let Err(error) = Tls::new(&certificate_pem, &key_pem) {
        let what = format!("no TLS with {} and {}: {error}", certificate.display(), key.display());
        return vec![Line::bad(what, why, "name the certificate's own key, both as PEM")];
    }
    let until = Tls::good_until(&certificate_pem);
    until.map(|until| of_age(until.0, RealClock::new().wall().0, &until.rfc3339())).into_iter().collect()
}

fn of_age(until_ms: i64, now_ms: i64, until: &str) -> Line {
    let mend = "renew it and replace the files: the server takes them up within seconds";
    match until_ms - now_ms {
        ..=0 => Line::bad(format!("the certificate ended at {until}"), "clients refuse to speak with the server", mend),
        1..=SOON_MS => Line::warn(format!("the certificate ends at {until}"), "then clients refuse the server", mend),
        _ => Line::ok(format!("the certificate is good until {until}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn ker_37_a_certificate_that_ends_soon_is_told_in_time() {
        let state = |days: i64| of_age(days * DAY_MS, 0, "then").state;
        assert_eq!((state(-1), state(0), state(13), state(15)), (State::Bad, State::Bad, State::Warn, State::Ok));
    }
}
