//! Every invariant of every service, in one snapshot.

use std::panic::{AssertUnwindSafe, catch_unwind};

use base::{StoreResult, Tx};
use kernel::{Invariant, ServiceDef, Violation};

use super::{RESTORE, Report};

/// An invariant that does not hold, with the places; or why it could not be looked at.
pub(super) type Broken = (&'static str, Result<Vec<Violation>, String>);

fn definitions(services: &[web::Service]) -> impl Iterator<Item = &'static ServiceDef> {
    kernel::OWN.into_iter().chain(services.iter().map(|service| service.def))
}

/// Those that do not hold.
pub(super) fn broken(tx: &mut dyn Tx, services: &[web::Service]) -> Vec<Broken> {
    let all = definitions(services).flat_map(|service| service.invariants);
    all.filter_map(|invariant| look(tx, invariant)).collect()
}

/// A row of an odd shape panics in the service's own code: that is a finding, not the end of the check.
fn look(tx: &mut dyn Tx, invariant: &'static Invariant) -> Option<Broken> {
    let found = match catch_unwind(AssertUnwindSafe(|| (invariant.check)(tx))) {
        Ok(Ok(violations)) if violations.is_empty() => return None,
        Ok(Ok(violations)) => Ok(violations),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("a row has a shape that it cannot have".to_owned()),
    };
    Some((invariant.name, found))
}

/// Takes what was found into the report.
pub(super) fn tell(report: &mut Report, place: &str, broken: StoreResult<Vec<Broken>>, services: &[web::Service]) {
    let count = definitions(services).map(|service| service.invariants.len()).sum::<usize>();
    let broken = match broken {
        Ok(broken) => broken,
        Err(error) => return report.find(place, format!("its invariants cannot be checked: {error}"), RESTORE),
    };
    report.checked.push(format!("{place}: its invariants ({count})"));
    for (name, found) in broken {
        let what = match found {
            Ok(violations) => format!("not true: {name}: {}", first(&violations)),
            Err(error) => format!("cannot be checked: {name}: {error}"),
        };
        report.find(place, what, "keep this data, report it as a bug, and compare with the last backup");
    }
}

fn first(violations: &[Violation]) -> String {
    let shown: Vec<&str> = violations.iter().take(3).map(|violation| violation.0.as_str()).collect();
    let more = violations.len().saturating_sub(shown.len());
    if more == 0 { shown.join("; ") } else { format!("{}; and {more} more", shown.join("; ")) }
}
