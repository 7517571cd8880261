//! What companies, subsystems and devices are called from now on (EXC-1). Their ids stay: they are in messages, ledgers, statistics and keys.

mod company;
mod device;
mod subsystem;

pub use company::{RENAME_COMPANY, RenameCompany};
pub use device::{RENAME_DEVICE, RenameDevice};
pub use subsystem::{RENAME_SUBSYSTEM, RenameSubsystem};

use base::{OpError, OpResult, Sql};

use crate::codes::NPARTY;
use crate::names::check_label;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&company::SET, &subsystem::SET, &device::NAME, &device::SET];

/// The name that goes, if there is anything to change. `before` is what it is called now, if it is there; `what` says what it is.
fn going(before: Option<&str>, wanted: &str, what: impl FnOnce() -> String) -> OpResult<Option<String>> {
    check_label(wanted)?;
    let before = before.ok_or_else(|| OpError::new(NPARTY, format!("no {}", what())))?;
    Ok((before != wanted).then(|| before.to_owned()))
}

/// An id as a refusal may show it.
fn shown(id: &str) -> String {
    kernel::watch::shown(id, 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exc_1_a_name_changes_once_and_only_to_what_a_name_may_be() {
        let of = |before, wanted: &str| going(before, wanted, || "company `a`".into()).map_err(|error| error.code.name);
        assert_eq!(of(Some("Acme"), "Acme & Sons"), Ok(Some("Acme".into())));
        assert_eq!(of(Some("Acme"), "Acme"), Ok(None));
        assert_eq!(of(Some("Acme"), "acme"), Ok(Some("Acme".into())));
        assert_eq!(of(None, "Acme"), Err("NPARTY"));
        for wrong in ["", "a\nb", &"x".repeat(201)] {
            assert_eq!(of(Some("Acme"), wrong), Err("AEXCHANGE"), "{wrong:?}");
        }
    }
}
