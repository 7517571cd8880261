//! Repository chores: `cargo xtask ci | test | tidy | trace | kill | package | services`.
//!
//! One command per file. Standard library only, so that it builds in seconds on a fresh machine and CI
//! waits for nothing before its first check.
//!
//! Invariants: every process started here is ended here, by its pid, also when this program is
//! interrupted (see [`guard`]); nothing outside the temporary folder and the target folder is written.
//! Deliberately not here: anything the product needs at run time.

/// A line on standard output. When nobody reads it any more (`| head`) that is no failure of ours, as it would be for
/// `println!`; only that one, however, keeps quiet in a passing test.
macro_rules! say {
    ($($line:tt)*) => {{
        use std::io::Write;
        if cfg!(test) {
            println!($($line)*);
        } else {
            let _ = writeln!(std::io::stdout(), $($line)*);
        }
    }};
}

mod ci;
mod guard;
mod kill;
mod package;
mod process;
mod repo;
mod runner;
mod services;
mod source;
mod test;
mod tidy;
mod trace;

use std::process::ExitCode;

/// A failure is one sentence for a person; xtask itself never reacts to its kind.
type Result<T, E = String> = std::result::Result<T, E>;

/// Exit code for a command line that we do not understand, as most Unix tools have it.
const USAGE: u8 = 2;

const HELP: &str = "\
cargo xtask <command>

  ci                              all checks and all tests, with services of its own
  test [filter…]                  the quick tests: those that need no service
  tidy [--rules]                  our own lint; --rules lists the rules with their reasons
  trace [--missing]               each requirement with its tests; --missing lists those without
  kill --rounds N [--seed S]      real faults on the real server under load; --only FAULT, --engine sqlite|postgres,
                                  --mutants (the server breaks its promises: each must be found)
  kill --nodes N [--tasks N]      several servers on one PostgreSQL run tasks while they are killed and paused
  kill --services [--nodes N] [--rounds N]
                                  clients of every service, with bytes of files, work on N servers (2) while these are killed, paused,
                                  cut off from PostgreSQL, restarted and upgraded, N times (20)
  kill --move [--mib N]           a large namespace moves to PostgreSQL, and back while the server is killed
  kill --hanging                  tasks to targets that answer, beside targets that never do
  package [--binary FILE] [--out DIR]
                                  a Debian package of the server, built for it or given
  services start|stop|status      PostgreSQL, RabbitMQ, Firebird, ClickHouse, Redis, mail, a browser for tests: eval \"$(cargo xtask services start)\"
  services run -- <command…>      run a command with fresh services that end with it

Exit codes: 0 all well, 1 something failed, 2 the command line was not understood;
`services run` passes on the exit code of its command.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match dispatch(&words) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[&str]) -> Result<ExitCode> {
    match words {
        ["ci"] => ci::run(),
        ["test", filters @ ..] => test::run(filters),
        ["tidy"] => tidy::run(),
        ["tidy", "--rules"] => Ok(tidy::list()),
        ["trace"] => trace::run(trace::Show::All),
        ["trace", "--missing"] => trace::run(trace::Show::Missing),
        ["kill", words @ ..] => kill::run(words),
        ["package", words @ ..] => package::run(words),
        ["services", "start"] => services::command::start(),
        ["services", "stop"] => services::command::stop(),
        ["services", "status"] => services::command::status(),
        ["services", "run", "--", command @ ..] | ["services", "run", command @ ..] if !command.is_empty() => {
            services::command::run(command)
        }
        [guard::COMMAND, mark] => guard::serve(mark),
        [] | ["help" | "--help" | "-h", ..] => {
            say!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        _ => Ok(misunderstood(words)),
    }
}

fn misunderstood(words: &[&str]) -> ExitCode {
    eprintln!("xtask: `{}` is not a command\n\n{HELP}", words.join(" "));
    ExitCode::from(USAGE)
}
