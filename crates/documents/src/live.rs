//! Copies that stay level (DOC-11): a stream of upgrades as documents change.
//!
//! A state machine ([`Session`]): it synchronises what its reader holds, portion by portion, sends the upgrades, remembers the versions
//! that it sent, and does so again when it is woken or, because wake-ups may be lost, with every heartbeat. A reader that was cut
//! asks again with the versions that it has.
//!
//! Invariants: one read at a time; a version counts as held only once its upgrade is on its way.

use std::collections::BTreeMap;

use base::{OpResult, Ran, Tx};
use kernel::events::{AGAIN, beat_timer, failed, stopping};
use kernel::{Caller, Home, Out, Properties, Query, Role, Session, SessionDef, SessionEvent, Topic, Watch};
use replica::{Held, Upgrade};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cache::TOPIC;
use crate::class::DocClass;
use crate::sync::{SYNC, SyncFilterOf, SyncOf, Synced};

/// After a round during which more changed: several changes cost one round.
const SOON_MS: u64 = 50;
/// Documents of one read, so that what one slow reader holds in memory is bounded.
const PORTION: usize = 100;

/// Documents, live. The first message is a [`Follow`].
pub(crate) const LIVE: SessionDef = SessionDef { name: "doc.live", open: |_, _| Box::new(Live::default()) };

/// What the session reads.
pub(crate) static LIVE_SYNC: Query<Follow, Level> = Query::at_home("doc.live", read);

/// Who follows which documents, and what of them they hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Follow {
    /// Name of the caller's key.
    pub(crate) name: String,
    /// Its role.
    pub(crate) role: String,
    /// Its scope.
    pub(crate) scope: String,
    /// What the application says of itself.
    pub(crate) says: [Option<String>; 3],
    /// What is held.
    pub(crate) held: Vec<Held>,
    /// The epoch in which it was got.
    pub(crate) epoch: Option<String>,
}

/// What brings a portion level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Level {
    syncs: Vec<Upgrade>,
    left: usize,
    epoch: String,
    /// Whether it is the one that was asked with.
    same_epoch: bool,
}

impl Follow {
    /// What a caller follows.
    pub(crate) fn of(caller: &Caller, properties: &Properties, held: Vec<Held>, epoch: Option<String>) -> Self {
        let Properties { account, key, admin } = properties.clone();
        let (name, role) = (caller.name.clone(), caller.role.word().to_owned());
        Self { name, role, scope: caller.scope.to_string(), says: [account, key, admin], held, epoch }
    }

    fn caller(&self) -> Caller {
        let role = Role::from_word(&self.role).unwrap_or(Role::Reader);
        Caller { name: self.name.clone(), role, scope: self.scope.as_str().into(), ..Caller::public() }
    }
}

fn read(tx: &mut dyn Tx, home: &Home, follow: &Follow) -> OpResult<Level> {
    let filters = home.offered::<DocClass>().filter_map(|class| Some((class.name, SyncFilterOf(class.filter?))));
    let filters: BTreeMap<_, _> = filters.collect();
    let [account, key, admin] = follow.says.clone();
    let of = SyncOf {
        caller: follow.caller(),
        properties: Properties { account, key, admin },
        held: follow.held.clone(),
        epoch: follow.epoch.clone(),
        filters,
        looks: Default::default(),
    };
    let Synced { syncs, left, epoch, same_epoch } = SYNC.run_in(tx, home, &of)?;
    Ok(Level { syncs, left: left.len(), epoch, same_epoch })
}

#[derive(Default)]
struct Live {
    follow: Follow,
    begun: bool,
    /// The read that is under way.
    open: Option<u64>,
    calls: u64,
    /// Where the portion that is read begins.
    from: usize,
    /// Something may have changed since the round began.
    woken: bool,
    /// Whether this round sent something; the first one always tells that all is level.
    sent: bool,
    epoch: Option<String>,
}

impl Session for Live {
    fn on(&mut self, event: SessionEvent, _: Ran) -> Vec<Out> {
        match event {
            SessionEvent::Message(bytes) if !self.begun => self.begin(&bytes),
            SessionEvent::Message(_) => vec![],
            SessionEvent::Wake | SessionEvent::Timer(AGAIN) => self.round(),
            SessionEvent::Timer(_) => self.beat(),
            SessionEvent::Ended { call, result } if self.open == Some(call) => {
                self.open = None;
                match result {
                    Ok(level) => self.ended(level),
                    Err(error) => failed(&error),
                }
            }
            SessionEvent::Ended { .. } | SessionEvent::Gone => vec![],
            SessionEvent::Bytes { .. } | SessionEvent::News(_) | SessionEvent::Sent => vec![],
            SessionEvent::Stopping => stopping(),
        }
    }
}

impl Live {
    fn begin(&mut self, bytes: &[u8]) -> Vec<Out> {
        let Ok(follow) = serde_json::from_slice(bytes) else { return vec![Out::Close] };
        (self.follow, self.begun, self.sent) = (follow, true, true);
        let watch = Out::Watch(Watch::Topic(Topic::of(TOPIC)));
        let mut out = vec![Out::Reply(b"retry: 1000\n\n".to_vec()), watch, beat_timer()];
        out.extend(self.round());
        out
    }

    /// Begins a round over all documents, unless one is under way: then after it.
    fn round(&mut self) -> Vec<Out> {
        self.woken = self.open.is_some();
        if self.woken || !self.begun {
            return vec![];
        }
        self.from = 0;
        self.read()
    }

    fn read(&mut self) -> Vec<Out> {
        let until = self.follow.held.len().min(self.from + PORTION);
        let held = self.follow.held[self.from..until].to_vec();
        let portion = Follow { held, ..self.follow.clone() };
        let Ok(input) = serde_json::to_value(portion) else { return vec![Out::Close] };
        self.calls += 1;
        self.open = Some(self.calls);
        vec![Out::Read { call: self.calls, query: "doc.live", input }]
    }

    fn ended(&mut self, level: Value) -> Vec<Out> {
        let Ok(Level { syncs, left, epoch, same_epoch }) = serde_json::from_value(level) else {
            return vec![Out::Close];
        };
        let text: String = syncs.iter().map(upgrade_text).collect();
        if !same_epoch {
            self.forget_portion();
        }
        syncs.iter().for_each(|upgrade| self.hold(upgrade));
        self.sent |= !syncs.is_empty();
        self.woken |= left > 0;
        self.epoch = Some(epoch).filter(|epoch| !epoch.is_empty());
        let mut out = if text.is_empty() { vec![] } else { vec![Out::Reply(text.into_bytes())] };
        self.from += PORTION;
        out.extend(if self.from < self.follow.held.len() { self.read() } else { self.end_round() });
        out
    }

    /// All portions were read in the epoch that the last one told.
    fn end_round(&mut self) -> Vec<Out> {
        if self.epoch.is_some() {
            self.follow.epoch = self.epoch.clone();
        }
        if self.woken {
            return vec![Out::Timer { number: AGAIN, after_ms: SOON_MS }];
        }
        if !std::mem::take(&mut self.sent) {
            return vec![];
        }
        let data = serde_json::json!({ "epoch": self.follow.epoch });
        vec![Out::Reply(format!("event: level\ndata: {data}\n\n").into_bytes())]
    }

    /// The portion was held in another epoch. The next round asks in the new one, in which the old versions mean nothing: whatever was
    /// left out of this answer is to be sent whole, or its end told.
    fn forget_portion(&mut self) {
        let portion = self.follow.held.iter_mut().skip(self.from).take(PORTION);
        portion.filter(|held| held.v != 0).for_each(|held| (held.v, held.ct, held.dt) = (-1, 0, 0));
    }

    fn hold(&mut self, upgrade: &Upgrade) {
        let same = |held: &&mut Held| held.c == upgrade.c && held.id == upgrade.id;
        for held in self.follow.held.iter_mut().filter(same) {
            (held.v, held.ct, held.dt) = (upgrade.v, upgrade.ct, upgrade.dt);
        }
    }

    fn beat(&mut self) -> Vec<Out> {
        let mut out = vec![Out::Reply(b": beat\n\n".to_vec()), beat_timer()];
        out.extend(self.round());
        out
    }
}

fn upgrade_text(upgrade: &Upgrade) -> String {
    let data = serde_json::to_string(upgrade).unwrap_or_default();
    format!("event: upgrade\ndata: {data}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::OpError;
    use kernel::events::{BEAT, LATER_MS};
    use serde_json::json;

    fn live(documents: usize) -> (Live, Vec<Out>) {
        let held = (0..documents).map(|n| Held::nothing("C", &n.to_string())).collect();
        let mut live = Live::default();
        let first = serde_json::to_vec(&Follow { held, ..Follow::default() }).unwrap();
        let out = live.on(SessionEvent::Message(first), Ran(0));
        (live, out)
    }

    fn asked(out: &[Out]) -> Option<(u64, Vec<Held>)> {
        out.iter().find_map(|out| match out {
            Out::Read { call, input, .. } => {
                Some((*call, serde_json::from_value::<Follow>(input.clone()).unwrap().held))
            }
            _ => None,
        })
    }

    fn text(out: &[Out]) -> String {
        let texts = out.iter().filter_map(|out| if let Out::Reply(bytes) = out { Some(bytes.clone()) } else { None });
        String::from_utf8(texts.flatten().collect()).unwrap()
    }

    fn answer(live: &mut Live, call: u64, syncs: Value) -> Vec<Out> {
        answer_of(live, call, json!({ "syncs": syncs, "left": 0, "epoch": "1-a", "same_epoch": true }))
    }

    fn answer_of(live: &mut Live, call: u64, level: Value) -> Vec<Out> {
        live.on(SessionEvent::Ended { call, result: Ok(level) }, Ran(0))
    }

    /// Follows documents of another epoch; they are held in these versions.
    fn live_of_before(epoch: Option<&str>, versions: &[i64]) -> (Live, u64) {
        let held = |(n, v): (usize, &i64)| Held { v: *v, ct: *v, ..Held::nothing("C", &n.to_string()) };
        let held = versions.iter().enumerate().map(held).collect();
        let mut live = Live::default();
        let follow = Follow { held, epoch: epoch.map(str::to_owned), ..Follow::default() };
        let out = live.on(SessionEvent::Message(serde_json::to_vec(&follow).unwrap()), Ran(0));
        let (call, _) = asked(&out).unwrap();
        (live, call)
    }

    /// What is asked in the round after this answer: the versions, and of which epoch.
    fn asked_after(live: &mut Live, call: u64, level: Value) -> (Vec<i64>, Option<String>) {
        let out = answer_of(live, call, level);
        assert!(!text(&out).contains("event: level"), "some were not looked at");
        let out = live.on(SessionEvent::Timer(AGAIN), Ran(0));
        let (_, held) = asked(&out).unwrap();
        (held.iter().map(|held| held.v).collect(), live.follow.epoch.clone())
    }

    #[test]
    fn doc_11_ker_46_what_another_epoch_left_out_is_asked_for_whole_and_not_by_its_old_version() {
        let full = json!([{ "c": "C", "id": "0", "v": 5, "ct": 5, "dt": 5, "full": true }]);
        let level = json!({ "syncs": full, "left": 2, "epoch": "2-b", "same_epoch": false });
        for epoch in [Some("1-a"), None] {
            let (mut live, call) = live_of_before(epoch, &[7, 8, 0]);
            let (versions, epoch) = asked_after(&mut live, call, level.clone());
            // -1 is nothing to build on, and still something of which the end is told; of nothing no end is told.
            assert_eq!((versions, epoch.as_deref()), (vec![5, -1, 0], Some("2-b")));
        }
    }

    #[test]
    fn doc_11_what_the_same_epoch_left_out_keeps_its_version() {
        let newer = json!([{ "c": "C", "id": "0", "v": 9, "ct": 7, "dt": 7 }]);
        let level = json!({ "syncs": newer, "left": 1, "epoch": "1-a", "same_epoch": true });
        for epoch in [Some("1-a"), None] {
            let (mut live, call) = live_of_before(epoch, &[7, 8]);
            assert_eq!(asked_after(&mut live, call, level.clone()), (vec![9, 8], Some("1-a".to_owned())));
        }
    }

    #[test]
    fn doc_11_upgrades_are_sent_as_documents_change_and_their_versions_remembered() {
        let (mut live, out) = live(1);
        let (call, _) = asked(&out).unwrap();
        let out = answer(&mut live, call, json!([{ "c": "C", "id": "0", "v": 7, "ct": 5, "dt": 5, "full": true }]));
        assert!(text(&out).contains("event: upgrade") && text(&out).contains("event: level"), "{}", text(&out));
        let (call, held) = asked(&live.on(SessionEvent::Wake, Ran(0))).unwrap();
        assert_eq!((held[0].v, held[0].ct), (7, 5));
        assert!(answer(&mut live, call, json!([])).is_empty(), "nothing changed, nothing is said");
        let (_, held) = asked(&live.on(SessionEvent::Timer(BEAT), Ran(0))).unwrap();
        assert_eq!(held[0].v, 7, "a lost wake-up costs a heartbeat");
    }

    #[test]
    fn doc_11_many_documents_are_read_in_portions_one_after_the_other() {
        let (mut live, mut out) = live(250);
        let mut seen = 0;
        while let Some((call, held)) = asked(&out) {
            assert!(held.len() <= PORTION);
            seen += held.len();
            assert!(live.on(SessionEvent::Wake, Ran(0)).is_empty(), "one read at a time");
            out = answer(&mut live, call, json!([]));
        }
        assert_eq!(seen, 250);
        assert!(out.contains(&Out::Timer { number: AGAIN, after_ms: SOON_MS }), "it was woken meanwhile");
    }

    #[test]
    fn doc_11_a_refusal_ends_the_stream_and_a_fault_does_not() {
        let (mut live, out) = live(1);
        let (call, _) = asked(&out).unwrap();
        let fault = Err(OpError::new(base::codes::XSTORE, "down"));
        let out = live.on(SessionEvent::Ended { call, result: fault }, Ran(0));
        assert_eq!(out, [Out::Timer { number: AGAIN, after_ms: LATER_MS }]);
        let (call, _) = asked(&live.on(SessionEvent::Timer(AGAIN), Ran(0))).unwrap();
        let refusal = Err(OpError::new(crate::codes::NCLASS, "no class"));
        let out = live.on(SessionEvent::Ended { call, result: refusal }, Ran(0));
        assert!(text(&out).contains("NCLASS") && out.contains(&Out::Close));
    }
}
