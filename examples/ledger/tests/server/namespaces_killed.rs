//! kill -9 in the middle of a creation and of a removal (KER-2): what was acknowledged goes on at the next start.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use kill::server::Server;
use serde_json::json;

use crate::namespaces::{create, remove, start, tenant, until, until_status};

const PATIENCE: Duration = Duration::from_secs(60);

/// Something that can be seen from outside, after which the server is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// The request was sent, or is about to be.
    Sent,
    /// There is an entry in the folder of namespaces whose name begins like this.
    Folder(&'static str),
    /// There is a store in such a folder.
    Store(&'static str),
    /// The answer is here.
    Answered,
}

fn has(data: &Path, begin: &str, inside: &str) -> bool {
    let Ok(entries) = fs::read_dir(data.join("namespaces")) else { return false };
    let fits = |name: &str| name.starts_with(begin);
    entries.flatten().any(|entry| fits(&entry.file_name().to_string_lossy()) && entry.path().join(inside).exists())
}

fn wait_for(data: &Path, moment: Moment, is_answered: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    let has_come = || match moment {
        Moment::Sent => true,
        Moment::Folder(begin) => has(data, begin, ""),
        Moment::Store(begin) => has(data, begin, "store.db"),
        Moment::Answered => is_answered(),
    };
    while !has_come() {
        assert!(Instant::now() < end, "{moment:?} does not come");
        thread::yield_now();
    }
}

/// Sends a request and kills the server at this moment; says whether it was acknowledged.
fn kill_at(
    server: Server,
    data: &Path,
    moment: Moment,
    ask: impl FnOnce(&mut kill::client::Client) -> u16 + Send,
) -> bool {
    let mut client = server.client();
    thread::scope(|scope| {
        let asking = scope.spawn(move || ask(&mut client));
        wait_for(data, moment, || asking.is_finished());
        server.kill().expect("a running server");
        matches!(asking.join(), Ok(200 | 201))
    })
}

#[test]
fn ker_2_a_creation_killed_at_any_moment_goes_on_at_the_next_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mut server = start(&data);
    let moments =
        [("a", Moment::Sent), ("b", Moment::Folder("b-")), ("c", Moment::Store("c-")), ("d", Moment::Answered)];
    for (name, moment) in moments {
        let new = json!({ "name": name });
        let ask = |client: &mut kill::client::Client| match client.post("/v1/z/namespaces", &new, "") {
            Ok(answer) => answer.status,
            Err(_) => 0,
        };
        let is_acknowledged = kill_at(server, &data, moment, ask);
        server = start(&data);
        let path = format!("/v1/z/namespaces/{name}");
        if is_acknowledged || !matches!(moment, Moment::Sent) {
            until(&mut server.client(), &path, PATIENCE, |answer| answer.body["state"] == "open");
        }
        create(&server, name);
        tenant(&server, name, "app");
        let folders = fs::read_dir(data.join("namespaces")).expect("a folder").flatten();
        let of_name = folders.filter(|entry| entry.file_name().to_string_lossy().starts_with(&format!("{name}-")));
        assert_eq!(of_name.count(), 1, "{name}: no second place was left behind");
    }
    let ready = server.client().get("/readyz").expect("an answer");
    assert!(ready.status == 200 && ready.body.get("degraded").is_none(), "{ready:?}");
}

#[test]
fn ker_2_a_removal_killed_at_any_moment_goes_on_and_never_touches_what_was_created_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mut server = start(&data);
    let moments = [("a", Moment::Sent), ("b", Moment::Answered), ("c", Moment::Folder("removed-c-"))];
    for (name, moment) in moments {
        create(&server, name);
        tenant(&server, name, "app");
        let path = format!("/v1/z/namespaces/{name}");
        let ask = |client: &mut kill::client::Client| client.delete(&path).map_or(0, |answer| answer.status);
        let is_acknowledged = kill_at(server, &data, moment, ask);
        server = start(&data);
        if !is_acknowledged {
            remove(&server, name);
        }
        until_status(&mut server.client(), &path, 404);
        assert!(has(&data, &format!("removed-{name}-"), "store.db"), "{name}: kept aside");
        create(&server, name);
        let (mut tenant_of, _) = tenant(&server, name, "admin");
        server.kill().expect("a running server");
        server = start(&data);
        tenant_of = kill::client::Client::new(server.address, tenant_of.key());
        let keys = until_status(&mut tenant_of, &format!("/v1/{name}/keys"), 200);
        assert_eq!(keys.body["items"].as_array().map(Vec::len), Some(1), "{name}: the new life stays, alone");
    }
}
