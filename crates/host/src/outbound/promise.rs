//! The promise to tell what came of a call, kept exactly once.

use std::panic::{AssertUnwindSafe, catch_unwind};

use base::CallResult;

type Done = Box<dyn FnOnce(CallResult) + Send>;

/// Holds `done` until it is told. Dropped untold, it says that the call was not made, or, once begun, that nobody knows.
pub(super) struct Promise {
    done: Option<Done>,
    begun: bool,
}

impl Promise {
    pub(super) fn new(done: Done) -> Self {
        Self { done: Some(done), begun: false }
    }

    /// From now on the call may have been made.
    pub(super) fn begin(&mut self) {
        self.begun = true;
    }

    pub(super) fn keep(mut self, result: CallResult) {
        self.tell(result);
    }

    fn tell(&mut self, result: CallResult) {
        let Some(done) = self.done.take() else { return };
        if catch_unwind(AssertUnwindSafe(|| done(result))).is_err() {
            // The text is the panic hook's to print; this says what became of it.
            tracing::error!("the end of a call to the outside panicked; other calls go on");
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        let lost = if self.begun {
            CallResult::Unknown("the call was cut off: the server stopped, or the call panicked".into())
        } else {
            CallResult::NotMade("the server had stopped before the call began".into())
        };
        self.tell(lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, channel};

    fn promise() -> (Promise, Receiver<CallResult>) {
        let (tell, told) = channel();
        (Promise::new(Box::new(move |result| tell.send(result).unwrap())), told)
    }

    #[test]
    fn ker_14_a_kept_promise_is_told_once() {
        let (promise, told) = promise();
        promise.keep(CallResult::Mailed);
        assert_eq!(told.iter().collect::<Vec<_>>(), [CallResult::Mailed]);
    }

    #[test]
    fn ker_14_a_lost_promise_is_unknown_once_begun_and_not_made_before() {
        let (unbegun, told) = promise();
        drop(unbegun);
        assert!(matches!(told.recv().unwrap(), CallResult::NotMade(_)));
        let (mut begun, told) = promise();
        begun.begin();
        drop(begun);
        assert!(matches!(told.iter().collect::<Vec<_>>()[..], [CallResult::Unknown(_)]));
    }

    #[test]
    fn ker_14_a_panic_is_unknown_and_one_in_the_end_itself_stays_there() {
        let (mut promise, told) = promise();
        let panicked = catch_unwind(AssertUnwindSafe(move || {
            promise.begin();
            panic!("of a call, on purpose");
        }));
        assert!(panicked.is_err() && matches!(told.recv().unwrap(), CallResult::Unknown(_)));
        Promise::new(Box::new(|_| panic!("of an end, on purpose"))).keep(CallResult::Mailed);
    }
}
