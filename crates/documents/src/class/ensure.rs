//! Classes that a program brings along are there before anybody asks for their documents.
//!
//! An operation declares the classes that it works with when it meets them; a read cannot. So the first request of a namespace
//! in a process declares all of them.

use std::sync::atomic::{AtomicBool, Ordering};

use base::OpResult;
use kernel::Op;
use web::{Api, ApiError};

use super::declare::{LIST_CLASSES, keys};
use super::load::load;
use super::offered::DocClass;

/// Declares all that the program brings along and that is not there in its newest revision.
static DECLARE_OFFERED: Op<(), ()> = Op::new("doc.declare_offered", |tx, cx, ()| {
    let mut offered = cx.home.offered::<DocClass>();
    offered.try_for_each(|class| load(tx, cx, class.name).map(drop)) as OpResult<()>
})
.keyed(|()| keys());

/// Whether nothing is left to be declared.
#[derive(Default)]
struct Ensured(AtomicBool);

/// Declares what the program brings along, once per namespace and process.
///
/// That it fails is nobody's error yet: the namespace may be read-only, or the class not be needed by this request. What needs it is
/// told so itself; the next request tries again, unless the declaration was refused for what it says.
pub(crate) async fn ensure_offered(api: &Api) {
    let ensured = api.namespace().home.memory::<Ensured>();
    if ensured.0.load(Ordering::Relaxed) {
        return;
    }
    let done = are_declared(api).await || is_settled(api.call_natural(&DECLARE_OFFERED, ()).await.map(drop));
    ensured.0.store(done, Ordering::Relaxed);
}

async fn are_declared(api: &Api) -> bool {
    let mut offered = api.namespace().home.offered::<DocClass>().peekable();
    if offered.peek().is_none() {
        return true;
    }
    let Ok(known) = api.read(&LIST_CLASSES, ()).await else { return false };
    let newest = |class: &DocClass| {
        known.out.iter().any(|known| known.decl.class == class.name && known.decl.revision >= class.revision)
    };
    offered.all(newest)
}

fn is_settled(declared: Result<(), ApiError>) -> bool {
    declared.map_or_else(|ApiError(error)| error.code.letter() == 'A', |()| true)
}
