//! A group of changes with what the planner says of it, on the way to a commit or a refusal.

use std::collections::BTreeMap;

use base::{OpError, OpResult, Tx};
use kernel::OpCx;

use super::directory::Directory;
use super::seats::{self, Place, RESERVED_MS};
use super::tree::StoredTree;
use crate::codes::AFOLDER;
use crate::form::{Asked, Asking, FileStatus, Told};
use crate::plan::{Entry, Plan, Verdict, Wanted, plan};
use crate::seat::Status;

/// A planned group.
pub(crate) struct Planned {
    pub(crate) group: Vec<Wanted>,
    pub(crate) plan: Plan,
    /// Files that the planner saw, as they were.
    pub(crate) before: BTreeMap<String, Entry>,
}

/// Seats by their places.
pub(crate) type Seats = BTreeMap<String, Place>;

impl Planned {
    /// Plans; what can never be made is refused with all that came with it.
    pub(crate) fn make(
        tx: &mut dyn Tx,
        cx: &mut OpCx<'_>,
        (directory, client): (&Directory, &str),
        told: &Told,
        group: Vec<Wanted>,
    ) -> OpResult<Self> {
        let mut tree = StoredTree::new(tx, cx, directory, client);
        let plan = plan(&mut tree, told, &group)?;
        let before = tree.into_seen();
        let planned = Self { group, plan, before };
        planned.check_refused()?;
        Ok(planned)
    }

    fn check_refused(&self) -> OpResult<()> {
        let refused = self.verdicts().find_map(|(wanted, verdict)| match verdict {
            Verdict::Refused { why } => Some((&wanted.asked.path, why)),
            Verdict::There { .. } | Verdict::Made { .. } | Verdict::Denied { .. } => None,
        });
        match refused {
            Some((path, why)) => Err(OpError::new(AFOLDER, format!("{}: {why}", super::directory::short(path)))),
            None => Ok(()),
        }
    }

    /// Each change with what is said of it.
    pub(crate) fn verdicts(&self) -> impl Iterator<Item = (&Wanted, &Verdict)> {
        self.group.iter().zip(&self.plan.verdicts)
    }

    /// Something was made from an older version, or its place is taken.
    pub(crate) fn is_denied(&self) -> bool {
        self.plan.verdicts.iter().any(|verdict| matches!(verdict, Verdict::Denied { .. }))
    }

    /// Files whose bytes are wanted, by their place in the group.
    pub(crate) fn wanting(&self) -> Vec<(usize, String)> {
        let wanting = |(place, verdict): (usize, &Verdict)| match verdict {
            Verdict::Made { id, wants_bytes: true, .. } => Some((place, id.clone())),
            Verdict::Made { .. } | Verdict::There { .. } | Verdict::Denied { .. } | Verdict::Refused { .. } => None,
        };
        self.plan.verdicts.iter().enumerate().filter_map(wanting).collect()
    }

    /// The seats that its changes need.
    pub(crate) fn seats(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, directory: &str) -> OpResult<Seats> {
        let mut all = Seats::new();
        for verdict in &self.plan.verdicts {
            let Some(place) = seat_of(directory, verdict).filter(|place| !all.contains_key(place)) else { continue };
            let loaded = Place::load(tx, cx, directory, &place)?;
            all.insert(place, loaded);
        }
        Ok(all)
    }

    /// Refuses the group: what is free is kept for them for a moment, for the rest they wait (FLD-6).
    pub(crate) fn deny(
        &self,
        tx: &mut dyn Tx,
        cx: &OpCx<'_>,
        (directory, client): (&str, &String),
        mut seats: Seats,
    ) -> OpResult<Asking> {
        let all = self.verdicts().enumerate();
        let files = all.map(|(place, (wanted, verdict))| {
            let seat = seat_of(directory, verdict).and_then(|place| seats.get(&place));
            status(place, &wanted.asked, verdict, seat, client)
        });
        let files: Vec<FileStatus> = files.collect();
        let mut look_ms = RESERVED_MS;
        for place in seats.values_mut() {
            if place.is_free_for(client) {
                place.reserve(client, cx.heard);
            } else {
                place.wait(client);
                look_ms = look_ms.max(place.until.0 - cx.heard.0);
            }
            place.save(tx)?;
        }
        Ok(Asking::Denied { files, look_ms })
    }
}

/// The seat that a change needs.
pub(crate) fn seat_of(directory: &str, verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Made { seat, .. } => Some(seats::name(directory, seat)),
        Verdict::There { .. } | Verdict::Denied { .. } | Verdict::Refused { .. } => None,
    }
}

fn status(place: usize, asked: &Asked, verdict: &Verdict, seat: Option<&Place>, client: &String) -> FileStatus {
    let (id, status, why) = match verdict {
        Verdict::There { id, version } => {
            (Some(id), Status::Free, format!("it is there already, as version {version}"))
        }
        Verdict::Made { id, .. } => match seat.filter(|place| !place.is_free_for(client)) {
            Some(_) => (Some(id), Status::Blocked, "somebody else writes it".to_owned()),
            None => (Some(id), Status::Free, "it can be had".to_owned()),
        },
        Verdict::Denied { id, why } => (id.as_ref(), Status::Denied, why.clone()),
        Verdict::Refused { why } => (None, Status::Denied, why.clone()),
    };
    // The id of a file that is new was made for this answer alone.
    let id = asked.id.clone().or_else(|| id.filter(|_| !matches!(verdict, Verdict::Made { .. })).cloned());
    FileStatus { place, id, path: asked.path.clone(), status, why }
}
