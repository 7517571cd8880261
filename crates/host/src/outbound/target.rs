//! Where an HTTP call goes, read from its URL.
//!
//! Read as browsers read it, so that an address in an odd spelling (`http://2130706433`, `http://0x7f.1`) is the address
//! it means and not a name that some resolver might understand differently.

use rustls::pki_types::ServerName;
use url::{Host, Url};

/// Longest URL.
const URL_MAX: usize = 8_192;

/// A target that may be connected to, if the guard lets it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) host: Host<String>,
    pub(super) port: u16,
    /// Whether by TLS.
    pub(super) secure: bool,
    /// `Host` header.
    pub(super) authority: String,
    /// Path and query.
    pub(super) path: String,
}

impl Target {
    /// The error says what is wrong without the URL itself: its path may hold a secret.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > URL_MAX {
            return Err(format!("the URL has {} bytes, at most {URL_MAX}", text.len()));
        }
        // The parser would drop some of these in silence.
        if text.chars().any(|char| char.is_control() || char == ' ' || char == '\\') {
            return Err("the URL has a control character, a blank or a backslash".into());
        }
        let url = Url::parse(text).map_err(|error| format!("the URL cannot be read: {error}"))?;
        let secure = match url.scheme() {
            "http" => false,
            "https" => true,
            other => return Err(format!("the URL begins with `{other}:`, not with http: or https:")),
        };
        // The parser forgives `http:host` and `http:///host`; whoever writes so means something else.
        if authority(text).is_empty() {
            return Err("the URL has no // with a host behind it".into());
        }
        // Also an empty one: `http://@host`.
        if !url.username().is_empty() || url.password().is_some() || authority(text).contains('@') {
            return Err("the URL has a user or a password".into());
        }
        Self::of(&url, secure).ok_or_else(|| "the URL has no host".into())
    }

    fn of(url: &Url, secure: bool) -> Option<Self> {
        let host = url.host()?.to_owned();
        let authority = url.port().map_or_else(|| host.to_string(), |port| format!("{host}:{port}"));
        let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        Some(Self { port: url.port_or_known_default()?, host, secure, authority, path })
    }

    /// The name that the certificate must have.
    pub(super) fn server_name(&self) -> Result<ServerName<'static>, String> {
        match &self.host {
            Host::Domain(name) => {
                let name = name.strip_suffix('.').unwrap_or(name);
                ServerName::try_from(name.to_owned()).map_err(|_| format!("`{name}` can have no certificate"))
            }
            Host::Ipv4(address) => Ok(std::net::IpAddr::V4(*address).into()),
            Host::Ipv6(address) => Ok(std::net::IpAddr::V6(*address).into()),
        }
    }
}

/// What stands between `://` and the path.
fn authority(text: &str) -> &str {
    let rest = text.split_once("://").map_or("", |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let target = Target::parse(text).unwrap();
        format!("{}|{}|{}|{}|{}", target.host, target.port, target.secure, target.authority, target.path)
    }

    #[test]
    fn a_url_becomes_host_port_and_path() {
        assert_eq!(shown("http://Example.com"), "example.com|80|false|example.com|/");
        assert_eq!(shown("https://example.com:443/a/../b?c=d#e"), "example.com|443|true|example.com|/b?c=d");
        assert_eq!(shown("https://example.com:8443/@x?@"), "example.com|8443|true|example.com:8443|/@x?@");
        assert_eq!(shown("http://[::1]:81/"), "[::1]|81|false|[::1]:81|/");
    }

    #[test]
    fn ker_19_an_odd_spelling_of_an_address_is_that_address() {
        let odd =
            ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1", "127.0.0.1.", "１２７.0.0.1", "%31%32%37.1"];
        for host in odd {
            assert!(shown(&format!("http://{host}/")).starts_with("127.0.0.1|80|"), "{host}");
        }
        for host in ["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:0001]"] {
            assert!(shown(&format!("http://{host}/")).starts_with("[::ffff:7f00:1]|80|"), "{host}");
        }
    }

    #[test]
    fn ker_19_other_schemes_users_and_disguises_are_refused() {
        for bad in [
            "",
            "/path",
            "example.com",
            "//example.com/",
            "ftp://example.com/",
            "file:///etc/passwd",
            "gopher://x/",
            "http:",
            "http://",
            "http://user@example.com/",
            "http://user:pass@example.com/",
            "http://:@example.com/",
            "http://@example.com/",
            "http:@example.com/",
            "http:example.com/",
            "http:///example.com/",
            "http://exa mple.com/",
            "http://example.com/a\r\nb: c",
            "http://example.com\\@x/",
            "http://example.com:99999/",
            "http://256.0.0.1/",
            "http://1.2.3.4.5/",
            "http://[::1%25eth0]/",
        ] {
            assert!(Target::parse(bad).is_err(), "{bad}");
        }
        assert!(Target::parse(&format!("http://example.com/{}", "x".repeat(URL_MAX))).is_err());
    }

    #[test]
    fn an_error_does_not_tell_the_url() {
        let error = Target::parse("ftp://example.com/secret-token").unwrap_err();
        assert!(!error.contains("secret-token"), "{error}");
    }
}
