//! What the figures were measured on, and with.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The machine, in a line: scenarios that were measured on one say the same.
pub fn machine(folder: &Path) -> String {
    let processor = of_file("/proc/cpuinfo", "model name");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{processor}, {cores} cores, {}, Linux {}, {}", memory(), version_of(&kernel), disk(folder))
}

/// The first two numbers of a kernel's release: what follows is of the build.
fn version_of(release: &str) -> String {
    release.trim().split(['.', '-']).take(2).collect::<Vec<_>>().join(".")
}

/// When something began, and how busy the machine was then.
pub fn moment() -> String {
    let day = first_line("date", &["-u", "+%Y-%m-%d %H:%M UTC"], 0).unwrap_or_default();
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!("{day}, load {}", load.split_whitespace().next().unwrap_or("not known"))
}

/// The value of the first line with this name.
fn of_file(path: &str, name: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name)).and_then(|line| line.split_once(':'));
    line.map_or_else(|| "not known".to_owned(), |(_, value)| value.trim().to_owned())
}

fn memory() -> String {
    let kib: f64 = of_file("/proc/meminfo", "MemTotal").trim_end_matches("kB").trim().parse().unwrap_or(0.0);
    format!("{:.1} GiB", kib / 1_048_576.0)
}

/// The file system that the scenarios write to.
fn disk(folder: &Path) -> String {
    let told = first_line("df", &["--output=fstype", &folder.to_string_lossy()], 1);
    told.unwrap_or_else(|| "not known".to_owned())
}

/// Programs that peers and engines are, as they say themselves.
const PROGRAMS: [(&str, &str, &[&str]); 8] = [
    ("PostgreSQL", "sh", &["-c", "for one in /usr/lib/postgresql/*/bin/postgres; do $one --version; done | tail -n 1"]),
    ("RabbitMQ", "sh", &["-c", "rabbitmqctl version 2>/dev/null || dpkg-query -W -f '${Version}' rabbitmq-server"]),
    ("Redis", "redis-server", &["--version"]),
    ("Syncthing", "syncthing", &["--version"]),
    ("rsync", "rsync", &["--version"]),
    ("unison", "unison", &["-version"]),
    ("Node.js", "node", &["--version"]),
    ("Python", "python3", &["--version"]),
];

/// Which build of ours this is.
pub fn built() -> String {
    let how = if cfg!(debug_assertions) { "debug build: of no use" } else { "release build" };
    let commit = first_line("git", &["describe", "--always"], 0).unwrap_or_default();
    format!("Fastness {} ({how}) {commit}", env!("CARGO_PKG_VERSION")).trim_end().to_owned()
}

/// Of others that are installed; peers from PyPI and npm are pinned by their scenarios.
pub fn versions() -> Vec<(&'static str, String)> {
    let installed = |(name, program, words): (&'static str, &str, &[&str])| {
        (name, first_line(program, words, 0).unwrap_or_else(|| "not installed".to_owned()))
    };
    PROGRAMS.map(installed).into()
}

/// A line of what a program says, if it can be run and says something.
fn first_line(program: &str, words: &[&str], line: usize) -> Option<String> {
    let output = Command::new(program).args(words).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().nth(line).map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_named_without_its_build() {
        assert_eq!(["6.18.44-some-build\n", "6.1", "6.12-rc3"].map(version_of), ["6.18", "6.1", "6.12"]);
    }
}
