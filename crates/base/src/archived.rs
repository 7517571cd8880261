//! A namespace in one file (KER-3): rows of every table, blobs, files, and digests over each part and over the whole.
//!
//! ```text
//! fastness namespace archive 1
//! {"archive": …}                    program, namespace, engine, schema steps, listening time
//! {"table": {"name", "columns"}}    then a line per row, see `base::archive`
//! {"rows": {"name", "rows", …}}     its count and digest
//! {"blob": {"name", "size"}}        then its bytes and a line end; its digest is in its name
//! {"file": {"path", "size", …}}     likewise, with its digest
//! {"end": {"tables", "rows", …}}    counts of all
//! sha256 <digest of all above>
//! ```
//!
//! It is written and read from the beginning to the end, in the memory of one line. [`read`] believes nothing: counts and digests of
//! each part and of the whole, order, names and lengths; a file that was cut off or has one wrong bit is refused.

use std::io::{self, BufRead, Read, Write};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::archive::{SchemaStep, TableDigest, TableSummary, hex};
use crate::{BlobName, RelPath};

/// The first line.
const MAGIC: &str = "fastness namespace archive ";
/// The form of the file; a newer one is refused.
pub const FORMAT: u32 = 1;
/// Longest line that is read. A row is far below: bodies of requests are.
const LINE_MAX: u64 = 256 << 20;
const CHUNK: usize = 256 << 10;

/// What the archive is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveHead {
    /// Version of the program that wrote it.
    pub program: String,
    /// The namespace's name then.
    pub namespace: String,
    /// Its label then.
    pub label: String,
    /// Its engine then.
    pub engine: String,
    /// When it was begun, `yyMMddHHmmssSSS` in UTC.
    pub stamp: i64,
    /// The listening time of the rows.
    pub heard: i64,
    /// The schema it was at.
    pub steps: Vec<SchemaStep>,
}

/// How much there is of everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveCounts {
    /// Tables.
    pub tables: u64,
    /// Rows of all of them.
    pub rows: u64,
    /// Blobs.
    pub blobs: u64,
    /// Bytes of all of them.
    pub blob_bytes: u64,
    /// Files.
    pub files: u64,
    /// Blobs and files whose bytes were damaged or missing already and are not here.
    pub missing: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mark {
    Archive(ArchiveHead),
    Table { name: String, columns: Vec<String> },
    Rows(TableSummary),
    Blob { name: String, size: u64 },
    File { path: String, size: u64, sha256: String },
    End(ArchiveCounts),
}

/// Writes an archive.
pub struct ArchiveWriter<W: Write> {
    to: W,
    hash: Sha256,
    counts: ArchiveCounts,
}

impl<W: Write> ArchiveWriter<W> {
    /// Begins one.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn begin(to: W, head: ArchiveHead) -> io::Result<Self> {
        let mut writer = Self { to, hash: Sha256::new(), counts: ArchiveCounts::default() };
        writer.put(format!("{MAGIC}{FORMAT}\n").as_bytes())?;
        writer.mark(&Mark::Archive(head))?;
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.to.write_all(bytes)
    }

    fn mark(&mut self, mark: &Mark) -> io::Result<()> {
        let line = serde_json::to_string(mark)? + "\n";
        self.put(line.as_bytes())
    }

    /// The rows that follow are of this table.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn table(&mut self, name: &str, columns: &[String]) -> io::Result<()> {
        self.counts.tables += 1;
        self.mark(&Mark::Table { name: name.to_owned(), columns: columns.to_vec() })
    }

    /// One row.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn row(&mut self, line: &str) -> io::Result<()> {
        self.counts.rows += 1;
        self.put(line.as_bytes())?;
        self.put(b"\n")
    }

    /// The table has ended.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn rows(&mut self, summary: TableSummary) -> io::Result<()> {
        self.mark(&Mark::Rows(summary))
    }

    /// A blob, portion by portion.
    ///
    /// # Errors
    /// It cannot be read or written, or has another length.
    pub fn blob(&mut self, name: &BlobName, size: u64, from: &mut dyn Read) -> io::Result<()> {
        self.counts.blobs += 1;
        self.counts.blob_bytes += size;
        self.mark(&Mark::Blob { name: name.to_string(), size })?;
        self.bytes(size, from)
    }

    /// A file with the bytes that it holds.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn file(&mut self, path: &RelPath, bytes: &[u8]) -> io::Result<()> {
        self.counts.files += 1;
        let sha256 = hex(&Sha256::digest(bytes));
        self.mark(&Mark::File { path: path.as_str().to_owned(), size: bytes.len() as u64, sha256 })?;
        self.bytes(bytes.len() as u64, &mut io::Cursor::new(bytes))
    }

    fn bytes(&mut self, size: u64, from: &mut dyn Read) -> io::Result<()> {
        let (mut left, mut chunk) = (size, vec![0; CHUNK.min(usize::try_from(size).unwrap_or(CHUNK))]);
        while left > 0 {
            let wanted = chunk.len().min(usize::try_from(left).unwrap_or(CHUNK));
            from.read_exact(&mut chunk[..wanted])?;
            self.put(&chunk[..wanted])?;
            left -= wanted as u64;
        }
        self.put(b"\n")
    }

    /// Something is not here, because it was damaged or missing already.
    pub fn missing(&mut self) {
        self.counts.missing += 1;
    }

    /// Ends it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn end(mut self) -> io::Result<ArchiveCounts> {
        self.mark(&Mark::End(self.counts))?;
        let digest = hex(&self.hash.clone().finalize());
        self.to.write_all(format!("sha256 {digest}\n").as_bytes())?;
        self.to.flush()?;
        Ok(self.counts)
    }
}

/// Is told what an archive holds, in its order, before its end is known to be good.
pub trait ArchiveVisitor {
    /// Its head.
    ///
    /// # Errors
    /// It is not wanted.
    fn head(&mut self, head: &ArchiveHead) -> Result<(), String> {
        let _ = head;
        Ok(())
    }

    /// A table begins; its first row is at this byte of the file.
    ///
    /// # Errors
    /// It is not wanted.
    fn table(&mut self, name: &str, at: u64) -> Result<(), String> {
        let _ = (name, at);
        Ok(())
    }

    /// A table has ended and is what its summary says.
    ///
    /// # Errors
    /// It is not wanted.
    fn rows(&mut self, summary: &TableSummary) -> Result<(), String> {
        let _ = summary;
        Ok(())
    }

    /// A blob: its bytes are to be read, or left.
    ///
    /// # Errors
    /// It is not wanted, or cannot be kept.
    fn blob(&mut self, name: &BlobName, size: u64, bytes: &mut dyn Read) -> Result<(), String> {
        let _ = (name, size, bytes);
        Ok(())
    }

    /// A file: its bytes are to be read, or left.
    ///
    /// # Errors
    /// It is not wanted, or cannot be kept.
    fn file(&mut self, path: &RelPath, size: u64, bytes: &mut dyn Read) -> Result<(), String> {
        let _ = (path, size, bytes);
        Ok(())
    }
}

/// Whoever only wants to know whether it is good.
pub struct Unread;
impl ArchiveVisitor for Unread {}

/// What was read, once all of it was found good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadArchive {
    /// Its head.
    pub head: ArchiveHead,
    /// How much there is of everything.
    pub counts: ArchiveCounts,
    /// Its tables.
    pub tables: Vec<TableSummary>,
    /// Digest of the whole, hexadecimal.
    pub digest: String,
}

/// Reads an archive from its beginning to its end.
///
/// # Errors
/// What is wrong with it, in plain words.
pub fn read(from: impl BufRead, visitor: &mut dyn ArchiveVisitor) -> Result<ReadArchive, String> {
    let mut from = Counting { from, hash: Sha256::new(), at: 0 };
    check_form(&mut from)?;
    let Mark::Archive(head) = from.mark()? else { return Err("the archive has no head".into()) };
    visitor.head(&head)?;
    let (mut counts, mut tables) = (ArchiveCounts::default(), vec![]);
    loop {
        match from.mark()? {
            Mark::Table { name, columns } => {
                visitor.table(&name, from.at)?;
                let summary = read_table(&mut from, &name, columns)?;
                counts.tables += 1;
                counts.rows += summary.rows;
                visitor.rows(&summary)?;
                tables.push(summary);
            }
            Mark::Blob { name, size } => {
                counts.blobs += 1;
                counts.blob_bytes += size;
                read_blob(&mut from, &name, size, visitor)?;
            }
            Mark::File { path, size, sha256 } => {
                counts.files += 1;
                let path = RelPath::new(&path).ok_or_else(|| format!("`{path}` is not a path of a file"))?;
                let told = from.part(size, &mut |bytes| visitor.file(&path, size, bytes))?;
                ensure(told == sha256, || format!("file {} is damaged", path.as_str()))?;
            }
            Mark::End(told) => {
                counts.missing = told.missing;
                ensure(told == counts, || "it does not hold as much as it says".into())?;
                return end(from, head, counts, tables);
            }
            Mark::Archive(_) | Mark::Rows(_) => return Err("its parts are not in their order".into()),
        }
    }
}

fn ensure(holds: bool, wrong: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(wrong()) }
}

fn check_form(from: &mut Counting<impl BufRead>) -> Result<(), String> {
    let first = from.line_of(64).unwrap_or_default();
    let form = first.strip_prefix(MAGIC).ok_or("this is no archive of a namespace")?;
    match form.parse::<u32>() {
        Ok(FORMAT) => Ok(()),
        Ok(form) => Err(format!("the archive has form {form}, this program knows {FORMAT}: use a newer program")),
        Err(_) => Err("this is no archive of a namespace".into()),
    }
}

fn read_table(from: &mut Counting<impl BufRead>, name: &str, columns: Vec<String>) -> Result<TableSummary, String> {
    let mut digest = TableDigest::default();
    loop {
        let line = from.line()?;
        if line.starts_with('[') {
            digest.add(&line);
            continue;
        }
        let held = digest.summary(name, columns);
        return match from.mark_of(&line)? {
            Mark::Rows(told) if told == held => Ok(held),
            Mark::Rows(_) => Err(format!("table {name} is damaged: {} rows, not those that were written", held.rows)),
            _ => Err(format!("table {name} has no end")),
        };
    }
}

fn read_blob(
    from: &mut Counting<impl BufRead>,
    name: &str,
    size: u64,
    visitor: &mut dyn ArchiveVisitor,
) -> Result<(), String> {
    let name: BlobName = name.parse().map_err(|_| format!("`{name}` is not the name of a blob"))?;
    let told = from.part(size, &mut |bytes| visitor.blob(&name, size, bytes))?;
    ensure(told == name.sha.to_string(), || format!("blob {name} is damaged"))
}

fn end(
    mut from: Counting<impl BufRead>,
    head: ArchiveHead,
    counts: ArchiveCounts,
    tables: Vec<TableSummary>,
) -> Result<ReadArchive, String> {
    let digest = hex(&from.hash.clone().finalize());
    let last = from.line_of(80)?;
    ensure(last == format!("sha256 {digest}"), || "the archive is damaged: its digest differs".into())?;
    let more = from.from.fill_buf().map_err(|error| error.to_string())?;
    ensure(more.is_empty(), || "something follows the end of the archive".into())?;
    Ok(ReadArchive { head, counts, tables, digest })
}

/// Reads, digests and counts.
struct Counting<R> {
    from: R,
    hash: Sha256,
    at: u64,
}

impl<R: BufRead> Counting<R> {
    fn line(&mut self) -> Result<String, String> {
        self.line_of(LINE_MAX)
    }

    fn line_of(&mut self, max: u64) -> Result<String, String> {
        let mut line = Vec::new();
        let read = (&mut self.from).take(max).read_until(b'\n', &mut line);
        read.map_err(|error| format!("it cannot be read: {error}"))?;
        self.hash.update(&line);
        self.at += line.len() as u64;
        ensure(line.pop() == Some(b'\n'), || "the archive is cut off or damaged: a line has no end".into())?;
        String::from_utf8(line).map_err(|_| "the archive is damaged: a line is no text".into())
    }

    fn mark(&mut self) -> Result<Mark, String> {
        let line = self.line()?;
        self.mark_of(&line)
    }

    fn mark_of(&self, line: &str) -> Result<Mark, String> {
        serde_json::from_str(line).map_err(|_| format!("the archive is damaged before byte {}", self.at))
    }

    /// Lets `take` read so many bytes, reads what it left, and gives the digest of all of them.
    fn part(&mut self, size: u64, take: &mut dyn FnMut(&mut dyn Read) -> Result<(), String>) -> Result<String, String> {
        let mut part = Part { from: self, left: size, hash: Sha256::new() };
        take(&mut part)?;
        io::copy(&mut part, &mut io::sink()).map_err(|error| format!("it cannot be read: {error}"))?;
        let (left, digest) = (part.left, hex(&part.hash.finalize()));
        ensure(left == 0, || "the archive is cut off".into())?;
        let line = self.line_of(1)?;
        ensure(line.is_empty(), || format!("the archive is damaged before byte {}", self.at))?;
        Ok(digest)
    }
}

struct Part<'a, R> {
    from: &'a mut Counting<R>,
    left: u64,
    hash: Sha256,
}

impl<R: BufRead> Read for Part<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let wanted = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.from.from.read(&mut bytes[..wanted])?;
        self.hash.update(&bytes[..read]);
        self.from.hash.update(&bytes[..read]);
        self.from.at += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Id, Sha, Wall};

    fn head() -> ArchiveHead {
        let (program, namespace) = ("1".to_owned(), "shop".to_owned());
        ArchiveHead {
            program,
            namespace,
            label: String::new(),
            engine: "sqlite".into(),
            stamp: 1,
            heard: 2,
            steps: vec![],
        }
    }

    fn archive() -> Vec<u8> {
        let mut bytes = vec![];
        let mut writer = ArchiveWriter::begin(&mut bytes, head()).unwrap();
        writer.table("t", &["a".into()]).unwrap();
        let mut digest = TableDigest::default();
        for line in ["[1]", "[\"x\"]"] {
            writer.row(line).unwrap();
            digest.add(line);
        }
        writer.rows(digest.summary("t", vec!["a".into()])).unwrap();
        let sha: [u8; 32] = Sha256::digest(b"blob\nbytes").into();
        let name = BlobName { sha: Sha(sha), upload: Id::new(Wall(7), [1; 10]) };
        writer.blob(&name, 10, &mut io::Cursor::new(b"blob\nbytes")).unwrap();
        writer.file(&RelPath::new("a/b.json").unwrap(), b"{}").unwrap();
        assert_eq!(writer.end().unwrap().rows, 2);
        bytes
    }

    fn read_all(bytes: &[u8]) -> Result<ReadArchive, String> {
        read(bytes, &mut Unread)
    }

    #[test]
    fn ker_3_an_archive_reads_back_as_it_was_written() {
        #[derive(Default)]
        struct Kept(Vec<u8>, u64);
        impl ArchiveVisitor for Kept {
            fn table(&mut self, _: &str, at: u64) -> Result<(), String> {
                self.1 = at;
                Ok(())
            }
            fn blob(&mut self, _: &BlobName, _: u64, bytes: &mut dyn Read) -> Result<(), String> {
                bytes.read_to_end(&mut self.0).map(drop).map_err(|error| error.to_string())
            }
        }
        let (bytes, mut kept) = (archive(), Kept::default());
        let found = read(&bytes[..], &mut kept).unwrap();
        assert_eq!((found.head, kept.0.as_slice()), (head(), &b"blob\nbytes"[..]));
        assert_eq!((found.counts.blobs, found.counts.files, found.counts.missing), (1, 1, 0));
        let at = usize::try_from(kept.1).unwrap();
        assert!(bytes[at..].starts_with(b"[1]\n"), "where the rows begin is told");
    }

    #[test]
    fn ker_3_every_flipped_bit_and_every_cut_is_noticed() {
        let good = archive();
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                assert!(read_all(&bad).is_err(), "byte {at}, bit {bit}: {:?}", char::from(good[at]));
            }
            assert!(read_all(&good[..at]).is_err(), "cut at {at}");
        }
        assert!(read_all(&[&good[..], b"x"].concat()).unwrap_err().contains("follows the end"));
    }

    #[test]
    fn ker_3_what_is_no_archive_or_a_newer_one_is_told_apart() {
        assert!(read_all(b"PK\x03\x04").unwrap_err().contains("no archive"));
        assert!(read_all(b"").unwrap_err().contains("no archive"));
        let newer = String::from_utf8_lossy(&archive()).replace("archive 1\n", "archive 2\n");
        assert!(read_all(newer.as_bytes()).unwrap_err().contains("use a newer program"));
    }
}
