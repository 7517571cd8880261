//! Servers that we use beside the store, as far as they are configured: reachable, and letting us in.

use std::sync::mpsc;
use std::time::Duration;

use base::{Redis, RedisReply};
use host::RedisServer;
use sensors::history::ClickHouse;

use super::Line;
use crate::config::{BlobPlace, Config};
use crate::{blobs, outbound};

/// Longest wait for an answer; each has a shorter one of its own.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn lines(config: &Config) -> Vec<Line> {
    [storage(config), redis(config), clickhouse(config), mail(config)].into_iter().flatten().collect()
}

/// What was found, in one shape.
fn told(name: &str, asked: Result<(), String>, why: &'static str, mend: &str) -> Line {
    match asked {
        Ok(()) => Line::ok(format!("{name} is there and lets us in")),
        Err(reason) => Line::bad(format!("{name} cannot be used: {reason}"), why, mend),
    }
}

fn storage(config: &Config) -> Option<Line> {
    (config.blobs.place == BlobPlace::S3).then(|| {
        let asked = blobs::open(config).map_err(|error| format!("{error:#}")).and_then(|places| {
            let place = places.place(&config.namespaces.admin).map_err(|error| error.to_string())?;
            place.list(None, 1).map(drop).map_err(|error| error.to_string())
        });
        let mend = "check blobs.url, blobs.bucket (it must exist), blobs.access_key and blobs.secret_key";
        told("the storage of blobs (S3)", asked, "attachments and files can be neither taken nor given", mend)
    })
}

fn redis(config: &Config) -> Option<Line> {
    let url = config.sensors.redis_url.as_ref()?;
    let asked = RedisServer::new(url.expose()).map_err(|error| error.to_string()).and_then(|redis| {
        let (tell, answers) = mpsc::channel();
        redis.ask(vec![vec![b"PING".to_vec()]], Box::new(move |answer| drop(tell.send(answer))));
        let answer = answers.recv_timeout(PATIENCE).map_err(|_| "no answer in time".to_owned())??;
        match answer.into_iter().next() {
            Some(RedisReply::Refused(reason)) => Err(reason),
            _ => Ok(()),
        }
    });
    let why = "signs of life wait in memory, and after a crash sensors are listened to anew";
    Some(told("Redis", asked, why, "check sensors.redis_url: address, user and password"))
}

fn clickhouse(config: &Config) -> Option<Line> {
    let url = config.sensors.clickhouse_url.as_ref()?;
    let asked = outbound::to_own_servers(config).map_err(|error| format!("{error:#}")).and_then(|calls| {
        let server = ClickHouse::new(url.expose(), calls.clone()).map_err(|error| error.to_string())?;
        let (tell, answers) = mpsc::channel();
        server.probe(Box::new(move |answer| drop(tell.send(answer))));
        let answer = answers.recv_timeout(PATIENCE).map_err(|_| "no answer in time".to_owned());
        calls.close();
        answer?.map_err(|error| error.0)
    });
    let mend = "check sensors.clickhouse_url: address, user, password and database";
    Some(told("ClickHouse", asked, "history waits in the store, which grows meanwhile", mend))
}

fn mail(config: &Config) -> Option<Line> {
    config.mail.url.as_ref()?;
    let asked = outbound::outbound(config).map_err(|error| format!("{error:#}")).and_then(|calls| {
        let answer = calls.probe_mail().unwrap_or_else(|| Err("none is configured".to_owned()));
        calls.close();
        answer
    });
    let mend = "check mail.url: address, TLS, user and password";
    Some(told("the mail server", asked, "nobody is told of alerts by mail", mend))
}
