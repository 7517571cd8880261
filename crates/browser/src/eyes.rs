//! One browser with an empty profile.

mod act;
mod find;
mod login;
mod picture;
mod wait;

use std::time::Duration;

use anyhow::{Context, Result};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::command::Command;
use crate::driver::Driver;
use crate::sight::Sight;

pub use find::{Target, button, checkbox, choice, field, heading, link, tab};
pub use picture::Part;

/// Longest wait for anything that a page should show.
const PATIENCE: Duration = Duration::from_secs(15);

/// Longest time of a script in the page: the judge of a long page takes its time on a busy machine.
const SCRIPT_MS: u64 = 120_000;

/// What Chromium is started with. `no-sandbox`: it refuses to run as root otherwise, and it only sees pages of ours. By
/// the pipe it ends with its driver. Without scroll bars a page is as wide as its window.
const ARGUMENTS: [&str; 14] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-breakpad",
    "--disable-extensions",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
];

/// A browser session; the browser ends with it.
pub struct Eyes {
    runtime: Runtime,
    client: Option<Client>,
    sight: Sight,
    /// Start of the addresses of the site.
    origin: String,
}

impl Eyes {
    /// Opens a browser for a site (`http://127.0.0.1:7400`) whose person reads these languages (`ru,en`).
    ///
    /// # Errors
    /// The browser does not start.
    pub fn open(driver: &Driver, origin: &str, sight: Sight, languages: &str) -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities(languages));
        let client = runtime.block_on(builder.connect(driver.url())).context("Chromium does not start")?;
        let origin = origin.trim_end_matches('/').to_owned();
        let mut eyes = Self { runtime, client: Some(client), sight, origin };
        eyes.look_as(sight)?;
        Ok(eyes)
    }

    /// Changes width and theme of this page and those that follow.
    ///
    /// # Errors
    /// The browser is gone.
    pub fn look_as(&mut self, sight: Sight) -> Result<()> {
        let size = json!({ "width": sight.width, "height": sight.height(), "deviceScaleFactor": 1, "mobile": false });
        self.cdp("Emulation.setDeviceMetricsOverride", size)?;
        let theme = json!({ "name": "prefers-color-scheme", "value": sight.theme.word() });
        // Pictures are of what is, not of what moves.
        let calm = json!({ "name": "prefers-reduced-motion", "value": "reduce" });
        self.cdp("Emulation.setEmulatedMedia", json!({ "features": [theme, calm] }))?;
        self.sight = sight;
        Ok(())
    }

    /// How it looks now.
    #[must_use]
    pub fn sight(&self) -> Sight {
        self.sight
    }

    /// Where the site is.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Goes to a page of the site (`/docs`), or to a whole address, and waits until it is loaded.
    ///
    /// # Errors
    /// Nothing answers there.
    pub fn goto(&self, page: &str) -> Result<()> {
        let url = if page.starts_with('/') { format!("{}{page}", self.origin) } else { page.to_owned() };
        self.run(self.client().goto(&url)).with_context(|| format!("{url} cannot be opened"))
    }

    /// Loads the page again.
    ///
    /// # Errors
    /// Nothing answers any more.
    pub fn reload(&self) -> Result<()> {
        self.run(self.client().refresh())
    }

    /// Path and query of the page that is shown.
    ///
    /// # Errors
    /// The browser is gone.
    pub fn place(&self) -> Result<String> {
        let url = self.run(self.client().current_url())?;
        Ok(url.as_str().strip_prefix(self.origin.as_str()).unwrap_or(url.as_str()).to_owned())
    }

    /// All text that a person can read on the page.
    ///
    /// # Errors
    /// The browser is gone.
    pub fn text(&self) -> Result<String> {
        let text = self.script("return document.body.innerText", vec![])?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Runs a script in the page; the page's policy does not hold for it. `arguments[0]` is the first argument.
    ///
    /// # Errors
    /// The script fails.
    pub fn script(&self, script: &str, arguments: Vec<Value>) -> Result<Value> {
        self.run(self.client().execute(script, arguments))
    }

    /// As [`script`](Self::script) for one that ends later, by calling its last argument.
    ///
    /// # Errors
    /// The script fails or takes too long.
    pub fn slow_script(&self, script: &str, arguments: Vec<Value>) -> Result<Value> {
        self.run(self.client().execute_async(script, arguments))
    }

    /// Speaks to Chromium itself, in the words of its DevTools protocol.
    ///
    /// # Errors
    /// It does not know such a method.
    pub fn cdp(&self, method: &str, params: Value) -> Result<Value> {
        self.command(Command::cdp(method, params)).with_context(|| method.to_owned())
    }

    pub(crate) fn command(&self, command: Command) -> Result<Value> {
        self.run(self.client().issue_cmd(command))
    }

    fn run<T>(&self, call: impl Future<Output = Result<T, fantoccini::error::CmdError>>) -> Result<T> {
        Ok(self.runtime.block_on(call)?)
    }

    fn client(&self) -> &Client {
        self.client.as_ref().expect("only the end takes it away")
    }
}

impl Drop for Eyes {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            // If the driver is gone, so is the browser.
            let _ = self.runtime.block_on(client.close());
        }
    }
}

fn capabilities(languages: &str) -> Map<String, Value> {
    let first = languages.split(',').next().unwrap_or_default();
    let arguments = ARGUMENTS.map(str::to_owned).into_iter().chain([format!("--lang={first}")]);
    let options = json!({
        "args": arguments.collect::<Vec<_>>(),
        "prefs": { "intl.accept_languages": languages, "credentials_enable_service": false },
    });
    let limit = u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX);
    let mut all = Map::new();
    all.insert("browserName".into(), json!("chrome"));
    all.insert("goog:chromeOptions".into(), options);
    all.insert("goog:loggingPrefs".into(), json!({ "browser": "ALL" }));
    all.insert("timeouts".into(), json!({ "script": SCRIPT_MS, "pageLoad": 2 * limit, "implicit": 0 }));
    all
}
