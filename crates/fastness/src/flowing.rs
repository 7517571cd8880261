//! Who looks after workflows, in a program that has them.

use kernel::Kernel;
use workflow::recovery::Watch;

/// Begins, if the program has workflows.
pub(crate) fn start(kernel: &Kernel) -> Option<Watch> {
    let has_them = kernel.services().iter().any(|service| service.name == workflow::SERVICE.name);
    has_them.then(|| Watch::start(kernel))
}
