//! Pages that show commands: these are run in order against a server, and what comes is compared with what the page shows.
//!
//! A block of `sh` is commands, and what they print as comments below. All blocks of a section are run in one shell, so that what
//! one sets the next one has: a command that needs a version or an id that came before takes it from a variable, or whoever copies it would
//! get another answer than the page shows. Where versions are shown, any one will do. `…` stands for anything. A block that starts the server is played by the test, which has started one; one
//! that is marked on its fence (```` ```sh not-run: why ````) is left out.
//!
//! `cargo xtask tidy` (rule `commands-run`) finds the uses of [`crate::guide!`], and a block that is neither run nor marked.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::server::KEY;

/// The key that pages use.
const SHOWN_KEY: &str = "a-key-of-my-own-choice";
/// Written after each block, with how it ended.
const MARK: &str = "--- end of the block:";

/// A section of a page, and the server that its commands are for.
#[derive(Debug, Clone, Copy)]
pub struct Guide<'a> {
    /// The page's text.
    pub page: &'a str,
    /// How the section's heading begins.
    pub section: &'a str,
    /// Where the server listens.
    pub address: SocketAddr,
}

/// A section of a page of this repository, named from its root: `guide!("docs/sensors.md", "Five minutes", address)`.
#[macro_export]
macro_rules! guide {
    ($path:literal, $section:literal, $address:expr) => {
        $crate::guide::Guide {
            page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../", $path)),
            section: $section,
            address: $address,
        }
    };
}

/// A block of commands and what they print.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    commands: String,
    shown: String,
}

/// Runs all commands of the section; gives how many blocks there were.
///
/// # Errors
/// A command fails, or prints something else than the page shows.
pub fn run(guide: &Guide<'_>) -> Result<usize> {
    run_after(guide, "")
}

/// The same after commands of the caller's, in place of those by which the page sets the server and the key.
///
/// # Errors
/// A command fails, or prints something else than the page shows.
pub fn run_after(guide: &Guide<'_>, preparation: &str) -> Result<usize> {
    let known = BTreeMap::from([
        ("http://127.0.0.1:7400".to_owned(), format!("http://{}", guide.address)),
        (SHOWN_KEY.to_owned(), KEY.to_owned()),
    ]);
    let mut shell = Shell::start()?;
    shell.run(preparation)?;
    let blocks = blocks(guide.page, guide.section);
    if !blocks.iter().any(|block| is_asking(&block.commands)) {
        shell.run(&replaced(&asking(guide.page), &known))?;
    }
    let mut count = 0;
    for block in blocks {
        let commands = replaced(&block.commands, &known);
        if is_played(&commands) {
            continue;
        }
        let came = shell.run(&commands)?;
        compare(&block.shown, &came).with_context(|| format!("{commands}\ngave {came}"))?;
        count += usize::from(!is_asking(&commands));
    }
    Ok(count)
}

fn replaced(text: &str, known: &BTreeMap<String, String>) -> String {
    known.iter().fold(text.to_owned(), |text, (shown, came)| text.replace(shown, came))
}

/// What the test does itself: it has started the server, and says by its preparation whose commands these are.
fn is_played(commands: &str) -> bool {
    commands.contains("cargo run") || commands.starts_with("export FASTNESS_KEY=")
}

/// How the page asks the server: its first block of variables and functions. Later sections use it, too.
fn asking(page: &str) -> String {
    fenced(page).map(block).map(|block| block.commands).find(|commands| is_asking(commands)).unwrap_or_default()
}

fn is_asking(commands: &str) -> bool {
    ["KEY=", "X=", "export KEY="].iter().any(|begin| commands.starts_with(begin))
}

/// A shell that is told block after block, by a pipe that is not its standard input: that is for the commands, and empty.
struct Shell {
    child: Child,
    to: File,
    from: BufReader<ChildStdout>,
    errors: File,
    _folder: TempDir,
}

impl Shell {
    fn start() -> Result<Self> {
        let (folder, errors) = (tempfile::tempdir()?, tempfile::tempfile()?);
        let script = folder.path().join("script");
        ensure!(Command::new("mkfifo").arg(&script).status()?.success(), "no pipe for the shell");
        let mut command = Command::new("sh");
        // A group of its own, which ends as a whole: what a page starts in the background, too.
        command.process_group(0).arg(&script).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors.try_clone()?);
        let mut child = command.spawn().context("no program `sh`")?;
        // Waits until the shell reads.
        let to = File::options().write(true).open(&script)?;
        let from = BufReader::new(child.stdout.take().context("no pipe")?);
        let mut shell = Self { child, to, from, errors, _folder: folder };
        shell.run("curl() { command curl --max-time \"$limit_s\" \"$@\"; }")?;
        Ok(shell)
    }

    /// What the commands print. A stream that does not end is listened to for a moment.
    fn run(&mut self, commands: &str) -> Result<String> {
        let endless = commands.contains("curl -sN");
        let limit_s = if endless { 3 } else { 60 };
        write!(self.to, "limit_s={limit_s}\n{commands}\nprintf '\\n%s %s\\n' '{MARK}' \"$?\"\n")?;
        self.to.flush()?;
        let mut came = String::new();
        loop {
            let mut line = String::new();
            ensure!(self.from.read_line(&mut line)? > 0, "{commands}\nended the shell: {}", self.complaints());
            if let Some(status) = line.strip_prefix(MARK) {
                // The mark begins a line of its own, whatever was printed before.
                came.pop();
                let is_good = status.trim() == "0" || (endless && status.trim() == "28");
                ensure!(is_good, "{commands}\nended with {}: {came}{}", status.trim(), self.complaints());
                return Ok(came);
            }
            came.push_str(&line);
        }
    }

    fn complaints(&mut self) -> String {
        let mut text = String::new();
        // Who cannot be asked what went wrong has nothing to say.
        let _ = self.errors.rewind().and_then(|()| self.errors.read_to_string(&mut text));
        text
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn blocks(page: &str, section: &str) -> Vec<Block> {
    let heading = format!("\n## {section}");
    let text = page.split_once(&heading).map_or("", |(_, rest)| rest);
    fenced(text.split("\n## ").next().unwrap_or_default()).map(block).collect()
}

/// What stands between fences of `sh`.
fn fenced(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n```sh\n").skip(1).map(|rest| rest.split("\n```").next().unwrap_or_default())
}

fn block(text: &str) -> Block {
    let (shown, commands): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let shown = shown.iter().map(|line| line.trim_start_matches('#').trim()).collect();
    Block { commands: commands.join("\n"), shown }
}

/// Whether what came is what the page shows; a page that shows nothing expects no error.
fn compare(shown: &str, came: &str) -> Result<()> {
    let (shown, came) = (plain(shown), plain(came));
    if shown.is_empty() {
        ensure!(!came.starts_with("{\"code\":"), "an error that the page does not show");
        return Ok(());
    }
    let parts: Vec<&str> = shown.split('…').collect();
    let mut rest = came.as_str();
    for (number, part) in parts.iter().enumerate() {
        let Some(at) = rest.find(part) else { bail!("no `{part}`, which the page shows") };
        ensure!(number > 0 || at == 0, "it does not begin with `{part}`, as the page shows");
        rest = &rest[at + part.len()..];
    }
    let ends_open = parts.last().is_some_and(|part| part.is_empty());
    ensure!(rest.is_empty() || ends_open, "the page does not show `{rest}`");
    Ok(())
}

/// Without blanks, and with `#` for every version.
fn plain(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    versions(&text).into_iter().fold(text.clone(), |text, version| text.replace(version, "#"))
}

/// Numbers so long that they are versions.
fn versions(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() == 15).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A\n\n## First things\n\n```sh\napi x\n# {\"v\":261115120000000,\n#   \"epoch\":\"1-…\"}\n```\n\n## Other\n\n```sh\nno\n```\n";

    #[test]
    fn a_block_is_commands_and_what_they_print() {
        let shown = "{\"v\":261115120000000,\"epoch\":\"1-…\"}".to_owned();
        assert_eq!(blocks(PAGE, "First"), [Block { commands: "api x".into(), shown: shown.clone() }]);
        let came = "{\"v\": 261116090000001, \"epoch\": \"1-abc\"}\n";
        compare(&shown, came).unwrap();
    }

    #[test]
    fn a_shell_keeps_what_a_block_sets_and_tells_how_it_ended() {
        let mut shell = Shell::start().unwrap();
        assert_eq!(shell.run("a=1\nalias say='echo said'\nf() { echo \"$1\"; }").unwrap(), "");
        assert_eq!(shell.run("f $a; say it; printf half").unwrap(), "1\nsaid it\nhalf");
        assert!(shell.run("echo no >&2; false").unwrap_err().to_string().contains("ended with 1: no"));
        assert!(shell.run("exit 3").is_err());
    }

    #[test]
    fn what_is_not_on_the_page_is_found() {
        for (shown, came) in [("{a}", "{b}"), ("{a…}", "{ax}y"), ("a", "ba"), ("", "{\"code\":\"X\"}")] {
            assert!(compare(shown, came).is_err(), "{shown} {came}");
        }
        for (shown, came) in [("{a…}", "{axy}"), ("{…", "{b}"), ("", "{}")] {
            assert!(compare(shown, came).is_ok(), "{shown} {came}");
        }
    }
}
