//! The command line.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::config::{self, Config, Loaded};
use crate::{admin, backup, check, doctor, log, report, restore, server, supervise};

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
Exit codes: 0 done, 1 failed, 2 wrong use or configuration; against a running server also 3 refused,
4 not reached or busy, 5 outcome unknown. 134 (SIGABRT): the watchdog found a part stuck.";

#[derive(Subcommand)]
enum Command {
    /// Run the server until Ctrl-C or SIGTERM
    Serve(ServeArgs),
    /// Write a consistent backup of all namespaces, also while the server runs
    Backup(BackupArgs),
    /// Put a backup into an empty data directory; the server must be stopped
    Restore(RestoreArgs),
    /// Verify the files, the schema and every invariant of a stopped server's data, or of a backup
    Check(CheckArgs),
    /// Say what is wrong with the set-up, why it matters and how to mend it
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
    #[command(display_order = 900)]
    ResetPassword {
        /// Which account of the administrators' namespace
        #[arg(long, value_name = "NAME", default_value = "admin")]
        account: String,
        #[command(flatten)]
        settings: Settings,
    },
}

#[derive(Args)]
struct DoctorArgs {
    #[command(flatten)]
    settings: Settings,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct CheckArgs {
    #[command(flatten)]
    settings: Settings,
    /// Check this backup, a folder `backup-…`, in place of the data directory
    #[arg(long, value_name = "DIR")]
    backup: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
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
    settings: Settings,
    /// Folder that holds the backups; each becomes a folder of its own in it [default: backup.dir]
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// Only this namespace
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// Keep so many backups and remove older ones, once the new one is verified
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    keep: Option<u16>,
}

#[derive(Args)]
struct RestoreArgs {
    #[command(flatten)]
    settings: Settings,
    /// The backup: a folder `backup-…`
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
    /// Move what the data directory holds aside
    #[arg(long)]
    replace: bool,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Say whether the configuration is good, and everything that is wrong with it
    Check(Settings),
    /// Print every key with its value and where that came from; secrets are hidden
    Show(Settings),
    /// Print the reference of all keys as Markdown
    Reference,
    /// Print a commented configuration file with all defaults
    Example,
}

#[derive(Args)]
struct Settings {
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Data directory [default: ./fastness-data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Address to listen on [default: 127.0.0.1:7400]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
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
        Command::Backup(args) => with_config(&args.settings, |loaded| run_backup(&loaded.config, &args)),
        Command::Restore(args) => with_config(&args.settings, |loaded| run_restore(&loaded.config, &args, &services)),
        Command::Check(args) => with_config(&args.settings, |loaded| run_check(&loaded.config, &args, &services)),
        Command::Doctor(args) => run_doctor(&args, &services),
        Command::Config(ConfigCommand::Check(settings)) => with_config(&settings, |_| {
            println!("the configuration is good");
            ExitCode::SUCCESS
        }),
        Command::Config(ConfigCommand::Show(settings)) => with_config(&settings, |loaded| {
            print!("{}", config::show(&loaded));
            ExitCode::SUCCESS
        }),
        Command::Admin(AdminCommand::ResetPassword { account, settings }) => {
            reset_password(&settings, &services, &account)
        }
        Command::Config(ConfigCommand::Reference) => print(&config::reference()),
        Command::Config(ConfigCommand::Example) => print(&config::example()),
    }
}

fn print(text: &str) -> ExitCode {
    print!("{text}");
    ExitCode::SUCCESS
}

fn serve(args: &ServeArgs, services: Vec<web::Service>) -> ExitCode {
    with_config(&args.settings, |loaded| {
        log::start(&loaded.config.log);
        if args.supervise {
            return supervise::run();
        }
        if let Some(parent) = args.supervised_by
            && !matches!(host::stop_with_parent(parent), Ok(true))
        {
            return failed(&anyhow::anyhow!("the supervisor {parent} is gone"));
        }
        ended(server::run(&loaded, services))
    })
}

fn reset_password(settings: &Settings, services: &[web::Service], account: &str) -> ExitCode {
    with_config(settings, |loaded| {
        log::start(&loaded.config.log);
        let password = admin::reset_password(&loaded.config, services, account);
        ended(
            password
                .map(|password| println!("The new password of `{account}` is shown this once:\n\n    {password}\n")),
        )
    })
}

fn ended(result: anyhow::Result<()>) -> ExitCode {
    result.map_or_else(|error| failed(&error), |()| ExitCode::SUCCESS)
}

fn run_backup(config: &Config, args: &BackupArgs) -> ExitCode {
    let to = args.to.clone().unwrap_or_else(|| config.backup.dir.clone());
    let wish = backup::Wish { to, namespace: args.namespace.clone(), keep: args.keep.map(usize::from) };
    match backup::write(config, &wish) {
        Ok(written) => {
            print!("{}", report::backup(&written));
            let is_whole = written.damaged.is_empty() && written.elsewhere.is_empty();
            if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => failed(&error),
    }
}

fn run_restore(config: &Config, args: &RestoreArgs, services: &[web::Service]) -> ExitCode {
    let wish = restore::Wish { from: args.from.clone(), replace: args.replace };
    match restore::run(config, services, &wish) {
        Ok(restored) => {
            print!("{}", report::restore(&restored, &config.data.dir));
            ExitCode::SUCCESS
        }
        Err(error) => failed(&error),
    }
}

/// 0 nothing found, 1 something found, 2 nothing could be checked.
fn run_check(config: &Config, args: &CheckArgs, services: &[web::Service]) -> ExitCode {
    let checked = match &args.backup {
        Some(folder) => check::backup(folder, services),
        None => check::data(config, services),
    };
    let report = match checked {
        Ok(report) => report,
        Err(error) => {
            eprintln!("fastness: {error:#}");
            return ExitCode::from(USAGE);
        }
    };
    print_as(args.json, &report, check::text);
    if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// 0 if nothing is bad, 1 if something is. Mistakes in the configuration are findings here, not wrong use.
fn run_doctor(args: &DoctorArgs, services: &[web::Service]) -> ExitCode {
    let lines = match load(&args.settings) {
        Ok(loaded) => doctor::examine(&loaded.config, services),
        Err(error) => doctor::of_mistakes(&error),
    };
    print_as(args.json, &lines[..], doctor::text);
    match doctor::worst(&lines) {
        doctor::State::Bad => ExitCode::FAILURE,
        doctor::State::Ok | doctor::State::Warn => ExitCode::SUCCESS,
    }
}

fn print_as<T: serde::Serialize + ?Sized>(json: bool, report: &T, text: impl Fn(&T) -> String) {
    match json {
        true => println!("{}", serde_json::to_string_pretty(report).unwrap_or_default()),
        false => print!("{}", text(report)),
    }
}

fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("fastness: {error:#}");
    ExitCode::FAILURE
}

/// Loads the configuration and goes on with it, or says all that is wrong.
fn with_config(settings: &Settings, then: impl FnOnce(Loaded) -> ExitCode) -> ExitCode {
    match load(settings) {
        Ok(loaded) => then(loaded),
        Err(error) => {
            eprintln!("fastness: {error:#}");
            ExitCode::from(USAGE)
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the configuration file is read before there is a server")]
fn load(settings: &Settings) -> anyhow::Result<Loaded> {
    let name = settings.config.as_ref().map(|path| path.display().to_string());
    let text = match &settings.config {
        Some(path) => Some(fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?),
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
    let data = settings.data.as_ref().map(|path| ("data.dir", path.display().to_string()));
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

    #[test]
    fn ker_36_flags_outrank_the_environment() {
        let settings = Settings { config: None, data: Some("d".into()), listen: Some("127.0.0.1:1".into()) };
        assert_eq!(flags(&settings), [("data.dir", "d".to_owned()), ("server.listen", "127.0.0.1:1".to_owned())]);
    }
}
