//! The commands as a part of a program: added to its own, and run.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};

use crate::failure::{Done, Failure};
use crate::flags::Common;
use crate::services::{ALL, Service};
use crate::session::Session;
use crate::{completions, demo, login, reference, search, status};

/// A program's own commands and those against a running server, as one grammar. Where both have a service of one name, its
/// nouns stand together.
#[must_use]
pub fn joined(program: Command) -> Command {
    let single = [search::command(), status::command(), login::login_command(), login::logout_command()];
    let single = single.into_iter().chain([completions::command(), reference::command()]);
    understanding(ALL.iter().map(service_command).chain(single).fold(program, add))
}

/// Verbs that other programs call otherwise: whoever knows one of these words is understood at every noun.
const SAME: &[&[&str]] = &[&["show", "get"], &["list", "ls"], &["delete", "remove", "rm"]];

/// With the other words for what a command has below it, as far as they are not words of its own.
fn understanding(command: Command) -> Command {
    let words: Vec<String> = command.get_subcommands().map(|own| own.get_name().to_owned()).collect();
    let is_own = |word: &&&str| words.iter().any(|own| own == **word);
    command.mut_subcommands(|own| {
        let own = understanding(own);
        let same = SAME.iter().find(|same| same.iter().find(is_own) == Some(&own.get_name()));
        let others = same.into_iter().flat_map(|same| same.iter()).filter(|word| !is_own(word));
        own.visible_aliases(others.copied().collect::<Vec<_>>())
    })
}

fn service_command(service: &Service) -> Command {
    let nouns = (service.nouns)(Command::new(service.name));
    let nouns = nouns.about(service.about).subcommand_required(true).arg_required_else_help(true);
    nouns.mut_subcommands(|noun| {
        // A noun that is done with at once has no verbs.
        let has_verbs = noun.has_subcommands();
        let noun = Common::add_to(noun).subcommand_required(has_verbs).arg_required_else_help(has_verbs);
        match (service.name == demo::NAME).then(|| demo::namespace_help(noun.get_name())).flatten() {
            Some(help) => noun.mut_arg("namespace", |arg| arg.hide_default_value(true).help(help)),
            None => noun,
        }
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
    grammar.clone().try_get_matches_from(&words).map_err(|mut error| {
        propose(&mut error, grammar, &words);
        if json && error.use_stderr() {
            return Failure::usage(one_line(&error)).tell(true);
        }
        // Nobody is left to be told that telling failed.
        let _ = error.print();
        ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(1))
    })
}

/// Words that newcomers try, and ours for them, where there is such a one.
const MEANT: &[(&str, &str)] = &[
    ("start", "serve"),
    ("run", "serve"),
    ("server", "serve"),
    ("up", "serve"),
    ("init", "serve"),
    ("verify", "check"),
    ("user", "account"),
    ("users", "account"),
];
/// The same for flags.
const FLAGS_MEANT: &[(&str, &str)] = &[
    ("--port", "--listen"),
    ("--host", "--listen"),
    ("--address", "--listen"),
    ("--bind", "--listen"),
    ("--dir", "--data"),
    ("--user", "--account"),
    ("--url", "--server"),
    ("--ns", "--namespace"),
    ("--key", "--key-file"),
    ("--force", "--yes"),
];
/// More proposals than this are no help.
const PROPOSED_MAX: usize = 4;

/// Says what was probably meant where mere likeness does not tell: a word one step further down whose noun was left out, or one that
/// other programs have for it.
fn propose(error: &mut clap::Error, grammar: &Command, words: &[OsString]) {
    let wrong = |kind| match error.get(kind) {
        Some(ContextValue::String(wrong)) => Some(wrong.clone()),
        _ => None,
    };
    let (word, flag) = (wrong(ContextKind::InvalidSubcommand), wrong(ContextKind::InvalidArg));
    if let Some(wrong) = word {
        let found = further(grammar, words, &wrong);
        if !found.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(found));
        }
    } else if let Some(wrong) = flag.filter(|_| error.kind() == ErrorKind::UnknownArgument) {
        let (at, _) = reached(grammar, words, &wrong);
        let ours = FLAGS_MEANT.iter().find(|(theirs, _)| *theirs == wrong).map(|(_, ours)| *ours);
        let has = |ours: &&str| at.get_arguments().any(|arg| arg.get_long() == ours.strip_prefix("--"));
        if let Some(ours) = ours.filter(has) {
            error.insert(ContextKind::SuggestedArg, ContextValue::String(ours.to_owned()));
        }
    }
}

/// The command that is meant by all words before this one, with what leads to it.
fn reached<'a>(grammar: &'a Command, words: &[OsString], wrong: &str) -> (&'a Command, String) {
    let first = (grammar, grammar.get_name().to_owned());
    words.iter().skip(1).take_while(|word| **word != *wrong).fold(first, |(at, path), word| {
        match at.find_subcommand(word) {
            Some(below) => (below, format!("{path} {}", below.get_name())),
            None => (at, path),
        }
    })
}

/// Whole commands that a word may stand for.
fn further(grammar: &Command, words: &[OsString], wrong: &str) -> Vec<String> {
    let (at, path) = reached(grammar, words, wrong);
    let below = at.get_subcommands().filter(|own| !own.is_hide_set());
    let below = below.filter_map(|own| Some((own.get_name(), own.find_subcommand(wrong)?.get_name())));
    let found = below.map(|(own, verb)| format!("{path} {own} {verb}"));
    let ours = MEANT.iter().find(|(theirs, _)| *theirs == wrong).map(|(_, ours)| *ours);
    let ours = ours.filter(|ours| at.find_subcommand(ours).is_some()).map(|ours| format!("{path} {ours}"));
    ours.into_iter().chain(found).take(PROPOSED_MAX).collect()
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
    let mut common = Common::from_arg_matches(matches).map_err(Failure::usage)?;
    common.reach.is_namespace_typed = matches.value_source("namespace") == Some(ValueSource::CommandLine);
    Ok(common)
}

fn blocking(work: impl Future<Output = Done>) -> Done {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(Failure::here)?.block_on(work)
}

fn ended(done: Done, json: bool) -> ExitCode {
    done.map_or_else(|failure| failure.tell(json), |()| ExitCode::SUCCESS)
}
