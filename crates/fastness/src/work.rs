//! Work that tasks ask the program itself for, outside of any transaction.

use std::sync::Arc;

use base::{BlobPlaces, CallResult, WorkCall};
use host::HostOutbound;
use kernel::{Kernel, blobs};

use crate::backup;
use crate::config::Config;

/// Names everything that tasks may ask for.
pub(crate) fn register(outbound: &HostOutbound, config: &Config, kernel: &Kernel, places: &Arc<dyn BlobPlaces>) {
    for name in [blobs::REMOVE, blobs::LIST, blobs::READ] {
        let (kernel, places) = (kernel.clone(), places.clone());
        outbound.register(name, move |call| told(on_blobs(&kernel, places.as_ref(), &call)));
    }
    let exported = kernel.clone();
    outbound.register(sensors::outbox::WRITE, move |call| sensors::outbox::perform(&exported, &call));
    let laid = kernel.clone();
    outbound.register(exchange::folders::FILES, move |call| exchange::folders::perform(&laid, &call));
    let packed = kernel.clone();
    outbound.register(exchange::packs::PACK, move |call| exchange::packs::perform(&packed, &call));
    let config = config.clone();
    outbound.register(backup::task::WORK, move |_| told(backup::task::perform(&config)));
}

fn on_blobs(kernel: &Kernel, places: &dyn BlobPlaces, call: &WorkCall) -> CallResult {
    let place = kernel.namespace(&call.namespace).map_err(|error| error.to_string());
    let place = place.and_then(|ns| places.place(&ns.place()).map_err(|error| error.to_string()));
    place.map_or_else(CallResult::NotMade, |place| blobs::perform(place.as_ref(), call))
}

fn told(result: CallResult) -> Result<String, String> {
    match result {
        CallResult::Worked(said) => Ok(said),
        CallResult::NotMade(why) | CallResult::Unknown(why) => Err(why),
        CallResult::Http(_) | CallResult::Mailed => Err("not a result of work".into()),
    }
}
