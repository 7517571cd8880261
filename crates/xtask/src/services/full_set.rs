//! Parts that one test starts, kills and starts again, all of them: a Redis, a ClickHouse and a RabbitMQ cluster of three nodes.
//!
//! Laid out here and started by that test alone: nobody else waits for them or has them beside him. Each part has a folder with its
//! control file and a file `url`.

use super::{Env, Instance, Service, clickhouse, port, rabbitmq, redis, write_control};
use crate::Result;
use crate::guard::Guard;
use std::path::Path;

pub(super) struct FullSet;

/// As many as a quorum queue needs to do without one.
const NODES: [&str; 3] = ["one@localhost", "two@localhost", "three@localhost"];

impl Service for FullSet {
    fn name(&self) -> &'static str {
        "full_set"
    }

    /// Other services bring all that it needs.
    fn package(&self) -> &'static str {
        ""
    }

    fn installed(&self) -> bool {
        true
    }

    fn start(&self, folder: &Path, _guard: &mut Guard) -> Result<Instance> {
        let (redis_port, _) = redis::lay(&part(folder, "redis")?)?;
        tell(folder, "redis", &format!("redis://127.0.0.1:{redis_port}"))?;
        let (clickhouse_port, _) = clickhouse::lay(&part(folder, "clickhouse")?)?;
        tell(folder, "clickhouse", &format!("http://127.0.0.1:{clickhouse_port}"))?;
        lay_cluster(folder)?;
        let own = folder.display().to_string();
        let control = write_control(folder, &[("FOLDER", &own)], include_str!("full_set.sh"))?;
        Ok(Instance { pid: std::process::id(), port: redis_port, control })
    }

    fn env(&self, instance: &Instance) -> Env {
        let folder = instance.control.parent().unwrap_or(&instance.control);
        vec![("FASTNESS_TEST_FULL_SET".into(), folder.display().to_string())]
    }
}

fn lay_cluster(folder: &Path) -> Result<()> {
    let (mapper, settings) = ((port::free()?, folder), cluster_settings());
    for (number, name) in NODES.iter().enumerate() {
        let own = format!("rabbitmq-{}", number + 1);
        let node = rabbitmq::Node { name, mapper, cookie: Some("FULLSETOFTESTS"), settings: &settings };
        let (port, _) = rabbitmq::lay(&part(folder, &own)?, &node)?;
        tell(folder, &own, &format!("amqp://guest:guest@127.0.0.1:{port}/%2f"))?;
    }
    Ok(())
}

/// They find each other by themselves, and a part of them that is cut off stops.
fn cluster_settings() -> String {
    let nodes: String = (1..)
        .zip(NODES)
        .map(|(number, name)| format!("cluster_formation.classic_config.nodes.{number} = {name}\n"))
        .collect();
    format!(
        "cluster_formation.peer_discovery_backend = classic_config\n{nodes}cluster_partition_handling = pause_minority\n"
    )
}

fn part(folder: &Path, name: &str) -> Result<std::path::PathBuf> {
    let own = folder.join(name);
    std::fs::create_dir(&own).map_err(|error| format!("{} cannot be made: {error}", own.display()))?;
    Ok(own)
}

/// Where a part answers once it is started.
fn tell(folder: &Path, name: &str, url: &str) -> Result<()> {
    let path = folder.join(name).join("url");
    std::fs::write(&path, url).map_err(|error| format!("{} cannot be written: {error}", path.display()))
}
