//! The head of a request: lines that end in CRLF, and the two headers that say how long the body is.

use super::Refused;

/// The longest name that we look for.
const NAME_MAX: usize = b"transfer-encoding".len();

/// How the body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// There is none.
    None,
    /// After so many bytes.
    Length(u64),
    /// After the last chunk.
    Chunked,
}

/// Where in a line we are.
#[derive(Debug)]
enum At {
    RequestLine {
        empty: bool,
    },
    /// A header's name, lower case; longer ones are no name of ours.
    Name {
        start: [u8; NAME_MAX],
        length: usize,
    },
    /// A value that we do not look at.
    Value,
    Length(Digits),
    /// `Transfer-Encoding`: what of `chunked` is still to come.
    Encoding {
        missing: &'static [u8],
        begun: bool,
    },
    /// After CR.
    LineEnd(Then),
}

/// What follows a line.
#[derive(Debug, Clone, Copy)]
enum Then {
    /// The request line: empty lines before it are ignored.
    RequestLine,
    Header,
    EndOfHead,
}

/// A Content-Length on its way.
#[derive(Debug)]
enum Digits {
    Before,
    Within(u64),
    After(u64),
}

/// A head on its way.
#[derive(Debug)]
pub(super) struct Head {
    at: At,
    framing: Option<Framing>,
}

const NAME: At = At::Name { start: [0; NAME_MAX], length: 0 };

impl Head {
    pub(super) fn new() -> Self {
        Self { at: At::RequestLine { empty: true }, framing: None }
    }

    pub(super) fn has_begun(&self) -> bool {
        !matches!(self.at, At::RequestLine { empty: true })
    }

    /// Takes a byte; the framing once the head has ended.
    pub(super) fn take(&mut self, byte: u8) -> Result<Option<Framing>, Refused> {
        match (&self.at, byte) {
            (At::LineEnd(then), b'\n') => return Ok(self.begin(*then)),
            (At::LineEnd(_), _) | (_, b'\n') => return Err(Refused),
            (_, b'\r') => self.at = At::LineEnd(self.end_line()?),
            _ => self.within_line(byte)?,
        }
        Ok(None)
    }

    fn begin(&mut self, then: Then) -> Option<Framing> {
        match then {
            Then::RequestLine => self.at = At::RequestLine { empty: true },
            Then::Header => self.at = NAME,
            Then::EndOfHead => return Some(self.framing.unwrap_or(Framing::None)),
        }
        None
    }

    /// What a CR ends; a value of ours must be complete.
    fn end_line(&mut self) -> Result<Then, Refused> {
        match self.at {
            At::RequestLine { empty: true } => return Ok(Then::RequestLine),
            At::Name { length: 0, .. } => return Ok(Then::EndOfHead),
            At::RequestLine { .. } | At::Value => {}
            At::Length(Digits::Within(length) | Digits::After(length)) => self.framing = Some(Framing::Length(length)),
            At::Encoding { missing: [], .. } => self.framing = Some(Framing::Chunked),
            At::Name { .. } | At::Length(Digits::Before) | At::Encoding { .. } | At::LineEnd(_) => return Err(Refused),
        }
        Ok(Then::Header)
    }

    fn within_line(&mut self, byte: u8) -> Result<(), Refused> {
        match &mut self.at {
            At::RequestLine { empty } => *empty = false,
            At::Value | At::LineEnd(_) => {}
            At::Name { start, length } => match byte {
                b':' => self.at = value_of(&start[..(*length).min(NAME_MAX)], *length, self.framing)?,
                b' ' | b'\t' => return Err(Refused),
                _ => {
                    if let Some(slot) = start.get_mut(*length) {
                        *slot = byte.to_ascii_lowercase();
                    }
                    *length += 1;
                }
            },
            At::Length(digits) => digits.take(byte)?,
            At::Encoding { missing, begun } => match byte {
                b' ' | b'\t' if !*begun || missing.is_empty() => {}
                _ => {
                    let (next, rest) = missing.split_first().ok_or(Refused)?;
                    (*begun, *missing) = (true, rest);
                    if byte.to_ascii_lowercase() != *next {
                        return Err(Refused);
                    }
                }
            },
        }
        Ok(())
    }
}

/// What follows the colon of a name; a second header about the body's length is refused.
fn value_of(start: &[u8], length: usize, framing: Option<Framing>) -> Result<At, Refused> {
    let at = match start {
        [] => return Err(Refused),
        b"content-length" => At::Length(Digits::Before),
        b"transfer-encoding" if length == NAME_MAX => At::Encoding { missing: b"chunked", begun: false },
        _ => return Ok(At::Value),
    };
    if framing.is_some() { Err(Refused) } else { Ok(at) }
}

impl Digits {
    fn take(&mut self, byte: u8) -> Result<(), Refused> {
        *self = match (&*self, byte) {
            (Self::Before, b' ' | b'\t') => Self::Before,
            (Self::Before, b'0'..=b'9') => Self::Within(u64::from(byte - b'0')),
            (Self::Within(sum), b'0'..=b'9') => {
                let more = sum.checked_mul(10).and_then(|sum| sum.checked_add(u64::from(byte - b'0')));
                Self::Within(more.ok_or(Refused)?)
            }
            (Self::Within(sum) | Self::After(sum), b' ' | b'\t') => Self::After(*sum),
            _ => return Err(Refused),
        };
        Ok(())
    }
}
