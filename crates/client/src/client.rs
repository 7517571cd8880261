//! A client of one namespace.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring::default_provider;
use rustls::{ClientConfig, RootCertStore};
use url::Url;

use crate::error::ClientError;
use crate::retry::Retry;

/// Largest answer that is read into memory; larger blobs are read in parts.
pub(crate) const ANSWER_MAX: usize = 64 << 20;

/// A client of one namespace of a server. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) http: reqwest::Client,
    /// The server's own address.
    pub(crate) root: Url,
    /// The namespace's, below it.
    pub(crate) base: Url,
    /// Empty where a call shows none.
    pub(crate) key: Arc<str>,
    pub(crate) retry: Retry,
    /// How long all tries of a call may take together.
    pub(crate) total: Option<Duration>,
    /// How long one try may take while bytes flow; else patience is for all of it.
    pub(crate) flow_max: Option<Duration>,
}

/// The key is not shown.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base", &self.base.as_str()).field("retry", &self.retry).finish_non_exhaustive()
    }
}

impl Client {
    /// A client of the server at `url` (`https://host` or `http://host:port`, with a path if a proxy puts one before it), of the
    /// namespace `ns`, by the right of `key`. Certificates are judged by the system's roots.
    ///
    /// # Errors
    /// The URL is none of HTTP, or the system's roots cannot be read.
    pub fn new(url: &str, ns: &str, key: &str) -> Result<Self, ClientError> {
        let base = namespace_of(&root_of(url)?, ns)?;
        // A redirect would carry the key elsewhere.
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        let http = http.tls_backend_preconfigured(tls(&base)?).build();
        Self::with_http(http.map_err(invalid)?, url, ns, key)
    }

    /// The same with an HTTP client of the caller's, for other roots, proxies or limits.
    ///
    /// # Errors
    /// The URL is none of HTTP.
    pub fn with_http(http: reqwest::Client, url: &str, ns: &str, key: &str) -> Result<Self, ClientError> {
        let root = root_of(url)?;
        let base = namespace_of(&root, ns)?;
        Ok(Self { http, root, base, key: key.into(), retry: Retry::default(), total: None, flow_max: None })
    }

    /// The same server, by the same right, in another namespace.
    ///
    /// # Errors
    /// That is not the name of a namespace.
    pub fn in_namespace(&self, ns: &str) -> Result<Self, ClientError> {
        Ok(Self { base: namespace_of(&self.root, ns)?, ..self.clone() })
    }

    /// The same with all tries of a call, and the pauses between them, in so much time.
    #[must_use]
    pub fn within(self, total: Duration) -> Self {
        Self { total: Some(total), ..self }
    }

    /// The same with a patience that is for silence alone: a try goes on while its answer comes, and longer the more it sends, but not
    /// longer than this.
    #[must_use]
    pub fn while_it_flows(self, longest: Duration) -> Self {
        Self { flow_max: Some(longest), ..self }
    }

    /// The same with another patience.
    #[must_use]
    pub fn with_retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// The address of something in the namespace; each step is escaped.
    pub(crate) fn url(&self, steps: &[&str]) -> Url {
        below(&self.base, steps)
    }

    /// The address of something of the server itself.
    pub(crate) fn root_url(&self, steps: &[&str]) -> Url {
        below(&self.root, steps)
    }
}

fn below(base: &Url, steps: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(steps);
    }
    url
}

fn root_of(url: &str) -> Result<Url, ClientError> {
    let no_url = |error| {
        ClientError::Invalid(format!(
            "`{url}` is not the address of a server ({error}): write one as http://127.0.0.1:7400"
        ))
    };
    let root = Url::parse(url).map_err(no_url)?;
    if !matches!(root.scheme(), "http" | "https") || root.query().is_some() || root.fragment().is_some() {
        return Err(ClientError::Invalid(format!("`{url}` is not the address of a server")));
    }
    if root.cannot_be_a_base() {
        return Err(ClientError::Invalid(format!("`{url}` has no path")));
    }
    Ok(root)
}

fn namespace_of(root: &Url, ns: &str) -> Result<Url, ClientError> {
    if ns.is_empty() || matches!(ns, "." | "..") {
        return Err(ClientError::Invalid(format!("`{ns}` is not the name of a namespace")));
    }
    Ok(below(root, &["v1", ns]))
}

/// ring, named here and not taken from the process: a library does not decide for its program.
fn tls(base: &Url) -> Result<ClientConfig, ClientError> {
    let mut roots = RootCertStore::empty();
    if base.scheme() == "https" {
        let found = rustls_native_certs::load_native_certs();
        let (added, _) = roots.add_parsable_certificates(found.certs);
        if added == 0 {
            return Err(ClientError::Invalid(format!("the system has no root certificates: {:?}", found.errors)));
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config.with_safe_default_protocol_versions().map_err(invalid)?;
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

pub(crate) fn invalid(error: impl ToString) -> ClientError {
    ClientError::Invalid(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(url: &str) -> Result<Client, ClientError> {
        Client::new(url, "main", "secret-of-the-key")
    }

    #[test]
    fn doc_6_addresses_are_built_from_steps_and_each_step_is_escaped() {
        for (url, expected) in [
            ("http://h:1", "http://h:1/v1/main/docs/C/a%2Fb%20c%3F/x"),
            ("http://h:1/", "http://h:1/v1/main/docs/C/a%2Fb%20c%3F/x"),
            ("https://h/below", "https://h/below/v1/main/docs/C/a%2Fb%20c%3F/x"),
        ] {
            assert_eq!(client(url).unwrap().url(&["docs", "C", "a/b c?", "x"]).as_str(), expected);
        }
    }

    #[test]
    fn doc_6_other_addresses_are_refused_and_the_key_is_not_shown() {
        for bad in ["", "h:1", "ftp://h", "http://h?x", "http://h#x", "mailto:a@b"] {
            assert!(matches!(client(bad), Err(ClientError::Invalid(_))), "{bad}");
        }
        assert!(Client::new("http://h", "", "k").is_err() && Client::new("http://h", "..", "k").is_err());
        assert!(!format!("{:?}", client("http://h").unwrap()).contains("secret"));
    }
}
