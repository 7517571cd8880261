//! `fastness demo`: each service at work against a running server, as a short story in numbered lines (CON-12).
//!
//! - `entry`: by what right; `stage`: the namespace of its own in which a demo happens, and what goes when it ends;
//! - `narrator`: how it is told, and what is verified in the end; `machine`: processes and files of this machine;
//! - `exchange`, `workflow`, `folders`, `sensors`, `documents`: the stories; `parts`: what their child processes do;
//! - `receiver`: somebody who is told by webhook.
//!
//! Invariants: a demo changes nothing outside of a temporary namespace that it made itself; what it claims it counts, and a claim that does
//! not hold ends it with a failure; waits are for events, with a bound. Whoever is killed in the middle leaves a namespace and a folder, which
//! the next run, or `demo clean`, removes.

mod documents;
mod entry;
mod exchange;
mod folders;
mod machine;
mod narrator;
mod parts;
mod receiver;
mod sensors;
mod stage;
mod workflow;

use clap::{Args, Subcommand, ValueEnum};

use self::narrator::Narrator;
use self::stage::Stage;
use crate::failure::Done;
use crate::services::Nouns;
use crate::session::Session;
use crate::stop::Stop;

/// The first word of demos.
pub(crate) const NAME: &str = "demo";

/// What can be shown.
#[derive(Debug, Subcommand)]
pub(crate) enum Demo {
    /// A phone and an ERP exchange messages; the ERP is killed at the two worst moments, and each message is booked once
    #[command(after_help = "Examples:\n  fastness demo exchange\n  fastness demo exchange --pace slow --keep")]
    Exchange(Wishes),
    /// Orders with many steps; workers fail, die and answer twice, and each result counts once
    #[command(after_help = "Examples:\n  fastness demo workflow\n  fastness demo workflow --quick --json")]
    Workflow(Wishes),
    /// Two folders are kept in step, with one of them offline, and a conflict
    #[command(after_help = "Examples:\n  fastness demo folders\n  fastness demo folders --keep")]
    Folders(Wishes),
    /// A house of door sensors, and a receiver that goes down and comes back
    #[command(after_help = "Examples:\n  fastness demo sensors\n  fastness demo sensors --quick")]
    Sensors(Wishes),
    /// Two copies of documents, one of them offline; both change, and what collides is merged
    #[command(after_help = "Examples:\n  fastness demo documents\n  fastness demo documents --pace slow")]
    Documents(Wishes),
    /// All five, one after the other
    #[command(after_help = "Examples:\n  fastness demo all\n  fastness demo all --quick")]
    All(Wishes),
    /// Remove what demos left: those that were killed, and those with --keep
    #[command(after_help = "Examples:\n  fastness demo clean")]
    Clean,
    /// A child process of a demo
    #[command(hide = true)]
    Part,
}

/// How it is shown.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Wishes {
    /// How fast it is told
    #[arg(long, value_name = "PACE", value_enum, default_value_t = Pace::Normal)]
    pace: Pace,
    /// As fast as it goes: the same as --pace fast
    #[arg(long, conflicts_with = "pace")]
    quick: bool,
    /// Leave what it made, to look at; `fastness demo clean` removes it
    #[arg(long)]
    keep: bool,
}

/// How fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pace {
    Slow,
    Normal,
    Fast,
}

/// Which story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plot {
    Exchange,
    Workflow,
    Folders,
    Sensors,
    Documents,
}

impl Plot {
    const ALL: [Self; 5] = [Self::Exchange, Self::Workflow, Self::Folders, Self::Sensors, Self::Documents];

    /// The word for it.
    const fn word(self) -> &'static str {
        match self {
            Self::Exchange => "exchange",
            Self::Workflow => "workflow",
            Self::Folders => "folders",
            Self::Sensors => "sensors",
            Self::Documents => "documents",
        }
    }
}

/// What `--namespace` means for a noun of demos, which have namespaces of their own.
pub(crate) fn namespace_help(noun: &str) -> Option<String> {
    let default = match Plot::ALL.iter().find(|plot| plot.word() == noun) {
        Some(plot) => format!("{}{}", stage::PREFIX, plot.word()),
        None if noun == "all" => "demoexchange, demoworkflow and so on".to_owned(),
        None => return None,
    };
    Some(format!(
        "The namespace that it makes for itself; its name begins with `{}` [default: {default}]",
        stage::PREFIX
    ))
}

impl Nouns for Demo {
    async fn run(self, session: &Session) -> Done {
        let (wishes, plots) = match self {
            Self::Part => return parts::run().await,
            Self::Clean => return stage::clean(&entry::with_key(session).await?).await,
            Self::All(wishes) => (wishes, Plot::ALL.to_vec()),
            Self::Exchange(wishes) => (wishes, vec![Plot::Exchange]),
            Self::Workflow(wishes) => (wishes, vec![Plot::Workflow]),
            Self::Folders(wishes) => (wishes, vec![Plot::Folders]),
            Self::Sensors(wishes) => (wishes, vec![Plot::Sensors]),
            Self::Documents(wishes) => (wishes, vec![Plot::Documents]),
        };
        let session = entry::with_key(session).await?;
        for plot in plots {
            shown(&session, plot, wishes).await?;
        }
        Ok(())
    }
}

/// One story, from making its namespace to removing it. What goes wrong on the way is told after that.
async fn shown(session: &Session, plot: Plot, wishes: Wishes) -> Done {
    let pace = if wishes.quick { Pace::Fast } else { wishes.pace };
    let mut stop = Stop::new()?;
    let stage = Stage::open(session, plot).await?;
    let mut narrator = Narrator::new(&stage, plot, pace);
    let told = tokio::select! {
        told = played(plot, &stage, &mut narrator) => told,
        () = stop.comes() => Err(crate::failure::Failure::here("stopped before its end")),
    };
    let told = told.and_then(|()| narrator.verdict());
    if told.is_ok() && !wishes.keep && narrator.invite()? {
        tokio::select! { () = machine::enter() => {}, () = stop.comes() => {} }
    }
    let closed = stage.close(wishes.keep && told.is_ok(), &narrator).await;
    told.and(closed)
}

async fn played(plot: Plot, stage: &Stage, narrator: &mut Narrator) -> Done {
    match plot {
        Plot::Exchange => exchange::play(stage, narrator).await,
        Plot::Workflow => workflow::play(stage, narrator).await,
        Plot::Folders => folders::play(stage, narrator).await,
        Plot::Sensors => sensors::play(stage, narrator).await,
        Plot::Documents => documents::play(stage, narrator).await,
    }
}
