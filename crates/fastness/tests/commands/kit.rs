//! A server and a person at a shell.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kill::server::{KEY, Launch, Server};
use serde_json::Value;
use tempfile::TempDir;

/// A server with a folder for what people keep.
pub struct Kit {
    pub server: Server,
    pub folder: TempDir,
}

/// What a command came to.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Kit {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let launch = Launch::new(program(), &folder.path().join("data"));
        Self { server: launch.start().expect("a server"), folder }
    }

    /// Runs a command as the administrator; words are split at blanks.
    pub fn run(&self, words: &str) -> Ran {
        self.run_words(&words.split_whitespace().collect::<Vec<_>>(), "")
    }

    pub fn run_words(&self, words: &[&str], input: &str) -> Ran {
        ran(self.command().args(words), input)
    }

    /// What a command that does well prints.
    pub fn out(&self, words: &str) -> String {
        let ran = self.run(words);
        assert_eq!(ran.code, 0, "fastness {words}: {ran:?}");
        ran.out
    }

    /// The same as JSON.
    pub fn json(&self, words: &str) -> Value {
        let out = self.out(&format!("{words} --json"));
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("fastness {words}: {error}: {out}"))
    }

    /// What a table shows, with what differs each time taken out.
    pub fn table(&self, words: &str) -> String {
        plain(&self.out(words))
    }

    /// The command of an administrator, to be changed.
    pub fn command(&self) -> Command {
        let mut command = bare();
        command.env("FASTNESS_SERVER", self.url()).env("FASTNESS_KEY", KEY);
        command.env("XDG_CONFIG_HOME", self.folder.path().join("config"));
        command
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// A file with this text.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }
}

pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fastness"))
}

/// The program without any setting of whoever runs the tests.
pub fn bare() -> Command {
    let mut command = Command::new(program());
    for name in ["FASTNESS_SERVER", "FASTNESS_KEY", "FASTNESS_NAMESPACE", "XDG_CONFIG_HOME", "HOME"] {
        command.env_remove(name);
    }
    command
}

pub fn ran(command: &mut Command, input: &str) -> Ran {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the program");
    // It may end before it reads.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("an end");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// With `ID` for ids, `V` for versions, `AGO` and `AT` for moments, and two blanks between columns.
pub fn plain(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let cells = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        cells.map(cell).collect::<Vec<_>>().join("  ")
    });
    lines.map(|line| line + "\n").collect()
}

fn cell(cell: &str) -> String {
    cell.split(' ').map(word).collect::<Vec<_>>().join(" ").replace("AGO ago", "AGO").replace("in AGO", "SOON")
}

fn word(word: &str) -> String {
    let trimmed = word.trim_matches(['(', ')', ';', ',', ':']);
    let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    let shape: String = trimmed.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let known = match trimmed {
        id if id.len() == 26 && id.chars().all(upper) => "ID",
        key if key.starts_with("fst_") => "SECRET",
        number if number.len() == 15 && number.chars().all(|c| c.is_ascii_digit()) => "V",
        "now" => "AGO",
        _ if ["0s", "00s", "000s", "0m", "00m", "000m", "0h", "00h"].contains(&shape.as_str()) => "AGO",
        _ if shape == "0000-00-00" || shape == "00:00:00" => "AT",
        _ => return word.to_owned(),
    };
    word.replace(trimmed, known)
}
