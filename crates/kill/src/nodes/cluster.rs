//! The nodes: started, killed, stopped in their tracks, and back again.

use std::io::BufRead;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::drill::Drill;
use super::reader::Feed;
use super::stream::Stream;
use crate::check::violation;
use crate::client::Client;
use crate::postgres::Database;
use crate::server::{Launch, Server, send_signal};

/// What strikes a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strike {
    /// `kill -9`.
    Kill,
    /// SIGSTOP.
    Pause,
}

/// The name of a node, the same over its lives.
pub(super) fn name(number: usize) -> String {
    format!("node-{}", number + 1)
}

/// Why a node does not work.
#[derive(Debug, Clone, Copy)]
struct Out {
    strike: Strike,
    /// When it comes back; never by itself, if none.
    until: Option<Instant>,
}

/// One node.
struct Node {
    launch: Launch,
    server: Option<Server>,
    out: Option<Out>,
    /// Refused settles of earlier lives, and of this one as far as it was asked.
    late: (u64, u64),
}

/// All of them.
pub(super) struct Cluster<'a> {
    nodes: Vec<Node>,
    feed: &'a Feed,
}

impl<'a> Cluster<'a> {
    pub(super) fn start(drill: &Drill, database: &Database, folder: &Path, feed: &'a Feed) -> Result<Self> {
        let launch = |number: usize| {
            let launch = Launch::new(&drill.program, &folder.join(format!("node-{number}")));
            let launch = database.launch(launch).env("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "true");
            let launch = launch.env("FASTNESS_TASKS__NODE", &name(number - 1));
            let launch = launch.env("FASTNESS_TASKS__LEASE", &format!("{} ms", drill.lease.as_millis()));
            match &drill.mutant {
                Some(mutant) => launch.env("FASTNESS_MUTANT", mutant),
                None => launch,
            }
        };
        let node = |number| Node { launch: launch(number), server: None, out: None, late: (0, 0) };
        let mut cluster = Self { nodes: (1..=drill.nodes).map(node).collect(), feed };
        (0..drill.nodes).try_for_each(|number| cluster.launch(number))?;
        Ok(cluster)
    }

    fn launch(&mut self, number: usize) -> Result<()> {
        let node = &mut self.nodes[number];
        let server = node.launch.start()?;
        self.feed.set(number, Some(server.address));
        (node.server, node.out) = (Some(server), None);
        Ok(())
    }

    /// Nodes that work.
    pub(super) fn healthy(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|number| self.nodes[*number].out.is_none()).collect()
    }

    pub(super) fn all_are_back(&self) -> bool {
        self.healthy().len() == self.nodes.len()
    }

    /// A client of a node that works.
    pub(super) fn client(&self) -> Result<Client> {
        let node = self.healthy().first().copied().context("no node is left")?;
        Ok(self.nodes[node].server.as_ref().context("it runs")?.client())
    }

    /// Strikes a node; it comes back after this time, if there is one.
    pub(super) fn strike(&mut self, number: usize, strike: Strike, back_after: Option<Duration>) -> Result<()> {
        self.ask_late(number);
        let node = &mut self.nodes[number];
        let server = node.server.take().context("it runs")?;
        match strike {
            Strike::Kill => {
                server.kill()?;
                self.feed.set(number, None);
                node.late = (node.late.0 + node.late.1, 0);
            }
            Strike::Pause => {
                send_signal(&[server.pid()], "STOP")?;
                node.server = Some(server);
            }
        }
        node.out = Some(Out { strike, until: back_after.map(|time| Instant::now() + time) });
        Ok(())
    }

    /// Brings those back whose time has come.
    pub(super) fn tick(&mut self) -> Result<()> {
        for number in 0..self.nodes.len() {
            let is_due = |out: Out| out.until.is_some_and(|until| until <= Instant::now());
            if self.nodes[number].out.is_some_and(is_due) {
                self.bring_back(number)?;
            }
        }
        Ok(())
    }

    /// Brings a node back now.
    pub(super) fn bring_back(&mut self, number: usize) -> Result<()> {
        let node = &mut self.nodes[number];
        match node.out.map(|out| out.strike) {
            Some(Strike::Kill) => self.launch(number),
            Some(Strike::Pause) => {
                let server = node.server.as_mut().context("it stands still")?;
                send_signal(&[server.pid()], "CONT")?;
                node.out = None;
                ensure!(server.is_running()?, violation("a node ended by itself"));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Settles of attempts that were overtaken, refused by the nodes so far. A killed node takes some with it.
    pub(super) fn late(&mut self) -> u64 {
        self.healthy().into_iter().for_each(|number| self.ask_late(number));
        self.nodes.iter().map(|node| node.late.0 + node.late.1).sum()
    }

    fn ask_late(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        let address = node.server.as_ref().map(|server| server.address);
        node.late.1 = address.and_then(late_of).unwrap_or(node.late.1);
    }

    /// Ends all in good order.
    pub(super) fn end(&mut self) -> Result<()> {
        for node in &mut self.nodes {
            if let Some(server) = node.server.take() {
                let (status, _) = server.end("TERM")?;
                ensure!(status.success(), violation(format!("a node stopped with {status}")));
            }
        }
        Ok(())
    }

    /// What the nodes logged, the last lines of each.
    pub(super) fn logs(&self) -> String {
        let last = |node: &Node| {
            let log = node.launch.log();
            let lines: Vec<&str> = log.lines().rev().take(15).collect();
            format!("--- {}, the last line first\n{}\n", node.launch.data().display(), lines.join("\n"))
        };
        self.nodes.iter().map(last).collect()
    }
}

impl Drop for Cluster<'_> {
    fn drop(&mut self) {
        // One that stands still would not hear of its end.
        let paused = self.nodes.iter().filter(|node| node.out.is_some());
        paused.filter_map(|node| node.server.as_ref()).for_each(|server| drop(send_signal(&[server.pid()], "CONT")));
    }
}

fn late_of(address: std::net::SocketAddr) -> Option<u64> {
    let metrics = Stream::open(address, "/metrics", "*/*", Duration::from_secs(2)).ok()?;
    let late = |line: String| line.strip_prefix("fastness_task_runs_total{result=\"late\"} ")?.trim().parse().ok();
    Some(metrics.lines().map_while(Result::ok).find_map(late).unwrap_or(0))
}
