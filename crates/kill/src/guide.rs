//! Pages that show commands: these are run in order against a server, and what comes is compared with what the page shows.
//!
//! A block of `sh` is commands, and what they print as comments below. Numbers of versions are other ones each time: where a
//! later command repeats one that the page showed, it gets the one that came. `…` stands for anything.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::server::KEY;

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
    let mut known = BTreeMap::from([("http://127.0.0.1:7400".to_owned(), format!("http://{}", guide.address))]);
    let (mut preparation, mut count) = (preparation.to_owned(), 0);
    for block in blocks(guide.page, guide.section) {
        let commands = known.iter().fold(block.commands.clone(), |text, (shown, came)| text.replace(shown, came));
        if commands.contains("cargo run") || commands.starts_with("export FASTNESS_KEY=") {
            continue;
        }
        if commands.starts_with("KEY=") {
            preparation = format!("{commands}\nKEY={KEY}");
            continue;
        }
        let came = printed(&preparation, &commands)?;
        compare(&block.shown, &came).with_context(|| format!("{commands}\ngave {came}"))?;
        known.extend(learned(&block.shown, &came));
        count += 1;
    }
    Ok(count)
}

fn blocks(page: &str, section: &str) -> Vec<Block> {
    let heading = format!("\n## {section}");
    let text = page.split_once(&heading).map_or("", |(_, rest)| rest);
    let text = text.split("\n## ").next().unwrap_or_default();
    let inside = text.split("\n```sh\n").skip(1).map(|rest| rest.split("\n```").next().unwrap_or_default());
    inside.map(block).collect()
}

fn block(text: &str) -> Block {
    let (shown, commands): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let shown = shown.iter().map(|line| line.trim_start_matches('#').trim()).collect();
    Block { commands: commands.join("\n"), shown }
}

/// What the commands print. A stream that does not end is listened to for a moment.
fn printed(preparation: &str, commands: &str) -> Result<String> {
    let endless = commands.contains("curl -sN");
    let limit_s = if endless { 3 } else { 60 };
    let script = format!("curl() {{ command curl --max-time {limit_s} \"$@\"; }}\n{preparation}\n{commands}");
    let ran = Command::new("sh").arg("-c").arg(script).stdin(Stdio::null()).output();
    let Output { status, stdout, stderr } = ran.context("no program `sh`")?;
    let is_cut = endless && status.code() == Some(28);
    ensure!(status.success() || is_cut, "{commands}\nended with {status}: {}", String::from_utf8_lossy(&stderr));
    Ok(String::from_utf8(stdout)?)
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

/// Which version came for which that the page shows, and the epoch.
fn learned(shown: &str, came: &str) -> Vec<(String, String)> {
    let values = |text: &'static str| {
        let after = |of: &str| of.split_once(text).map(|(_, rest)| rest.to_owned());
        let first = |rest: String| rest.split(['"', ',', '}']).next().unwrap_or_default().to_owned();
        Some((after(shown).map(first)?, after(came).map(first)?))
    };
    ["\"version\":", "\"v\":", "\"epoch\":\""].into_iter().filter_map(values).collect()
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
        let came = came.replace(": ", ":");
        assert_eq!(learned(&shown, &came)[0], ("261115120000000".into(), "261116090000001".into()));
        assert_eq!(learned(&shown, &came)[1], ("1-…".into(), "1-abc".into()));
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
