//! A command at work: who is asked, by what right, and how the outcome is shown.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use client::{Client, ClientError, Request, Retry, new_key};
use serde_json::Value;

use crate::access::{Access, Origin};
use crate::failure::{Done, Failure, Kind, NO_SERVER};
use crate::flags::{Common, Reach, SERVER, Sure};
use crate::output::{Output, escaped};
use crate::profile::Profiles;
use crate::shell::quoted;

/// The namespace of administrators.
pub(crate) const ADMINISTRATION: &str = "z";
/// Seconds for all tries of a call.
const TIMEOUT_S: u64 = 30;
/// Tries of a call where nobody says how long.
const ATTEMPTS: u32 = 6;
/// Time for bytes of any size, unless a person says how long.
const TRANSFER: Duration = Duration::from_secs(3600);

/// What a verb works with.
#[derive(Debug)]
pub(crate) struct Session {
    client: Client,
    /// The flags that it was opened by.
    common: Common,
    /// The key that the server is shown.
    access: Access,
    /// How things are shown.
    pub(crate) out: Output,
    /// The server that is meant.
    server: String,
    /// The namespace that was named.
    pub(crate) namespace: String,
    /// The Idempotency-Key of the one change that a command makes.
    key: String,
    /// Whether a person said how long a call may take.
    in_haste: bool,
}

impl Session {
    /// As the flags, the environment and the stored logins say.
    pub(crate) fn open(common: &Common) -> Result<Self, Failure> {
        let reach = &common.reach;
        let profiles = Profiles::load()?;
        // A key that was given here is shown to no server but the one named here: not to that of some login before.
        let given = Access::given(reach)?;
        let server = if given.is_some() { named_server(reach) } else { server_of(reach, &profiles) };
        let access = given.or_else(|| Access::kept(&profiles, &server)).ok_or_else(no_key)?;
        Self::with_access(common, &server, access)
    }

    /// The same for what may be done without a server: with whatever key is there, or with none.
    pub(crate) fn open_leniently(common: &Common) -> Result<Self, Failure> {
        let reach = &common.reach;
        // Logins that cannot be read are missed by whoever needs one.
        let profiles = Profiles::load().unwrap_or_default();
        let given = Access::given(reach)?;
        let server = if given.is_some() { named_server(reach) } else { server_of(reach, &profiles) };
        let access = given.or_else(|| Access::kept(&profiles, &server)).unwrap_or_else(|| Access::of(""));
        Self::with_access(common, &server, access)
    }

    /// With this key, or with none.
    pub(crate) fn with_key(common: &Common, server: &str, key: &str) -> Result<Self, Failure> {
        Self::with_access(common, server, Access::of(key))
    }

    fn with_access(common: &Common, server: &str, access: Access) -> Result<Self, Failure> {
        let reach = &common.reach;
        let client =
            Client::new(server, &reach.namespace, &access.key).map_err(|error| Failure::of_call(error, false, ""))?;
        let total = Duration::from_secs(reach.timeout.unwrap_or(TIMEOUT_S));
        // Whoever says how long wants it tried so long; others want to hear soon that there is no server.
        let attempts = if reach.timeout.is_some() { u32::MAX } else { ATTEMPTS };
        let client = client.with_retry(Retry { attempts, patience: total, ..Retry::default() });
        Ok(Self {
            client: client.within(total),
            common: common.clone(),
            access,
            out: Output::of(&common.show),
            server: server.to_owned(),
            namespace: reach.namespace.clone(),
            key: reach.idempotency_key.clone().unwrap_or_else(new_key),
            in_haste: reach.timeout.is_some(),
        })
    }

    /// The same for bytes, which take as long as they take, unless a person said how long.
    pub(crate) fn patient(&self) -> Self {
        let retry = Retry { attempts: ATTEMPTS, patience: TRANSFER, ..Retry::default() };
        let client = match self.in_haste {
            true => self.client.clone(),
            false => self.client.clone().with_retry(retry).within(TRANSFER),
        };
        Self { client, ..self.like() }
    }

    fn like(&self) -> Self {
        Self {
            client: self.client.clone(),
            common: self.common.clone(),
            access: self.access.clone(),
            out: self.out.clone(),
            server: self.server.clone(),
            namespace: self.namespace.clone(),
            key: self.key.clone(),
            in_haste: self.in_haste,
        }
    }

    /// The same at the administrators' namespace.
    pub(crate) fn administration(&self) -> Result<Self, Failure> {
        let client = self.client.in_namespace(ADMINISTRATION).map_err(|error| Failure::of_call(error, false, ""))?;
        Ok(Self { client, namespace: ADMINISTRATION.into(), ..self.like() })
    }

    /// The same at another server, by another right.
    pub(crate) fn elsewhere(&self, server: &str, namespace: &str, key: &str) -> Result<Self, Failure> {
        let mut common = self.common.clone();
        namespace.clone_into(&mut common.reach.namespace);
        // One key keeps its origin wherever it is shown.
        let access = if key == self.access.key { self.access.clone() } else { Access::of(key) };
        Self::with_access(&common, server.trim_end_matches('/'), access)
    }

    /// The flags that it was opened by.
    pub(crate) fn common(&self) -> &Common {
        &self.common
    }

    /// The server that is meant.
    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// The key that the server is shown.
    pub(crate) fn access_key(&self) -> Result<&str, Failure> {
        Some(self.access.key.as_str()).filter(|key| !key.is_empty()).ok_or_else(no_key)
    }

    /// Where that came from.
    pub(crate) fn origin(&self) -> &Origin {
        &self.access.origin
    }

    /// The flags that make another command mean the same server and namespace by the same right; a blank before each. Also where they are
    /// the usual ones: what is usual is another thing after the next login, and in a shell with another environment.
    pub(crate) fn flags_again(&self) -> String {
        let named = [
            ("--server", Some(self.server.as_str())),
            ("--namespace", Some(self.namespace.as_str())),
            ("--key-file", self.common.reach.key_file.as_deref().and_then(std::path::Path::to_str)),
        ];
        named.iter().filter_map(|(flag, value)| Some(format!(" {flag} {}", quoted((*value)?)))).collect()
    }

    /// What became of a call, with the hint that takes knowing by what right and where it was made.
    fn failed(&self, error: ClientError, changes: bool, key: &str) -> Failure {
        let is_away = matches!(error, ClientError::Unreachable { .. });
        let failure = Failure::of_call(error, changes, key);
        let hint = match failure.code.as_deref() {
            Some("SKEY") => self.access.origin.hint(&self.server, &self.namespace),
            Some("NPERSON" | "NKEY") => Some(elsewhere(&self.namespace)),
            // Nobody typed it now.
            None if is_away && failure.kind == Kind::Unreached && self.is_of_last_login() => {
                Some(format!("{NO_SERVER}. This address is that of your last login"))
            }
            _ => None,
        };
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }

    fn is_of_last_login(&self) -> bool {
        self.common.reach.server.is_none() && self.server != SERVER
    }

    /// The client itself, for what has a patience of its own.
    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    /// Whether a server answers there at all, whatever it says: looked at before a person is asked for anything.
    pub(crate) async fn reach(&self) -> Done {
        match self.get(Request::get(&["readyz"]).of_server().also(503)).await {
            Err(failure) if failure.kind == Kind::Unreached && failure.code.is_none() => Err(failure),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Reads.
    pub(crate) async fn get(&self, request: Request) -> Result<Value, Failure> {
        let given = self.client.call(request.reads()).await;
        given.map(|given| given.value).map_err(|error| self.failed(error, false, ""))
    }

    /// Changes something, once.
    pub(crate) async fn change(&self, request: Request) -> Result<Value, Failure> {
        Ok(self.call(request).await?.value)
    }

    /// Changes something, once; gives all that was answered.
    pub(crate) async fn call(&self, request: Request) -> Result<client::Given, Failure> {
        let given = self.client.call(request.key(&self.key)).await;
        given.map_err(|error| self.failed(error, true, &self.key))
    }

    /// One change of the many that a command makes, under a key of its own.
    pub(crate) async fn step(&self, request: Request) -> Result<Value, Failure> {
        let key = new_key();
        let given = self.client.call(request.key(&key)).await;
        given.map(|given| given.value).map_err(|error| self.failed(error, true, &key))
    }

    /// Sends bytes of any size, once.
    pub(crate) async fn upload(
        &self,
        request: Request,
        length: u64,
        from: Box<dyn std::io::Read + Send>,
    ) -> Result<Value, Failure> {
        let given = self.client.upload(request.reads(), length, from).await;
        given.map(|given| given.value).map_err(|error| self.failed(error, false, ""))
    }

    /// Writes an answer of any size out.
    pub(crate) async fn pour(&self, request: Request, to: &mut dyn Write) -> Result<u64, Failure> {
        let mut to = Remembering { to, failed: None };
        let poured = self.client.pour(request.reads(), &mut to).await;
        poured.map_err(|error| match &to.failed {
            Some(failed) => Failure::output(failed),
            None => self.failed(error, false, ""),
        })
    }

    /// Asks before something that cannot be taken back.
    pub(crate) fn confirm(&self, sure: Sure, what: &str) -> Done {
        let place = format!(", in namespace {} at {}", escaped(&self.namespace), escaped(&self.server));
        self.ask(sure, what, &place)
    }

    /// The same about this machine.
    pub(crate) fn confirm_here(&self, sure: Sure, what: &str) -> Done {
        self.ask(sure, what, "")
    }

    fn ask(&self, sure: Sure, what: &str, place: &str) -> Done {
        if sure.yes {
            return Ok(());
        }
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            return Err(Failure::usage(format!("to {what} needs --yes where nobody can be asked")));
        }
        eprint!("Really {}{place}? [y/N] ", escaped(what));
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).map_err(Failure::here)?;
        match answer.trim() {
            "y" | "Y" | "yes" => Ok(()),
            _ => Err(Failure::here("nothing was done")),
        }
    }
}

/// A place to write to that knows why it failed.
struct Remembering<'a> {
    to: &'a mut dyn Write,
    failed: Option<io::Error>,
}

impl Write for Remembering<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes);
        written.inspect_err(|error| self.failed = Some(io::Error::new(error.kind(), error.to_string())))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The server that is meant: the one named, or the one of the last login.
pub(crate) fn server_of(reach: &Reach, profiles: &Profiles) -> String {
    match (&reach.server, profiles.latest()) {
        (None, Some(latest)) => latest.trim_end_matches('/').to_owned(),
        _ => named_server(reach),
    }
}

fn named_server(reach: &Reach) -> String {
    reach.server.as_deref().unwrap_or(SERVER).to_owned()
}

/// Where else something may be that is not in this namespace.
pub(crate) fn elsewhere(namespace: &str) -> String {
    format!("looked for in namespace `{namespace}`; another one: --namespace NAME")
}

fn no_key() -> Failure {
    Failure::usage("no access key").hint("set FASTNESS_KEY, give --key-file FILE, or log in: fastness login")
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    #[test]
    fn con_7_a_command_to_be_repeated_names_all_that_it_depends_on() {
        let flags = |words: &[&str], server: &str| {
            let words = [&["x", "--namespace", "main"], words].concat();
            let matches = Common::add_to(Command::new("x")).try_get_matches_from(words).unwrap();
            let common = Common::from_arg_matches(&matches).unwrap();
            Session::with_key(&common, server, "").unwrap().flags_again()
        };
        assert_eq!(flags(&[], SERVER), format!(" --server {SERVER} --namespace main"));
        assert_eq!(
            flags(&["--key-file", "my key"], "http://h:1"),
            " --server http://h:1 --namespace main --key-file 'my key'"
        );
    }
}
