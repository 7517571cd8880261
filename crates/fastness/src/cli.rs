//! The command line.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use base::Engine;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use serde_json::json;

use crate::config::{self, Config, Loaded};
use crate::progress::Progress;
use crate::{admin, backup, change_engine, check, doctor, log, obstacle, report, restore, server, supervise};

/// Wrong use or configuration.
pub(crate) const USAGE: u8 = 2;

/// One durable server for distributed field work: messages, processes, folders, sensors and documents that survive lost
/// connections, full disks and kill -9.
#[derive(Parser)]
#[command(name = "fastness", version, arg_required_else_help = true, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  fastness serve                             everything on SQLite in ./fastness-data, unconfigured
  fastness serve --listen 127.0.0.1:8080     on another port
  fastness config example > fastness.toml    a commented file to start from
  fastness serve --config fastness.toml      with that file
  fastness admin reset-password              a new password, with the server stopped

Against a running server, `fastness <service> <noun> <verb>`:
  fastness login                             a key for later commands; or set FASTNESS_KEY
  fastness tasks task list --state parked    what waits for a person
  fastness admin journal list --follow       who does what, as it happens

The server's configuration comes from a file, then the environment (FASTNESS_SECTION__KEY), then
flags; later ones win.

Exit codes:
  0    done
  1    failed on this side; `check` and `doctor`: something is wrong
  2    wrong use or configuration; nothing was done
  3    the server refused; its code is in the message
  4    no server, a busy one, or a list that is not whole; nothing changed as far as is known
  5    outcome unknown: it was sent, and no answer came
  134  (SIGABRT) the watchdog of `serve` found a part stuck: start it again";

const SERVE_EXAMPLES: &str = "\
Examples:
  fastness serve
  fastness serve --config /etc/fastness/fastness.toml
  fastness serve --data /srv/fastness --listen 127.0.0.1:8080 --supervise

Exit codes:
  0    stopped as asked
  1    failed: the log says why; start it again
  2    wrong use or configuration; starting it again does not help
  134  (SIGABRT) the watchdog found a part stuck; start it again";

const BACKUP_EXAMPLES: &str = "\
Examples:
  fastness backup --data /srv/fastness --to /mnt/backups --keep 14
  fastness backup --config /etc/fastness/fastness.toml --namespace shop --json

Exit codes:
  0  written, read back and compared
  1  failed, or not all of it could be taken: the output says what is missing
  2  wrong use or configuration";

const RESTORE_EXAMPLES: &str = "\
Examples:
  fastness restore --from /mnt/backups/backup-261118042500000 --data /srv/fastness
  fastness restore --from /mnt/backups/backup-261118042500000 --data /srv/fastness --replace

Exit codes:
  0  verified and in place
  1  failed; what was there is untouched, or the same command goes on
  2  wrong use or configuration";

const CHECK_EXAMPLES: &str = "\
Examples:
  fastness check --data /srv/fastness
  fastness check --backup /mnt/backups/backup-261118042500000 --json

Exit codes:
  0  nothing is wrong
  1  something is: each finding says what to do
  2  nothing could be checked, such as when a server is running";

const CHANGE_ENGINE_EXAMPLES: &str = "\
Examples:
  fastness admin change-engine --to postgres --config /etc/fastness/fastness.toml
  FASTNESS_STORE__URL=postgres://… fastness admin change-engine --to postgres --data /srv/fastness
  fastness admin change-engine --cancel --config /etc/fastness/fastness.toml

Exit codes:
  0  carried, compared and in place: set store.engine and start the server; or taken back
  1  failed; nothing was changed, or the same command goes on
  2  wrong use or configuration";

const DOCTOR_EXAMPLES: &str = "\
Examples:
  fastness doctor
  fastness doctor --config /etc/fastness/fastness.toml --json

Exit codes:
  0  nothing is bad, though there may be warnings
  1  something is bad";

#[derive(Subcommand)]
enum Command {
    /// Run the server until Ctrl-C or SIGTERM
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(ServeArgs),
    /// Write a consistent backup of all namespaces, also while the server runs
    #[command(after_help = BACKUP_EXAMPLES)]
    Backup(BackupArgs),
    /// Put a backup into an empty data directory; the server must be stopped
    #[command(after_help = RESTORE_EXAMPLES)]
    Restore(RestoreArgs),
    /// Verify the files, the schema and every invariant of a stopped server's data, or of a backup
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Say what is wrong with the set-up, why it matters and how to mend it
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(DoctorArgs),
    /// Look at the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Help an administrator who is shut out
    #[command(subcommand)]
    Admin(AdminCommand),
}

#[derive(Subcommand)]
enum AdminCommand {
    /// Give an administrator a new password; the server must be stopped
    #[command(
        display_order = 900,
        after_help = "Examples:\n  fastness admin reset-password --data /srv/fastness\n  fastness admin reset-password --config /etc/fastness/fastness.toml --account anna"
    )]
    ResetPassword {
        /// Which account of the administrators' namespace
        #[arg(long, value_name = "NAME", default_value = "admin")]
        account: String,
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        form: Form,
    },
    /// Carry the administrators' namespace to the other engine, for a server that shall start on it; the server must be stopped
    #[command(display_order = 901, after_help = CHANGE_ENGINE_EXAMPLES)]
    ChangeEngine {
        /// The engine that it comes to; PostgreSQL is the one of store.url
        #[arg(long, value_name = "ENGINE", value_parser = ["sqlite", "postgres"], required_unless_present = "cancel")]
        to: Option<String>,
        /// Take back a change that was begun and is not finished: it stays on its engine
        #[arg(long, conflicts_with = "to")]
        cancel: bool,
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        form: Form,
    },
}

/// How what came of it is told.
#[derive(Args, Clone, Copy)]
struct Form {
    /// Print JSON, errors too
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct DoctorArgs {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    form: Form,
}

#[derive(Args)]
struct CheckArgs {
    #[command(flatten)]
    place: Place,
    /// Check this backup, a folder `backup-…`, in place of the data directory
    #[arg(long, value_name = "DIR")]
    backup: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
}

#[derive(Args)]
struct ServeArgs {
    #[command(flatten)]
    settings: Settings,
    /// Start the server again when it ends by itself; for machines without systemd or the like
    #[arg(long)]
    supervise: bool,
    /// The process that starts us again
    #[arg(long, hide = true, value_name = "PID")]
    supervised_by: Option<u32>,
}

#[derive(Args)]
struct BackupArgs {
    #[command(flatten)]
    place: Place,
    /// Folder that holds the backups; each becomes a folder of its own in it [default: backup.dir]
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// Only this namespace
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// Keep so many backups and remove older ones, once the new one is verified
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    keep: Option<u16>,
    #[command(flatten)]
    form: Form,
}

#[derive(Args)]
struct RestoreArgs {
    #[command(flatten)]
    place: Place,
    /// The backup: a folder `backup-…`
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
    /// Move what the data directory holds aside
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    form: Form,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Say whether the configuration is good, and everything that is wrong with it
    #[command(
        after_help = "Examples:\n  fastness config check --config fastness.toml\n  FASTNESS_STORE__ENGINE=postgres fastness config check --json"
    )]
    Check(ConfigArgs),
    /// Print every key with its value and where that came from; secrets are hidden
    #[command(after_help = "Examples:\n  fastness config show --config fastness.toml\n  fastness config show --json")]
    Show(ConfigArgs),
    /// Print the reference of all keys as Markdown
    #[command(after_help = "Examples:\n  fastness config reference | less")]
    Reference,
    /// Print a commented configuration file with all defaults
    #[command(after_help = "Examples:\n  fastness config example > fastness.toml")]
    Example,
}

#[derive(Args)]
struct ConfigArgs {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    form: Form,
}

/// Where the data is: all that commands which listen nowhere ask for.
#[derive(Args, Clone)]
struct Place {
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Data directory [default: ./fastness-data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

#[derive(Args)]
struct Settings {
    #[command(flatten)]
    place: Place,
    /// Address to listen on [default: 127.0.0.1:7400]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
}

impl Place {
    fn settings(&self) -> Settings {
        Settings { place: self.clone(), listen: None }
    }

    /// What was said of it, for another command about the same.
    fn named(&self) -> Vec<(&'static str, &Path)> {
        let all = [("config", &self.config), ("data", &self.data)];
        all.into_iter().filter_map(|(flag, path)| Some((flag, path.as_deref()?))).collect()
    }
}

/// The whole grammar: the server's own commands, and those against a running one.
fn command() -> clap::Command {
    ::cli::joined(Cli::command())
}

pub(crate) fn run(services: Vec<web::Service>) -> ExitCode {
    let grammar = command();
    let matches = match ::cli::parse(&grammar, std::env::args_os().collect()) {
        Ok(matches) => matches,
        Err(ended) => return ended,
    };
    // What is about a running server is not of this crate.
    if let Some(ended) = ::cli::run(&matches, &grammar) {
        return ended;
    }
    let own = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match own.command {
        Command::Serve(args) => serve(&args, services),
        Command::Backup(args) => {
            with_config(&args.place.settings(), args.form, |loaded| run_backup(&loaded.config, &args))
        }
        Command::Restore(args) => {
            with_config(&args.place.settings(), args.form, |loaded| run_restore(&loaded.config, &args, &services))
        }
        Command::Check(args) => {
            with_config(&args.place.settings(), args.form, |loaded| run_check(&loaded.config, &args, &services))
        }
        Command::Doctor(args) => run_doctor(&args, &services),
        Command::Config(command) => run_config(command),
        Command::Admin(AdminCommand::ResetPassword { account, place, form }) => {
            reset_password(&place.settings(), form, &services, &account)
        }
        Command::Admin(AdminCommand::ChangeEngine { to, place, form, .. }) => {
            let to = to.map(|to| if to == "postgres" { Engine::Postgres } else { Engine::Sqlite });
            with_config(&place.settings(), form, |loaded| run_change_engine(&loaded.config, form, &services, to))
        }
    }
}

fn run_config(command: ConfigCommand) -> ExitCode {
    match command {
        ConfigCommand::Check(args) => with_config(&args.settings, args.form, |loaded| {
            let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
            let lines: String = warnings.iter().map(|warning| format!("warning: {warning}\n")).collect();
            print_as(args.form, &json!({ "good": true, "warnings": warnings }), |_| {
                format!("{lines}the configuration is good\n")
            });
            ExitCode::SUCCESS
        }),
        ConfigCommand::Show(args) => with_config(&args.settings, args.form, |loaded| {
            print_as(args.form, &report::config_json(&config::shown(&loaded)), |_| config::show(&loaded));
            ExitCode::SUCCESS
        }),
        ConfigCommand::Reference => print(&config::reference()),
        ConfigCommand::Example => print(&config::example()),
    }
}

fn print(text: &str) -> ExitCode {
    write(text);
    ExitCode::SUCCESS
}

/// Whoever reads us may have heard enough: that is no failure, and not worth a panic.
fn write(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn serve(args: &ServeArgs, services: Vec<web::Service>) -> ExitCode {
    with_config(&args.settings, WORDS, |loaded| {
        log::start(&loaded.config.log);
        if args.supervise {
            return supervise::run();
        }
        if let Some(parent) = args.supervised_by
            && !matches!(host::stop_with_parent(parent), Ok(true))
        {
            return failed(WORDS, &anyhow::anyhow!("the supervisor {parent} is gone"));
        }
        server::run(&loaded, services).map_or_else(|error| failed(WORDS, &error), |()| ExitCode::SUCCESS)
    })
}

fn reset_password(settings: &Settings, form: Form, services: &[web::Service], account: &str) -> ExitCode {
    with_config(settings, form, |loaded| {
        log::start(&loaded.config.log);
        match admin::reset_password(&loaded.config, services, account) {
            Ok(password) => {
                let told = json!({ "account": account, "password": password });
                print_as(form, &told, |_| {
                    format!("The new password of `{account}` is shown this once:\n\n    {password}\n\n")
                });
                ExitCode::SUCCESS
            }
            Err(error) => failed(form, &error),
        }
    })
}

fn run_backup(config: &Config, args: &BackupArgs) -> ExitCode {
    let to = args.to.clone().unwrap_or_else(|| config.backup.dir.clone());
    let wish = backup::Wish { to, namespace: args.namespace.clone(), keep: args.keep.map(usize::from) };
    let written = backup::write(config, &wish, &Progress::at_terminal(args.form.json));
    match written {
        Ok(written) => {
            print_as(args.form, &report::backup_json(&written), |_| {
                let place = args.place.named();
                report::backup(&written, args.namespace.is_none().then_some(&place[..]))
            });
            let is_whole = written.damaged.is_empty() && written.elsewhere.is_empty();
            if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => failed(args.form, &error),
    }
}

fn run_restore(config: &Config, args: &RestoreArgs, services: &[web::Service]) -> ExitCode {
    let wish = restore::Wish { from: args.from.clone(), replace: args.replace };
    let restored = restore::run(config, services, &wish, &Progress::at_terminal(args.form.json));
    match restored {
        Ok(restored) => {
            let data = &config.data.dir;
            print_as(args.form, &report::restore_json(&restored, data), |_| report::restore(&restored, data));
            ExitCode::SUCCESS
        }
        Err(error) => failed(args.form, &error),
    }
}

/// To that engine, or without one: back.
fn run_change_engine(config: &Config, form: Form, services: &[web::Service], to: Option<Engine>) -> ExitCode {
    if config.store.url.is_none() {
        let wrong = anyhow::anyhow!(
            "store.url is not set: say which PostgreSQL it is (FASTNESS_STORE__URL=postgres://user:password@host/database)"
        );
        return told(form, USAGE, &wrong);
    }
    log::start(&config.log);
    let progress = Progress::at_terminal(form.json);
    let done = match to {
        Some(to) => change_engine::run(config, services, to, &progress).map(|changed| {
            print_as(form, &report::change_engine_json(&changed), |_| report::change_engine(&changed));
        }),
        None => change_engine::cancel(config, &progress).map(|back| {
            print_as(form, &report::taken_back_json(&back), |_| report::taken_back(&back));
        }),
    };
    done.map_or_else(|error| failed(form, &error), |()| ExitCode::SUCCESS)
}

/// 0 nothing found, 1 something found, 2 nothing could be checked.
fn run_check(config: &Config, args: &CheckArgs, services: &[web::Service]) -> ExitCode {
    let progress = Progress::at_terminal(args.form.json);
    let checked = match &args.backup {
        Some(folder) => check::backup(folder, services, &progress),
        None => check::data(config, services, &progress),
    };
    drop(progress);
    let report = match checked {
        Ok(report) => report,
        Err(error) => return told(args.form, USAGE, &error),
    };
    print_as(args.form, &report, check::text);
    if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// 0 if nothing is bad, 1 if something is. Mistakes in the configuration are findings here, not wrong use.
fn run_doctor(args: &DoctorArgs, services: &[web::Service]) -> ExitCode {
    let lines = match load(&args.settings) {
        Ok(loaded) => doctor::examine(&loaded, services),
        Err(error) => doctor::of_mistakes(&error),
    };
    print_as(args.form, &lines[..], doctor::text);
    match doctor::worst(&lines) {
        doctor::State::Bad => ExitCode::FAILURE,
        doctor::State::Ok | doctor::State::Warn => ExitCode::SUCCESS,
    }
}

fn print_as<T: serde::Serialize + ?Sized>(form: Form, report: &T, text: impl Fn(&T) -> String) {
    match form.json {
        true => write(&format!("{}\n", serde_json::to_string_pretty(report).unwrap_or_default())),
        false => write(&text(report)),
    }
}

/// For commands that have no other form.
const WORDS: Form = Form { json: false };

fn failed(form: Form, error: &anyhow::Error) -> ExitCode {
    told(form, 1, error)
}

/// Says on the standard error what went wrong, in the shape that commands against a running server use.
fn told(form: Form, exit: u8, error: &anyhow::Error) -> ExitCode {
    let text = format!("{error:#}");
    match form.json {
        true => {
            let mut lines = text.lines().map(str::trim);
            let message = lines.next().unwrap_or_default();
            let detail: Vec<&str> = lines.collect();
            let error = json!({ "exit": exit, "code": null, "message": message, "detail": detail, "hint": null });
            eprintln!("{}", json!({ "error": error }));
        }
        false => eprintln!("fastness: {text}"),
    }
    ExitCode::from(exit)
}

/// Loads the configuration and goes on with it, or says all that is wrong.
fn with_config(settings: &Settings, form: Form, then: impl FnOnce(Loaded) -> ExitCode) -> ExitCode {
    match load(settings) {
        Ok(loaded) => then(loaded),
        Err(error) => told(form, USAGE, &error),
    }
}

#[expect(clippy::disallowed_methods, reason = "the configuration file is read before there is a server")]
fn load(settings: &Settings) -> anyhow::Result<Loaded> {
    let name = settings.place.config.as_ref().map(|path| path.display().to_string());
    let text = match &settings.place.config {
        Some(path) => Some(fs::read_to_string(path).map_err(|error| obstacle::configuration(path, &error))?),
        None => None,
    };
    let file = name.as_deref().zip(text.as_deref());
    Ok(Config::load(file, environment(), &flags(settings))?)
}

/// The environment, as far as it is text: other programs' odd variables are none of our business.
fn environment() -> impl Iterator<Item = (String, String)> {
    let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    std::env::vars_os().filter_map(text)
}

fn flags(settings: &Settings) -> Vec<(&'static str, String)> {
    let data = settings.place.data.as_ref().map(|path| ("data.dir", path.display().to_string()));
    let listen = settings.listen.as_ref().map(|address| ("server.listen", address.clone()));
    data.into_iter().chain(listen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_36_the_command_line_is_consistent() {
        command().debug_assert();
    }

    /// The words of an example, as a shell would split them, without what follows a pipe, a redirection or two blanks.
    fn words_of(line: &str) -> Vec<String> {
        let line = line.trim();
        let line = line.split_once(" | fastness ").map_or(line.to_owned(), |(_, rest)| format!("fastness {rest}"));
        // A word that is nothing but quotes is an empty one, and not none.
        let (mut words, mut word, mut quoted, mut quote, mut depth) = (vec![], String::new(), false, None, 0);
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, quote) {
                (c, Some(open)) if c == open => quote = None,
                ('\'' | '"', None) if depth == 0 => (quote, quoted) = (Some(c), true),
                ('(', None) => depth += 1,
                (')', None) => depth -= 1,
                ('|' | '>', None) if depth == 0 => break,
                (' ', None) if depth == 0 => {
                    words.push((std::mem::take(&mut word), std::mem::take(&mut quoted)));
                    if chars.peek() == Some(&' ') {
                        break;
                    }
                }
                (c, _) => word.push(c),
            }
        }
        words.push((word, quoted));
        let words = words.into_iter().filter(|(word, quoted)| *quoted || !word.is_empty());
        words.map(|(word, _)| word).skip_while(|word| word.contains('=')).collect()
    }

    fn leaves(command: &clap::Command, path: &str) -> Vec<(String, clap::Command)> {
        let own = command.get_subcommands().filter(|own| !own.is_hide_set() && own.get_name() != "help");
        let below: Vec<_> = own.flat_map(|own| leaves(own, &format!("{path} {}", own.get_name()))).collect();
        if below.is_empty() { vec![(path.to_owned(), command.clone())] } else { below }
    }

    #[test]
    fn ker_36_every_command_has_examples_and_each_can_be_read() {
        let grammar = command();
        let all = leaves(&grammar, "fastness");
        assert!(all.len() > 150, "{} commands", all.len());
        for (path, leaf) in all {
            let help = leaf.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples = help.strip_prefix("Examples:\n").unwrap_or_else(|| panic!("{path} has no examples"));
            let lines: Vec<&str> = examples.lines().take_while(|line| line.starts_with("  ")).collect();
            assert!(lines.iter().any(|line| words_of(line).join(" ").starts_with(&path)), "{path}: {lines:?}");
            for line in lines {
                let read = grammar.clone().try_get_matches_from(words_of(line));
                assert!(
                    read.is_ok(),
                    "{path}: {line}: {}",
                    read.err().map(|error| error.to_string()).unwrap_or_default()
                );
            }
        }
    }

    #[test]
    fn ker_36_every_command_that_tells_something_tells_it_to_programs_too() {
        // The first runs until it is stopped and logs as configured; the others are documents and scripts themselves.
        let without = ["serve", "config reference", "config example", "completions"];
        for (path, leaf) in leaves(
            &{
                let mut grammar = command();
                grammar.build();
                grammar
            },
            "fastness",
        ) {
            let has = leaf.get_arguments().any(|arg| arg.get_long() == Some("json"));
            let path = path.trim_start_matches("fastness ");
            assert_eq!(has, !without.contains(&path), "{path}");
        }
    }

    /// Every command that has others below it.
    fn inner(command: &clap::Command, path: &str) -> Vec<(String, clap::Command)> {
        let own = command.get_subcommands().filter(|own| own.has_subcommands());
        let below = own.flat_map(|own| inner(own, &format!("{path} {}", own.get_name())));
        below.chain([(path.to_owned(), command.clone())]).collect()
    }

    #[test]
    fn con_9_one_verb_is_understood_by_all_its_names_wherever_there_is_one() {
        let (mut shown, mut listed, mut deleted) = (0, 0, 0);
        for (path, command) in inner(&command(), "fastness") {
            let has = |word: &str| command.find_subcommand(word).is_some();
            for (names, count) in [
                (&["show", "get"][..], &mut shown),
                (&["list", "ls"], &mut listed),
                (&["delete", "remove", "rm"], &mut deleted),
            ] {
                if names.iter().any(|name| has(name)) {
                    *count += 1;
                    assert!(names.iter().all(|name| has(name)), "{path} does not understand all of {names:?}");
                }
            }
        }
        assert!(shown > 10 && listed > 25 && deleted > 10, "{shown} {listed} {deleted}");
    }

    #[test]
    fn ker_36_whatever_takes_something_away_can_be_answered_beforehand() {
        let asking = ["delete", "remove", "revoke", "take", "forget", "unlink", "abort"];
        let all = leaves(&command(), "fastness");
        let taking = || all.iter().filter(|(path, _)| asking.iter().any(|verb| path.ends_with(&format!(" {verb}"))));
        for (path, leaf) in taking() {
            assert!(leaf.get_arguments().any(|arg| arg.get_long() == Some("yes")), "{path} has no --yes");
        }
        assert!(taking().count() > 16);
    }

    #[test]
    fn ker_36_only_what_is_about_a_server_that_listens_takes_an_address() {
        let all = leaves(&command(), "fastness");
        let listening = all.iter().filter(|(_, leaf)| leaf.get_arguments().any(|arg| arg.get_long() == Some("listen")));
        let names: Vec<&str> = listening.map(|(path, _)| path.trim_start_matches("fastness ")).collect();
        assert_eq!(names, ["serve", "doctor", "config check", "config show"]);
    }

    #[test]
    fn ker_36_flags_outrank_the_environment() {
        let place = Place { config: None, data: Some("d".into()) };
        let settings = Settings { place, listen: Some("127.0.0.1:1".into()) };
        assert_eq!(flags(&settings), [("data.dir", "d".to_owned()), ("server.listen", "127.0.0.1:1".to_owned())]);
    }
}
