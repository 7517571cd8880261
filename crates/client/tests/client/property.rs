//! Whatever happens at the source, a replica on each kind of shelf, opened anew now and then, and one that asks only
//! a replica, hold what the source holds.

use client::Replica;
use client::replica::Ask;
use proptest::prelude::*;
use replica::DocCopy;

use crate::source::Source;

#[derive(Debug, Clone)]
enum Step {
    Put(u8, u8, u32),
    DeleteItem(u8, u8),
    Delete(u8),
    Purge(u8),
    NewEpoch,
    Follow(u8),
    Unfollow(u8),
    Sync,
    Relay,
    Forget(u8),
    OpenAgain,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let id = 0..4u8;
    let step = prop_oneof![
        8 => (id.clone(), 0..4u8, any::<u32>()).prop_map(|(id, key, number)| Step::Put(id, key, number)),
        4 => (id.clone(), 0..4u8).prop_map(|(id, key)| Step::DeleteItem(id, key)),
        1 => id.clone().prop_map(Step::Delete),
        2 => id.clone().prop_map(Step::Purge),
        1 => Just(Step::NewEpoch),
        4 => id.clone().prop_map(Step::Follow),
        1 => id.prop_map(Step::Unfollow),
        6 => Just(Step::Sync),
        4 => Just(Step::Relay),
        1 => (0..100u8).prop_map(Step::Forget),
        1 => Just(Step::OpenAgain),
    ];
    prop::collection::vec(step, 1..60)
}

struct World {
    source: Source,
    folder: tempfile::TempDir,
    /// In memory, in a file, and in memory behind the one in the file.
    replicas: [Replica; 3],
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = Replica::open(folder.path().join("r")).expect("a file");
        Self { source: Source::new(), folder, replicas: [Replica::in_memory(), file, Replica::in_memory()] }
    }

    fn play(&mut self, step: Step) {
        let id = |id: u8| id.to_string();
        match step {
            Step::Put(doc, key, number) => self.source.put(&id(doc), &id(key), number),
            Step::DeleteItem(doc, key) => self.source.delete_item(&id(doc), &id(key)),
            Step::Delete(doc) => self.source.delete(&id(doc)),
            Step::Purge(doc) => self.source.purge(&id(doc)),
            Step::NewEpoch => self.source.epoch = format!("{}-x", self.source.clock),
            Step::Follow(doc) => self.each(|replica| replica.follow("C", &id(doc), None).expect("followed")),
            Step::Unfollow(doc) => self.each(|replica| replica.unfollow("C", &id(doc)).expect("unfollowed")),
            Step::Sync => self.sync(),
            Step::Relay => self.relay(),
            Step::Forget(part) => self.forget(part),
            Step::OpenAgain => self.open_again(),
        }
    }

    fn each(&mut self, act: impl FnMut(&mut Replica)) {
        self.replicas.iter_mut().for_each(act);
    }

    fn sync(&mut self) {
        for replica in &mut self.replicas[..2] {
            for ask in replica.asks().expect("asks") {
                replica.take(&ask, self.source.answer(&ask)).expect("taken");
            }
        }
    }

    fn relay(&mut self) {
        let [_, middle, last] = &mut self.replicas;
        for ask in last.asks().expect("asks") {
            let Some(relayed) = middle.answer(&ask).expect("answered") else { return };
            let answered: Ask = relayed.answered(&ask);
            last.take(&answered, relayed.answer).expect("taken");
        }
    }

    fn forget(&mut self, part: u8) {
        let before = self.source.clock * i64::from(part) / 100;
        self.each(|replica| replica.forget_tombstones(before).expect("forgotten"));
    }

    /// The file's owner goes and comes back.
    fn open_again(&mut self) {
        self.replicas[1] = Replica::in_memory();
        self.replicas[1] = Replica::open(self.folder.path().join("r")).expect("the file again");
    }

    fn check(&self) {
        for replica in &self.replicas {
            for held in replica.held().expect("held") {
                let copy = replica.document("C", &held.id).expect("read");
                assert_eq!(copy.map(known), self.source.documents.get(&held.id).cloned().map(known), "{held:?}");
            }
        }
    }
}

/// Items with their versions, and the version; what is known of tombstones may differ.
fn known(copy: DocCopy) -> DocCopy {
    let mut copy = DocCopy { items: copy.items, ..DocCopy::empty(&copy.c, &copy.id, copy.head) };
    copy.head.dt = 0;
    copy.items.retain(|_, item| item.content.is_some());
    copy
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn doc_9_replicas_on_every_shelf_hold_what_the_source_holds(steps in steps()) {
        let mut world = World::new();
        steps.into_iter().for_each(|step| world.play(step));
        world.open_again();
        world.sync();
        world.relay();
        world.check();
    }
}
