//! Words of the command line.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kill::fault::Fault;
use kill::nodes::Drill;
use kill::round::{Case, EngineName};
use kill::run::Options;
use kill::services::Plan;
use kill::workflow::Size;

pub(crate) const USAGE: &str = "usage: kill --server PROGRAM [--rounds N] [--seed S] [--only FAULT] [--engine sqlite|postgres] [--mutant NAME] [--mutants] [--lenient-names]
       kill --server PROGRAM --nodes N [--tasks N] [--kills N] [--pauses N] [--seed S] [--mutant NAME]
       kill --server PROGRAM --services [--nodes N] [--rounds N] [--seed S]
       kill --server PROGRAM --hanging
       kill --server PROGRAM --sensors [--kills N] [--seed S]
       kill --server PROGRAM --exchange
       kill --server PROGRAM --move [--mib N] [--kills N] [--seed S]
       kill --server PROGRAM --workflow [--kills N] [--tasks N] [--seed S]

  --server PROGRAM  the ledger's server
  --rounds N        how many rounds (default 20)
  --seed S          what decides all chance (default: from the clock)
  --only FAULT      only this fault; may be given again
  --engine ENGINE   only this engine
  --mutants         the server breaks its promises one by one; each must be found
  --mutant NAME     the server breaks this promise
  --lenient-names   a power cut leaves the folders of the first start, whether the server synced them or not
  --nodes N         in place of rounds: N servers on one PostgreSQL run tasks while they are killed and paused
  --services        in place of rounds: clients of every service work on N servers (default 2) while these are killed, paused, cut off
                    from PostgreSQL, restarted and upgraded N times; the program is fastness
  --tasks N         so many tasks (default 20000), with --kills N (default 10) and --pauses N (default 10)
  --hanging         in place of rounds: tasks to targets that answer, beside targets that never do
  --sensors         in place of rounds: sensors speak and clients are told while the server is killed N times
  --exchange        in place of rounds: the handshake of the exchange is cut at each of its steps in each way
  --move            in place of rounds: a namespace of N MiB (default 1024) moves to PostgreSQL, and back while the server is killed N times
  --workflow        in place of rounds: 20 workers die for each of N kills, the server in the midst of a job over N processes

faults: kill, kill-slow, kill-twice, pause, term, cut, disk-full, sync-error, write-full, write-error, slow-sync, power-cut,
        sync-lost, postgres-stop, postgres-kill, postgres-pause, postgres-cut";

pub(crate) struct Wish {
    pub(crate) options: Options,
    pub(crate) mutants: bool,
    /// Several nodes, in place of rounds.
    pub(crate) drill: Option<Drill>,
    /// All services on several nodes, in place of rounds.
    pub(crate) services: Option<Plan>,
    /// Targets that hang, in place of rounds.
    pub(crate) hanging: bool,
    /// Sensors, in place of rounds: so many kills.
    pub(crate) sensors: Option<u32>,
    /// The exchange, in place of rounds.
    pub(crate) exchange: bool,
    /// A move, in place of rounds: so many MiB, so many kills.
    pub(crate) moving: Option<(u64, u32)>,
    /// The workflow, in place of rounds.
    pub(crate) workflow: Option<Size>,
}

/// Workers that die for each kill that is asked for.
const DEATHS: usize = 20;
/// Live processes whose latency is measured.
const LIVE: usize = 500;
/// The lease of the nodes of a drill: short, so that a drill is.
const LEASE: Duration = Duration::from_secs(5);

pub(crate) fn parse(args: &[String]) -> Result<Wish, String> {
    let (mut program, mut rounds, mut seed) = (None, 20, seed_of_the_clock());
    let (mut only, mut engine, mut mutant) = (vec![], None, None);
    let (mut mutants, mut strict_names, mut hanging, mut services) = (false, true, false, false);
    let (mut sensors, mut exchange, mut workflow, mut moving, mut mib) = (false, false, false, false, 1_024);
    let (mut nodes, mut tasks, mut kills, mut pauses) = (None, 20_000, 10, 10);
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
            "--nodes" => nodes = Some(number(word, value()?)?),
            "--tasks" => tasks = number(word, value()?)?,
            "--kills" => kills = number(word, value()?)?,
            "--pauses" => pauses = number(word, value()?)?,
            "--hanging" => hanging = true,
            "--services" => services = true,
            "--sensors" => sensors = true,
            "--exchange" => exchange = true,
            "--workflow" => workflow = true,
            "--move" => moving = true,
            "--mib" => mib = number(word, value()?)?,
            other => return Err(format!("unknown word `{other}`")),
        }
    }
    let wanted =
        |case: &Case| (only.is_empty() || only.contains(&case.fault)) && engine.is_none_or(|e| e == case.engine);
    let cases: Vec<Case> = Case::all().into_iter().filter(wanted).collect();
    if cases.is_empty() {
        return Err("no such fault on this engine".into());
    }
    let program: PathBuf = program.ok_or("--server is missing")?;
    let until_first = mutant.is_some();
    if nodes.is_some_and(|nodes| nodes < 2) {
        return Err("--nodes: one node has nobody who takes over; 2 or more".into());
    }
    let (server, broken) = (program.clone(), mutant.clone());
    let drill = |nodes| Drill { program: server, nodes, tasks, kills, pauses, lease: LEASE, seed, mutant: broken };
    let services = services.then(|| plan(&program, nodes, rounds, seed));
    let drill = nodes.map(drill);
    let options = Options { program, rounds, seed, cases, mutant, strict_names, until_first };
    let workflow = workflow.then(|| Size {
        deaths: kills as usize * DEATHS,
        processes: usize::try_from(tasks).unwrap_or(usize::MAX).max(8),
        live: LIVE,
    });
    let moving = moving.then_some((mib, kills));
    Ok(Wish {
        options,
        mutants,
        drill,
        services,
        hanging,
        sensors: sensors.then_some(kills),
        exchange,
        moving,
        workflow,
    })
}

fn plan(program: &Path, nodes: Option<usize>, rounds: u64, seed: u64) -> Plan {
    let (program, rounds) = (program.to_owned(), usize::try_from(rounds).unwrap_or(usize::MAX));
    Plan { program, nodes: nodes.unwrap_or(2), rounds, lease: LEASE, seed }
}

fn number<N: FromStr>(word: &str, value: &str) -> Result<N, String> {
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
