//! `fastness help-markdown`: the reference of all commands against a running server, made from what the help says.

use std::fmt::Write as _;

use clap::{Arg, Command};

use crate::failure::{Done, EXIT_CODES, Failure};
use crate::services::{ALL, Service};
use crate::{completions, login, search, status};

pub(crate) const NAME: &str = "help-markdown";

/// Commands of no service, in the order of the page.
const SINGLE: [&str; 5] = [search::NAME, status::NAME, login::LOGIN, login::LOGOUT, completions::NAME];

const INTRODUCTION: &str = "\
# Commands: reference

Made by `fastness help-markdown > docs/reference/commands.md`; do not edit. [commands.md](../commands.md) is the introduction.
";

const OWN: &str = "
## The server itself

Commands on the server's own files and configuration; they need no running server and no key. [operations.md](../operations.md) tells when.
";

pub(crate) fn command() -> Command {
    Command::new(NAME).about("Print the reference of commands as Markdown").hide(true)
}

pub(crate) fn run(program: &Command) -> Done {
    let text = text(program);
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes()).map_err(|error| Failure::output(&error))
}

fn text(program: &Command) -> String {
    let mut text = format!("{INTRODUCTION}\n```text\n{EXIT_CODES}\n```\n");
    common(&mut text, program);
    for name in SINGLE {
        if let Some(command) = program.find_subcommand(name) {
            let _ = write!(text, "\n## {name}\n");
            verb(&mut text, &format!("fastness {name}"), command);
        }
    }
    for service in ALL {
        let Some(command) = program.find_subcommand(service.name) else { continue };
        let _ = write!(text, "\n## {}\n\n{}.\n", service.name, service.about);
        for noun in command.get_subcommands().filter(|noun| noun.has_subcommands()) {
            let _ = write!(text, "\n### {} {}\n\n{}.\n", service.name, noun.get_name(), about(noun));
            for own in noun.get_subcommands() {
                verb(&mut text, &format!("fastness {} {} {}", service.name, noun.get_name(), own.get_name()), own);
            }
        }
        for noun in own_nouns(service).get_subcommands().filter(|noun| !noun.has_subcommands() && !noun.is_hide_set()) {
            verb(&mut text, &format!("fastness {} {}", service.name, noun.get_name()), noun);
        }
    }
    own(&mut text, program);
    text
}

/// What the program itself brings: its own commands, and those that it adds to a service.
fn own(text: &mut String, program: &Command) {
    text.push_str(OWN);
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
        let (name, service) = (command.get_name(), ALL.iter().find(|service| service.name == command.get_name()));
        let is_single = SINGLE.contains(&name);
        if is_single {
            continue;
        }
        if !command.has_subcommands() {
            verb(text, &format!("fastness {name}"), command);
        }
        let ours = service.map(own_nouns);
        let is_ours = |own: &&Command| ours.as_ref().is_some_and(|ours| ours.find_subcommand(own.get_name()).is_some());
        for own in command.get_subcommands().filter(|own| !is_ours(own)) {
            verb(text, &format!("fastness {name} {}", own.get_name()), own);
        }
    }
}

/// The nouns of a service, among them those that are done with at once; what the program itself adds to it is not there.
fn own_nouns(service: &Service) -> Command {
    (service.nouns)(Command::new(service.name))
}

/// The flags of all verbs, said once.
fn common(text: &mut String, program: &Command) {
    let Some(command) = program.find_subcommand(status::NAME) else { return };
    text.push_str("\n## Flags of all commands\n\n");
    command.get_arguments().filter(|arg| arg.is_global_set()).for_each(|arg| argument(text, arg));
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

fn verb(text: &mut String, path: &str, command: &Command) {
    let positional = command.get_positionals().map(|arg| match arg.is_required_set() {
        true => format!(" {}", value_name(arg)),
        false => format!(" [{}]", value_name(arg)),
    });
    let also: Vec<String> = command.get_visible_aliases().map(|word| format!("`{word}`")).collect();
    let also = if also.is_empty() { String::new() } else { format!(" Also {}.", also.join(", ")) };
    let _ = write!(text, "\n**`{path}{}`** — {}.{also}\n\n", positional.collect::<String>(), about(command));
    let own: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_global_set() && !arg.is_hide_set()).collect();
    own.iter().for_each(|arg| argument(text, arg));
    if !own.is_empty() {
        text.push('\n');
    }
    if let Some(examples) = command.get_after_help() {
        let lines: Vec<String> = examples.to_string().lines().skip(1).map(|line| line.trim().to_owned()).collect();
        let _ = write!(text, "```text\n{}\n```\n", lines.join("\n"));
    }
}

fn argument(text: &mut String, arg: &Arg) {
    let name = match (arg.get_long(), arg.get_short()) {
        (Some(long), Some(short)) => format!("--{long}, -{short}"),
        (Some(long), None) => format!("--{long}"),
        _ => value_name(arg),
    };
    let takes = arg.get_action().takes_values() && arg.get_long().is_some();
    let value = if takes { format!(" {}", value_name(arg)) } else { String::new() };
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let _ = writeln!(text, "- `{name}{value}`: {help}{}{}{}", choices(arg), defaults(arg), environment(arg));
}

fn value_name(arg: &Arg) -> String {
    let dots = if matches!(arg.get_action(), clap::ArgAction::Append) && arg.get_long().is_none() { "…" } else { "" };
    let names = arg.get_value_names().unwrap_or_default();
    format!("{}{dots}", names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

/// What it may be, where that is a list.
fn choices(arg: &Arg) -> String {
    let values = arg.get_possible_values();
    if values.is_empty() || arg.is_hide_possible_values_set() || !arg.get_action().takes_values() {
        return String::new();
    }
    let names: Vec<String> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
    format!(" [one of {}]", names.join(", "))
}

fn defaults(arg: &Arg) -> String {
    let values: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if values.is_empty() || !arg.get_action().takes_values() {
        return String::new();
    }
    format!(" [default: {}]", values.join(", "))
}

fn environment(arg: &Arg) -> String {
    arg.get_env().map(|name| format!(" [environment: {}]", name.to_string_lossy())).unwrap_or_default()
}
