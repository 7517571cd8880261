//! The services of the command line. A new one is a file with its nouns and verbs, and a line in [`ALL`].

mod admin;
pub(crate) mod documents;
mod exchange;
mod files;
mod folders;
mod namespace;
mod sensors;
mod tasks;
mod workflow;

use std::pin::Pin;

use clap::{ArgMatches, Command, Subcommand};
use client::Request;

use crate::failure::{Done, Failure};
use crate::session::Session;

/// All services, in the order of the help.
pub(crate) const ALL: &[Service] = &[
    Service::of::<tasks::Tasks>("tasks", "Tasks and queues: what waits, runs, or is parked for a person"),
    Service::of::<documents::Documents>("documents", "Documents, their classes and attachments"),
    Service::of::<sensors::Sensors>("sensors", "Sensors: signals of doors, who is told, who fell silent"),
    Service::of::<exchange::Exchange>(
        "exchange",
        "Exchange: devices that send messages, databases that take and answer them",
    ),
    Service::of::<workflow::Workflow>(
        "workflow",
        "Workflow: processes of many tasks, who does them, and what went wrong",
    ),
    Service::of::<folders::Folders>(
        "folders",
        "Folders: keep folders of this machine in step with directories of the server",
    )
    .without_key(),
    Service::of::<crate::demo::Demo>(
        crate::demo::NAME,
        "See each service at work, live: a story of half a minute, in a namespace of its own",
    )
    .without_key(),
    Service::of::<namespace::Namespace>(
        "namespace",
        "Carry a namespace: to the other engine, into one file, and out of one",
    ),
    Service::of::<admin::Admin>("admin", "Namespaces, accounts, keys, alerts, journal and counters"),
];

/// A service: its nouns as clap knows them, and what runs them.
pub(crate) struct Service {
    /// The first word of its commands.
    pub(crate) name: &'static str,
    /// One line for people.
    pub(crate) about: &'static str,
    /// Adds its nouns to a command.
    pub(crate) nouns: fn(Command) -> Command,
    /// Whether nothing of it can be done without a key.
    pub(crate) needs_key: bool,
    /// Runs what was read.
    pub(crate) run: for<'a> fn(&'a ArgMatches, &'a Session) -> Work<'a>,
}

type Work<'a> = Pin<Box<dyn Future<Output = Done> + 'a>>;

/// The nouns of a service, each with its verbs.
pub(crate) trait Nouns: Subcommand {
    /// Does what was asked.
    fn run(self, session: &Session) -> impl Future<Output = Done>;
}

impl Service {
    const fn of<N: Nouns + 'static>(name: &'static str, about: &'static str) -> Self {
        Self { name, about, nouns: N::augment_subcommands, needs_key: true, run: run::<N> }
    }

    /// The same; a verb that asks the server looks for the key itself.
    const fn without_key(self) -> Self {
        Self { needs_key: false, ..self }
    }
}

fn run<'a, N: Nouns + 'static>(matches: &'a ArgMatches, session: &'a Session) -> Work<'a> {
    Box::pin(async move { N::from_arg_matches(matches).map_err(Failure::usage)?.run(session).await })
}

/// With those filters that were given.
fn filtered(request: Request, filters: impl IntoIterator<Item = (&'static str, Option<String>)>) -> Request {
    let given = filters.into_iter().filter_map(|(name, value)| Some((name, value?)));
    given.fold(request, |request, (name, value)| request.query(name, value))
}
