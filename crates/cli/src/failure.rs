//! What went wrong, as the exit code and the words say it.

use std::process::ExitCode;

use client::{ApiError, ClientError};
use serde_json::{Value, json};

use crate::output::{Output, escaped};

/// What the exit codes mean, for the help.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  failed on this side, such as a file that cannot be written
  2  wrong use or configuration; nothing was sent
  3  the server refused; its code is in the message
  4  no server, a busy one, or a list that is not whole; nothing changed as far as is known
  5  outcome unknown: it was sent, and no answer came";

/// What to do where no server answers.
pub(crate) const NO_SERVER: &str =
    "is it running? `fastness serve` starts one; for one at another address give --server URL, or set FASTNESS_SERVER";

/// Which of the exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whoever read our output went away: no failure of ours.
    Unread,
    /// Something on this side.
    Failed,
    /// Wrong use.
    Usage,
    /// The server said no.
    Refused,
    /// No server, or one without room.
    Unreached,
    /// It may have been done.
    Unknown,
}

impl Kind {
    fn code(self) -> u8 {
        match self {
            Self::Unread => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Unreached => 4,
            Self::Unknown => 5,
        }
    }
}

/// Why a command did not do what it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) code: Option<String>,
    message: String,
    detail: Vec<String>,
    hint: Option<String>,
}

/// What a verb comes to.
pub(crate) type Done = Result<(), Failure>;

impl Failure {
    fn of(kind: Kind, message: impl ToString) -> Self {
        Self { kind, code: None, message: message.to_string(), detail: vec![], hint: None }
    }

    /// Something on this side.
    pub(crate) fn here(message: impl ToString) -> Self {
        Self::of(Kind::Failed, message)
    }

    /// Whether asking again later may help.
    pub(crate) fn may_pass(&self) -> bool {
        self.kind == Kind::Unreached
    }

    /// Wrong use.
    pub(crate) fn usage(message: impl ToString) -> Self {
        Self::of(Kind::Usage, message)
    }

    /// The server said no, in words of its own.
    pub(crate) fn refused(message: impl ToString) -> Self {
        Self::of(Kind::Refused, message)
    }

    /// There is no server.
    pub(crate) fn unreached(message: impl ToString) -> Self {
        Self::of(Kind::Unreached, message)
    }

    /// What went wrong, in one line that is not escaped.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// A server that is there and takes no work.
    pub(crate) fn unready(server: &str) -> Self {
        Self::of(Kind::Unreached, format!("{server} takes no work now")).hint("its log and `fastness doctor` tell why")
    }

    /// What was asked for was shown, without what these namespaces hold.
    pub(crate) fn partial(unseen: &[String]) -> Self {
        let what = format!("this is not all: namespaces that cannot be looked at right now: {}", unseen.join(", "));
        Self::of(Kind::Unreached, what).hint("try again in a moment; `fastness status` tells which stores are away")
    }

    /// The output cannot be written.
    pub(crate) fn output(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::of(Kind::Unread, "nobody reads on"),
            _ => Self::here(format!("the output cannot be written: {error}")),
        }
    }

    /// With what to do next.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// That.
    pub(crate) fn hinted(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// A call that has no result; `changes` if it was to change something, `key` the Idempotency-Key under which.
    pub(crate) fn of_call(error: ClientError, changes: bool, key: &str) -> Self {
        let unknown = || format!("look whether it was done, or repeat it safely with --idempotency-key {key}");
        match error {
            ClientError::Api(error) if changes && error.is_unknown() => told(Kind::Unknown, *error).hint(unknown()),
            ClientError::Api(error) => refused(*error),
            ClientError::Unreachable { reason, sent: true, .. } if changes => {
                Self::of(Kind::Unknown, format!("no answer came: {reason}")).hint(unknown())
            }
            ClientError::Unreachable { reason, .. } => {
                Self::of(Kind::Unreached, format!("no server: {reason}")).hint(NO_SERVER)
            }
            ClientError::Unreadable { status: 500.. | 200..=299, reason } if changes => {
                Self::of(Kind::Unknown, format!("no answer of a Fastness server: {reason}")).hint(unknown())
            }
            ClientError::Unreadable { status: 502..=504, reason } => {
                Self::of(Kind::Unreached, format!("no answer of a Fastness server: {reason}"))
            }
            ClientError::Unreadable { status, reason } => {
                Self::here(format!("no answer of a Fastness server (status {status}): {reason}"))
                    .hint("is --server or FASTNESS_SERVER the address of one?")
            }
            ClientError::Invalid(reason) => Self::usage(reason),
            ClientError::Replica(error) => Self::here(error),
        }
    }

    /// Tells it on the standard error and gives the exit code.
    pub(crate) fn tell(&self, json: bool) -> ExitCode {
        if self.kind != Kind::Unread {
            let text = if json { Output::json_text(&self.json()) } else { self.text() };
            // Nobody is left to be told that telling failed.
            let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{text}\n").as_bytes());
        }
        ExitCode::from(self.kind.code())
    }

    fn text(&self) -> String {
        let code = self.code.as_ref().map(|code| format!(" ({})", escaped(code))).unwrap_or_default();
        let mut text = format!("error: {}{code}", escaped(&self.message));
        for fact in &self.detail {
            text += &format!("\n       {}", escaped(fact));
        }
        if let Some(hint) = &self.hint {
            text += &format!("\n  hint: {}", escaped(hint));
        }
        text
    }

    fn json(&self) -> Value {
        json!({"error": {
            "exit": self.kind.code(),
            "code": self.code,
            "message": self.message,
            "detail": self.detail,
            "hint": self.hint,
        }})
    }
}

fn told(kind: Kind, error: ApiError) -> Failure {
    Failure { code: Some(error.code), detail: error.detail, ..Failure::of(kind, error.message) }
}

/// Busy is not a refusal: the same words are right a moment later.
fn refused(error: ApiError) -> Failure {
    let kind = if matches!(error.status, 429 | 503) { Kind::Unreached } else { Kind::Refused };
    let hint = hint_for(&error, kind);
    let failure = told(kind, error);
    Failure { hint, ..failure }
}

fn hint_for(error: &ApiError, kind: Kind) -> Option<String> {
    let hint = match (error.code.as_str(), error.letter(), kind) {
        ("SKEY", ..) => "set FASTNESS_KEY, give --key-file FILE, or log in: fastness login",
        ("SROLE", ..) => "`fastness admin session whoami` shows what this key may do",
        ("NNAMESPACE", ..) => {
            "--namespace or FASTNESS_NAMESPACE says which; `fastness admin namespace list` shows them"
        }
        ("NTASK", ..) => "it may be done: `fastness tasks task list` shows those that are not",
        ("CVERSION", ..) => "read it again, then change what is there now",
        (_, 'O', _) => "an administrator turned the namespace off; `fastness admin namespace show` tells why",
        (_, _, Kind::Unreached) => "nothing was done; try again in a moment",
        (_, 'B', _) => "this is a fault of the server; its log tells more",
        _ => return None,
    };
    Some(hint.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api(code: &str, status: u16, outcome: Option<&str>) -> ClientError {
        let json = json!({"code": code, "major": 1, "phase": 0, "message": "m", "outcome": outcome});
        let error: ApiError = serde_json::from_value(json).unwrap();
        ClientError::Api(Box::new(ApiError { status, ..error }))
    }

    fn unreachable(sent: bool) -> ClientError {
        ClientError::Unreachable { attempts: 1, reason: "cut".into(), key: None, sent }
    }

    #[test]
    fn con_10_the_exit_code_tells_what_became_of_it() {
        let code = |error, changes| Failure::of_call(error, changes, "K").kind.code();
        assert_eq!(code(api("NTASK", 404, None), true), 3);
        assert_eq!(code(api("XBUSY", 503, None), true), 4);
        assert_eq!(code(api("XSTORE", 503, Some("unknown")), true), 5);
        assert_eq!(code(api("XSTORE", 503, Some("unknown")), false), 4, "a read changed nothing");
        assert_eq!((code(unreachable(true), true), code(unreachable(false), true)), (5, 4));
        assert_eq!(code(unreachable(true), false), 4);
        assert_eq!(code(ClientError::Unreadable { status: 502, reason: String::new() }, true), 5);
        assert_eq!(code(ClientError::Unreadable { status: 404, reason: String::new() }, true), 1);
        assert_eq!(code(ClientError::Invalid(String::new()), true), 2);
    }

    #[test]
    fn con_10_an_error_names_its_code_and_what_to_do_and_escapes_what_others_wrote() {
        let failure = Failure::of_call(api("SKEY", 401, None), false, "");
        assert!(failure.text().starts_with("error: m (SKEY)\n  hint: set FASTNESS_KEY"), "{}", failure.text());
        let unknown = Failure::of_call(unreachable(true), true, "01K");
        assert!(unknown.text().ends_with("--idempotency-key 01K"), "{}", unknown.text());
        assert_eq!(Failure::here("\u{1b}[31mred").text(), "error: \\u{1b}[31mred");
        assert_eq!(failure.json()["error"]["exit"], 3);
        let away = Failure::of_call(unreachable(false), false, "");
        assert_eq!(away.text(), format!("error: no server: cut\n  hint: {NO_SERVER}"));
        let partial = Failure::partial(&["shop (XSTORE)".to_owned()]);
        assert!(partial.text().contains("right now: shop (XSTORE)\n  hint: "), "{}", partial.text());
        assert_eq!(partial.json()["error"]["exit"], 4);
    }
}
