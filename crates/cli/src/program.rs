//! The commands as a part of a program: added to its own, and run.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, Command, FromArgMatches};

use crate::failure::{Done, Failure};
use crate::flags::Common;
use crate::services::{ALL, Service};
use crate::session::Session;
use crate::{completions, login, reference, search, status};

/// A program's own commands and those against a running server, as one grammar. Where both have a service of one name, its
/// nouns stand together.
#[must_use]
pub fn joined(program: Command) -> Command {
    let single = [search::command(), status::command(), login::login_command(), login::logout_command()];
    let single = single.into_iter().chain([completions::command(), reference::command()]);
    ALL.iter().map(service_command).chain(single).fold(program, add)
}

fn service_command(service: &Service) -> Command {
    let nouns = (service.nouns)(Command::new(service.name));
    let nouns = nouns.about(service.about).subcommand_required(true).arg_required_else_help(true);
    nouns.mut_subcommands(|noun| {
        // A noun that is done with at once has no verbs.
        let has_verbs = noun.has_subcommands();
        Common::add_to(noun).subcommand_required(has_verbs).arg_required_else_help(has_verbs)
    })
}

fn add(program: Command, command: Command) -> Command {
    let name = command.get_name().to_owned();
    if program.find_subcommand(&name).is_none() {
        return program.subcommand(command);
    }
    let nouns: Vec<Command> = command.get_subcommands().cloned().collect();
    let about = command.get_about().cloned().unwrap_or_default();
    program.mut_subcommand(name, |own| own.about(about).subcommands(nouns))
}

/// Reads the command line. Wrong use is told, as JSON if that was asked for, and ends the program; so does asking for help.
///
/// # Errors
/// The exit code of a program that ends here.
pub fn parse(grammar: &Command, words: Vec<OsString>) -> Result<ArgMatches, ExitCode> {
    let json = words.iter().skip(1).take_while(|word| *word != "--").any(|word| word == "--json");
    grammar.clone().try_get_matches_from(words).map_err(|error| {
        if json && error.use_stderr() {
            return Failure::usage(one_line(&error)).tell(true);
        }
        // Nobody is left to be told that telling failed.
        let _ = error.print();
        ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(1))
    })
}

fn one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let text = text.split("\n\nUsage:").next().unwrap_or_default();
    text.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs the command if it is one of these; `None` if it is the program's own. `program` is the whole grammar.
#[must_use]
pub fn run(matches: &ArgMatches, program: &Command) -> Option<ExitCode> {
    let (name, inner) = matches.subcommand()?;
    if let Some(done) = run_offline(name, inner, program) {
        return Some(ended(done, false));
    }
    let json = |matches: &ArgMatches| matches.get_flag("json");
    if let Some(online) = [search::NAME, status::NAME, login::LOGIN, login::LOGOUT].into_iter().find(|own| *own == name)
    {
        return Some(ended(blocking(run_single(online, inner)), json(inner)));
    }
    let service = ALL.iter().find(|service| service.name == name)?;
    let (noun, of_noun) = inner.subcommand()?;
    let is_ours = (service.nouns)(Command::new(service.name)).find_subcommand(noun).is_some();
    is_ours.then(|| ended(blocking(run_service(service, inner, of_noun)), json(of_noun)))
}

fn run_offline(name: &str, inner: &ArgMatches, program: &Command) -> Option<Done> {
    match name {
        completions::NAME => Some(completions::run(inner, program.clone())),
        reference::NAME => Some(reference::run(program)),
        _ => None,
    }
}

async fn run_single(name: &str, inner: &ArgMatches) -> Done {
    match name {
        login::LOGIN => login::login(inner).await,
        login::LOGOUT => login::logout(inner).await,
        search::NAME => search::run(inner).await,
        _ => status::run(inner).await,
    }
}

async fn run_service(service: &Service, inner: &ArgMatches, of_noun: &ArgMatches) -> Done {
    let common = common(of_noun)?;
    let session = if service.needs_key { Session::open(&common)? } else { Session::open_leniently(&common)? };
    (service.run)(inner, &session).await
}

/// The flags that all verbs understand.
pub(crate) fn common(matches: &ArgMatches) -> Result<Common, Failure> {
    Common::from_arg_matches(matches).map_err(Failure::usage)
}

fn blocking(work: impl Future<Output = Done>) -> Done {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(Failure::here)?.block_on(work)
}

fn ended(done: Done, json: bool) -> ExitCode {
    done.map_or_else(|failure| failure.tell(json), |()| ExitCode::SUCCESS)
}
