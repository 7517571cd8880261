//! Who looks after workflows, in a program that has them.

use kernel::Kernel;
use workflow::measures::Measures;
use workflow::recovery::Watch;

/// Looks after workflows, and measures them, until it is dropped.
pub(crate) struct Flowing {
    _watch: Watch,
    _measures: Measures,
}

/// Begins, if the program has workflows.
pub(crate) fn start(kernel: &Kernel) -> Option<Flowing> {
    let has_them = kernel.services().iter().any(|service| service.name == workflow::SERVICE.name);
    // Numbers that nobody takes would be lost.
    web::metrics_handle();
    has_them.then(|| Flowing { _watch: Watch::start(kernel), _measures: Measures::start(kernel) })
}
