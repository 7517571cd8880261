//! The server's loop around the courier: claim in an operation, call outside of it, settle in an operation.
//!
//! Wake-ups may be lost, doubled or late: the loop also looks by itself, so that costs time only.

use std::sync::{Arc, Mutex, PoisonError};

use base::{Call, CallResult, HttpCall, Outbound};
use kernel::Caller;

use crate::courier::{CLAIM_ONE, Claim, SETTLE, Settle};
use crate::partner::{Fate, ONCE};
use crate::sim::{Event, Sim};

/// How often the loop looks by itself.
const LOOK_US: u64 = 3_000_000;
/// Time for one call: longer than a claim holds, so that an earlier attempt may end after a later one.
const TIMEOUT_MS: u64 = 60_000;

/// Claims that were won and not yet called for.
#[derive(Clone, Default)]
pub struct Claims(Arc<Mutex<Vec<Claim>>>);

impl Sim {
    /// The loop's own look, and the next one.
    pub fn deliver(&mut self) {
        self.look_for_parcel();
        let life = self.life();
        let late = if self.rng.once_in(self.faults.wake) { 5 } else { 1 };
        self.after(LOOK_US * late, Event::Deliver(life));
    }

    /// Looks for a parcel that is due.
    pub fn look_for_parcel(&mut self) {
        let claims = self.outside().map(|(_, claims)| claims.clone()).unwrap_or_default();
        if let Some((kernel, main)) = self.kernel() {
            let won = Box::new(move |reply: base::OpResult<kernel::Reply<Option<Claim>>>| {
                let claim = reply.ok().and_then(|reply| reply.out);
                claims.0.lock().unwrap_or_else(PoisonError::into_inner).extend(claim);
            });
            kernel.call(main, &CLAIM_ONE, kernel.request(Caller::server("courier")), (), won);
        }
    }

    /// There may be more: a wake-up, which may be lost, doubled or late without harm.
    fn wake(&mut self) {
        let troubled = self.rng.once_in(self.faults.wake);
        let (copies, late_us) = if troubled { (self.rng.below(3), self.rng.below(2_000_000)) } else { (1, 0) };
        for _ in 0..copies {
            self.after(1_000 + late_us, Event::Wake(self.life()));
        }
    }

    /// After every event: claims that were won become calls, and calls get their fate.
    pub fn collect_calls(&mut self) {
        let Some((outbound, claims)) = self.outside() else { return };
        let won = std::mem::take(&mut *claims.0.lock().unwrap_or_else(PoisonError::into_inner));
        for claim in won {
            outbound.perform(Call::Http(call(&claim)), Box::new(|_| {}));
            let calls = outbound.take();
            for (call, _) in calls {
                if let Call::Http(call) = call {
                    self.send(&claim, &call);
                }
            }
            self.wake();
        }
    }

    fn send(&mut self, claim: &Claim, call: &HttpCall) {
        self.calls_open += 1;
        let fate = Fate::draw(call, &self.faults.clone(), &mut self.rng);
        self.say(&format!("call for {} attempt {}: {:?}", claim.id, claim.attempt, fate.heard));
        for after_ms in fate.reaches_after_ms {
            self.after(after_ms * 1000, Event::Reach(call.clone()));
        }
        self.after(fate.heard_after_ms * 1000, Event::Called(self.life(), claim.clone(), fate.heard));
    }

    /// Takes in what came of a call.
    pub fn settle(&mut self, claim: Claim, result: &CallResult) {
        self.calls_open -= 1;
        let delivered = matches!(result, CallResult::Http(reply) if (200..300).contains(&reply.status));
        if let Some((kernel, main)) = self.kernel() {
            let request = kernel.request(Caller::server("courier"));
            kernel.call(main, &SETTLE, request, Settle { claim, delivered }, Box::new(|_| {}));
        }
    }
}

fn call(claim: &Claim) -> HttpCall {
    let headers = vec![(ONCE.to_owned(), claim.id.clone())];
    let url = "http://partner.example/parcels".to_owned();
    HttpCall { method: "POST", url, headers, body: vec![], timeout_ms: TIMEOUT_MS, reply_max: 1_024 }
}
