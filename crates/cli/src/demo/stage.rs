//! Where a demo happens: a temporary namespace and a folder of this machine, both of its own. Removing them removes all that it made.

use std::path::PathBuf;
use std::time::Duration;

use client::Request;
use folder_agent::run::device_name;
use serde_json::{Value, json};

use super::machine::{self, Lock};
use super::narrator::Narrator;
use super::{Plot, entry};
use crate::failure::{Done, Failure};
use crate::flags::NAMESPACE;
use crate::local;
use crate::page::items_of;
use crate::session::Session;

/// How the labels of demos' namespaces begin; the console looks for it too.
const LABEL: &str = "Fastness demo";
/// How their names begin.
pub(super) const PREFIX: &str = "demo";
/// In the label of one that was left on purpose.
const KEPT: &str = "kept";
/// What a key must be good for.
const NEEDS: &str = "a demo makes a namespace of its own, which needs a key of the server's administrator";
/// Between two looks, and how many of them.
const LOOK: Duration = Duration::from_millis(50);
const LOOKS: u32 = 1_200;

/// A demo's place.
pub(super) struct Stage {
    admin: Session,
    /// In its namespace, by the administrator's right.
    pub(super) session: Session,
    /// For files; empty at first.
    pub(super) folder: PathBuf,
    plot: Plot,
    lock: Lock,
}

impl Stage {
    /// Makes both, after removing what an earlier run left that was killed.
    pub(super) async fn open(session: &Session, plot: Plot) -> Result<Self, Failure> {
        let name = name_for(&session.namespace, session.common().reach.is_namespace_typed, plot)?;
        let admin = session.administration()?;
        let lock = machine::lock(session.server(), &name)?;
        if let Some(left) = found(&admin, &name).await? {
            check_left(&left, &name)?;
            remove(&admin, &name).await?;
        }
        let label = format!("{LABEL}: {} on {}", plot.word(), device_name());
        let body = json!({ "name": name, "label": label, "temporary": true });
        admin.step(Request::new("POST", &["namespaces"]).json(&body)).await.map_err(not_administrator)?;
        until("the namespace to open", async || {
            Ok(found(&admin, &name).await?.is_some_and(|it| it["state"] == "open"))
        })
        .await?;
        let folder = lock.fresh_folder()?;
        let session = session.elsewhere(session.server(), &name, session.access_key()?)?;
        Ok(Self { admin, session, folder, plot, lock })
    }

    /// Removes both, or says how.
    pub(super) async fn close(self, keep: bool, narrator: &Narrator) -> Done {
        let (name, program) = (&self.session.namespace, entry::program());
        if keep {
            let label = format!("{LABEL}: {} {KEPT} on {}", self.plot.word(), device_name());
            let change = Request::new("PATCH", &["namespaces", name]).json(&json!({ "label": label }));
            self.admin.step(change).await?;
            let words = format!(
                "Kept: {}/ and {}; `{program} demo clean` removes it.",
                narrator.console(),
                self.folder.display()
            );
            return narrator.farewell(false, &words);
        }
        remove(&self.admin, name).await?;
        self.lock.clear()?;
        narrator.farewell(true, &format!("Namespace {name} is removed, with all that the demo made."))
    }
}

/// Removes all demos' namespaces and folders that nobody uses now.
pub(super) async fn clean(session: &Session) -> Done {
    let admin = session.administration()?;
    let (mut removed, mut running) = (vec![], vec![]);
    let rows = admin.get(Request::get(&["namespaces"])).await.map_err(not_administrator)?;
    for row in items_of(&rows)?.iter().filter(|row| is_demo(row)) {
        let name = row["name"].as_str().unwrap_or_default();
        match machine::lock(session.server(), name) {
            Ok(lock) => {
                remove(&admin, name).await?;
                lock.clear()?;
                removed.push(name);
            }
            Err(_) => running.push(name),
        }
    }
    // Of those whose namespace somebody else removed.
    let folders = machine::left_behind(session.server(), |name| !running.contains(&name))?;
    let told = json!({ "removed": removed, "running": running, "folders": folders });
    let parts = [
        ("removed: ", removed.join(", ")),
        ("folders removed, whose namespaces were gone: ", folders.join(", ")),
        ("still running, and left alone: ", running.join(", ")),
    ];
    let parts = parts.iter().filter(|(_, names)| !names.is_empty()).map(|(what, names)| format!("{what}{names}"));
    let words = parts.collect::<Vec<_>>().join("; ");
    session.out.done(&told, if words.is_empty() { "nothing was left" } else { &words }, None)
}

/// `demoexchange`, or another name that begins so.
fn name_for(wanted: &str, is_typed: bool, plot: Plot) -> Result<String, Failure> {
    match wanted {
        NAMESPACE if !is_typed => Ok(format!("{PREFIX}{}", plot.word())),
        own if own.starts_with(PREFIX) => Ok(own.to_owned()),
        other => Err(Failure::usage(format!("a demo never runs in `{other}`: it makes a namespace of its own")).hint(
            "leave --namespace and FASTNESS_NAMESPACE out, or name one that begins with `demo`: --namespace demo2",
        )),
    }
}

fn is_demo(row: &Value) -> bool {
    row["temporary"] == true && row["label"].as_str().is_some_and(|label| label.starts_with(LABEL))
}

/// What is there already may be somebody's, or of a demo that still runs elsewhere.
fn check_left(left: &Value, name: &str) -> Done {
    let label = left["label"].as_str().unwrap_or_default();
    if !is_demo(left) {
        return Err(Failure::usage(format!("there is a namespace `{name}` that no demo made; it is left alone"))
            .hint("name another one for the demo: --namespace demo2"));
    }
    if label.contains(KEPT) {
        return Err(Failure::usage(format!("namespace `{name}` was kept by an earlier demo"))
            .hint(format!("`{} demo clean` removes it", entry::program())));
    }
    if !label.ends_with(&format!(" on {}", device_name())) {
        return Err(Failure::usage(format!("a demo may be running in `{name}` ({label})"))
            .hint(format!("`{} demo clean` removes it, if it is over", entry::program())));
    }
    Ok(())
}

async fn found(admin: &Session, name: &str) -> Result<Option<Value>, Failure> {
    let rows = admin.get(Request::get(&["namespaces"])).await.map_err(not_administrator)?;
    Ok(items_of(&rows)?.iter().find(|row| row["name"] == name).cloned())
}

async fn remove(admin: &Session, name: &str) -> Done {
    admin.step(Request::new("DELETE", &["namespaces", name]).also(404)).await?;
    until("the namespace to be gone", async || Ok(found(admin, name).await?.is_none())).await
}

/// Looks until something is so, for a bounded time.
pub(super) async fn until(what: &str, mut holds: impl AsyncFnMut() -> Result<bool, Failure>) -> Done {
    for _ in 0..LOOKS {
        if holds().await? {
            return Ok(());
        }
        local::pause(LOOK).await;
    }
    Err(Failure::here(format!("waited for {what}, and it did not come")))
}

fn not_administrator(failure: Failure) -> Failure {
    match failure.code.as_deref() {
        Some("SKEY") => {
            let which = failure.hinted().map(|which| format!("; {which}")).unwrap_or_default();
            failure.hint(format!("{NEEDS}{which}"))
        }
        Some("SROLE" | "NNAMESPACE" | "NROUTE") => failure.hint(format!("{NEEDS}: `{} login`", entry::program())),
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_12_a_demo_never_takes_a_namespace_that_is_not_its_own() {
        assert_eq!(name_for("main", false, Plot::Exchange).unwrap(), "demoexchange");
        assert_eq!(name_for("demo2", true, Plot::Exchange).unwrap(), "demo2");
        assert!(name_for("shop", true, Plot::Exchange).is_err());
        assert!(name_for("main", true, Plot::Exchange).is_err(), "whoever names it means it");
        let row = |temporary: bool, label: &str| json!({ "name": "demo2", "temporary": temporary, "label": label });
        let here = format!("{LABEL}: exchange on {}", device_name());
        assert!(check_left(&row(true, &here), "demo2").is_ok(), "an earlier run that was killed here");
        for (temporary, label) in
            [(false, here.as_str()), (true, "mine"), (true, "Fastness demo: exchange on elsewhere")]
        {
            assert!(check_left(&row(temporary, label), "demo2").is_err(), "{label}");
        }
        assert!(check_left(&row(true, &format!("{LABEL}: exchange {KEPT} on {}", device_name())), "demo2").is_err());
    }
}
