//! What is done whenever something happened: look, set aside, plan, follow the plan.

use std::collections::BTreeSet;
use std::io;

use super::tries::subject;
use super::{Agent, Phase};
use crate::disk::Disk;
use crate::model::FileId;
use crate::plan::{Plan, Step, View, plan_without};
use crate::state::StateError;

/// Plans that follow each other at once: each makes what the one before it made possible.
const PLANS_MAX: usize = 100;
/// A plan of so many takes as much room as the trees. It is made by a thread of its own: that has a part of the heap to itself, which is given back as a
/// whole, where ours would keep the holes between what stays.
const FILES_MANY: usize = 5_000;
/// A path at which nothing failed for so long is as good as any other.
const STUCK_FORGOTTEN_MS: u64 = 300_000;
/// While the disk refuses, it is asked again after a growing time.
const SICK_MS: u64 = 1_000;
const SICK_MAX_MS: u64 = 60_000;
/// The marker is looked at so often.
const MARKER_MS: u64 = 1_000;
/// A report is written at most so often.
const PUBLISH_MS: u64 = 1_000;
/// Wishes of people are looked for so often.
const WISH_MS: u64 = 1_000;
/// Backups are pruned so often, and kept so long (FLD-23).
const PRUNE_MS: u64 = 3_600_000;
const DAY_MS: i64 = 86_400_000;
const BACKUPS_KEPT_MS: i64 = 30 * DAY_MS;

/// Why work stopped.
pub(super) enum Trouble {
    /// The disk refused: it may be otherwise later.
    Disk(io::Error),
    /// The state cannot be written: nothing may be done.
    State(StateError),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Disk(error)
    }
}

impl From<StateError> for Trouble {
    fn from(error: StateError) -> Self {
        Self::State(error)
    }
}

impl<D: Disk> Agent<D> {
    pub(super) fn work(&mut self) -> Result<(), StateError> {
        if self.now.ran_ms < self.sick_until {
            self.wakes.insert(self.sick_until);
            return Ok(());
        }
        match self.try_to_work() {
            Ok(()) if self.now.ran_ms >= self.sick_until => self.sick_tries = 0,
            Ok(()) => {}
            Err(Trouble::State(error)) => return Err(error),
            Err(Trouble::Disk(error)) => {
                self.be_sick(&error.to_string());
                self.forget_unsettled()?;
            }
        }
        self.publish();
        self.save()
    }

    /// What people are shown by other programs: at most once a second, and always the last word.
    fn publish(&mut self) {
        let Ok(report) = serde_json::to_string(&self.report) else { return };
        if self.state.value("report") == Some(&report) {
            return;
        }
        if self.now.ran_ms < self.publish_at {
            self.wakes.insert(self.publish_at);
            return;
        }
        self.publish_at = self.now.ran_ms + PUBLISH_MS;
        self.state.set("report", Some(report));
        self.state.set("reported_us", Some(self.now.wall_us.to_string()));
    }

    fn be_sick(&mut self, why: &str) {
        let pause_ms = (SICK_MS << self.sick_tries.min(10)).min(SICK_MAX_MS);
        self.sick_tries += 1;
        self.sick_until = self.now.ran_ms + pause_ms;
        self.wakes.insert(self.sick_until);
        self.look_everywhere = true;
        if self.report.trouble.as_deref() != Some(why) {
            self.report.trouble = Some(why.to_owned());
            self.tell("trouble", "", why);
        }
    }

    /// The disk refused while something else was at hand.
    pub(super) fn disk_failed(&mut self, error: &io::Error) {
        self.be_sick(&error.to_string());
    }

    fn try_to_work(&mut self) -> Result<(), Trouble> {
        self.take_wishes()?;
        if !self.is_marked()? {
            self.be_sick("the folder is not the one that was linked: its marker is missing (is its disk mounted?)");
            return Ok(());
        }
        self.report.trouble = self.refusal.clone();
        if self.has_intents {
            self.finish_intents()?;
            self.look_everywhere = true;
        }
        self.prune()?;
        self.take_download()?;
        self.look()?;
        self.go_on_with_rest()?;
        for _ in 0..PLANS_MAX {
            if !std::mem::take(&mut self.is_stale) || !self.follow()? {
                break;
            }
        }
        self.settle()?;
        self.drop_unused_stages_saved()
    }

    /// Makes everything that was done to this disk durable: only then the state may say so.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        if self.has_unsettled {
            self.disk.settle()?;
            self.has_unsettled = false;
        }
        Ok(())
    }

    /// The disk refused after it was changed: what became of that is not known, so that the state must not say it. A look at what lies there
    /// tells; what the server told since is asked for again.
    fn forget_unsettled(&mut self) -> Result<(), StateError> {
        if std::mem::take(&mut self.has_unsettled) {
            self.state.reload()?;
            self.unused_stages.clear();
            (self.has_intents, self.out.close) = (true, true);
            self.closed();
        }
        Ok(())
    }

    /// What the state names no more may go.
    fn drop_unused_stages_saved(&mut self) -> Result<(), Trouble> {
        if self.unused_stages.is_empty() {
            return Ok(());
        }
        self.save()?;
        Ok(self.drop_unused_stages()?)
    }

    fn is_marked(&mut self) -> Result<bool, Trouble> {
        if self.now.ran_ms >= self.marked_until {
            if !self.is_the_linked_one()? {
                return Ok(false);
            }
            self.marked_until = self.now.ran_ms + MARKER_MS;
        }
        Ok(true)
    }

    fn take_wishes(&mut self) -> Result<(), Trouble> {
        if self.now.ran_ms < self.wishes_at {
            self.wakes.insert(self.wishes_at);
            return Ok(());
        }
        self.wishes_at = self.now.ran_ms + WISH_MS;
        self.wakes.insert(self.wishes_at);
        while let Some(wish) = self.state.next_wish()? {
            match wish.as_str() {
                "confirm" => self.confirm_removals(),
                "rescan" => self.look_everywhere = true,
                _ => {}
            }
        }
        Ok(())
    }

    fn prune(&mut self) -> Result<(), Trouble> {
        if self.now.ran_ms >= self.prune_at {
            self.prune_at = self.now.ran_ms + PRUNE_MS;
            self.state.prune_chunks()?;
            let now_ms = self.steady_ms();
            self.disk.prune_backups(now_ms, BACKUPS_KEPT_MS)?;
        }
        Ok(())
    }

    /// The calendar as far as it is believed: a clock that jumped ahead for a moment must not make all backups old. It goes on by a day at most
    /// from one pruning to the next, and begins as old as it can be.
    fn steady_ms(&mut self) -> i64 {
        let now_ms = self.now.wall_us / 1_000;
        let before = self.state.value("pruned_ms").and_then(|text| text.parse::<i64>().ok());
        let believed = before.map_or(now_ms, |before| now_ms.min(before.saturating_add(DAY_MS)));
        self.state.set("pruned_ms", Some(believed.to_string()));
        if before.is_none() { believed.saturating_sub(BACKUPS_KEPT_MS) } else { believed }
    }

    /// Makes a plan and follows it; whether another may be made at once.
    fn follow(&mut self) -> Result<bool, Trouble> {
        self.rest.clear();
        let plan = self.make_plan();
        self.report.waiting = 0;
        if self.phase == Phase::On {
            self.count(&plan);
            if !plan.steps.is_empty() {
                return self.follow_steps(&plan);
            }
            self.exchange(&plan)?;
        }
        let any = !plan.aside.is_empty() && self.set_asides(&plan.aside)?;
        // What was set aside just now can be sent at once, unless something else is on its way.
        Ok(any && self.phase == Phase::On && self.upload.is_none())
    }

    /// Sends and fetches what can be, one group each way at a time.
    fn exchange(&mut self, plan: &Plan) -> Result<(), Trouble> {
        if self.download.is_none() {
            self.forget_downloads(plan);
            self.start_download(&plan.fetches)?;
        }
        if self.upload.is_none() {
            self.start_upload(plan.asks.clone())?;
        }
        if plan.fetches.is_empty() && plan.aside.is_empty() && self.upload.is_none() {
            let asked: BTreeSet<&str> = plan.asks.iter().map(|ask| ask.path.as_str()).collect();
            self.drop_asides(|path| asked.contains(path));
        }
        Ok(())
    }

    /// Downloads that were begun and are not wanted any more.
    fn forget_downloads(&mut self, plan: &Plan) {
        let is_wanted = |id: FileId| plan.fetches.iter().any(|fetch| fetch.id == id);
        let left: Vec<_> = self.state.downloads().filter(|(id, _)| !is_wanted(*id)).collect();
        for (id, begun) in left {
            self.state.put_download(id, None);
            self.drop_stage_later(begun.stage);
        }
    }

    /// What may not be done now is left out, and what is left is planned without it.
    fn make_plan(&mut self) -> Plan {
        let now_ms = self.now.ran_ms;
        // One that was not in the way for long is forgotten.
        self.stuck.retain(|_, wait| now_ms < wait.until_ms + STUCK_FORGOTTEN_MS);
        let mut stuck: BTreeSet<String> =
            self.stuck.iter().filter(|(_, wait)| wait.until_ms > now_ms).map(|(path, _)| path.clone()).collect();
        let (mut here, mut there) = (0, 0);
        loop {
            let mut plan = self.plan_without(&stuck);
            // A plan without what is held has nothing to hold: the largest counts.
            (here, there) = (plan.removes_here.max(here), plan.removes_there.max(there));
            let is_held = self.hold_removals(here, there);
            let is_left_out = |step: &Step| {
                (is_held && matches!(step, Step::Remove { .. }))
                    || paths(step).iter().any(|path| self.is_frozen(path))
                    || self.upload.as_ref().is_some_and(|upload| upload.is_about(step))
                    || self.download.as_ref().is_some_and(|download| download.is_about(step))
            };
            let left_out: Vec<&Step> = plan.steps.iter().filter(|step| is_left_out(step)).collect();
            let known = stuck.len();
            stuck.extend(left_out.iter().flat_map(|step| paths(step)).map(str::to_owned));
            if left_out.is_empty() || stuck.len() == known {
                plan.steps.retain(|step| !is_left_out(step));
                plan.asks.retain(|ask| !(self.is_frozen(&ask.path) || is_held && ask.deleted));
                plan.fetches.retain(|fetch| !self.is_frozen(&fetch.path));
                plan.aside.retain(|path| !self.is_frozen(path));
                return plan;
            }
        }
    }

    /// What is still to be done, for people who look for what hangs.
    #[must_use]
    pub fn open_ends(&self) -> String {
        let plan = self.plan_without(&BTreeSet::new());
        format!(
            "{plan:?} waits {:?} rests {:?} upload {:?} download {:?} frozen {:?} here {:?}",
            self.waits, self.rests, self.upload, self.download, self.frozen, self.local
        )
    }

    fn plan_without(&self, stuck: &BTreeSet<String>) -> Plan {
        let date = self.date();
        let view = View {
            policy: self.settings.policy,
            device: &self.settings.device,
            date: &date,
            links: self.settings.links,
        };
        let (remote, local, synced) = (self.state.remote(), &self.local, self.state.synced());
        let plan = || plan_without(remote, local, synced, &view, stuck);
        if local.len() < FILES_MANY {
            return plan();
        }
        std::thread::scope(|scope| scope.spawn(plan).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }

    /// For names of conflict copies.
    pub(super) fn date(&self) -> String {
        let wall = base::Wall(self.now.wall_us / 1_000);
        wall.rfc3339()
            .chars()
            .take(16)
            .map(|c| {
                if c == 'T' {
                    ' '
                } else if c == ':' {
                    '.'
                } else {
                    c
                }
            })
            .collect()
    }

    fn follow_steps(&mut self, plan: &Plan) -> Result<bool, Trouble> {
        self.carry(&plan.steps)?;
        self.look_at = self.now.ran_ms;
        self.look()?;
        self.is_stale = true;
        Ok(true)
    }

    fn count(&mut self, plan: &Plan) {
        self.report.files = self.state.synced().len() as u64;
        self.report.to_fetch = plan.fetches.len() as u64;
        let is_waiting = |ask: &&crate::plan::Ask| self.waits.contains_key(&subject(ask));
        let waiting = plan.asks.iter().filter(is_waiting).count();
        self.report.to_send = (plan.asks.len() - waiting) as u64;
        self.report.waiting += waiting as u64;
    }
}

pub(super) fn paths(step: &Step) -> Vec<&str> {
    match step {
        Step::Adopt { path, .. }
        | Step::MakeFolder { path, .. }
        | Step::MakeLink { path, .. }
        | Step::SetExecutable { path, .. }
        | Step::Remove { path, .. } => vec![path],
        Step::Move { from, to, .. } | Step::Copy { from, to, .. } => vec![from, to],
        Step::Forget { .. } => vec![],
    }
}
