//! The message broker: reachable, and how much waits there.

use super::Line;
use crate::broker;
use crate::config::Config;

pub(super) fn lines(config: &Config) -> Vec<Line> {
    let asked = broker::amqp(config).map(|amqp| amqp.map(|amqp| amqp.probe(&config.sensors.queue)));
    let why = "signals wait there until it is reached";
    let mend =
        "check sensors.amqp_url and sensors.queue_type, that the broker runs, and the user's rights on the vhost";
    let queue = &config.sensors.queue;
    match asked {
        Ok(None) => vec![],
        Ok(Some(Ok(Some(count)))) => vec![Line::ok(format!("the broker is there, {count} messages wait in {queue}"))],
        Ok(Some(Ok(None))) => vec![Line::ok(format!("the broker is there, {queue} will be made"))],
        Ok(Some(Err(error))) => vec![Line::bad(format!("the broker cannot be used: {error}"), why, mend)],
        Err(error) => vec![Line::bad(format!("the broker cannot be used: {error:#}"), why, mend)],
    }
}
