//! The body of a request: so many bytes, or chunks until the empty one and its trailers.

use super::Refused;
use super::head::Framing;

/// A body on its way.
#[derive(Debug)]
pub(super) enum Body {
    /// So many bytes are left.
    Sized(u64),
    /// A chunk's size: the sum so far and its digits.
    ChunkSize { size: u64, digits: u32 },
    /// After the size: an extension until CR.
    Extension(u64),
    /// LF after a chunk's size.
    SizeEnd(u64),
    /// So many bytes of a chunk are left.
    ChunkData(u64),
    /// CR, then LF after a chunk.
    DataEnd { cr: bool },
    /// Trailers: whether the line is empty so far, and whether its CR was there.
    Trailer { empty: bool, cr: bool },
}

impl Body {
    /// `None` if there is no body.
    pub(super) fn of(framing: Framing) -> Option<Self> {
        match framing {
            Framing::None | Framing::Length(0) => None,
            Framing::Length(length) => Some(Self::Sized(length)),
            Framing::Chunked => Some(Self::ChunkSize { size: 0, digits: 0 }),
        }
    }

    pub(super) fn is_ended(&self) -> bool {
        matches!(self, Self::Sized(0))
    }

    /// Takes some bytes, at least one.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<usize, Refused> {
        let byte = bytes[0];
        *self = match self {
            Self::Sized(left) | Self::ChunkData(left) => {
                let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                *left -= taken as u64;
                if matches!(self, Self::ChunkData(0)) {
                    *self = Self::DataEnd { cr: false };
                }
                return Ok(taken);
            }
            Self::ChunkSize { size, digits } => chunk_size(*size, *digits, byte)?,
            Self::Extension(size) => match byte {
                b'\r' => Self::SizeEnd(*size),
                b'\n' => return Err(Refused),
                _ => Self::Extension(*size),
            },
            Self::SizeEnd(size) => match (byte, *size) {
                (b'\n', 0) => Self::Trailer { empty: true, cr: false },
                (b'\n', size) => Self::ChunkData(size),
                _ => return Err(Refused),
            },
            Self::DataEnd { cr: false } if byte == b'\r' => Self::DataEnd { cr: true },
            Self::DataEnd { cr: true } if byte == b'\n' => Self::ChunkSize { size: 0, digits: 0 },
            Self::DataEnd { .. } => return Err(Refused),
            Self::Trailer { empty, cr } => trailer(*empty, *cr, byte)?,
        };
        Ok(1)
    }
}

fn chunk_size(size: u64, digits: u32, byte: u8) -> Result<Body, Refused> {
    match byte {
        b'\r' if digits > 0 => Ok(Body::SizeEnd(size)),
        b';' if digits > 0 => Ok(Body::Extension(size)),
        _ => {
            let digit = char::from(byte).to_digit(16).ok_or(Refused)?;
            let size = size.checked_mul(16).ok_or(Refused)? + u64::from(digit);
            Ok(Body::ChunkSize { size, digits: digits.saturating_add(1) })
        }
    }
}

fn trailer(empty: bool, cr: bool, byte: u8) -> Result<Body, Refused> {
    match (cr, byte) {
        (true, b'\n') if empty => Ok(Body::Sized(0)),
        (true, b'\n') => Ok(Body::Trailer { empty: true, cr: false }),
        (true, _) | (false, b'\n') => Err(Refused),
        (false, b'\r') => Ok(Body::Trailer { empty, cr: true }),
        (false, _) => Ok(Body::Trailer { empty: false, cr: false }),
    }
}
