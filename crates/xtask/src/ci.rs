//! `cargo xtask ci`: everything that must hold before a change goes in, on one profile.
//!
//! A failed step does not stop the others: one run shows all that is wrong. Only tests are left out when
//! their services are not there.

use crate::guard::Guard;
use crate::runner::{self, Scope};
use crate::services::Env;
use crate::{Result, process, repo, services, tidy, trace};
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Output that is still held open this long after the runner's end belongs to a process that a test left behind.
const OUTPUT_WAIT: Duration = Duration::from_secs(5);

const CLIPPY: [&str; 7] = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];

pub(crate) fn run() -> Result<ExitCode> {
    let root = repo::root()?;
    let mut guard = Guard::start()?;
    let mut report = Report::default();
    report.step("fmt", || cargo(&mut guard, &root, &["fmt", "--all", "--check"]));
    report.step("clippy", || cargo(&mut guard, &root, &CLIPPY));
    report.step("tidy", || tidy::check(&root));
    report.step("trace", || trace::check(&root));
    let env = report.step("services up", || services::up(&mut guard).map(|running| (running.to_string(), running.env)));
    match env {
        Some(env) => drop(report.step("tests", || tests(&mut guard, &root, &env).map(|note| (note, ())))),
        None => report.skip("tests"),
    }
    report.step("simulation", || simulate(&mut guard, &root));
    report.step("services down", || guard.end().map(|()| (String::new(), ())));
    Ok(report.finish())
}

/// About a minute of them.
const SEEDS: [&str; 4] = ["--seed", "20261116", "--seeds", "72"];

fn cargo(guard: &mut Guard, root: &Path, arguments: &[&str]) -> Result<(String, ())> {
    let status = guard.run(process::cargo(root).args(arguments))?;
    if status.success() { Ok((String::new(), ())) } else { Err(status.to_string()) }
}

/// Seeds that are the same for everybody: whoever runs the same program twice hears the same. New ones are tried by `sim --minutes`, and
/// what they find becomes a test. Built with the whole workspace, so that features do not change and rebuild.
fn simulate(guard: &mut Guard, root: &Path) -> Result<(String, ())> {
    cargo(guard, root, &["build", "--workspace", "--locked", "--bins"])?;
    let status = guard.run(Command::new(repo::target(root).join("debug/sim")).args(SEEDS))?;
    if status.success() { Ok((String::new(), ())) } else { Err(status.to_string()) }
}

/// Runs all tests; the note is the runner's count.
fn tests(guard: &mut Guard, root: &Path, env: &Env) -> Result<String> {
    let (mut lines, mut failure) = (vec![], None);
    for mut command in runner::commands(root, Scope::All, &[]) {
        command.envs(env.iter().cloned());
        let (status, counts) = heard(guard, &mut command)?;
        lines.extend(counts);
        failure = failure.or((!status.success()).then_some(status));
    }
    let summary = runner::summary(&lines);
    failure.map_or(Ok(summary.clone()), |status| Err(format!("{status}; {summary}")))
}

/// Runs a command whose output passes through, and gives the lines that count tests.
fn heard(guard: &mut Guard, command: &mut Command) -> Result<(ExitStatus, Vec<String>)> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    keep_colours(command);
    let (sender, receiver) = channel();
    let status = guard.run_with(command, |child| {
        pass_on(child.stdout.take(), std::io::stdout(), sender.clone());
        pass_on(child.stderr.take(), std::io::stderr(), sender);
    })?;
    Ok((status, collect(&receiver)))
}

/// The runner sees a pipe, not the terminal behind us.
fn keep_colours(command: &mut Command) {
    if std::io::stderr().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
}

/// Copies output through line by line in a thread of its own, and sends on the lines that count tests.
fn pass_on(from: Option<impl Read + Send + 'static>, mut to: impl Write + Send + 'static, counts: Sender<String>) {
    let Some(from) = from else { return };
    std::thread::spawn(move || {
        let mut reader = BufReader::new(from);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            // Nobody reads us any more: go on, so that the runner does not stop on a full pipe.
            let _ = to.write_all(&line);
            let text = String::from_utf8_lossy(&line);
            if runner::is_summary(&text) {
                let _ = counts.send(text.into_owned());
            }
            line.clear();
        }
    });
}

fn collect(counts: &Receiver<String>) -> Vec<String> {
    std::iter::from_fn(|| counts.recv_timeout(OUTPUT_WAIT).ok()).collect()
}

/// What became of each step.
#[derive(Default)]
struct Report {
    lines: Vec<String>,
    failed: usize,
}

impl Report {
    /// Runs one step; it returns a note for the summary and a value for later steps.
    fn step<T>(&mut self, name: &str, run: impl FnOnce() -> Result<(String, T)>) -> Option<T> {
        say!("== {name}");
        let start = Instant::now();
        let result = run();
        let seconds = start.elapsed().as_secs_f64();
        match result {
            Ok((note, value)) => {
                self.add(name, "ok", seconds, &note);
                Some(value)
            }
            Err(message) => {
                eprintln!("{name}: {message}");
                self.failed += 1;
                self.add(name, "FAILED", seconds, message.lines().next().unwrap_or_default());
                None
            }
        }
    }

    fn skip(&mut self, name: &str) {
        self.failed += 1;
        self.add(name, "NOT RUN", 0.0, "its services are missing");
    }

    fn add(&mut self, name: &str, state: &str, seconds: f64, note: &str) {
        self.lines.push(format!("   {name:<14} {state:<7} {seconds:>7.1} s   {note}").trim_end().to_owned());
    }

    fn finish(&self) -> ExitCode {
        say!("== summary\n{}", self.lines.join("\n"));
        if self.failed == 0 {
            say!("ci: all {} steps passed", self.lines.len());
            return ExitCode::SUCCESS;
        }
        say!("ci: {} of {} steps failed", self.failed, self.lines.len());
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_is_counted_and_the_next_one_runs() {
        let mut report = Report::default();
        assert_eq!(report.step("a", || Err::<(String, u8), _>("no luck\nat all".into())), None);
        assert_eq!(report.step("b", || Ok(("fine".into(), 7))), Some(7));
        assert_eq!(report.failed, 1);
        assert!(report.lines[0].ends_with("no luck") && report.lines[1].ends_with("fine"), "{:?}", report.lines);
    }

    #[test]
    fn counts_are_taken_from_the_output_that_passes_through() {
        let (sender, receiver) = channel();
        let output = &b"test a ... ok\ntest result: ok. 1 passed; 0 failed\n"[..];
        pass_on(Some(output), std::io::sink(), sender);
        assert_eq!(collect(&receiver), ["test result: ok. 1 passed; 0 failed\n"]);
    }
}
