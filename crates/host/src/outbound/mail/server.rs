//! The mail server, read from its URL.

use std::fmt;

use lettre::transport::smtp::authentication::Credentials;
use url::Url;

/// How the way to the server is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encryption {
    /// TLS from the first byte.
    Wrapped,
    /// STARTTLS, or no mail.
    Required,
    /// STARTTLS if the server offers it.
    IfOffered,
    /// None.
    Never,
}

/// A mail server: `smtps://…` is TLS from the first byte, `smtp://…` is STARTTLS: required if the URL has a password,
/// which must not cross the wire as it is, else used if offered. `?tls=required`, `?tls=opportunistic` and `?tls=none`
/// say otherwise. Ports, if none is named: 465 with TLS, 587 with a password, else 25.
pub(super) struct MailServer {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) encryption: Encryption,
    pub(super) credentials: Option<Credentials>,
}

impl fmt::Display for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mail server {}:{}", self.host, self.port)
    }
}

/// Whether mail can be sent through what this URL names: `smtp://…` or `smtps://…`.
#[must_use]
pub fn is_mail_server(url: &str) -> bool {
    MailServer::parse(url).is_ok()
}

impl MailServer {
    /// The error never holds the URL: it may have a password.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| format!("the mail server's URL cannot be read: {error}"))?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or("the mail server's URL has no host")?;
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            return Err("the mail server's URL has a path; a special character in a password is written as %XX".into());
        }
        let credentials = credentials(&url)?;
        let encryption = encryption(&url, credentials.is_some())?;
        let port = url.port().unwrap_or(match (encryption, &credentials) {
            (Encryption::Wrapped, _) => 465,
            (_, Some(_)) => 587,
            (_, None) => 25,
        });
        // Certificates and the system know IPv6 addresses without brackets.
        let host = host.trim_matches(['[', ']']).to_owned();
        Ok(Self { host, port, encryption, credentials })
    }
}

fn encryption(url: &Url, has_password: bool) -> Result<Encryption, String> {
    match (url.scheme(), url.query()) {
        ("smtps", None) => Ok(Encryption::Wrapped),
        ("smtp", None) if has_password => Ok(Encryption::Required),
        ("smtp", None | Some("tls=opportunistic")) => Ok(Encryption::IfOffered),
        ("smtp", Some("tls=required")) => Ok(Encryption::Required),
        ("smtp", Some("tls=none")) => Ok(Encryption::Never),
        ("smtp" | "smtps", Some(_)) => {
            Err("behind ? only tls=required, tls=opportunistic or tls=none may stand, and only with smtp".into())
        }
        (other, _) => Err(format!("the mail server's URL begins with `{other}:`, not with smtp: or smtps:")),
    }
}

fn credentials(url: &Url) -> Result<Option<Credentials>, String> {
    let (user, password) = (decoded(url.username())?, url.password().map(decoded).transpose()?);
    match (user.is_empty(), password) {
        (true, None) => Ok(None),
        (false, Some(password)) => Ok(Some(Credentials::new(user, password))),
        (true, Some(_)) | (false, None) => Err("the mail server's URL needs both user and password, or neither".into()),
    }
}

/// `%XX` as the byte it means.
fn decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let hex = |byte: Option<u8>| {
            byte.and_then(|byte| char::from(byte).to_digit(16)).and_then(|digit| u8::try_from(digit).ok())
        };
        let value = if byte == b'%' {
            let (high, low) = (hex(rest.next()), hex(rest.next()));
            high.zip(low).map(|(high, low)| high * 16 + low).ok_or("a % in user or password is written as %25")?
        } else {
            byte
        };
        bytes.push(value);
    }
    String::from_utf8(bytes).map_err(|_| "user or password is not UTF-8".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> String {
        let server = MailServer::parse(url).unwrap();
        format!("{}:{} {:?} {}", server.host, server.port, server.encryption, server.credentials.is_some())
    }

    #[test]
    fn ker_27_the_url_says_how_to_reach_the_server() {
        assert_eq!(shown("smtp://mail.example.com"), "mail.example.com:25 IfOffered false");
        assert_eq!(shown("smtp://mail.example.com:2525/"), "mail.example.com:2525 IfOffered false");
        assert_eq!(shown("smtp://u:p@mail.example.com"), "mail.example.com:587 Required true");
        assert_eq!(shown("smtps://u:p@mail.example.com"), "mail.example.com:465 Wrapped true");
        assert_eq!(shown("smtp://u:p@[::1]?tls=none"), "::1:587 Never true");
        assert_eq!(shown("smtp://x?tls=required"), "x:25 Required false");
    }

    #[test]
    fn ker_27_user_and_password_may_have_any_character() {
        let server = MailServer::parse("smtps://a%40b:p%2F%25%C3%A9@x").unwrap();
        assert_eq!(server.credentials.unwrap(), Credentials::new("a@b".into(), "p/%é".into()));
    }

    #[test]
    fn ker_36_a_url_that_cannot_be_used_is_an_error_without_its_password() {
        for bad in [
            "",
            "x",
            "http://x",
            "smtp://",
            "smtp:x",
            "smtp://user@x",
            "smtp://:secret@x",
            "smtp://u:secret@x/path",
            "smtp://u:secret@x?tls=maybe",
            "smtps://x?tls=none",
            "smtp://u:se%zzcret@x",
            "smtp://u:%FFsecret@x",
            "smtp://x#y",
        ] {
            let error = MailServer::parse(bad).err().unwrap_or_else(|| panic!("taken: {bad}"));
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
