//! The URL that a client is told at (SEN-10): what can be refused at once, so that whoever registers it learns why. The guard that
//! counts judges the address that is connected to, at each call. Pure.

use std::net::IpAddr;

use base::{OpError, OpResult, Reach};
use url::{Host, Url};

use crate::codes::ASENSOR;
use crate::limits::URL_MAX;

/// Refuses what no client can be told at.
///
/// # Errors
/// `ASENSOR`: says what is wrong, without the URL itself: its path may hold a secret.
pub fn check_url(text: &str, reach: Reach) -> OpResult<()> {
    let refused = |why: &str| OpError::new(ASENSOR, format!("the URL {why}"));
    if text.len() > URL_MAX {
        return Err(refused(&format!("has {} bytes, at most {URL_MAX}", text.len())));
    }
    // The parser would drop some of these in silence.
    if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
        return Err(refused("has a control character, a blank or a backslash"));
    }
    let url = Url::parse(text).map_err(|error| refused(&format!("cannot be read: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused(&format!("begins with `{}:`, not with http: or https:", url.scheme())));
    }
    let behind = text.split_once("://").map_or("", |(_, behind)| behind);
    let authority = behind.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() {
        return Err(refused("has no // with a host behind it"));
    }
    if authority.contains('@') {
        return Err(refused("has a user or a password"));
    }
    if url.fragment().is_some() {
        return Err(refused("has a part behind #, which is never sent"));
    }
    if literal(&url).is_some_and(|address| !reach.allows(address)) {
        let why = "names an address that is not of the public internet; outbound.allow_private would allow it";
        return Err(refused(why));
    }
    Ok(())
}

/// The address, if the URL names one and not a name.
fn literal(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(address) => Some(address.into()),
        Host::Ipv6(address) => Some(address.into()),
        Host::Domain(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_10_urls_that_no_client_can_be_told_at_are_refused_at_once() {
        for good in ["https://a.example/hook", "http://8.8.8.8:81/x?y=%20z", "https://bücher.example/"] {
            assert_eq!(check_url(good, Reach::Public), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("", "cannot be read"),
            ("a.example/hook", "cannot be read"),
            ("ftp://a.example", "`ftp:`"),
            ("javascript:alert(1)", "`javascript:`"),
            ("file:///etc/passwd", "`file:`"),
            ("http:a.example", "no //"),
            ("http:///a.example", "no //"),
            ("http://u:p@a.example/", "user or a password"),
            ("http://@a.example/", "user or a password"),
            ("http://a.example/#x", "behind #"),
            ("http://a.example/a b", "a blank"),
            ("http://a.example/\n", "control character"),
            ("http://169.254.169.254/latest/meta-data", "not of the public internet"),
            ("http://2130706433/", "not of the public internet"),
            ("http://0x7f.1/", "not of the public internet"),
            ("http://[::1]/", "not of the public internet"),
            ("http://[::ffff:10.0.0.1]/", "not of the public internet"),
            ("http://10.1.2.3:8080/hook", "not of the public internet"),
        ] {
            let error = check_url(bad, Reach::Public).unwrap_err();
            assert!(error.code == ASENSOR && error.message.contains(why), "{bad}: {error}");
        }
        assert!(check_url(&format!("http://a.example/{}", "x".repeat(URL_MAX)), Reach::Public).is_err());
        assert_eq!(check_url("http://127.0.0.1:8080/hook", Reach::All), Ok(()));
        assert_eq!(check_url("http://127.0.0.1:8080/hook", Reach::Near), Ok(()));
        assert!(check_url("http://10.1.2.3:8080/hook", Reach::Near).is_err());
        assert!(check_url("http://u@127.0.0.1/", Reach::All).is_err());
    }
}
