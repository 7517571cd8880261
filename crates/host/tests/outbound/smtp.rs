//! Mail through a real server (`cargo xtask services`), and what it put into its mailbox.

use std::path::PathBuf;

use base::{Call, CallResult, MailCall};
use host::{HostOutbound, MailSettings};

use crate::calls::{perform, with};

struct Sink {
    outbound: HostOutbound,
    mailbox: PathBuf,
}

fn sink() -> Sink {
    let variable = |name: &str| {
        std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run by `cargo xtask services run -- …`"))
    };
    let url = format!("smtp://{}", variable("FASTNESS_TEST_SMTP"));
    let mail = Some(MailSettings { url, from: "Fastness <server@example.org>".into() });
    Sink { outbound: with(|settings| settings.mail = mail), mailbox: variable("FASTNESS_TEST_SMTP_MAILBOX").into() }
}

impl Sink {
    /// The mail with this text in it, of which there must be one.
    fn find(&self, mark: &str) -> String {
        let texts = std::fs::read_dir(self.mailbox.join("new")).unwrap();
        let texts = texts.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
        let mut found: Vec<_> = texts.filter(|text| text.contains(mark)).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }
}

/// Unlike that of any other run against the same server.
fn id(name: &str) -> String {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos();
    format!("{name}-{}-{now}", std::process::id())
}

#[test]
fn ker_27_smtp_a_mail_arrives_whole() {
    let (sink, id) = (sink(), id("whole"));
    let call = MailCall {
        to: vec!["a@example.com".into(), "Bea <b@example.com>".into()],
        subject: "Platte voll: 100 % – bitte prüfen".into(),
        text: "First line\n.\n..two dots\nFrom here\n".into(),
        id: id.clone(),
        timeout_ms: 20_000,
    };
    assert_eq!(perform(&sink.outbound, Call::Mail(call)), CallResult::Mailed);
    let mail = sink.find(&id);
    for line in [
        "From: Fastness <server@example.org>",
        "To: a@example.com, Bea <b@example.com>",
        &format!("Message-ID: <{id}@example.org>"),
        "X-MailFrom: server@example.org",
        "X-RcptTo: a@example.com, b@example.com",
    ] {
        assert!(mail.lines().any(|other| other == line), "{line} in {mail}");
    }
    assert!(mail.contains("First line\n.\n..two dots\n"), "{mail}");
    assert!(mail.contains("Subject: =?utf-8?") || mail.contains("Subject: Platte"), "{mail}");
}

#[test]
fn ker_27_smtp_a_large_text_beyond_ascii_arrives() {
    let (sink, id) = (sink(), id("large"));
    let call = MailCall {
        to: vec!["a@example.com".into()],
        subject: "Bericht".into(),
        text: "Größe: 1 µm\n".repeat(20_000),
        id: id.clone(),
        timeout_ms: 20_000,
    };
    assert_eq!(perform(&sink.outbound, Call::Mail(call)), CallResult::Mailed);
    assert!(sink.find(&id).len() > 240_000);
}
