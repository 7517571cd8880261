//! Where messages go: mail addresses and webhooks, tried in order.

use base::{Call, CallResult, HttpCall, MailCall, OpError, OpResult, Sql, Tx, Wall, args, codes};
use serde::{Deserialize, Serialize};

use super::AlertSettings;
use super::signature;

/// Channels of one namespace.
const CHANNELS_MAX: usize = 8;
/// Addresses of one mail channel.
const ADDRESSES_MAX: usize = 20;
const ADDRESS_MAX: usize = 254;
const URL_MAX: usize = 2_048;
/// Time for one call.
const TIMEOUT_MS: u64 = 30_000;
const REPLY_MAX: usize = 1_024;

/// One way to reach a person.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", deny_unknown_fields)]
pub enum Channel {
    /// E-mail.
    Mail {
        /// Addresses.
        to: Vec<String>,
    },
    /// A POST of JSON, e.g. to a gateway for short messages.
    Webhook {
        /// Where to.
        url: String,
        /// Signs the body as Standard Webhooks says: `whsec_` and base64.
        #[serde(default)]
        secret: Option<String>,
    },
}

/// Without the secret and without what a URL may hide in its query.
impl std::fmt::Debug for Channel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.label())
    }
}

impl Channel {
    /// `mail` or `webhook`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Mail { .. } => "mail",
            Self::Webhook { .. } => "webhook",
        }
    }

    /// How it is shown in history and banner: a webhook without its path, which often is its password.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Mail { to } => format!("mail to {}", to.join(", ")),
            Self::Webhook { url, .. } => format!("webhook {}", origin(url)),
        }
    }

    /// Refuses what cannot be a channel.
    ///
    /// # Errors
    /// An address, a URL or a secret that is none, or too many.
    pub fn check(&self) -> OpResult<()> {
        match self {
            Self::Mail { to } => check_addresses(to),
            Self::Webhook { url, secret } => {
                check_url(url)?;
                secret.as_deref().map_or(Ok(()), |secret| signature::key(secret).map(drop))
            }
        }
    }

    /// The call that sends a message by this channel. The same in every try but for the signature's time.
    pub(crate) fn call(&self, message: &Outgoing<'_>, wall: Wall) -> Call {
        match self {
            Self::Mail { to } => Call::Mail(MailCall {
                to: to.clone(),
                subject: message.subject.to_owned(),
                text: message.text.to_owned(),
                id: message.id.to_owned(),
                timeout_ms: TIMEOUT_MS,
            }),
            Self::Webhook { url, secret } => {
                let body = message.json().into_bytes();
                let headers = signature::headers(secret.as_deref(), message.id, wall, &body);
                let url = url.clone();
                Call::Http(HttpCall {
                    method: "POST",
                    url,
                    headers,
                    body,
                    timeout_ms: TIMEOUT_MS,
                    reply_max: REPLY_MAX,
                })
            }
        }
    }
}

/// Scheme and host.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |at| host + at);
    let begin = url[host..end].rfind('@').map_or(0, |at| host + at + 1);
    &url[begin..end]
}

fn check_addresses(to: &[String]) -> OpResult<()> {
    if to.is_empty() || to.len() > ADDRESSES_MAX {
        let message = format!("a mail channel has {} addresses, it must be 1 to {ADDRESSES_MAX}", to.len());
        return Err(OpError::new(codes::ALIMIT, message));
    }
    let odd = |c: char| c.is_control() || c.is_whitespace() || "<>,;:\"()".contains(c);
    for address in to {
        let parts = address.split_once('@').filter(|(name, host)| !name.is_empty() && !host.is_empty());
        if parts.is_none() || address.len() > ADDRESS_MAX || address.contains(odd) {
            let shown = crate::watch::shown(address, 80);
            return Err(OpError::new(codes::ABODY, format!("`{shown}` is not a mail address (name@host)")));
        }
    }
    Ok(())
}

fn check_url(url: &str) -> OpResult<()> {
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let odd = |c: char| c.is_control() || c.is_whitespace();
    let good = host.is_some_and(|host| !host.is_empty() && !host.starts_with('/')) && !url.contains(odd);
    if !good || url.len() > URL_MAX {
        let shown = crate::watch::shown(url, 80);
        let message =
            format!("`{shown}` is not a URL that begins with https:// or http://, of at most {URL_MAX} bytes");
        return Err(OpError::new(codes::ABODY, message));
    }
    Ok(())
}

/// Refuses a list that cannot be channels.
pub(crate) fn check_all(channels: &[Channel]) -> OpResult<()> {
    if channels.len() > CHANNELS_MAX {
        let message = format!("{} channels, at most {CHANNELS_MAX}", channels.len());
        return Err(OpError::new(codes::ALIMIT, message));
    }
    channels.iter().try_for_each(Channel::check)
}

/// A message on its way out.
pub(crate) struct Outgoing<'a> {
    pub(crate) id: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) subject: &'a str,
    pub(crate) text: &'a str,
}

impl Outgoing<'_> {
    fn json(&self) -> String {
        let data = serde_json::json!({
            "namespace": self.namespace, "kind": self.kind, "subject": self.subject, "text": self.text,
        });
        serde_json::json!({ "type": "alert.message", "id": self.id, "data": data }).to_string()
    }
}

/// What came of a call. Three answers, as everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sent {
    /// It was taken.
    Done,
    /// It was certainly not taken; says why.
    Refused(String),
    /// It may have been taken; says why nobody knows.
    Unknown(String),
}

impl Sent {
    /// The word in the history.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused(_) => "refused",
            Self::Unknown(_) => "unknown",
        }
    }

    pub(crate) fn reason(&self) -> &str {
        match self {
            Self::Done => "",
            Self::Refused(why) | Self::Unknown(why) => why,
        }
    }

    /// Reads a call's result. A server's own failure (5xx) tells nothing about what it did before.
    pub(crate) fn of(result: &CallResult) -> Self {
        match result {
            CallResult::Mailed => Self::Done,
            CallResult::Http(reply) if (200..300).contains(&reply.status) => Self::Done,
            CallResult::Http(reply) if reply.status >= 500 => Self::Unknown(format!("status {}", reply.status)),
            CallResult::Http(reply) => Self::Refused(format!("status {}", reply.status)),
            CallResult::Worked(_) => Self::Refused("answered as if it were work of our own".into()),
            CallResult::NotMade(why) => Self::Refused(crate::watch::shown(why, 500)),
            CallResult::Unknown(why) => Self::Unknown(crate::watch::shown(why, 500)),
        }
    }
}

pub(crate) static ALL: Sql = Sql::new("alert_channel.all", "SELECT channel FROM alert_channel ORDER BY place LIMIT 8");

/// The namespace's own channels; none if it has none.
pub(crate) fn own(tx: &mut dyn Tx) -> OpResult<Vec<Channel>> {
    let rows = tx.query(&ALL, args![], CHANNELS_MAX)?;
    let read = |text: &str| serde_json::from_str(text);
    let channels: Result<_, _> = rows.iter().map(|row| read(row.text(0))).collect();
    channels.map_err(|error| OpError::new(codes::BDETECTED, format!("a channel cannot be read: {error}")))
}

/// The channels that are used: the namespace's own, else the server's.
pub(crate) fn used(tx: &mut dyn Tx, settings: &AlertSettings) -> OpResult<Vec<Channel>> {
    let own = own(tx)?;
    Ok(if own.is_empty() { settings.channels.clone() } else { own })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::HttpReply;

    fn refused(channel: Channel) -> &'static str {
        channel.check().map_or_else(|error| error.code.name, |()| "good")
    }

    fn mail(to: &[&str]) -> Channel {
        Channel::Mail { to: to.iter().map(|one| (*one).to_owned()).collect() }
    }

    fn webhook(url: &str) -> Channel {
        Channel::Webhook { url: url.to_owned(), secret: None }
    }

    #[test]
    fn ker_34_what_cannot_be_a_channel_is_refused() {
        assert_eq!(refused(mail(&["a@b"])), "good");
        for bad in ["", "a", "@b", "a@", "a@b\r\nBcc: c@d", "a@b,c@d", "A <a@b>", &format!("{}@b", "a".repeat(300))] {
            assert_eq!(refused(mail(&[bad])), "ABODY", "{bad}");
        }
        assert_eq!(refused(mail(&[])), "ALIMIT");
        assert_eq!(refused(mail(&["a@b"; 21])), "ALIMIT");
        assert_eq!(refused(webhook("https://sms.example/x")), "good");
        for bad in ["", "ftp://a", "https://", "https:///x", "https://a b", "javascript:alert(1)"] {
            assert_eq!(refused(webhook(bad)), "ABODY", "{bad}");
        }
        let secret = Some("not base64 at all".to_owned());
        assert_eq!(refused(Channel::Webhook { url: "https://a".into(), secret }), "ABODY");
    }

    #[test]
    fn ker_27_a_label_shows_neither_password_nor_path() {
        assert_eq!(webhook("https://user:pw@sms.example:8443/token-123?key=1").label(), "webhook sms.example:8443");
        assert_eq!(webhook("https://sms.example/t").label(), "webhook https://sms.example");
    }

    #[test]
    fn ker_41_three_outcomes_and_no_fourth() {
        let http = |status| CallResult::Http(HttpReply { status, headers: vec![], body: vec![] });
        for (result, word) in [
            (CallResult::Mailed, "done"),
            (http(204), "done"),
            (http(404), "refused"),
            (http(302), "refused"),
            (http(503), "unknown"),
            (CallResult::NotMade("no route".into()), "refused"),
            (CallResult::Unknown("cut".into()), "unknown"),
        ] {
            assert_eq!(Sent::of(&result).word(), word, "{result:?}");
        }
    }
}
