//! The driver: that of `cargo xtask services`, or one of our own.

use std::fs::File;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

/// Where the driver of `cargo xtask services` listens.
pub const VARIABLE: &str = "FASTNESS_TEST_BROWSER";

/// Longest wait for the driver's start.
const PATIENCE: Duration = Duration::from_secs(30);

/// Starts the driver beside a shell that waits for a word of ours, or for the end of its input, which is our end. The driver's
/// end closes the pipes by which it speaks to its Chromiums, which ends these, too. If there may still be some, their last
/// writes are waited for.
const SCRIPT: &str = r#"
    chromedriver --port=0 --allowed-ips=127.0.0.1 </dev/null &
    read -r word || word=lost
    kill $!
    wait $!
    [ "$word" = done ] || sleep 2
    rm -rf "$1"
"#;

/// A running chromedriver.
pub struct Driver {
    url: String,
    /// Of our own, ended when dropped.
    own: Option<Own>,
}

struct Own {
    shell: Child,
    folder: TempDir,
}

impl Driver {
    /// The driver of `cargo xtask services`, for tests.
    ///
    /// # Errors
    /// It was not started.
    pub fn of_services() -> Result<Self> {
        let url = std::env::var(VARIABLE);
        let url = url.with_context(|| format!("no {VARIABLE}: cargo xtask services run -- cargo nextest run …"))?;
        Ok(Self { url, own: None })
    }

    /// The driver of `cargo xtask services` if there is one, else one of our own.
    ///
    /// # Errors
    /// There is no program `chromedriver`, or it does not start.
    pub fn any() -> Result<Self> {
        Self::of_services().or_else(|_| Self::start())
    }

    /// One of our own, on any free port.
    ///
    /// # Errors
    /// There is no program `chromedriver` (Debian: chromium-driver), or it does not start.
    pub fn start() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("look-").tempdir()?;
        let log = File::create(folder.path().join("log"))?;
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "sh"]).arg(folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        command.env("HOME", folder.path()).env("TMPDIR", folder.path()).env("XDG_RUNTIME_DIR", folder.path());
        let shell = command.spawn().context("sh cannot be run")?;
        let mut own = Own { shell, folder };
        let port = port(&mut own)?;
        Ok(Self { url: format!("http://127.0.0.1:{port}"), own: Some(own) })
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether it ends with us.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.own.is_some()
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(mut input) = self.shell.stdin.take() {
            let _ = input.write_all(b"done\n");
        }
        let _ = self.shell.wait();
    }
}

/// Waits for the line that tells the port; what comes later is read too, so that the driver never stops at a full pipe.
fn port(own: &mut Own) -> Result<u16> {
    let output = own.shell.stdout.take().context("no output")?;
    let (tell, told) = channel();
    thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).for_each(|line| {
            let _ = tell.send(line);
        });
    });
    while let Ok(line) = told.recv_timeout(PATIENCE) {
        let port = line.split_once("started successfully on port ").map(|(_, port)| port.trim_end_matches('.'));
        if let Some(port) = port {
            return Ok(port.parse()?);
        }
    }
    bail!("chromedriver does not start (Debian: apt-get install chromium-driver): {}", log(own.folder.path()))
}

fn log(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("log")).unwrap_or_default()
}
