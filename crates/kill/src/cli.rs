//! Words of the command line.

use std::time::{SystemTime, UNIX_EPOCH};

use kill::fault::Fault;
use kill::round::{Case, EngineName};
use kill::run::Options;

pub(crate) const USAGE: &str = "usage: kill --server PROGRAM [--rounds N] [--seed S] [--only FAULT] [--engine sqlite|postgres] [--mutant NAME] [--mutants] [--lenient-names]

  --server PROGRAM  the ledger's server
  --rounds N        how many rounds (default 20)
  --seed S          what decides all chance (default: from the clock)
  --only FAULT      only this fault; may be given again
  --engine ENGINE   only this engine
  --mutants         the server breaks its promises one by one; each must be found
  --mutant NAME     the server breaks this promise
  --lenient-names   a power cut leaves the folders of the first start, whether the server synced them or not

faults: kill, kill-slow, kill-twice, pause, term, cut, disk-full, sync-error, write-full, write-error, slow-sync, power-cut,
        sync-lost, postgres-stop, postgres-kill, postgres-pause, postgres-cut";

pub(crate) struct Wish {
    pub(crate) options: Options,
    pub(crate) mutants: bool,
}

pub(crate) fn parse(args: &[String]) -> Result<Wish, String> {
    let (mut program, mut rounds, mut seed) = (None, 20, seed_of_the_clock());
    let (mut only, mut engine, mut mutant) = (vec![], None, None);
    let (mut mutants, mut strict_names) = (false, true);
    let mut args = args.iter();
    while let Some(word) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--server" => program = Some(value()?.into()),
            "--rounds" => rounds = number(word, value()?)?,
            "--seed" => seed = number(word, value()?)?,
            "--only" => only.push(fault(value()?)?),
            "--engine" => engine = Some(engine_of(value()?)?),
            "--mutant" => mutant = Some(value()?.clone()),
            "--mutants" => mutants = true,
            "--lenient-names" => strict_names = false,
            other => return Err(format!("unknown word `{other}`")),
        }
    }
    let wanted =
        |case: &Case| (only.is_empty() || only.contains(&case.fault)) && engine.is_none_or(|e| e == case.engine);
    let cases: Vec<Case> = Case::all().into_iter().filter(wanted).collect();
    if cases.is_empty() {
        return Err("no such fault on this engine".into());
    }
    let program = program.ok_or("--server is missing")?;
    let until_first = mutant.is_some();
    Ok(Wish { options: Options { program, rounds, seed, cases, mutant, strict_names, until_first }, mutants })
}

fn number(word: &str, value: &str) -> Result<u64, String> {
    value.parse().map_err(|_| format!("{word}: `{value}` is not a number"))
}

fn fault(name: &str) -> Result<Fault, String> {
    let found = Fault::ALL.into_iter().find(|fault| fault.name() == name);
    found.ok_or_else(|| format!("no fault `{name}`"))
}

fn engine_of(name: &str) -> Result<EngineName, String> {
    match name {
        "sqlite" => Ok(EngineName::Sqlite),
        "postgres" => Ok(EngineName::Postgres),
        other => Err(format!("no engine `{other}`")),
    }
}

/// A seed that nobody ran before, most likely.
fn seed_of_the_clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs())
}
