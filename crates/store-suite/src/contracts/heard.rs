//! Listening time (KER-5).

use std::sync::mpsc::channel;

use base::{Heard, Outcome, Store, Verdict};

use crate::fixture::Fixture;
use crate::tables::{insert, prepared};
use crate::work::{look, work};

/// Leases and timeouts are stored as listening time; if it went back, over jobs or over a restart, an expired lease would
/// be good again and two would hold it (KER-24).
pub fn ker_5_heard_never_goes_back(fixture: &dyn Fixture) {
    let mut last = Heard(i64::MIN);
    for life in 0..3 {
        let store = prepared(fixture);
        for id in 0..20 {
            let heard = heard_by(store.as_ref(), life * 100 + id);
            assert!(heard >= last, "{heard:?} after {last:?}, job {id} of life {life}");
            last = heard;
            let read = look(store.as_ref(), |tx| Ok(tx.heard()));
            assert!(read >= last, "a read hears {read:?} after a job that heard {last:?}");
        }
        store.close();
    }
}

/// What a committed job heard; it must hear the same at its end as at its beginning.
fn heard_by(store: &dyn Store, id: i64) -> Heard {
    let (tell, told) = channel();
    let job = work("hearing", move |tx| {
        let first = tx.heard();
        insert(tx, id)?;
        assert_eq!(tx.heard(), first, "one transaction, one time");
        // The contract may have failed meanwhile and no longer listen.
        let _ = tell.send(first);
        Ok(Verdict::Keep)
    });
    assert_eq!(job.outcome(store), Outcome::Committed);
    told.try_iter().last().expect("the job ran")
}
