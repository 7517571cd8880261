//! What keeps a server from starting, in words: what is so, and what to do. `serve` ends with them, `doctor` tells the same ahead.
#![expect(clippy::disallowed_methods, reason = "the system's own records of users, processes and sockets are files")]

use std::fmt;
use std::fs;
use std::io::{Error, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use host::DirLockError;

/// What is in the way, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Obstacle {
    pub(crate) what: String,
    pub(crate) mend: String,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  what to do: {}", self.what, self.mend)
    }
}

impl std::error::Error for Obstacle {}

/// A data directory that cannot be had.
pub(crate) fn data(error: &DirLockError) -> Obstacle {
    const ELSEWHERE: &str = "a data directory of its own (--data DIR, or data.dir in the configuration)";
    match error {
        DirLockError::Held { .. } => Obstacle {
            what: error.to_string(),
            mend: format!("nothing, if that is the server that you want; else stop it, or give this one {ELSEWHERE}"),
        },
        DirLockError::Unusable { directory, source } => match source.kind() {
            ErrorKind::PermissionDenied => forbidden(directory),
            ErrorKind::NotADirectory | ErrorKind::AlreadyExists => Obstacle {
                what: format!("{} is not a directory: {source}", directory.display()),
                mend: format!("move the file away, or give the server {ELSEWHERE}"),
            },
            _ => Obstacle {
                what: error.to_string(),
                mend: format!(
                    "see that the disk is there, has room and is not mounted read-only, or give the server {ELSEWHERE}"
                ),
            },
        },
    }
}

/// A directory that this user may not use, and who may.
pub(crate) fn forbidden(directory: &Path) -> Obstacle {
    let seen = directory.ancestors().find_map(|path| Some((path, fs::metadata(path).ok()?)));
    let what = format!("{} may not be used by this user", directory.display());
    let Some((path, facts)) = seen else {
        return Obstacle { what, mend: "run this as the user of the server".to_owned() };
    };
    let owner = user(facts.uid());
    let whose = if path == directory { "it".to_owned() } else { path.display().to_string() };
    Obstacle {
        what: format!("{what}: {whose} belongs to {owner} (mode {:03o})", facts.mode() & 0o777),
        mend: format!("run this as the user of the server (sudo -u {owner} …), or name another directory (--data DIR)"),
    }
}

/// The name of a user; `sudo` takes the number as well.
fn user(id: u32) -> String {
    let known = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = |line: &str| {
        let mut words = line.split(':');
        let (name, number) = (words.next()?, words.nth(1)?);
        (number.parse() == Ok(id)).then(|| name.to_owned())
    };
    known.lines().find_map(name).unwrap_or_else(|| format!("#{id}"))
}

/// An address that cannot be listened on.
pub(crate) fn port(address: SocketAddr, error: &Error) -> Obstacle {
    let next = SocketAddr::new(address.ip(), address.port().checked_add(1).unwrap_or(7400));
    let elsewhere = format!("`--listen {next}`, or server.listen in the configuration");
    match error.kind() {
        ErrorKind::AddrInUse => {
            let who = match holder_of(address) {
                Holder::Process(pid) => named(pid),
                Holder::Nobody | Holder::Unseen => "a process that we may not see".to_owned(),
            };
            Obstacle {
                what: format!("{address} is taken by {who}"),
                mend: format!("stop that, or listen on another port: {elsewhere}"),
            }
        }
        ErrorKind::PermissionDenied => Obstacle {
            what: format!("this user may not listen on {address}: ports below 1024 are the system's"),
            mend: "listen on another port (`--listen 127.0.0.1:7400`, or server.listen), behind a proxy if it must be this one".to_owned(),
        },
        ErrorKind::AddrNotAvailable => Obstacle {
            what: format!("{} is no address of this machine", address.ip()),
            mend: format!("listen on one that it has: `--listen 127.0.0.1:{0}`, or 0.0.0.0:{0} for all (server.listen)", address.port()),
        },
        _ => Obstacle {
            what: format!("{address} cannot be listened on: {error}"),
            mend: format!("listen elsewhere: {elsewhere}"),
        },
    }
}

/// A configuration file that cannot be read.
pub(crate) fn configuration(path: &Path, error: &Error) -> Obstacle {
    let name = path.display();
    let (what, mend) = match error.kind() {
        ErrorKind::NotFound => (
            format!("there is no configuration file {name}"),
            format!("name one that is there (--config FILE), or make it: fastness config example > {name}"),
        ),
        ErrorKind::IsADirectory => (
            format!("{name} is a directory"),
            format!("name the file in it: --config {}", path.join("fastness.toml").display()),
        ),
        ErrorKind::InvalidData => {
            (format!("{name} is not text in UTF-8"), "name a TOML file: --config FILE".to_owned())
        }
        ErrorKind::PermissionDenied => (
            format!("this user may not read {name}"),
            "run this as the user of the server, or let this user read the file".to_owned(),
        ),
        _ => (format!("cannot read {name}: {error}"), "name another file: --config FILE".to_owned()),
    };
    Obstacle { what, mend }
}

/// Who listens where we want to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    /// Nobody, as far as the system's tables tell.
    Nobody,
    /// A process that we may not look into.
    Unseen,
    /// This one.
    Process(u32),
}

/// The process whose listener is in the way of one on this address: its socket's number, then whose socket that is.
pub(crate) fn holder_of(address: SocketAddr) -> Holder {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| fs::read_to_string(path).unwrap_or_default());
    match tables.iter().flat_map(|table| table.lines()).find_map(|line| in_the_way(line, address)) {
        Some(inode) => owner(inode).map_or(Holder::Unseen, Holder::Process),
        None => Holder::Nobody,
    }
}

fn owner(inode: &str) -> Option<u32> {
    let wanted = format!("socket:[{inode}]");
    let processes = fs::read_dir("/proc").ok()?.flatten();
    processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()).find(|pid| {
        let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|link| link.as_os_str() == wanted.as_str())
    })
}

/// A process with its name.
fn named(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    format!("{} (pid {pid})", name.trim())
}

/// The number of a socket that listens on this address or on one that covers it, from a line of the system's table.
fn in_the_way(line: &str, address: SocketAddr) -> Option<&str> {
    const LISTENS: &str = "0A";
    let mut words = line.split_whitespace().skip(1);
    let (local, state) = (words.next()?, words.nth(1)?);
    let (ip, port) = local.rsplit_once(':')?;
    let is_it = state == LISTENS
        && u16::from_str_radix(port, 16) == Ok(address.port())
        && excludes(ip_of(ip)?, address.ip().to_canonical());
    is_it.then(|| words.nth(5)).flatten()
}

/// Whether nobody can listen on the second address of a port while somebody listens on the first.
fn excludes(one: IpAddr, other: IpAddr) -> bool {
    let covers = |all: IpAddr, one: IpAddr| all.is_unspecified() && (all.is_ipv6() || one.is_ipv4());
    one == other || covers(one, other) || covers(other, one)
}

/// An address as the system's table has it: words of 32 bits, each in the order of this machine.
fn ip_of(hex: &str) -> Option<IpAddr> {
    let word = |at: usize| Some(u32::from_str_radix(hex.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    match hex.len() {
        8 => Some(IpAddr::from(word(0)?)),
        32 => {
            let words = [word(0)?, word(8)?, word(16)?, word(24)?];
            let bytes: [u8; 16] = words.concat().try_into().ok()?;
            Some(IpAddr::from(bytes).to_canonical())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn ker_37_a_taken_port_is_told_with_its_holder() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        let told = port(address, &TcpListener::bind(address).unwrap_err());
        assert!(told.what.contains(&format!("pid {}", std::process::id())), "{told:?}");
        assert!(told.mend.contains("--listen 127.0.0.1:") && told.mend.contains("server.listen"), "{told:?}");
        assert_eq!(holder_of("127.0.0.1:1".parse().unwrap()), Holder::Nobody);
    }

    #[test]
    fn ker_37_only_a_listener_that_is_in_the_way_is_its_holder() {
        let line = |local: &str, state: &str| format!("  1: {local} 00000000:0000 {state} 0:0 00:0 0 0 0 777 1");
        let table = |ip: IpAddr| match ip {
            IpAddr::V4(ip) => format!("{:08X}:1CE8", u32::from_ne_bytes(ip.octets())),
            IpAddr::V6(ip) => {
                let words: Vec<[u8; 4]> = ip.octets().chunks(4).map(|word| word.try_into().unwrap()).collect();
                words.iter().map(|word| format!("{:08X}", u32::from_ne_bytes(*word))).collect::<String>() + ":1CE8"
            }
        };
        for (there, wanted, is_in_the_way) in [
            ("127.0.0.1", "127.0.0.1:7400", true),
            ("127.0.0.1", "127.0.0.1:7401", false),
            ("127.0.0.2", "127.0.0.1:7400", false),
            ("0.0.0.0", "127.0.0.1:7400", true),
            ("127.0.0.2", "0.0.0.0:7400", true),
            ("::", "127.0.0.1:7400", true),
            ("::1", "127.0.0.1:7400", false),
            ("::1", "0.0.0.0:7400", false),
            ("127.0.0.1", "[::]:7400", true),
            ("::ffff:127.0.0.1", "127.0.0.1:7400", true),
        ] {
            let local = table(there.parse().unwrap());
            let found = |state: &str| in_the_way(&line(&local, state), wanted.parse().unwrap()) == Some("777");
            assert_eq!(found("0A"), is_in_the_way, "{there} {wanted}");
            assert!(!found("06"), "one that only waits for its end");
        }
        assert_eq!(owner("no-number"), None);
    }

    #[test]
    fn ker_36_an_address_that_is_not_ours_is_told_apart_from_a_taken_one() {
        let address = "192.0.2.1:7400".parse().unwrap();
        let told = port(address, &TcpListener::bind(address).unwrap_err());
        assert_eq!(told.what, "192.0.2.1 is no address of this machine");
    }

    #[test]
    fn ker_36_a_user_is_told_by_name_where_it_has_one() {
        assert_eq!((user(0).as_str(), user(4_000_000_001).as_str()), ("root", "#4000000001"));
    }
}
