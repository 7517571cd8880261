//! Error codes and the error that every interface answers with (KER-9).
//!
//! A code is a letter, which says what the caller can do next, and a short name. Every code has a page under
//! `docs/errors/`. Three kinds are never mixed: a refusal (the caller's doing), a fault (try later), a bug.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::stamp::Stamp;

/// An error code with the HTTP status that helps proxies; the body decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// Letter and short name, e.g. `CVERSION`.
    pub name: &'static str,
    /// HTTP status.
    pub status: u16,
}

impl Code {
    /// A code; a wrong letter or status does not compile in a `const`.
    #[must_use]
    pub const fn new(name: &'static str, status: u16) -> Self {
        assert!(status >= 400 && status < 600, "a code is an error");
        let code = Self { name, status };
        assert!(code.major_or_zero() > 0, "a code begins with one of A N B X D C O S T");
        code
    }

    /// The first letter.
    #[must_use]
    pub const fn letter(self) -> char {
        self.name.as_bytes()[0] as char
    }

    /// The number of the letter's class.
    #[must_use]
    pub const fn major(self) -> u8 {
        self.major_or_zero()
    }

    /// Whether the fault passes by itself, so that the answer says when to come again.
    #[must_use]
    pub const fn passes(self) -> bool {
        self.status == 503 || self.status == 429
    }

    const fn major_or_zero(self) -> u8 {
        match self.letter() {
            'A' | 'N' => 1,
            'B' => 2,
            'X' => 3,
            'D' => 4,
            'C' => 5,
            'O' => 6,
            'S' => 7,
            'T' => 8,
            _ => 0,
        }
    }
}

/// The codes of the kernel and the edge; services add their own.
pub mod codes {
    use super::Code;

    /// An attempt of a task that is not the current one has nothing to say any more.
    pub const AATTEMPT: Code = Code::new("AATTEMPT", 409);
    /// An account of that name exists already.
    pub const AACCOUNT: Code = Code::new("AACCOUNT", 422);
    /// An archive of a namespace is damaged, cut off, or of a form or schema that is not known.
    pub const AARCHIVE: Code = Code::new("AARCHIVE", 422);
    /// The body or a parameter is not what the route takes.
    pub const ABODY: Code = Code::new("ABODY", 400);
    /// A header of ours cannot be read.
    pub const AHEADER: Code = Code::new("AHEADER", 400);
    /// The same Idempotency-Key came with another body.
    pub const AKEYREUSED: Code = Code::new("AKEYREUSED", 422);
    /// It would leave the server without an administrator.
    pub const ALASTADMIN: Code = Code::new("ALASTADMIN", 422);
    /// A value is beyond its limit.
    pub const ALIMIT: Code = Code::new("ALIMIT", 422);
    /// The method is not one of this path.
    pub const AMETHOD: Code = Code::new("AMETHOD", 405);
    /// A namespace cannot be created, changed or removed like this.
    pub const ANAMESPACE: Code = Code::new("ANAMESPACE", 422);
    /// The caller's operation time lies in the future or too far back.
    pub const AOPTIME: Code = Code::new("AOPTIME", 400);
    /// The range asked for lies outside of the bytes.
    pub const ARANGE: Code = Code::new("ARANGE", 416);
    /// The bytes are not those of the SHA-256 named.
    pub const ASHA: Code = Code::new("ASHA", 422);
    /// The body did not arrive in time.
    pub const ASLOW: Code = Code::new("ASLOW", 408);
    /// The task is not in a state for this.
    pub const ATASK: Code = Code::new("ATASK", 409);
    /// The body is larger than the route takes.
    pub const ATOOBIG: Code = Code::new("ATOOBIG", 413);
    /// Too many or too large headers.
    pub const ATOOMANYHEADERS: Code = Code::new("ATOOMANYHEADERS", 431);
    /// The Content-Type is not one that the route takes.
    pub const ATYPE: Code = Code::new("ATYPE", 415);
    /// A bug was detected: a rule of the schema or of the code itself was broken.
    pub const BDETECTED: Code = Code::new("BDETECTED", 500);
    /// The operation panicked; it alone failed.
    pub const BPANIC: Code = Code::new("BPANIC", 500);
    /// The cursor is of another state of the store: start over with a full read.
    pub const CEPOCH: Code = Code::new("CEPOCH", 409);
    /// What the cursor points at is no longer kept: start over with a full read.
    pub const CGONE: Code = Code::new("CGONE", 409);
    /// The lease is over, or somebody else's by now.
    pub const CLEASE: Code = Code::new("CLEASE", 409);
    /// Other operations kept changing the same rows.
    pub const CSERIAL: Code = Code::new("CSERIAL", 409);
    /// The client's build is older than the server demands.
    pub const DBUILD: Code = Code::new("DBUILD", 400);
    /// No such alert.
    pub const NALERT: Code = Code::new("NALERT", 404);
    /// No such grant.
    pub const NGRANT: Code = Code::new("NGRANT", 404);
    /// No such blob.
    pub const NBLOB: Code = Code::new("NBLOB", 404);
    /// No such access key.
    pub const NKEY: Code = Code::new("NKEY", 404);
    /// No such namespace.
    pub const NNAMESPACE: Code = Code::new("NNAMESPACE", 404);
    /// No such operation.
    pub const NOPERATION: Code = Code::new("NOPERATION", 404);
    /// No such path.
    pub const NROUTE: Code = Code::new("NROUTE", 404);
    /// No such task.
    pub const NTASK: Code = Code::new("NTASK", 404);
    /// No transfer of the namespace.
    pub const NTRANSFER: Code = Code::new("NTRANSFER", 404);
    /// No such account.
    pub const NPERSON: Code = Code::new("NPERSON", 404);
    /// A change by a browser's session without its token, or from a foreign page.
    pub const SCSRF: Code = Code::new("SCSRF", 403);
    /// No such resource.
    pub const NRESOURCE: Code = Code::new("NRESOURCE", 404);
    /// The namespace is closed.
    pub const OCLOSED: Code = Code::new("OCLOSED", 503);
    /// The namespace is read-only.
    pub const OREADONLY: Code = Code::new("OREADONLY", 503);
    /// The namespace is on its way to another engine.
    pub const OMOVING: Code = Code::new("OMOVING", 503);
    /// The namespace is being removed.
    pub const OREMOVING: Code = Code::new("OREMOVING", 503);
    /// The request carries no valid key.
    pub const SKEY: Code = Code::new("SKEY", 401);
    /// Account or password is wrong.
    pub const SLOGIN: Code = Code::new("SLOGIN", 401);
    /// The key's role does not allow this.
    pub const SROLE: Code = Code::new("SROLE", 403);
    /// Too many failed logins: wait before the next one.
    pub const SSLOW: Code = Code::new("SSLOW", 429);
    /// The operation needs more work than one operation may do.
    pub const TBUDGET: Code = Code::new("TBUDGET", 504);
    /// The time limit passed.
    pub const TTIME: Code = Code::new("TTIME", 504);
    /// The stored bytes of a blob are damaged or missing.
    pub const XBLOB: Code = Code::new("XBLOB", 500);
    /// More work is waiting than we take.
    pub const XBUSY: Code = Code::new("XBUSY", 503);
    /// A target outside was called and whether it did its work is unknown.
    pub const XCONTACT: Code = Code::new("XCONTACT", 500);
    /// The disk is full.
    pub const XDISK: Code = Code::new("XDISK", 503);
    /// The store cannot be reached or written.
    pub const XSTORE: Code = Code::new("XSTORE", 503);
    /// A target outside refused or could not be called.
    pub const XTARGET: Code = Code::new("XTARGET", 500);
    /// Something unexpected went wrong.
    pub const XUNEXPECTED: Code = Code::new("XUNEXPECTED", 500);

    /// All of them, for the reference and for the test that each has its page.
    pub const ALL: &[Code] = &[
        AACCOUNT,
        AARCHIVE,
        AATTEMPT,
        ABODY,
        AHEADER,
        AKEYREUSED,
        ALASTADMIN,
        ALIMIT,
        AMETHOD,
        ANAMESPACE,
        AOPTIME,
        ARANGE,
        ASHA,
        ASLOW,
        ATASK,
        ATOOBIG,
        ATOOMANYHEADERS,
        ATYPE,
        BDETECTED,
        BPANIC,
        CEPOCH,
        CGONE,
        CLEASE,
        CSERIAL,
        DBUILD,
        NALERT,
        NBLOB,
        NGRANT,
        NKEY,
        NNAMESPACE,
        NOPERATION,
        NPERSON,
        NRESOURCE,
        NROUTE,
        NTASK,
        NTRANSFER,
        OCLOSED,
        OMOVING,
        OREADONLY,
        OREMOVING,
        SCSRF,
        SKEY,
        SLOGIN,
        SROLE,
        SSLOW,
        TBUDGET,
        TTIME,
        XBLOB,
        XBUSY,
        XCONTACT,
        XDISK,
        XSTORE,
        XTARGET,
        XUNEXPECTED,
    ];
}

/// Where in its cycle an operation was when it ended. From [`Phase::Afterwork`] on, it is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Before the operation began.
    Start = 0,
    /// In its work.
    Work = 1,
    /// Between work and commit.
    Validation = 2,
    /// Committed; the result was being completed.
    Afterwork = 3,
    /// Committed; the synchronisation was being built.
    Synchronisation = 4,
    /// Committed; the answer was being sent.
    Answer = 5,
}

/// What an operation answers when it does not give its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpError {
    /// What happened.
    pub code: Code,
    /// Where in the cycle.
    pub phase: Phase,
    /// For a person: lower case, no full stop, with the value in it.
    pub message: String,
    /// Further facts, one per line.
    pub detail: Vec<String>,
    /// The version under which the operation was committed, if it was.
    pub version: Option<Stamp>,
    /// The work may have been done after all: asking again with the same Idempotency-Key tells.
    pub outcome_unknown: bool,
    /// Seconds after which another try is worth it, where that is known better than from the code. Told in a header.
    pub retry_after_s: Option<u32>,
    /// Another attempt would end the same, whatever the code says: the caller must do something first.
    pub is_final: bool,
}

/// The result of an operation.
pub type OpResult<T> = Result<T, OpError>;

impl OpError {
    /// An error in the work of an operation.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            phase: Phase::Work,
            message: message.into(),
            detail: vec![],
            version: None,
            outcome_unknown: false,
            retry_after_s: None,
            is_final: false,
        }
    }

    /// An error from before the operation began.
    #[must_use]
    pub fn before_start(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, message).at(Phase::Start)
    }

    /// The same error in another phase.
    #[must_use]
    pub fn at(mut self, phase: Phase) -> Self {
        self.phase = phase;
        self
    }

    /// The same error, which no other attempt would change.
    #[must_use]
    pub fn finally(mut self) -> Self {
        self.is_final = true;
        self
    }

    /// The same error with one more fact.
    #[must_use]
    pub fn with(mut self, detail: impl Into<String>) -> Self {
        self.detail.push(detail.into());
        self
    }
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (phase {}): {}", self.code.name, self.phase as u8, self.message)
    }
}

impl std::error::Error for OpError {}

impl Serialize for OpError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let fields = 5 + usize::from(self.version.is_some()) + usize::from(self.outcome_unknown);
        let mut body = to.serialize_struct("Error", fields)?;
        body.serialize_field("code", self.code.name)?;
        body.serialize_field("major", &self.code.major())?;
        body.serialize_field("phase", &(self.phase as u8))?;
        body.serialize_field("message", &self.message)?;
        body.serialize_field("detail", &self.detail)?;
        if let Some(version) = self.version {
            body.serialize_field("version", &version)?;
        }
        if self.outcome_unknown {
            body.serialize_field("outcome", "unknown")?;
        }
        body.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_9_letters_have_their_numbers() {
        let majors: String = codes::ALL.iter().map(|code| format!("{}{} ", code.letter(), code.major())).collect();
        for pair in ["A1", "N1", "B2", "X3", "D4", "C5", "S7", "T8"] {
            assert!(majors.contains(pair), "{pair}");
        }
        assert_eq!(Code::new("OCLOSED", 503).major(), 6);
    }

    #[test]
    fn ker_9_statuses_help_proxies() {
        let status = |letter| codes::ALL.iter().filter(move |c| c.letter() == letter).map(|c| c.status);
        assert!(status('N').all(|s| s == 404));
        assert!(status('C').all(|s| s == 409));
        assert!(status('T').all(|s| s == 504));
        assert!(status('B').all(|s| s == 500));
        assert!(status('S').all(|s| s == 401 || s == 403 || s == 429));
        for passing in [codes::XSTORE, codes::XDISK, codes::XBUSY] {
            assert!(passing.status == 503 && passing.passes());
        }
    }

    #[test]
    fn ker_9_an_error_is_the_documented_json() {
        let mut error = OpError::new(codes::XSTORE, "connection lost").with("during COMMIT").at(Phase::Validation);
        error.outcome_unknown = true;
        assert_eq!(
            serde_json::to_string(&error).unwrap(),
            r#"{"code":"XSTORE","major":3,"phase":2,"message":"connection lost","detail":["during COMMIT"],"outcome":"unknown"}"#
        );
        error.version = Some(Stamp::MIN);
        assert!(serde_json::to_string(&error).unwrap().contains(r#""version":101000000000"#));
    }
}
