//! Mail against a server that follows a script: what was sent, what certainly was not, and what nobody knows.

use base::{Call, CallResult, MailCall};
use host::{HostOutbound, MailSettings, OutboundError, OutboundSettings};

use crate::calls::{not_made, perform, unknown, with};
use crate::mail_server::{MailServer, Protection, Script};

const STARTTLS: (&str, &str) = ("EHLO", "250-test\r\n250-AUTH PLAIN LOGIN\r\n250 STARTTLS");

fn mail() -> MailCall {
    MailCall {
        to: vec!["a@example.com".into(), "b@example.com".into()],
        subject: "Disk full".into(),
        text: "One\n.\nthree".into(),
        id: "alert-7".into(),
        timeout_ms: 20_000,
    }
}

fn sender(server: &MailServer, scheme: &str, more: &str) -> HostOutbound {
    let url = format!("{scheme}localhost:{}{more}", server.addr.port());
    with(|settings| {
        settings.mail = Some(MailSettings { url, from: "Fastness <server@example.org>".into() });
        settings.certificates = server.certificate_pem.clone().into_bytes();
    })
}

fn sent(first: Script) -> (CallResult, Vec<String>) {
    let server = MailServer::new(Protection::None, first);
    let outbound = sender(&server, "smtp://", "");
    let result = perform(&outbound, Call::Mail(mail()));
    (result, server.heard())
}

#[test]
fn ker_27_a_mail_is_sent_to_all_with_the_calls_id() {
    let (result, heard) = sent(&[]);
    assert_eq!(result, CallResult::Mailed);
    for line in ["MAIL FROM:<server@example.org>", "RCPT TO:<a@example.com>", "RCPT TO:<b@example.com>", "..", "."] {
        assert!(heard.iter().any(|other| other == line), "{line} in {heard:?}");
    }
    assert!(heard.iter().any(|line| line == "Message-ID: <alert-7@example.org>"), "{heard:?}");
}

#[test]
fn ker_27_what_the_server_refuses_is_not_made() {
    for refusal in [
        &[("EHLO", "554 no")] as Script,
        &[("MAIL", "550 not you")],
        &[("RCPT", "550 nobody here")],
        &[("RCPT", "451 later")],
        &[("DATA", "452 no room")],
        &[(".", "554 spam")],
        &[(".", "451 later")],
    ] {
        not_made(sent(refusal).0);
    }
}

#[test]
fn ker_27_a_connection_that_breaks_is_unknown_only_after_the_text() {
    for word in ["EHLO", "MAIL", "RCPT", "DATA"] {
        let script: Script = Vec::leak(vec![(word, "")]);
        not_made(sent(script).0);
    }
    unknown(sent(&[(".", "")]).0);
    unknown(sent(&[(".", "garbage")]).0);
}

#[test]
fn ker_27_a_server_that_hangs_is_given_up_in_time() {
    let hurried = MailCall { timeout_ms: 300, ..mail() };
    for (script, sure) in [(&[("MAIL", "hang")] as Script, true), (&[(".", "hang")], false)] {
        let server = MailServer::new(Protection::None, script);
        let result = perform(&sender(&server, "smtp://", ""), Call::Mail(hurried.clone()));
        if sure {
            not_made(result)
        } else {
            unknown(result)
        };
        server.heard();
    }
}

#[test]
fn ker_27_one_receiver_who_has_gone_does_not_silence_the_others() {
    let (result, heard) = sent(&[("RCPT TO:<a@", "550 nobody here")]);
    assert_eq!(result, CallResult::Mailed);
    assert!(heard.contains(&"DATA".to_owned()), "{heard:?}");
}

#[test]
fn ker_27_a_mail_that_cannot_be_written_connects_to_nobody() {
    let outbound = with(|settings| {
        settings.mail = Some(MailSettings { url: "smtp://127.0.0.1:1".into(), from: "a@example.org".into() });
    });
    let evil = MailCall { subject: "x\r\nBcc: e@example.com".into(), ..mail() };
    assert!(not_made(perform(&outbound, Call::Mail(evil))).contains("subject"));
    let evil = MailCall { to: vec!["a@example.com>\r\nRCPT TO:<e@example.com".into()], ..mail() };
    assert!(not_made(perform(&outbound, Call::Mail(evil))).contains("not a mail address"));
    assert!(not_made(perform(&outbound, Call::Mail(mail()))).contains("mail server 127.0.0.1:1"));
}

#[test]
fn ker_27_tls_from_the_first_byte_and_by_starttls_with_a_login() {
    let server = MailServer::new(Protection::Wrapped, &[]);
    assert_eq!(perform(&sender(&server, "smtps://", ""), Call::Mail(mail())), CallResult::Mailed);
    assert!(server.heard().contains(&"DATA".to_owned()));
    let script: Script = &[STARTTLS, ("STARTTLS", "220 go"), ("AUTH", "235 welcome")];
    let server = MailServer::new(Protection::StartTls, script);
    assert_eq!(perform(&sender(&server, "smtp://user:pass@", ""), Call::Mail(mail())), CallResult::Mailed);
    let heard = server.heard();
    let place = |word: &str| heard.iter().position(|line| line.starts_with(word)).unwrap();
    assert!(place("TLS") < place("AUTH PLAIN ") && place("AUTH") < place("MAIL"), "{heard:?}");
}

#[test]
fn ker_27_a_password_never_crosses_the_wire_as_it_is() {
    let stripped: Script = &[("EHLO", "250-test\r\n250 AUTH PLAIN LOGIN"), ("AUTH", "235 welcome")];
    let server = MailServer::new(Protection::None, stripped);
    not_made(perform(&sender(&server, "smtp://user:pass@", ""), Call::Mail(mail())));
    assert!(!server.heard().iter().any(|line| line.starts_with("AUTH")));
    let server = MailServer::new(Protection::None, stripped);
    let outbound = sender(&server, "smtp://user:pass@", "?tls=none");
    assert_eq!(perform(&outbound, Call::Mail(mail())), CallResult::Mailed, "unless it was asked for");
    assert!(server.heard().iter().any(|line| line.starts_with("AUTH")));
}

#[test]
fn ker_27_a_login_that_fails_and_a_certificate_that_is_not_trusted_are_not_made() {
    let script: Script = &[STARTTLS, ("STARTTLS", "220 go"), ("AUTH", "535 wrong")];
    let server = MailServer::new(Protection::StartTls, script);
    let reason = not_made(perform(&sender(&server, "smtp://user:secret@", ""), Call::Mail(mail())));
    assert!(reason.contains("wrong") && !reason.contains("secret"), "{reason}");
    let server = MailServer::new(Protection::Wrapped, &[]);
    let url = format!("smtps://localhost:{}", server.addr.port());
    let outbound = with(|settings| settings.mail = Some(MailSettings { url, from: "server@example.org".into() }));
    not_made(perform(&outbound, Call::Mail(mail())));
    assert!(server.heard().is_empty());
}

#[test]
fn ker_36_settings_that_cannot_be_used_are_told_at_the_start() {
    for (url, from) in [("http://x", "a@example.org"), ("smtp://x", "nobody"), ("smtp://x", "a@example.org\r\nBcc: b")]
    {
        let mail = Some(MailSettings { url: url.into(), from: from.into() });
        let error = HostOutbound::new(OutboundSettings { mail, ..OutboundSettings::default() }).unwrap_err();
        assert!(matches!(error, OutboundError::Mail(_)), "{error}");
    }
}
