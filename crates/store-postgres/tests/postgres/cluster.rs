//! A server of one's own, to be stopped and started: a fresh cluster in a temporary folder.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

/// Debian keeps the server's programs off the path, one folder per version.
const PATH: &str = "PATH=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1):$PATH";

/// A cluster that is stopped and removed with this value.
pub struct Cluster {
    folder: TempDir,
    port: u16,
}

impl Cluster {
    /// Makes and starts one.
    pub fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("fastness-pg-").tempdir().expect("a folder");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let cluster = Self { folder, port };
        run(Command::new("chmod").arg("0777").arg(cluster.folder.path()));
        let data = cluster.data();
        cluster.server(&format!("initdb -D {} -A trust -U postgres --no-sync", data.display()));
        cluster.resume();
        cluster
    }

    pub fn url(&self) -> String {
        format!("host=127.0.0.1 port={} user=postgres dbname=postgres", self.port)
    }

    /// Stops it as a crash would.
    pub fn crash(&self) {
        self.server(&format!("pg_ctl -D {} -m immediate -w stop", self.data().display()));
    }

    /// Starts it again.
    pub fn resume(&self) {
        let (data, port) = (self.data(), self.port);
        let (folder, log) = (self.folder.path().display(), self.folder.path().join("log"));
        let options = format!("-p {port} -c listen_addresses=127.0.0.1 -k {folder}");
        self.server(&format!("pg_ctl -D {} -o '{options}' -l {} -w start", data.display(), log.display()));
    }

    /// Stops all its processes where they are, or lets them go on: it hangs, and says nothing.
    pub fn hang(&self, on: bool) {
        let signal = if on { "STOP" } else { "CONT" };
        let pid = self.data().join("postmaster.pid");
        let command = format!("pid=$(head -1 {}); kill -{signal} $pid $(pgrep -P $pid)", pid.display());
        self.server(&command);
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The server refuses to run as root.
    fn server(&self, command: &str) {
        let id = Command::new("id").arg("-u").output().expect("id").stdout;
        let command = format!("{PATH}; {command}");
        if id == b"0\n" {
            run(Command::new("su").args(["postgres", "-s", "/bin/sh", "-c", &command]));
        } else {
            run(Command::new("sh").args(["-c", &command]));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.server(&format!("pg_ctl -D {} -m immediate -w stop || true", self.data().display()));
        // The folder holds another user's files.
        run(Command::new("rm").arg("-rf").arg(self.data()));
    }
}

fn run(command: &mut Command) {
    // The server must not inherit our output, or whoever reads it waits for the server's end.
    let status = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).status();
    assert!(status.as_ref().is_ok_and(std::process::ExitStatus::success), "{command:?}: {status:?}");
}
