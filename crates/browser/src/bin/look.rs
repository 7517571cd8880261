//! Takes pictures of pages and says what is wrong with them.
//!
//! `cargo run -p browser --bin look -- --url http://127.0.0.1:7400/docs --width 390 --theme dark --out docs.png`
//!
//! Several `--url`, or `--all-widths-themes`, make several pictures: then `--out` is a folder. It logs in first if it gets a
//! password. Faults that it sees go to standard error; they change nothing about the exit code.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use browser::eyes::Part;
use browser::shrink::shrink;
use browser::{Driver, Eyes, Sight, Theme};
use clap::{Parser, ValueEnum};
use url::Url;

/// Takes pictures of pages and says what is wrong with them.
#[derive(Parser)]
struct Arguments {
    /// A page; may be repeated. A second one may be a path on the same server.
    #[arg(long, required = true)]
    url: Vec<String>,
    /// Whom to log in as.
    #[arg(long, default_value = "admin")]
    account: String,
    /// The password; without one there is no login.
    #[arg(long)]
    password: Option<String>,
    /// The namespace of the account.
    #[arg(long, default_value = "z")]
    namespace: String,
    /// Log in by the console's page, not by the API.
    #[arg(long)]
    by_hand: bool,
    /// Width of the window.
    #[arg(long, default_value_t = browser::sight::DESK)]
    width: u32,
    /// Light or dark.
    #[arg(long, value_enum, default_value = "light")]
    theme: Shade,
    /// The languages of the person, the best first.
    #[arg(long, default_value = "en")]
    language: String,
    /// Four pictures of each page: 1440 and 390 wide, light and dark.
    #[arg(long)]
    all_widths_themes: bool,
    /// The whole length of the page, not only the window.
    #[arg(long)]
    full: bool,
    /// Ask axe-core, too, whether everybody can use the page; takes seconds.
    #[arg(long)]
    axe: bool,
    /// Make the file small, for documents: 256 colours.
    #[arg(long)]
    small: bool,
    /// Wait until this selector names something that can be seen.
    #[arg(long)]
    wait: Option<String>,
    /// The file, or for several pictures the folder.
    #[arg(long)]
    out: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shade {
    Light,
    Dark,
}

impl Arguments {
    fn sights(&self) -> Vec<Sight> {
        let theme = match self.theme {
            Shade::Light => Theme::Light,
            Shade::Dark => Theme::Dark,
        };
        if self.all_widths_themes { Sight::ALL.to_vec() } else { vec![Sight { width: self.width, theme }] }
    }

    fn file(&self, page: &str, sight: Sight) -> PathBuf {
        let single = self.url.len() == 1 && !self.all_widths_themes && !self.out.is_dir();
        if single { self.out.clone() } else { self.out.join(format!("{}-{sight}.png", slug(page))) }
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let origin = origin(&arguments.url[0])?;
    let sights = arguments.sights();
    let driver = Driver::any()?;
    let mut eyes = Eyes::open(&driver, &origin, sights[0], &arguments.language)?;
    log_in(&eyes, &arguments)?;
    for page in &arguments.url {
        eyes.goto(page)?;
        for sight in &sights {
            eyes.look_as(*sight)?;
            look(&eyes, page, &arguments)?;
        }
    }
    Ok(())
}

fn log_in(eyes: &Eyes, arguments: &Arguments) -> Result<()> {
    let Some(password) = &arguments.password else { return Ok(()) };
    if arguments.by_hand {
        return eyes.log_in_by_hand(&arguments.account, password);
    }
    let session = eyes.log_in(&arguments.namespace, &arguments.account, password)?;
    if session["must_change"] == true {
        eprintln!("look: {} must change this password before it can do anything else", arguments.account);
    }
    Ok(())
}

fn look(eyes: &Eyes, page: &str, arguments: &Arguments) -> Result<()> {
    let begun = Instant::now();
    if let Some(css) = &arguments.wait {
        eyes.wait_for(css.as_str())?;
    }
    let file = arguments.file(page, eyes.sight());
    let picture = eyes.png(if arguments.full { Part::Whole } else { Part::Window })?;
    let picture = if arguments.small { shrink(&picture)? } else { picture };
    save(&file, &picture)?;
    println!("{} {} kB ({} ms)", file.display(), picture.len() / 1024, begun.elapsed().as_millis());
    let mut faults = eyes.faults()?;
    if arguments.axe {
        let axe = axe().context("no axe-core yet: run `cargo xtask services run -- true` once")?;
        faults.extend(eyes.violations(&axe)?);
    }
    faults.extend(eyes.complaints()?);
    faults.iter().for_each(|fault| eprintln!("  {page} {}: {fault}", eyes.sight()));
    Ok(())
}

fn save(file: &Path, picture: &[u8]) -> Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(file, picture).with_context(|| file.display().to_string())
}

/// axe-core, if `cargo xtask services` has ever brought it.
fn axe() -> Option<PathBuf> {
    let told = std::env::var_os(browser::judge::AXE).map(PathBuf::from);
    told.or_else(|| {
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services");
        let folders = std::fs::read_dir(kept).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        folders.map(|folder| folder.join("node_modules/axe-core/axe.min.js")).find(|script| script.is_file())
    })
}

fn origin(url: &str) -> Result<String> {
    let url = Url::parse(url).with_context(|| format!("`{url}` is no address, such as http://127.0.0.1:7400/docs"))?;
    ensure!(url.has_host(), "{url} names no server");
    Ok(url.origin().ascii_serialization())
}

/// A page's path as a file's name.
fn slug(page: &str) -> String {
    let path = page.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map_or(page, |(_, path)| path);
    let words: Vec<&str> = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "start".into() } else { words.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_gives_its_picture_a_name() {
        assert_eq!(slug("http://127.0.0.1:7400/"), "start");
        assert_eq!(slug("http://127.0.0.1:7400/console/main/tasks?state=parked"), "console-main-tasks-state-parked");
        assert_eq!(slug("/docs"), "docs");
    }

    #[test]
    fn a_server_is_told_from_an_address() {
        assert_eq!(origin("http://127.0.0.1:7400/docs").unwrap(), "http://127.0.0.1:7400");
        assert!(origin("docs").is_err());
    }
}
