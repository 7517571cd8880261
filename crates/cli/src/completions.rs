//! `fastness completions`: what shells complete.

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::{Shell, generate};

use crate::failure::{Done, Failure};

pub(crate) const NAME: &str = "completions";

const EXAMPLES: &str = "\
Examples:
  fastness completions bash > /etc/bash_completion.d/fastness
  fastness completions zsh > ~/.zfunc/_fastness
  fastness completions fish > ~/.config/fish/completions/fastness.fish";

pub(crate) fn command() -> Command {
    let shell = Arg::new("shell").required(true).value_name("SHELL").value_parser(value_parser!(Shell));
    let shell = shell.help("bash, zsh, fish, elvish or powershell").hide_possible_values(true);
    Command::new(NAME).about("Print what a shell needs to complete commands").arg(shell).after_help(EXAMPLES)
}

pub(crate) fn run(matches: &ArgMatches, mut program: Command) -> Done {
    let shell = matches.get_one::<Shell>("shell").copied().ok_or_else(|| Failure::usage("no shell"))?;
    let name = program.get_name().to_owned();
    let mut script = vec![];
    generate(shell, &mut program, name, &mut script);
    std::io::Write::write_all(&mut std::io::stdout(), &script).map_err(|error| Failure::output(&error))
}
