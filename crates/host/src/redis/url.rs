//! Where a Redis server is, read from its URL.

use base::RedisCommand;
use url::{Url, form_urlencoded};

/// A URL that names no Redis. Says nothing of a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not `redis://[user:password@]host[:port][/number]`: {0}")]
pub struct InvalidRedisUrl(String);

const PORT: u16 = 6_379;

/// A server and a database of it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Server {
    /// Host and port.
    pub(super) address: String,
    user: String,
    password: Option<String>,
    database: u32,
}

impl Server {
    pub(super) fn parse(text: &str) -> Result<Self, InvalidRedisUrl> {
        let url = Url::parse(text).map_err(|error| InvalidRedisUrl(error.to_string()))?;
        let host = url.host_str().filter(|host| !host.is_empty());
        let Some(host) = host.filter(|_| url.scheme() == "redis") else {
            return Err(InvalidRedisUrl("it begins otherwise".into()));
        };
        if url.query().is_some() || url.fragment().is_some() {
            return Err(InvalidRedisUrl("there is something behind the database".into()));
        }
        let number = url.path().trim_matches('/');
        let database = if number.is_empty() { Ok(0) } else { number.parse() };
        let database = database.map_err(|_| InvalidRedisUrl("the database is no number".into()))?;
        let address = format!("{host}:{}", url.port().unwrap_or(PORT));
        Ok(Self { address, user: decoded(url.username()), password: url.password().map(decoded), database })
    }

    /// What is said first on a connection.
    pub(super) fn greeting(&self) -> Vec<RedisCommand> {
        let words = |words: &[&str]| words.iter().map(|word| word.as_bytes().to_vec()).collect();
        let mut greeting = vec![];
        if let Some(password) = &self.password {
            let named = !self.user.is_empty();
            greeting.push(if named { words(&["AUTH", &self.user, password]) } else { words(&["AUTH", password]) });
        }
        if self.database > 0 {
            greeting.push(words(&["SELECT", &self.database.to_string()]));
        }
        greeting
    }
}

/// `%41` is `A`. The decoder is one of forms, where `+` and `&` mean something.
fn decoded(text: &str) -> String {
    let form = format!("x={}", text.replace('+', "%2B").replace('&', "%26"));
    form_urlencoded::parse(form.as_bytes()).next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_12_the_url_names_server_user_and_database() {
        let server = Server::parse("redis://127.0.0.1").ok().unwrap();
        assert_eq!((server.address.as_str(), server.greeting().len()), ("127.0.0.1:6379", 0));
        let server = Server::parse("redis://me:a%40b@h:7/3").ok().unwrap();
        let said: Vec<String> =
            server.greeting().iter().map(|words| String::from_utf8(words.join(&b' ')).unwrap()).collect();
        assert_eq!((server.address.as_str(), said), ("h:7", vec!["AUTH me a@b".to_owned(), "SELECT 3".to_owned()]));
        for bad in ["", "redis", "http://u:secret@h", "redis://u:secret@h/x", "redis://u:secret@h/1?a", "rediss://h"] {
            let refused = Server::parse(bad).err().map(|error| error.to_string());
            assert!(refused.is_some_and(|text| !text.contains("secret")), "{bad}");
        }
    }
}
