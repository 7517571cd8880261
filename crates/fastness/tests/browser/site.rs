//! A server of its own for one test, and people who look at it.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use browser::{Driver, Eyes, Sight};
use kill::client::Client;
use kill::server::{Launch, Server};
use serde_json::json;
use tempfile::TempDir;

/// The namespace of administrators.
pub const HOME: &str = "z";
/// The first account.
pub const ADMIN: &str = "admin";
/// Its password here, after the one-time password was changed.
pub const PASSWORD: &str = "correct horse battery staple";

/// A running server with its data; both end with it.
pub struct Site {
    server: Server,
    driver: Driver,
    _folder: TempDir,
}

impl Site {
    /// Starts the program on empty data and gives its administrator a password that is known here.
    pub fn start() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let launch = Launch::new(Path::new(env!("CARGO_BIN_EXE_fastness")), &folder.path().join("data"));
        let site = Self { server: launch.start()?, driver: Driver::of_services()?, _folder: folder };
        site.change_password()?;
        Ok(site)
    }

    /// Where it is.
    pub fn origin(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// A program with the administrator's key.
    pub fn client(&self) -> Client {
        self.server.client()
    }

    /// Somebody who reads English and is not known here.
    pub fn stranger(&self, sight: Sight) -> Result<Eyes> {
        Eyes::open(&self.driver, &self.origin(), sight, "en")
    }

    /// The administrator.
    pub fn admin(&self, sight: Sight) -> Result<Eyes> {
        let eyes = self.stranger(sight)?;
        eyes.log_in(HOME, ADMIN, PASSWORD)?;
        Ok(eyes)
    }

    fn change_password(&self) -> Result<()> {
        let shown = self.server.greeting.lines().find_map(|line| line.trim().strip_prefix("password"));
        let first = shown.context("no password was shown")?.trim();
        let login = json!({ "account": ADMIN, "password": first });
        let session = self.client().post(&format!("/v1/{HOME}/sessions"), &login, "").map_err(std::io::Error::from)?;
        ensure!(session.status == 201, "login: {session:?}");
        let mut client = Client::with_session(self.server.address, &session);
        let change = json!({ "old": first, "new": PASSWORD });
        let changed = client.ask("PUT", &format!("/v1/{HOME}/sessions/password"), &change, "");
        let changed = changed.map_err(std::io::Error::from)?;
        ensure!(changed.status == 204, "new password: {changed:?}");
        Ok(())
    }
}
