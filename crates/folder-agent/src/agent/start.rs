//! How a daemon begins: what a crash left half done is looked at first.

use std::collections::{BTreeMap, BTreeSet};

use super::work::Trouble;
use super::{Agent, Now, Out, Phase, Report, Settings};
use crate::disk::{Disk, Found, Marker};
use crate::ignore::Ignores;
use crate::plan::Step;
use crate::state::State;

impl<D: Disk> Agent<D> {
    /// Takes up a folder where it was left. What a crash left half done is looked at with the first event, and again while the disk refuses.
    pub fn start(disk: D, state: State, settings: Settings, seed: u64) -> Self {
        Self {
            disk,
            state,
            settings,
            now: Now::default(),
            phase: Phase::Off,
            is_introduced: false,
            requests: 0,
            chance: seed,
            local: BTreeMap::new(),
            ignores: Ignores::default(),
            ignore_texts: BTreeMap::new(),
            frozen: BTreeMap::new(),
            dirty: BTreeSet::new(),
            look_everywhere: true,
            look_at: 0,
            rescan_at: 0,
            is_stale: true,
            heat: BTreeMap::new(),
            unread: BTreeMap::new(),
            wholes: BTreeSet::new(),
            rest: vec![],
            removed: None,
            upload: None,
            download: None,
            group_files: super::upload::GROUP_FILES,
            waits: BTreeMap::new(),
            rests: BTreeMap::new(),
            wakes: BTreeSet::from([0]),
            plans: BTreeSet::new(),
            heard_at: 0,
            asked_at: 0,
            piece_at: 0,
            report: Report {
                connected: false,
                files: 0,
                to_send: 0,
                to_fetch: 0,
                waiting: 0,
                held: None,
                trouble: None,
            },
            sick_until: 0,
            sick_tries: 0,
            stuck: BTreeMap::new(),
            marked_until: 0,
            wishes_at: 0,
            publish_at: 0,
            prune_at: 0,
            has_intents: true,
            unused_stages: vec![],
            has_unsettled: false,
            is_come: false,
            refusal: None,
            reconnect_in_ms: 0,
            out: Out::default(),
        }
    }

    /// Whether the marker of the link lies at the root. Without it this may be another disk, or none that is mounted.
    pub(super) fn is_the_linked_one(&mut self) -> std::io::Result<bool> {
        let wanted = Marker { directory: self.settings.directory.clone(), link: self.settings.link.clone() };
        Ok(self.disk.marker()? == Some(wanted))
    }

    /// Moves that a crash cut short go on; whatever else there was is found by the next look.
    pub(super) fn finish_intents(&mut self) -> Result<(), Trouble> {
        let steps: Vec<Step> =
            self.state.intents()?.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
        self.has_unsettled = true;
        for step in &steps {
            let Step::Move { from, stat, to, .. } = step else { continue };
            if let Some(Found::File(local)) = self.disk.look(from)?
                && local.stat.is_same_but_moved(stat)
            {
                self.disk.rename(from, local.stat, to)?;
            }
        }
        self.drop_stages()?;
        self.settle()?;
        self.has_intents = false;
        Ok(self.state.save_and_clear_intents()?)
    }

    /// What nobody refers to.
    fn drop_stages(&mut self) -> std::io::Result<()> {
        let asides = self.state.asides().values().map(|put| put.stage);
        let under_way = self.download.iter().flat_map(|download| download.stages());
        let begun = self.state.downloads().map(|(_, begun)| begun.stage);
        let used: BTreeSet<_> = asides.chain(begun).chain(under_way).collect();
        let left: Vec<_> = self.disk.stages()?.into_iter().filter(|stage| !used.contains(stage)).collect();
        for stage in left {
            self.disk.drop_stage(stage)?;
        }
        Ok(())
    }
}
