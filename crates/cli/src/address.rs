//! The address of a server as people write it, read before anything else is looked up by it.

use std::net::IpAddr;

use url::{Host, Url};

/// An address without a slash at its end. One of this machine may lack its scheme; others may not, as what is shown there is secret.
pub(crate) fn server(text: &str) -> Result<String, String> {
    let text = text.trim_end_matches('/');
    if is_address(text) {
        return Ok(text.to_owned());
    }
    let plain = format!("http://{text}");
    let is_bare = !text.contains("://") && !text.ends_with(':');
    let host = (is_bare && is_address(&plain)).then(|| Url::parse(&plain).ok()).flatten();
    match host.as_ref().and_then(Url::host) {
        Some(host) if is_this_machine(&host) => Ok(plain),
        Some(_) => Err(format!("`{text}` is no address of a server: write https://{text}, or http://{text}")),
        None => Err(format!("`{text}` is no address of a server: write one as http://127.0.0.1:7400")),
    }
}

fn is_address(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https") && url.has_host() && url.query().is_none() && url.fragment().is_none()
    })
}

fn is_this_machine(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        Host::Ipv4(ip) => IpAddr::V4(*ip).is_loopback(),
        Host::Ipv6(ip) => IpAddr::V6(*ip).is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_36_an_address_of_this_machine_needs_no_scheme_and_others_are_told_how_to_write_it() {
        for (text, read) in [
            ("http://127.0.0.1:7400/", "http://127.0.0.1:7400"),
            ("https://fastness.example/below", "https://fastness.example/below"),
            ("127.0.0.1:7400", "http://127.0.0.1:7400"),
            ("localhost:7400", "http://localhost:7400"),
            ("localhost", "http://localhost"),
            ("[::1]:7400", "http://[::1]:7400"),
        ] {
            assert_eq!(server(text).as_deref(), Ok(read));
        }
        let told = "`fastness.example:7400` is no address of a server: write https://fastness.example:7400, or http://";
        assert!(server("fastness.example:7400").is_err_and(|error| error.starts_with(told)));
        for bad in ["", "ftp://h", "http://", "http://h?x", "http://h#x", "a b", "127.0.0.1:99999"] {
            assert!(server(bad).is_err_and(|error| error.ends_with("write one as http://127.0.0.1:7400")), "{bad}");
        }
        assert!(server("mailto:a@b").is_err());
    }
}
