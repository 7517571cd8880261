//! Where the server is, read from its URL.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use url::{Url, form_urlencoded};

/// A URL that names no ClickHouse. Says nothing of a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not `http[s]://[user:password@]host[:port][/database]`: {0}")]
pub struct InvalidUrl(String);

/// A server and a database of it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Server {
    /// Scheme, host and port.
    pub(super) origin: String,
    pub(super) database: String,
    /// Who asks, as HTTP says it.
    pub(super) authorization: Option<String>,
}

impl Server {
    pub(super) fn parse(text: &str) -> Result<Self, InvalidUrl> {
        let url = Url::parse(text).map_err(|error| InvalidUrl(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(InvalidUrl("it begins otherwise".into()));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(InvalidUrl("there is something behind the database".into()));
        }
        let database = decoded(url.path().trim_matches('/'));
        if !database.chars().all(|char| char.is_ascii_alphanumeric() || char == '_') {
            return Err(InvalidUrl("the database's name has more than letters, digits and _".into()));
        }
        let database = if database.is_empty() { "default".to_owned() } else { database };
        Ok(Self { origin: url.origin().ascii_serialization(), database, authorization: authorization(&url) })
    }
}

fn authorization(url: &Url) -> Option<String> {
    let (user, password) = (decoded(url.username()), decoded(url.password().unwrap_or_default()));
    let user = if user.is_empty() { "default".to_owned() } else { user };
    let named = !url.username().is_empty() || url.password().is_some();
    named.then(|| format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
}

/// `%41` is `A`. The decoder is one of forms, where `+` and `&` mean something.
fn decoded(text: &str) -> String {
    let form = text.replace('+', "%2B").replace('&', "%26");
    form_urlencoded::parse(format!("x={form}").as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_11_the_url_names_server_database_and_user() {
        let server = Server::parse("http://127.0.0.1:8123").unwrap();
        assert_eq!((server.origin.as_str(), server.database.as_str()), ("http://127.0.0.1:8123", "default"));
        assert_eq!(server.authorization, None);
        let server = Server::parse("https://me:p%40ss+w%26rd@ch.example/home_1/").unwrap();
        assert_eq!((server.origin.as_str(), server.database.as_str()), ("https://ch.example", "home_1"));
        assert_eq!(server.authorization, Some(format!("Basic {}", STANDARD.encode("me:p@ss+w&rd"))));
    }

    #[test]
    fn sen_11_other_urls_are_refused_without_their_password() {
        for bad in
            ["", "clickhouse", "tcp://u:secret@h:9000", "http://", "http://u:secret@h/a?b", "http://u:secret@h/a%20b"]
        {
            let refused = Server::parse(bad).err().map(|error| error.to_string());
            assert!(refused.is_some_and(|text| !text.contains("secret")), "{bad}");
        }
    }
}
