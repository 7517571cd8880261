//! A server of its own for one test, and people who look at it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use browser::{Driver, Eyes, Sight};
use kill::client::{Answer, Client};
use kill::server::{Launch, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The namespace of administrators.
pub const HOME: &str = "z";
/// The first account.
pub const ADMIN: &str = "admin";
/// Everybody's password here, after the one-time password was changed.
pub const PASSWORD: &str = "correct horse battery staple";

/// The folder of its data.
const DATA: &str = "data";

/// A running server with its data; both end with it.
pub struct Site {
    server: Server,
    driver: Driver,
    folder: TempDir,
}

impl Site {
    /// Starts the program on empty data and gives its administrator a password that is known here.
    pub fn start() -> Result<Self> {
        Self::start_with(&[])
    }

    /// The same with targets on this machine allowed.
    pub fn with_targets() -> Result<Self> {
        Self::start_with(&[("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "true")])
    }

    /// The same with these settings.
    pub fn start_with(settings: &[(&str, &str)]) -> Result<Self> {
        let (site, first) = Self::untouched(settings)?;
        site.change_password(HOME, ADMIN, &first)?;
        Ok(site)
    }

    /// As the first start leaves it, with the password that it printed.
    pub fn untouched(settings: &[(&str, &str)]) -> Result<(Self, String)> {
        let folder = tempfile::tempdir()?;
        let launch = Launch::new(Path::new(env!("CARGO_BIN_EXE_fastness")), &folder.path().join(DATA));
        let launch = settings.iter().fold(launch, |launch, (name, value)| launch.env(name, value));
        let site = Self { server: launch.start()?, driver: Driver::of_services()?, folder };
        let shown = site.server.greeting.lines().find_map(|line| line.trim().strip_prefix("password"));
        let first = shown.context("no password was shown")?.trim().to_owned();
        Ok((site, first))
    }

    /// Where its data is.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join(DATA)
    }

    /// Where it is.
    pub fn origin(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// A program with the administrator's key.
    pub fn client(&self) -> Client {
        self.server.client()
    }

    /// What a program with the administrator's key is told; it must be done.
    pub fn ask(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let answer = answered(self.client().ask(method, path, body, ""))?;
        ensure!(answer.status < 300, "{method} {path} {body}: {answer:?}");
        Ok(answer.body)
    }

    /// Creates something; gives its answer.
    pub fn make(&self, path: &str, body: &Value) -> Result<Value> {
        self.ask("POST", path, body)
    }

    /// Reads something.
    pub fn read(&self, path: &str) -> Result<Value> {
        let answer = self.client().get(path)?;
        ensure!(answer.status == 200, "{path}: {answer:?}");
        Ok(answer.body)
    }

    /// Creates a task that calls a target; gives its id.
    pub fn task(&self, op: &str, info: &str, target: &str) -> Result<String> {
        let made = self.make("/v1/main/tasks", &json!({ "op": op, "info": info, "target": target }))?;
        Ok(made["id"].as_str().unwrap_or_default().to_owned())
    }

    /// Has a task, whose target fails, tried until all its tries are used up.
    pub fn park(&self, task: &str) -> Result<()> {
        const LOOKS: u32 = 20_000;
        let path = format!("/v1/main/tasks/{task}");
        let mut client = self.client();
        for _ in 0..LOOKS {
            let seen = client.get(&path)?.body;
            match seen["state"].as_str() {
                Some("parked") => return Ok(()),
                // Refused if it was claimed meanwhile.
                Some("waiting") if seen["retry"] != 0 => {
                    let past = json!({ "start_at": "2020-01-01T00:00:00Z" });
                    answered(client.post(&format!("{path}/move"), &past, ""))?;
                }
                _ => (),
            }
        }
        bail!("{task} is not parked: {:?}", client.get(&path)?)
    }

    /// Creates an account whose owner has chosen the password.
    pub fn account(&self, namespace: &str, name: &str, role: &str) -> Result<()> {
        let first = self.invite(namespace, name, role)?;
        self.change_password(namespace, name, &first)
    }

    /// Creates an account; gives the one-time password.
    pub fn invite(&self, namespace: &str, name: &str, role: &str) -> Result<String> {
        let made = self.make(&format!("/v1/{namespace}/accounts"), &json!({ "name": name, "role": role }))?;
        Ok(made["password"].as_str().context("no password")?.to_owned())
    }

    /// Somebody who reads English and is not known here.
    pub fn stranger(&self, sight: Sight) -> Result<Eyes> {
        self.reader_of("en", sight)
    }

    /// Somebody who reads these languages and is not known here.
    pub fn reader_of(&self, languages: &str, sight: Sight) -> Result<Eyes> {
        Eyes::open(&self.driver, &self.origin(), sight, languages)
    }

    /// The administrator.
    pub fn admin(&self, sight: Sight) -> Result<Eyes> {
        self.person(HOME, ADMIN, sight)
    }

    /// The owner of an account.
    pub fn person(&self, namespace: &str, account: &str, sight: Sight) -> Result<Eyes> {
        let eyes = self.stranger(sight)?;
        eyes.log_in(namespace, account, PASSWORD)?;
        Ok(eyes)
    }

    fn change_password(&self, namespace: &str, account: &str, first: &str) -> Result<()> {
        let login = json!({ "account": account, "password": first });
        let session = answered(self.client().post(&format!("/v1/{namespace}/sessions"), &login, ""))?;
        ensure!(session.status == 201, "login: {session:?}");
        let mut client = Client::with_session(self.server.address, &session);
        let change = json!({ "old": first, "new": PASSWORD });
        let changed = answered(client.ask("PUT", &format!("/v1/{namespace}/sessions/password"), &change, ""))?;
        ensure!(changed.status == 204, "new password: {changed:?}");
        Ok(())
    }
}

fn answered(answer: Result<Answer, kill::client::Cut>) -> Result<Answer> {
    Ok(answer.map_err(std::io::Error::from)?)
}
