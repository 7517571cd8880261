//! The nodes: each a real server with a link of its own to PostgreSQL.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::balancer::Balancer;
use super::round::Plan;
use super::strike::Strike;
use crate::check::violation;
use crate::postgres::Database;
use crate::proxy::Proxy;
use crate::server::{Launch, Server, send_signal};
use crate::storage::Storage;

/// A node that is told to end has ended within this time: it drains for ten seconds at most.
const STOP_MAX: Duration = Duration::from_secs(20);
/// Where nobody listens.
const NOWHERE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 1);

struct Node {
    launch: Launch,
    link: Proxy,
    server: Option<Server>,
}

/// All of them.
pub(super) struct Cluster<'a> {
    nodes: Vec<Node>,
    balancer: &'a Balancer,
    store: SocketAddr,
}

impl<'a> Cluster<'a> {
    pub(super) fn start(
        plan: &Plan,
        (database, storage): (&Database, &Storage),
        folder: &Path,
        balancer: &'a Balancer,
    ) -> Result<Self> {
        let store = database.address()?;
        let node = |number: usize| {
            let link = Proxy::start(store)?;
            let name = format!("node-{}", number + 1);
            let launch = Launch::new(&plan.program, &folder.join(&name));
            let launch = database.through(link.address())?.launch(launch).env("FASTNESS_TASKS__NODE", &name);
            let launch = launch.env("FASTNESS_TASKS__LEASE", &format!("{} ms", plan.lease.as_millis()));
            let launch = storage.launch(launch).env("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "true");
            // Longer than a node is out: what it began is not given up because of it.
            let launch =
                launch.env("FASTNESS_EXCHANGE__PREPARE_WITHIN", "5s").env("FASTNESS_EXCHANGE__COMMIT_WITHIN", "5s");
            anyhow::Ok(Node { launch, link, server: None })
        };
        let nodes: Result<Vec<Node>> = (0..plan.nodes).map(node).collect();
        let mut cluster = Self { nodes: nodes?, balancer, store };
        (0..plan.nodes).try_for_each(|number| cluster.launch(number))?;
        Ok(cluster)
    }

    pub(super) fn count(&self) -> usize {
        self.nodes.len()
    }

    fn launch(&mut self, number: usize) -> Result<()> {
        let server = self.nodes[number].launch.start().map_err(|error| violation(format!("{error:#}")))?;
        self.balancer.set(number, Some(server.address));
        self.nodes[number].server = Some(server);
        Ok(())
    }

    /// Strikes one node.
    pub(super) fn strike(&mut self, number: usize, strike: Strike) -> Result<()> {
        let node = &mut self.nodes[number];
        match strike {
            Strike::Kill => node.server.take().context("it runs")?.kill(),
            Strike::Pause => send_signal(&[node.pid()?], "STOP"),
            Strike::Cut => {
                node.link.point_to(NOWHERE);
                ensure!(node.link.cut_all() > 0, "there was nothing to cut");
                Ok(())
            }
            Strike::Silence => {
                node.link.hold();
                Ok(())
            }
            Strike::Restart | Strike::Upgrade => self.stop(number),
        }
    }

    /// Undoes it.
    pub(super) fn heal(&mut self, number: usize, strike: Strike) -> Result<()> {
        let node = &mut self.nodes[number];
        match strike {
            Strike::Kill | Strike::Restart => return self.launch(number),
            Strike::Upgrade => {
                node.launch =
                    node.launch.clone().env("FASTNESS_STORE__WORKERS", "6").env("FASTNESS_STORE__READERS", "6");
                return self.launch(number);
            }
            Strike::Pause => send_signal(&[node.pid()?], "CONT")?,
            Strike::Cut => node.link.point_to(self.store),
            Strike::Silence => node.link.let_go(),
        }
        let server = node.server.as_mut().context("it runs")?;
        ensure!(server.is_running()?, violation("a node ended by itself"));
        Ok(())
    }

    fn stop(&mut self, number: usize) -> Result<()> {
        let server = self.nodes[number].server.take().context("it runs")?;
        let (status, took) = server.end("TERM")?;
        self.balancer.set(number, None);
        ensure!(status.success(), violation(format!("node {} stopped with {status}", number + 1)));
        ensure!(took < STOP_MAX, violation(format!("node {} stopped after {took:?}", number + 1)));
        Ok(())
    }

    /// Ends all in good order.
    pub(super) fn end(&mut self) -> Result<()> {
        (0..self.nodes.len()).try_for_each(|number| self.stop(number))
    }

    /// `fastness check` as the first node would run it: what it found.
    pub(super) fn check(&self) -> Result<String> {
        let node = self.nodes.first().context("a node")?;
        let output = node.launch.other_command(&["check"]).output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), violation(format!("fastness check: {text}")));
        Ok(text)
    }

    /// What the nodes logged, the last lines of each.
    pub(super) fn logs(&self) -> String {
        let last = |node: &Node| {
            let log = node.launch.log();
            let lines: Vec<&str> = log.lines().rev().take(25).collect();
            format!("--- {}, the last line first\n{}\n", node.launch.data().display(), lines.join("\n"))
        };
        self.nodes.iter().map(last).collect()
    }
}

impl Node {
    fn pid(&self) -> Result<u32> {
        Ok(self.server.as_ref().context("it runs")?.pid())
    }
}

impl Drop for Cluster<'_> {
    fn drop(&mut self) {
        // One that stands still would not hear of its end.
        let running = self.nodes.iter().filter_map(|node| node.pid().ok());
        running.for_each(|pid| drop(send_signal(&[pid], "CONT")));
    }
}
