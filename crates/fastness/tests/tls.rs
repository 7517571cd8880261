//! The program with a certificate (KER-33): it serves by TLS, takes up new files by itself, and keeps what works.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a panic is the finding")]
#![expect(clippy::disallowed_methods, reason = "writes the files that the server reads, and reads its output")]

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tempfile::TempDir;

/// A certificate for `localhost` and its key.
struct Pair {
    certificate: String,
    key: String,
}

impl Pair {
    fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        Self { certificate: made.cert.pem(), key: made.signing_key.serialize_pem() }
    }

    /// The first line of the answer, if the server shows this certificate.
    fn ask(&self, address: &str) -> Result<String, std::io::Error> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.certificate.as_bytes()).unwrap()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = Arc::new(config.with_root_certificates(roots).with_no_client_auth());
        let tls = ClientConnection::new(config, ServerName::try_from("localhost").unwrap()).unwrap();
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        let mut stream = StreamOwned::new(tls, stream);
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer.lines().next().unwrap_or_default().to_owned())
    }
}

/// A running server; ended when dropped.
struct Program {
    child: Child,
    log: BufReader<ChildStderr>,
    /// What it printed as its console's address, without the scheme.
    address: String,
}

impl Program {
    fn start(folder: &TempDir) -> Self {
        let (certificate, key) = files(folder.path());
        let mut command = Command::new(env!("CARGO_BIN_EXE_fastness"));
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path().join("data"))
            .env("FASTNESS_SERVER__TLS_CERTIFICATE", certificate)
            .env("FASTNESS_SERVER__TLS_KEY", key)
            .env("FASTNESS_ADMIN_KEY", "an-administrators-key");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let line = line_with(&mut output, "console");
        let address = line.split("https://").nth(1).unwrap_or_else(|| panic!("no https in {line}"));
        Self { child, log, address: address.trim_end().trim_end_matches("/console").to_owned() }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn files(folder: &Path) -> (PathBuf, PathBuf) {
    (folder.join("certificate.pem"), folder.join("key.pem"))
}

fn write(folder: &TempDir, certificate: &str, key: &str) {
    let (certificate_file, key_file) = files(folder.path());
    std::fs::write(certificate_file, certificate).unwrap();
    std::fs::write(key_file, key).unwrap();
}

/// Reads until a line holds this text; a program that ends before has failed.
fn line_with(from: &mut impl BufRead, text: &str) -> String {
    loop {
        let mut line = String::new();
        assert!(from.read_line(&mut line).unwrap() > 0, "the program ended without `{text}`");
        if line.contains(text) {
            return line;
        }
    }
}

#[test]
fn ker_33_certificates_are_taken_up_without_a_restart_and_broken_ones_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second, third) = (Pair::new(), Pair::new(), Pair::new());
    write(&folder, &first.certificate, &first.key);
    let mut program = Program::start(&folder);
    assert_eq!(first.ask(&program.address).unwrap(), "HTTP/1.1 200 OK");
    write(&folder, &second.certificate, &second.key);
    line_with(&mut program.log, "new certificate");
    // A look between the two writes would have found a pair that does not fit, and the next look the whole one.
    assert_eq!(second.ask(&program.address).unwrap(), "HTTP/1.1 200 OK");
    assert!(first.ask(&program.address).is_err(), "the first is not shown any more");
    write(&folder, &third.certificate, &second.key);
    line_with(&mut program.log, "the old one stays");
    assert_eq!(second.ask(&program.address).unwrap(), "HTTP/1.1 200 OK");
    std::fs::remove_file(files(folder.path()).1).unwrap();
    line_with(&mut program.log, "cannot read");
    assert_eq!(second.ask(&program.address).unwrap(), "HTTP/1.1 200 OK");
    write(&folder, &third.certificate, &third.key);
    line_with(&mut program.log, "new certificate");
    assert_eq!(third.ask(&program.address).unwrap(), "HTTP/1.1 200 OK");
}

#[test]
fn ker_33_a_server_whose_certificate_cannot_be_used_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let (pair, other) = (Pair::new(), Pair::new());
    write(&folder, &pair.certificate, &other.key);
    let (certificate, key) = files(folder.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_fastness"));
    command.args(["serve", "--listen", "0.0.0.0:0", "--data"]).arg(folder.path().join("data"));
    command.env("FASTNESS_SERVER__TLS_CERTIFICATE", certificate).env("FASTNESS_SERVER__TLS_KEY", key);
    let ended = command.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!ended.status.success() && said.contains("certificate and key cannot be used"), "{said}");
}
