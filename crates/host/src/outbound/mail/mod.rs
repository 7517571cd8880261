//! Sending mail through the one configured server.
//!
//! The conversation is in two parts. Until the server asks for the text nothing was sent in any sense; once the text is on
//! its way only the server's last word tells, and without it nobody knows.
//!
//! The guard against private addresses does not look at the mail server: it is named by the configuration, by the same
//! hand that could lift the guard, and is often on this machine or beside it.

mod letter;
mod server;

use std::time::Duration;

use base::{CallResult, MailCall};
use lettre::message::Mailbox;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::Mechanism;
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::ClientId;
use tokio::time::{Instant, timeout, timeout_at};

use super::OutboundError;
use super::resolve::Resolver;
use super::roots::Roots;
use letter::Letter;
use server::{Encryption, MailServer};

pub use letter::is_mail_address;
pub use server::is_mail_server;

/// Ways to log in; both send the password, so they are used after TLS only, unless the URL says otherwise.
const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];
/// Time to say good-bye, when nobody waits any more.
const GOOD_BYE: Duration = Duration::from_secs(5);

/// Through which server and as whom.
#[derive(Clone)]
pub struct MailSettings {
    /// `smtp://user:password@host:port` or `smtps://…`; the rules stand at `MailServer`. Holds a secret.
    pub url: String,
    /// Sender: an address, or a name and an address in angle brackets.
    pub from: String,
}

impl std::fmt::Debug for MailSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MailSettings").field("from", &self.from).finish_non_exhaustive()
    }
}

/// Sends mail.
pub(super) struct Mailer {
    server: MailServer,
    from: Mailbox,
    hello: ClientId,
    tls: TlsParameters,
    resolver: Resolver,
}

impl Mailer {
    pub(super) fn new(settings: &MailSettings, roots: &Roots, resolver: Resolver) -> Result<Self, OutboundError> {
        let server = MailServer::parse(&settings.url).map_err(OutboundError::Mail)?;
        let from = letter::mailbox(&settings.from).map_err(OutboundError::Mail)?;
        let tls = tls(&server.host, roots).map_err(|error| OutboundError::Mail(error.to_string()))?;
        Ok(Self { server, from, hello: ClientId::default(), tls, resolver })
    }

    pub(super) async fn send(&self, call: &MailCall, deadline: Instant) -> CallResult {
        let letter = match Letter::new(&self.from, call) {
            Ok(letter) => letter,
            Err(reason) => return CallResult::NotMade(reason),
        };
        let mut connection = match timeout_at(deadline, self.prepare(&letter)).await {
            Ok(Ok(connection)) => connection,
            Ok(Err(reason)) => return CallResult::NotMade(format!("{}: {reason}", self.server)),
            Err(_) => return CallResult::NotMade(format!("{}: not ready for the mail in time", self.server)),
        };
        let sent = timeout_at(deadline, connection.message(&letter.text)).await;
        tokio::spawn(async move { timeout(GOOD_BYE, connection.quit()).await });
        match sent {
            Ok(Ok(_)) => CallResult::Mailed,
            Ok(Err(error)) => self.judge(&error),
            Err(_) => CallResult::Unknown(format!("{}: no answer to the mail in time", self.server)),
        }
    }

    /// Whether the server is there and lets us in; nothing is sent.
    pub(super) async fn probe(&self) -> Result<(), String> {
        let mut connection = self.connect().await.map_err(|reason| format!("{}: {reason}", self.server))?;
        drop(timeout(GOOD_BYE, connection.quit()).await);
        Ok(())
    }

    /// The server's own "no" is a sure word; everything else leaves a doubt.
    fn judge(&self, error: &Error) -> CallResult {
        let reason = format!("{}: {}", self.server, whole(error));
        if error.is_transient() || error.is_permanent() {
            CallResult::NotMade(reason)
        } else {
            CallResult::Unknown(reason)
        }
    }

    /// Everything up to the moment when the server waits for the text.
    async fn prepare(&self, letter: &Letter) -> Result<AsyncSmtpConnection, String> {
        let mut connection = self.connect().await?;
        let sender = Some(letter.from.clone());
        connection.command(Mail::new(sender, vec![])).await.map_err(|error| whole(&error))?;
        self.name_receivers(&mut connection, letter).await?;
        connection.command(Data).await.map_err(|error| whole(&error))?;
        Ok(connection)
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, String> {
        let MailServer { host, port, encryption, credentials } = &self.server;
        let wrapped = (*encryption == Encryption::Wrapped).then(|| self.tls.clone());
        let found = self.resolver.addresses(host, *port).await?;
        let connection = AsyncSmtpConnection::connect_tokio1(found.as_slice(), None, &self.hello, wrapped, None).await;
        let mut connection = connection.map_err(|error| whole(&error))?;
        let offered = *encryption == Encryption::IfOffered && connection.can_starttls();
        if offered || *encryption == Encryption::Required {
            connection.starttls(self.tls.clone(), &self.hello).await.map_err(|error| whole(&error))?;
        }
        if let Some(credentials) = credentials {
            connection.auth(&MECHANISMS, credentials).await.map_err(|error| whole(&error))?;
        }
        Ok(connection)
    }

    /// One receiver who is taken is enough: a single address that has gone must not silence an alert to all others.
    async fn name_receivers(&self, connection: &mut AsyncSmtpConnection, letter: &Letter) -> Result<(), String> {
        let mut refused = Vec::new();
        for to in &letter.to {
            match connection.command(Rcpt::new(to.clone(), vec![])).await {
                Ok(_) => {}
                Err(error) if error.is_transient() || error.is_permanent() => {
                    refused.push(format!("{to}: {}", whole(&error)));
                }
                Err(error) => return Err(whole(&error)),
            }
        }
        if refused.len() == letter.to.len() {
            return Err(format!("no receiver was taken: {}", refused.join("; ")));
        }
        if !refused.is_empty() {
            tracing::warn!(server = %self.server, ?refused, "the mail goes to the other receivers only");
        }
        Ok(())
    }
}

fn tls(host: &str, roots: &Roots) -> Result<TlsParameters, Error> {
    let mut parameters = TlsParameters::builder(host.to_owned());
    for certificate in &roots.further {
        parameters = parameters.add_root_certificate(Certificate::from_der(certificate.to_vec())?);
    }
    parameters.build_rustls()
}

fn whole(error: &Error) -> String {
    let cause = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    let text = error.to_string();
    if text.contains(&cause) { text } else { format!("{text}: {cause}") }
}
