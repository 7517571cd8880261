//! A mail as bytes: nothing a caller gives can become a header, a receiver or a command of its own.

use base::MailCall;
use lettre::Address;
use lettre::message::header::ContentType;
use lettre::message::{Mailbox, Message};

/// Receivers of one mail.
const RECEIVERS_MAX: usize = 100;
/// Longest subject.
const SUBJECT_MAX: usize = 500;
/// Longest text.
const TEXT_MAX: usize = 1 << 20;
/// Longest id.
const ID_MAX: usize = 200;
/// Longest address with its name.
const ADDRESS_MAX: usize = 320;

/// A mail ready to be sent.
#[derive(Debug)]
pub(super) struct Letter {
    pub(super) from: Address,
    pub(super) to: Vec<Address>,
    pub(super) text: Vec<u8>,
}

impl Letter {
    /// The error says which part cannot be sent.
    pub(super) fn new(from: &Mailbox, call: &MailCall) -> Result<Self, String> {
        check(call)?;
        let receivers = call.to.iter().map(|to| mailbox(to)).collect::<Result<Vec<_>, _>>()?;
        let id = format!("<{}@{}>", call.id, from.email.domain());
        let mut message = Message::builder().from(from.clone()).subject(&call.subject).message_id(Some(id));
        for receiver in &receivers {
            message = message.to(receiver.clone());
        }
        let message = message.header(ContentType::TEXT_PLAIN).body(call.text.clone());
        let message = message.map_err(|error| format!("the mail cannot be made: {error}"))?;
        let to = receivers.into_iter().map(|receiver| receiver.email).collect();
        Ok(Self { from: from.email.clone(), to, text: message.formatted() })
    }
}

fn check(call: &MailCall) -> Result<(), String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if call.to.is_empty() || call.to.len() > RECEIVERS_MAX {
        return Err(format!("{} receivers; 1 to {RECEIVERS_MAX} are possible", call.to.len()));
    }
    if call.subject.len() > SUBJECT_MAX || call.subject.contains(char::is_control) {
        return Err(format!("the subject has more than {SUBJECT_MAX} bytes or a control character"));
    }
    if call.text.len() > TEXT_MAX || call.text.contains('\0') {
        return Err(format!("the text has {} bytes, at most {TEXT_MAX}, or a zero byte", call.text.len()));
    }
    if !(1..=ID_MAX).contains(&call.id.len()) || !call.id.bytes().all(plain) {
        return Err(format!("the id {:?} is not 1 to {ID_MAX} of a-z, A-Z, 0-9, -, _ and .", call.id));
    }
    Ok(())
}

/// An address, with or without a name. Addresses beyond ASCII are refused: few servers carry them.
pub(super) fn mailbox(text: &str) -> Result<Mailbox, String> {
    let bad = || format!("{text:?} is not a mail address");
    if text.len() > ADDRESS_MAX || text.contains(char::is_control) {
        return Err(bad());
    }
    let mailbox: Mailbox = text.trim().parse().map_err(|_| bad())?;
    if AsRef::<str>::as_ref(&mailbox.email).is_ascii() { Ok(mailbox) } else { Err(bad()) }
}

/// Whether mail can be sent to or from this: an address, or a name and an address in angle brackets.
#[must_use]
pub fn is_mail_address(text: &str) -> bool {
    mailbox(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> MailCall {
        MailCall {
            to: vec!["a@example.com".into(), "B <b@example.com>".into()],
            subject: "Disk full".into(),
            text: "First\n.\r\nlast".into(),
            id: "alert-7.1".into(),
            timeout_ms: 1,
        }
    }

    fn letter(call: &MailCall) -> Result<Letter, String> {
        Letter::new(&mailbox("Fastness <server@example.org>").unwrap(), call)
    }

    fn headers(letter: &Letter) -> Vec<String> {
        let text = String::from_utf8(letter.text.clone()).unwrap();
        text.split_once("\r\n\r\n").unwrap().0.split("\r\n").map(str::to_owned).collect()
    }

    #[test]
    fn ker_27_a_letter_has_sender_receivers_subject_and_the_calls_id() {
        let letter = letter(&call()).unwrap();
        let headers = headers(&letter);
        for header in [
            "From: Fastness <server@example.org>",
            "To: a@example.com, B <b@example.com>",
            "Subject: Disk full",
            "Message-ID: <alert-7.1@example.org>",
        ] {
            assert!(headers.iter().any(|line| line == header), "{header} in {headers:?}");
        }
        assert_eq!(letter.to.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a@example.com", "b@example.com"]);
    }

    #[test]
    fn ker_27_nothing_given_becomes_a_header() {
        for evil in ["x\r\nBcc: e@example.com", "x\nBcc: e@example.com", "x\rBcc: e@example.com", "x\0"] {
            assert!(letter(&MailCall { subject: evil.into(), ..call() }).is_err(), "subject {evil:?}");
            assert!(letter(&MailCall { to: vec![evil.into()], ..call() }).is_err(), "to {evil:?}");
            assert!(letter(&MailCall { id: evil.into(), ..call() }).is_err(), "id {evil:?}");
            assert!(!is_mail_address(&format!("a@example.com{evil}")), "address {evil:?}");
            assert!(!is_mail_address(&format!("{evil} <a@example.com>")), "name {evil:?}");
        }
        for evil in ["a@example.com>\r\nRCPT TO:<e@example.com", "a@b@c", "<>", "", "a", "a@", "@b", "é@example.com"] {
            assert!(!is_mail_address(evil), "{evil:?}");
        }
        let evil = MailCall { to: vec!["\"a, e@example.com\" <a@example.com>".into()], ..call() };
        assert_eq!(letter(&evil).unwrap().to.len(), 1);
    }

    #[test]
    fn ker_27_a_letter_is_ascii_whatever_it_says() {
        let letter = letter(&MailCall { subject: "Überlauf 🔥".into(), text: "é\n".repeat(600), ..call() }).unwrap();
        assert!(letter.text.is_ascii() && letter.text.split(|byte| *byte == b'\n').all(|line| line.len() < 1_000));
        assert!(headers(&letter).iter().any(|line| line.starts_with("Subject: =?utf-8?")));
    }

    #[test]
    fn ker_34_a_letter_is_bounded() {
        assert!(letter(&MailCall { to: vec![], ..call() }).is_err());
        assert!(letter(&MailCall { to: vec!["a@b.c".into(); RECEIVERS_MAX + 1], ..call() }).is_err());
        assert!(letter(&MailCall { subject: "x".repeat(SUBJECT_MAX + 1), ..call() }).is_err());
        assert!(letter(&MailCall { text: "x".repeat(TEXT_MAX + 1), ..call() }).is_err());
        assert!(letter(&MailCall { id: String::new(), ..call() }).is_err());
    }
}
