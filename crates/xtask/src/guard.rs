//! The guard: a second process of ours that cleans up when the first is gone, however it went.
//!
//! The standard library cannot catch Ctrl-C, and nothing can catch SIGKILL. So the first process holds a
//! pipe to the guard and tells it what runs; when the pipe closes (normal end, panic or death) the guard
//! ends what is left, by pid, and removes the folder. It lives in its own process group, so that Ctrl-C
//! does not reach it. Cleaning exists only here; the normal end goes the same way as the worst one.
//!
//! What is left: the children that were told, whatever carries our mark in its environment (also orphans
//! that no parent leads to any more), and all descendants of these.
//!
//! Rejected: a signal handler (needs `unsafe` or a dependency, and does not see SIGKILL).

use crate::{Result, process, services};
use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The hidden command under which the guard runs.
pub(crate) const COMMAND: &str = "guard";

/// The environment variable that marks everything run through a guard.
const MARK: &str = "FASTNESS_XTASK_GUARD";

/// How long a process may take to end after SIGTERM; nextest gives its tests 10 s.
const TERM_POLLS: u32 = 240;
const POLL: Duration = Duration::from_millis(50);

/// The first process's end of it.
pub(crate) struct Guard {
    process: Child,
    orders: Option<ChildStdin>,
    mark: String,
}

impl Guard {
    pub(crate) fn start() -> Result<Guard> {
        let program = std::env::current_exe().map_err(|error| format!("own program not found: {error}"))?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
        let mark = format!("{}-{since}", std::process::id());
        let mut command = Command::new(program);
        command.args([COMMAND, &mark]).stdin(Stdio::piped()).process_group(0);
        let mut process = command.spawn().map_err(|error| format!("guard cannot be started: {error}"))?;
        let orders = process.stdin.take();
        Ok(Guard { process, orders, mark })
    }

    /// From now on this folder and the services in it end with us.
    pub(crate) fn own(&mut self, folder: &Path) -> Result<()> {
        self.order(&format!("folder {}", folder.display()))
    }

    /// Lets go: what runs goes on after us.
    pub(crate) fn disown(&mut self) -> Result<()> {
        self.order("disown")
    }

    /// Runs a command to its end; if we die before, it is ended with all it started.
    pub(crate) fn run(&mut self, command: &mut Command) -> Result<ExitStatus> {
        self.run_with(command, |_| ())
    }

    /// As [`run`](Self::run), with a look at the running child, to take its pipes.
    pub(crate) fn run_with(&mut self, command: &mut Command, look: impl FnOnce(&mut Child)) -> Result<ExitStatus> {
        let shown = process::show(command);
        let mut child =
            command.env(MARK, &self.mark).spawn().map_err(|error| format!("`{shown}` cannot be run: {error}"))?;
        self.order(&format!("child {}", child.id()))?;
        look(&mut child);
        let status = child.wait().map_err(|error| format!("`{shown}` was lost: {error}"))?;
        self.order(&format!("done {}", child.id()))?;
        Ok(status)
    }

    /// As [`process::must`]: silent unless it fails.
    pub(crate) fn must(&mut self, command: &mut Command) -> Result<()> {
        let child = match process::quiet(command).env(MARK, &self.mark).spawn() {
            Ok(child) => child,
            Err(error) => return process::judge(command, Err(error)),
        };
        let pid = child.id();
        self.order(&format!("child {pid}"))?;
        let output = child.wait_with_output();
        self.order(&format!("done {pid}"))?;
        process::judge(command, output)
    }

    /// Cleans up now, and says if that failed.
    pub(crate) fn end(mut self) -> Result<()> {
        if self.close() { Ok(()) } else { Err("services did not end cleanly, see above".into()) }
    }

    fn order(&mut self, line: &str) -> Result<()> {
        let orders = self.orders.as_mut().ok_or("the guard was ended")?;
        writeln!(orders, "{line}").map_err(|error| format!("the guard is gone: {error}"))
    }

    fn close(&mut self) -> bool {
        self.orders.take().is_none() || self.process.wait().is_ok_and(|status| status.success())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.close();
    }
}

/// What the guard has to clean up at the end.
#[derive(Default)]
struct Duties {
    mark: Option<String>,
    folder: Option<PathBuf>,
    children: BTreeSet<u32>,
}

impl Duties {
    fn hear(&mut self, line: &str) {
        match line.split_once(' ') {
            Some(("folder", path)) => self.folder = Some(path.into()),
            Some(("child", pid)) => self.children.extend(pid.parse::<u32>()),
            Some(("done", pid)) => self.children.retain(|child| child.to_string() != pid),
            _ if line == "disown" => *self = Duties::default(),
            _ => unreachable!("order `{line}` is not known to the guard"),
        }
    }
}

/// The guard's life: listen until the pipe closes, then clean.
pub(crate) fn serve(mark: &str) -> Result<ExitCode> {
    let mut duties = Duties { mark: Some(mark.to_owned()), ..Duties::default() };
    for line in std::io::stdin().lock().lines() {
        duties.hear(&line.map_err(|error| format!("guard cannot hear: {error}"))?);
    }
    if !duties.children.is_empty() {
        eprintln!("xtask: interrupted; ending what was running");
    }
    end_processes(&duties);
    duties.folder.as_deref().map_or(Ok(()), services::tear_down)?;
    Ok(ExitCode::SUCCESS)
}

/// A process that cannot be mistaken for a later one with the same pid.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    pid: u32,
    started: u64,
}

/// SIGTERM to all that is left, SIGKILL to those that stay.
fn end_processes(duties: &Duties) {
    let known = freeze(duties);
    signal("TERM", &known);
    signal("CONT", &known);
    for _ in 0..TERM_POLLS {
        if alive(&known).is_empty() {
            return;
        }
        std::thread::sleep(POLL); // tidy: sleep — the end of others' children cannot be waited for, only looked at
    }
    signal("KILL", &alive(&known));
}

/// Stops all that is left, generation by generation: what is stopped cannot fork behind our back.
fn freeze(duties: &Duties) -> BTreeSet<Identity> {
    let mut known = BTreeSet::new();
    loop {
        let living = living();
        let marked = living.iter().map(|(one, _)| one.pid).filter(|pid| is_marked(*pid, duties.mark.as_deref()));
        let family = family(&living, &marked.chain(duties.children.iter().copied()).collect());
        let new: BTreeSet<Identity> = family.difference(&known).copied().collect();
        if new.is_empty() {
            return known;
        }
        signal("STOP", &new);
        known.extend(new);
    }
}

fn is_marked(pid: u32, mark: Option<&str>) -> bool {
    let Some(mark) = mark else { return false };
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| variable == format!("{MARK}={mark}").as_bytes())
}

fn alive(known: &BTreeSet<Identity>) -> BTreeSet<Identity> {
    living().into_iter().map(|(identity, _)| identity).filter(|identity| known.contains(identity)).collect()
}

/// Of the living: the roots and every descendant of theirs.
fn family(living: &[(Identity, u32)], roots: &BTreeSet<u32>) -> BTreeSet<Identity> {
    let mut pids = roots.clone();
    loop {
        let children = living.iter().filter(|(_, parent)| pids.contains(parent)).map(|(identity, _)| identity.pid);
        let grown: BTreeSet<u32> = children.chain(pids.iter().copied()).collect();
        if grown.len() == pids.len() {
            return living.iter().map(|(identity, _)| *identity).filter(|one| pids.contains(&one.pid)).collect();
        }
        pids = grown;
    }
}

/// All living processes with their parents' pids; zombies have ended.
fn living() -> Vec<(Identity, u32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let stat =
        |entry: std::io::Result<std::fs::DirEntry>| std::fs::read_to_string(entry.ok()?.path().join("stat")).ok();
    entries.filter_map(stat).filter_map(|stat| parse_stat(&stat)).collect()
}

/// `pid (name) state ppid … starttime …`: the name may hold anything, so we count from its last bracket.
fn parse_stat(stat: &str) -> Option<(Identity, u32)> {
    let pid = stat.split(' ').next()?.parse().ok()?;
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let (state, parent, started) = (*fields.first()?, fields.get(1)?.parse().ok()?, fields.get(19)?.parse().ok()?);
    (state != "Z" && state != "X").then_some((Identity { pid, started }, parent))
}

/// By the shell's own `kill`: the program of that name is not on every machine. A process may be gone already.
fn signal(name: &str, to: &BTreeSet<Identity>) {
    if !to.is_empty() {
        let pids = to.iter().map(|one| one.pid.to_string());
        let mut command = Command::new("sh");
        command.args(["-c", "kill \"$@\" 2>/dev/null", "sh", &format!("-{name}")]).args(pids);
        if let Err(error) = command.status() {
            eprintln!("xtask: signal {name} could not be sent: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn process(pid: u32, parent: u32) -> (Identity, u32) {
        (Identity { pid, started: 7 }, parent)
    }

    #[test]
    fn stat_is_read_behind_an_odd_name() {
        let stat = "42 (a ) b) S 7 42 42 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 1234 5 6";
        let (identity, parent) = parse_stat(stat).unwrap();
        assert_eq!((identity.pid, identity.started, parent), (42, 1234, 7));
        assert!(parse_stat(&stat.replace(") S", ") Z")).is_none());
    }

    #[test]
    fn the_family_is_the_roots_and_all_below_them() {
        let living = [process(1, 0), process(5, 1), process(6, 5), process(7, 6), process(8, 1)];
        let family = family(&living, &BTreeSet::from([5]));
        assert_eq!(family.iter().map(|one| one.pid).collect::<Vec<_>>(), [5, 6, 7]);
    }

    #[test]
    fn duties_follow_the_orders() {
        let mut duties = Duties { mark: Some("m".into()), ..Duties::default() };
        ["folder /x y", "child 5", "child 6", "done 5"].into_iter().for_each(|line| duties.hear(line));
        assert_eq!((duties.folder.clone(), duties.children.clone()), (Some("/x y".into()), BTreeSet::from([6])));
        duties.hear("disown");
        assert_eq!((duties.mark, duties.folder, duties.children), (None, None, BTreeSet::new()));
    }

    /// Starts a shell with two children, of which it tells one.
    fn shell(script: &str, mark: &str) -> (Child, String) {
        let mut command = Command::new("sh");
        let mut child = command.args(["-c", script]).env(MARK, mark).stdout(Stdio::piped()).spawn().unwrap();
        let mut told = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut told).unwrap();
        (child, told.trim().to_owned())
    }

    fn is_living(pid: &str) -> bool {
        living().iter().any(|(one, _)| one.pid.to_string() == pid)
    }

    #[test]
    fn descendants_of_a_child_end_with_it() {
        let (mut child, grandchild) = shell("sleep 1000 & sleep 1000 & echo $!; wait", "");
        assert!(is_living(&grandchild));
        end_processes(&Duties { children: BTreeSet::from([child.id()]), ..Duties::default() });
        assert!(!child.wait().unwrap().success() && !is_living(&grandchild));
    }

    #[test]
    fn an_orphan_is_found_by_its_mark() {
        let mark = format!("test-{}", std::process::id());
        let (mut child, orphan) = shell("sleep 1000 >/dev/null & echo $!", &mark);
        assert!(child.wait().unwrap().success() && is_living(&orphan));
        end_processes(&Duties { mark: Some(mark), ..Duties::default() });
        assert!(!is_living(&orphan));
    }
}
