//! How a namespace stands, on one page (CON-2): its tasks, alerts, blobs and nodes, what is stuck, and what its services say of
//! themselves.
//!
//! Invariant: the cost is bounded, also where a million tasks wait: everything is read from an index, counts end at 10,000, and
//! services say only what they can find as cheaply ([`FigureDef`](crate::FigureDef)).

mod nodes;
mod stuck;

use base::{OpResult, Tx, Wall};

use crate::alerts::summary::{SUMMARY, Summary};
use crate::blobs::{USAGE, Usage};
use crate::home::Home;
use crate::kernel::Kernel;
use crate::op::Query;
use crate::service::ServiceDef;
use crate::tasks::{self, TaskCounts};

pub use nodes::NodeSeen;
pub(crate) use nodes::alive as nodes_alive;
pub(crate) use stuck::COUNT_STUCK;
pub use stuck::{FIND_STUCK, Found, STUCK_MAX, StuckCounts};

/// The overview.
pub static SERVICE: ServiceDef = ServiceDef { name: "overview", statements: &[&nodes::ALIVE], ..ServiceDef::EMPTY };

/// How a namespace stands.
pub static OVERVIEW: Query<Look, Overview> = Query::at_home("overview.show", show);

/// What to look at, and when.
#[derive(Clone)]
pub struct Look {
    /// The program's services.
    pub services: Vec<&'static ServiceDef>,
    /// Now.
    pub now: Wall,
}

impl Look {
    /// At everything, now.
    #[must_use]
    pub fn at(kernel: &Kernel) -> Self {
        Self { services: kernel.services().to_vec(), now: kernel.env().clock.wall() }
    }
}

/// How a namespace stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// Its tasks.
    pub tasks: TaskCounts,
    /// Its alerts.
    pub alerts: Summary,
    /// What is stuck.
    pub stuck: StuckCounts,
    /// Its blobs.
    pub blobs: Usage,
    /// The nodes that work on it.
    pub nodes: Vec<NodeSeen>,
    /// What services say of themselves, in their order.
    pub figures: Vec<Figure>,
}

/// A number that a service shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figure {
    /// Which service.
    pub service: &'static str,
    /// What it counts.
    pub name: &'static str,
    /// How much that is.
    pub value: i64,
}

fn show(tx: &mut dyn Tx, home: &Home, look: &Look) -> OpResult<Overview> {
    Ok(Overview {
        tasks: tasks::counts(tx, look.now)?,
        alerts: SUMMARY.run_in(tx, home, &())?,
        stuck: stuck::count(tx, look)?,
        blobs: USAGE.run_in(tx, home, &())?,
        nodes: nodes::alive(tx)?,
        figures: figures(tx, look)?,
    })
}

fn figures(tx: &mut dyn Tx, look: &Look) -> OpResult<Vec<Figure>> {
    let mut figures = vec![];
    for service in &look.services {
        for def in service.figures {
            figures.push(Figure { service: service.name, name: def.name, value: (def.find)(tx, look.now)? });
        }
    }
    Ok(figures)
}
