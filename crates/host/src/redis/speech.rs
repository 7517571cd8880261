//! How Redis is spoken to (RESP 2).

use std::io::{BufRead, Error, ErrorKind, Result};

use base::{RedisCommand, RedisReply};

/// Bytes of one text, and items of one list.
const TEXT_MAX: usize = 16 << 20;
const LIST_MAX: usize = 1 << 20;
/// Bytes of a line.
const LINE_MAX: u64 = 64 << 10;
/// Lists in lists.
const DEPTH_MAX: u8 = 4;

/// Commands, as the server reads them.
pub(super) fn written(commands: &[RedisCommand]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for command in commands {
        bytes.extend(format!("*{}\r\n", command.len()).bytes());
        for word in command {
            bytes.extend(format!("${}\r\n", word.len()).bytes());
            bytes.extend(word);
            bytes.extend(b"\r\n");
        }
    }
    bytes
}

/// One answer.
pub(super) fn read(from: &mut impl BufRead) -> Result<RedisReply> {
    read_at(from, 0)
}

fn read_at(from: &mut impl BufRead, depth: u8) -> Result<RedisReply> {
    let line = line(from)?;
    let rest = line.get(1..).unwrap_or_default();
    match line.as_bytes().first() {
        Some(b'+') => Ok(RedisReply::Text(rest.as_bytes().to_vec())),
        Some(b'-') => Ok(RedisReply::Refused(rest.to_owned())),
        Some(b':') => rest.parse().map(RedisReply::Number).map_err(|_| wrong("a number")),
        Some(b'$') => length(rest, TEXT_MAX)?.map_or(Ok(RedisReply::Nothing), |length| text(from, length)),
        Some(b'*') if depth < DEPTH_MAX => match length(rest, LIST_MAX)? {
            None => Ok(RedisReply::Nothing),
            Some(many) => (0..many).map(|_| read_at(from, depth + 1)).collect::<Result<_>>().map(RedisReply::List),
        },
        _ => Err(wrong("a kind of answer")),
    }
}

fn line(from: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    std::io::Read::take(&mut *from, LINE_MAX).read_line(&mut line)?;
    line.strip_suffix("\r\n").map(str::to_owned).ok_or_else(|| ErrorKind::UnexpectedEof.into())
}

/// `None`: there is nothing.
fn length(text: &str, max: usize) -> Result<Option<usize>> {
    if text == "-1" {
        return Ok(None);
    }
    let length = text.parse().ok().filter(|length| *length <= max);
    length.map(Some).ok_or_else(|| wrong("a length"))
}

fn text(from: &mut impl BufRead, length: usize) -> Result<RedisReply> {
    let mut bytes = vec![0; length + 2];
    from.read_exact(&mut bytes)?;
    bytes.truncate(length);
    Ok(RedisReply::Text(bytes))
}

fn wrong(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, format!("the answer has no {what} where one should be"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_12_answers_are_read_within_bounds() {
        let read_all = |text: &str| read(&mut text.as_bytes());
        assert_eq!(read_all("+OK\r\n").unwrap(), RedisReply::Text(b"OK".to_vec()));
        assert_eq!(read_all("$-1\r\n").unwrap(), RedisReply::Nothing);
        assert_eq!(read_all(":-5\r\n").unwrap(), RedisReply::Number(-5));
        assert_eq!(read_all("-ERR no\r\n").unwrap(), RedisReply::Refused("ERR no".into()));
        let list = RedisReply::List(vec![RedisReply::Text(b"a\r\nb".to_vec()), RedisReply::Nothing]);
        assert_eq!(read_all("*2\r\n$4\r\na\r\nb\r\n$-1\r\n").unwrap(), list);
        for bad in
            ["", "+OK", "$5\r\nab", "$99999999999\r\n", ":x\r\n", "?\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"]
        {
            assert!(read_all(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn sen_12_commands_are_words_with_their_lengths() {
        assert_eq!(written(&[vec![b"GET".to_vec(), b"a b".to_vec()]]), b"*2\r\n$3\r\nGET\r\n$3\r\na b\r\n");
    }
}
