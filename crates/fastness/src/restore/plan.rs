//! Which schema steps make the tables of a backup: those that it recorded, as this program knows them.

use anyhow::{Result, bail};
use base::Migration;
use base::archive::SchemaStep;

use crate::backup::Manifest;

/// For each namespace its steps, in the order in which this program applies them.
pub(super) fn of_all(services: &[web::Service], manifest: &Manifest) -> Result<Vec<Vec<Migration>>> {
    let known = known(services);
    manifest.namespaces.iter().map(|namespace| of_steps(&known, &namespace.steps)).collect()
}

/// All steps of this program.
pub(crate) fn known(services: &[web::Service]) -> Vec<Migration> {
    let all = kernel::OWN.into_iter().chain(services.iter().map(|service| service.def));
    all.flat_map(|service| service.migrations.iter().copied()).collect()
}

/// Those of a record of steps, in the order in which this program applies them.
pub(crate) fn of_steps(known: &[Migration], steps: &[SchemaStep]) -> Result<Vec<Migration>> {
    for step in steps {
        let same = |known: &&Migration| known.service == step.service && known.version == step.version;
        match known.iter().find(same) {
            Some(known) if known.digest() == step.digest => {}
            Some(_) => {
                bail!("schema step {} {} differs from the one that this program has", step.service, step.version)
            }
            // A service that this program does not have: its tables cannot be made, its rows would be lost.
            None => bail!(
                "schema step {} {} is not known to this program: use the program that wrote it, or a newer one",
                step.service,
                step.version
            ),
        }
    }
    let recorded =
        |known: &&Migration| steps.iter().any(|step| step.service == known.service && step.version == known.version);
    Ok(known.iter().filter(recorded).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [Migration; 2] =
        [Migration { service: "a", version: 1, text: "one" }, Migration { service: "a", version: 2, text: "two" }];

    fn of(steps: &[(&str, u32, i64)]) -> Result<Vec<u32>> {
        let step = |(service, version, digest): &(&str, u32, i64)| SchemaStep {
            service: (*service).to_owned(),
            version: *version,
            digest: *digest,
        };
        let steps: Vec<SchemaStep> = steps.iter().map(step).collect();
        of_steps(&KNOWN, &steps).map(|plan| plan.iter().map(|step| step.version).collect())
    }

    #[test]
    fn ker_39_an_older_schema_is_made_as_it_was_and_a_newer_one_is_refused() {
        assert_eq!(of(&[("a", 1, KNOWN[0].digest())]).unwrap(), [1]);
        assert!(of(&[("a", 3, 0)]).unwrap_err().to_string().contains("not known to this program"));
        assert!(of(&[("b", 1, 0)]).unwrap_err().to_string().contains("b 1 is not known"));
        assert!(of(&[("a", 1, 0)]).unwrap_err().to_string().contains("differs"));
    }
}
