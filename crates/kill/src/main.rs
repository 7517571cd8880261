//! The command line of the kill harness. `cargo xtask kill` builds the server, brings up PostgreSQL and strace, and runs
//! this.
//!
//! Exit codes: 0 nothing found, 1 a round failed or a mutant was not found, 2 wrong use.

mod cli;

use std::process::ExitCode;

use kill::{exchange, moving, mutants, nodes, run, sensors, services, workflow};

/// Tasks of each kind in each phase of the measurement with targets that hang.
const HANGING_TASKS: usize = 500;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let wish = match cli::parse(&args) {
        Ok(wish) => wish,
        Err(wrong) => {
            eprintln!("kill: {wrong}\n\n{}", cli::USAGE);
            return ExitCode::from(2);
        }
    };
    match perform(&wish) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("kill: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(wish: &cli::Wish) -> anyhow::Result<bool> {
    let mut tell = |line: &str| println!("{line}");
    if wish.mutants {
        return mutants::find_all(&wish.options, &mut tell);
    }
    println!("seed {}", wish.options.seed);
    if wish.hanging {
        println!("{}", nodes::hanging::run(&wish.options.program, HANGING_TASKS)?);
        return Ok(true);
    }
    if let Some(kills) = wish.sensors {
        println!("{}", sensors::run(&wish.options.program, kills, wish.options.seed)?);
        return Ok(true);
    }
    if wish.exchange {
        for has_marker in [true, false] {
            println!("with the marker: {has_marker}: {}", exchange::run(&wish.options.program, has_marker)?);
        }
        return Ok(true);
    }
    if let Some((mib, kills)) = wish.moving {
        println!("{}", moving::run(&wish.options.program, mib, kills, wish.options.seed)?);
        return Ok(true);
    }
    if let Some(size) = wish.workflow {
        println!("{}", workflow::run(&wish.options.program, size, wish.options.seed)?);
        return Ok(true);
    }
    if let Some(plan) = &wish.services {
        println!("\n{}", services::run(plan, &mut tell)?);
        return Ok(true);
    }
    if let Some(drill) = &wish.drill {
        println!("\n{}", nodes::run(drill, &mut tell)?);
        return Ok(true);
    }
    let report = run::run(&wish.options, &mut tell)?;
    println!("\n{report}");
    Ok(report.failed() == 0)
}
