//! The frames of gRPC: one byte for compression, four for the length, the message.

use axum::body::Bytes;

use super::status::Status;

/// Bytes of one message. A piece of a file has 1 MB; a list of changes of ten thousand files has two.
pub(super) const MESSAGE_MAX: usize = 4 << 20;
const HEAD: usize = 5;

/// What came and is not yet a whole message.
#[derive(Default)]
pub(super) struct Frames {
    bytes: Vec<u8>,
    at: usize,
}

impl Frames {
    /// More came.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        if self.at > 0 {
            self.bytes.drain(..self.at);
            self.at = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Bytes that wait for the rest of their message.
    pub(super) fn waiting(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next whole message.
    pub(super) fn next(&mut self) -> Result<Option<Vec<u8>>, Status> {
        let rest = &self.bytes[self.at..];
        let Some((head, rest)) = rest.split_first_chunk::<HEAD>() else { return Ok(None) };
        if head[0] != 0 {
            return Err(Status::compressed());
        }
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if length > MESSAGE_MAX {
            return Err(Status::too_large(MESSAGE_MAX));
        }
        let Some(message) = rest.get(..length) else { return Ok(None) };
        let message = message.to_vec();
        self.at += HEAD + length;
        if self.at == self.bytes.len() {
            *self = Self::default();
        }
        Ok(Some(message))
    }
}

/// A message as it is sent.
pub(super) fn framed(message: &[u8]) -> Bytes {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(HEAD + message.len());
    bytes.push(0);
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(message);
    bytes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fld_1_messages_are_found_however_they_are_cut() {
        let sent: Vec<u8> = [&b"one"[..], b"", b"three"].iter().flat_map(|message| framed(message)).collect();
        for cut in 1..=sent.len() {
            let (mut frames, mut found) = (Frames::default(), vec![]);
            for piece in sent.chunks(cut) {
                frames.add(piece);
                while let Some(message) = frames.next().unwrap() {
                    found.push(message);
                }
            }
            assert_eq!(found, [b"one".to_vec(), vec![], b"three".to_vec()], "cut at {cut}");
            assert_eq!(frames.waiting(), 0);
        }
    }

    #[test]
    fn fld_20_a_message_that_is_too_large_or_compressed_is_refused_by_its_head() {
        let next = |head: &[u8]| {
            let mut frames = Frames::default();
            frames.add(head);
            frames.next()
        };
        assert_eq!(next(&[0, 0xff, 0xff, 0xff, 0xff]), Err(Status::too_large(MESSAGE_MAX)));
        assert_eq!(next(&[1, 0, 0, 0, 1]), Err(Status::compressed()));
        assert_eq!(next(&[0, 0, 0, 0]), Ok(None));
    }
}
