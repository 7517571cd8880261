//! The full set for real: two servers as `examples/config/full.toml` has them, over PostgreSQL, a RabbitMQ cluster of three nodes with
//! quorum queues, Redis, ClickHouse and S3. Every service works while each part in turn is killed and started again; in the end all that
//! was acknowledged is there, once, and nobody had to help.
//!
//! PostgreSQL is the one of `cargo xtask services` that is stopped, hence the name of the test: those who stop it take turns.
#![expect(clippy::unwrap_used, reason = "tests end by panicking")]
#![expect(clippy::disallowed_methods, reason = "processes of the real world are started, looked into and waited for")]

mod caller;
mod checks;
mod clickhouse;
mod example;
mod faults;
mod load;
mod packs;
mod parts;
mod postgres;
mod queues;
mod site;
mod storage;

use site::Site;

#[test]
fn sen_12_exc_8_ker_23_ker_26_full_set_postgres_faults_each_part_is_killed_under_load_and_nothing_is_lost_or_done_twice()
 {
    let site = Site::start();
    let done = load::during(&site, |load| faults::strike_each(&site, load));
    checks::check(&site, &done);
    site.end();
}
