//! What became of a connection, for people: where it led, and what is in the way.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::iter::successors;

use base::unreached;

use crate::retry::Failure;

pub(crate) fn broken(error: reqwest::Error) -> Failure {
    if error.is_builder() {
        let causes: Vec<String> = chain(&error).map(ToString::to_string).collect();
        return Failure::Invalid(causes.join(": "));
    }
    // Whoever was never connected has sent nothing.
    Failure::Broken { reason: words(&error), sent: !error.is_connect() }
}

fn words(error: &reqwest::Error) -> String {
    let place = error.url().map_or_else(|| "the server".to_owned(), |url| url.origin().ascii_serialization());
    // What went wrong is known best at the very end; all above it says where in the libraries that was.
    let cause = chain(error).last().map(ToString::to_string).unwrap_or_default();
    if error.is_timeout() {
        return unreached(&place, Some(ErrorKind::TimedOut), &cause);
    }
    if error.is_connect() {
        let kind = chain(error).find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
        return unreached(&place, kind, &cause);
    }
    format!("the connection to {place} broke: {cause}")
}

/// The error and what caused it, down to the first cause.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    successors(Some(error), |&error| error.source())
}
