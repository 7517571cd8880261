//! Packs: texts of what is done go to the blobs and are found there, whatever ends in between (EXC-8).

use base::{CallResult, OpResult, Sql, Wall};
use exchange::Bodies;
use exchange::files::{REQUEUE, Requeue};
use exchange::folders::recover;
use exchange::message::name::FileName;
use exchange::process::Answer::Ok as Yes;
use exchange::process::Processed::{Processed, ProcessedDeadlock, ProcessedIncorrect};
use exchange::process::StartAnswer;

use crate::kit::{Office, ids};
use crate::shelf::Shelf;
use crate::vault::Mood;

const HOUR_MS: u64 = 3_600_000;

static IN_STORE: Sql =
    Sql::new("test.in_store", "SELECT m.id FROM exc_body b JOIN exc_message m ON m.number = b.number ORDER BY m.id");
static PACKED: Sql =
    Sql::new("test.packed", "SELECT m.id FROM exc_packed p JOIN exc_message m ON m.number = p.number ORDER BY m.id");
static NAMES: Sql =
    Sql::new("test.names", "SELECT id, sender, receiver, subsystem, at, number FROM exc_message ORDER BY number");

/// Ids of messages.
fn of(office: &Office, sql: &'static Sql) -> Vec<String> {
    office.world.rows(sql).iter().map(|row| row.text(0).to_owned()).collect()
}

/// Two are done, one is wrong, one waits, and one reply is out; the packer was not there yet.
fn fill(office: &Office) {
    office.clerk_waits.set(true);
    office.sent(&["a", "b", "c", "d"]);
    let process = office.start().process.unwrap();
    let results = [("a", Processed), ("b", ProcessedIncorrect), ("c", Processed), ("d", ProcessedDeadlock)];
    office.prepare(&process, &results, &[office.reply("r")]).unwrap();
    assert_eq!(office.commit(&process), Ok(Yes));
}

/// Puts a message back into the queue, with its text as it is read by those who ask for it.
pub fn requeue(office: &Office, id: &str, text: Option<String>) -> OpResult<()> {
    let rows = office.world.rows(&NAMES);
    let row = rows.iter().find(|row| row.text(0) == id).unwrap();
    let word = |column: usize| row.text(column).to_owned();
    let (at, number) = (Wall(row.int(4)), row.int(5));
    let name = FileName { at, number, id: word(0), from: word(1), to: word(2), subsystem: word(3) };
    office.world.call(&REQUEUE, Requeue { name, text }).map(drop)
}

#[test]
fn exc_8_texts_of_what_is_done_lie_in_one_pack_and_what_can_be_given_stays_in_the_store() {
    let office = Office::in_blobs();
    fill(&office);
    assert_eq!(of(&office, &IN_STORE), ["a", "b", "c", "d", "r"]);
    office.vault().work(&office.world);
    office.vault().check(&office.world);
    assert_eq!(
        (of(&office, &IN_STORE), of(&office, &PACKED)),
        (vec!["d".into(), "r".into()], vec!["a".into(), "b".into(), "c".into()])
    );
    assert_eq!(office.vault().names().len(), 1, "one pack of three");
    assert_eq!((office.fetched(), ids(&office.start())), (vec!["r".to_owned()], vec!["d".to_owned()]));
    office.world.check_invariants();
}

/// How a packer is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cut {
    BeforeUpload,
    AfterUpload,
    AfterCommit,
}

#[test]
fn exc_8_6_a_packer_that_is_cut_anywhere_leaves_each_text_in_one_place() {
    for cut in [Cut::BeforeUpload, Cut::AfterUpload, Cut::AfterCommit] {
        for restarts in [false, true] {
            println!("{cut:?}, restarts: {restarts}");
            cut_packer(cut, restarts);
        }
    }
}

fn cut_packer(cut: Cut, restarts: bool) {
    let office = Office::in_blobs();
    fill(&office);
    let (call, done) = office.vault().next_call(&office.world).expect("there is work");
    office.vault().be(if cut == Cut::AfterUpload { Mood::Mute } else { Mood::Well });
    let said = (cut != Cut::BeforeUpload).then(|| office.vault().answer(&office.world, &call));
    assert_eq!(matches!(said, Some(CallResult::Worked(_))), cut == Cut::AfterCommit, "{said:?}");
    office.vault().be(Mood::Well);
    office.world.check_invariants();
    if restarts {
        recover(&office.world.kernel, &office.world.main());
    }
    done(CallResult::Unknown("cut".into()));
    office.world.pass_ms(11_000);
    office.vault().work(&office.world);
    office.world.check_invariants();
    office.vault().check(&office.world);
    // Bytes that nobody kept are swept.
    assert_eq!(office.vault().names().len(), if cut == Cut::AfterUpload { 2 } else { 1 });
    for _ in 0..60 {
        office.world.pass_ms(HOUR_MS);
        office.vault().work(&office.world);
    }
    assert_eq!(office.vault().names().len(), 1);
    office.vault().check(&office.world);
    office.world.check_invariants();
}

#[test]
fn exc_8_while_the_blobs_are_away_everything_goes_on_and_texts_stay_in_the_store() {
    let office = Office::in_blobs();
    office.vault().be(Mood::Away);
    fill(&office);
    office.vault().work(&office.world);
    assert_eq!((of(&office, &PACKED), office.alerts()), (vec![], vec![]), "nobody is told of a moment");
    for round in 0..40 {
        office.sent(&[&format!("e{round}")]);
        let started = office.start();
        let given = ids(&started);
        let results: Vec<_> = given.iter().map(|id| (id.as_str(), Processed)).collect();
        let process = started.process.unwrap();
        office.prepare(&process, &results, &[]).unwrap();
        assert_eq!(office.commit(&process), Ok(Yes));
        office.world.pass_ms(10_000);
        office.vault().work(&office.world);
        assert!(late(&office).is_empty(), "somebody tries");
    }
    assert_eq!((office.fetched(), office.alerts()), (vec!["r".to_owned()], vec!["exchange-packs".to_owned()]));
    assert_eq!((of(&office, &PACKED).len(), of(&office, &IN_STORE).len()), (0, 45));
    office.vault().be(Mood::Well);
    office.world.pass_ms(11_000);
    office.vault().work(&office.world);
    office.vault().check(&office.world);
    office.world.check_invariants();
    assert_eq!((office.alerts(), of(&office, &IN_STORE)), (vec![], vec!["r".to_owned()]), "it went on by itself");
}

/// What stays stuck.
fn late(office: &Office) -> Vec<String> {
    static LATE: kernel::Query<(), Vec<String>> = kernel::Query::new("test.late", |tx, ()| {
        let mut found = vec![];
        for stuck in exchange::SERVICE.stuck {
            found.extend((stuck.find)(tx, Wall(0))?.into_iter().map(|stuck| stuck.reason));
        }
        Ok(found)
    });
    office.world.read(&LATE, ()).unwrap()
}

#[test]
fn exc_8_ker_23_texts_that_nobody_packs_are_shown_as_stuck() {
    let office = Office::in_blobs();
    fill(&office);
    office.world.pass_ms(170_000);
    assert!(late(&office).is_empty());
    office.world.pass_ms(20_000);
    assert_eq!(late(&office).len(), 3, "{:?}", late(&office));
    office.vault().work(&office.world);
    assert!(late(&office).is_empty());
}

#[test]
fn exc_8_what_is_put_back_into_the_queue_has_its_text_in_the_store_again() {
    let office = Office::in_blobs();
    fill(&office);
    let text = |id: &str, second| Some(office.message(id, second).to_string());
    // While it is on its way to a pack: the pack has it in vain.
    let (call, done) = office.vault().next_call(&office.world).expect("there is work");
    requeue(&office, "a", None).unwrap();
    done(office.vault().answer(&office.world, &call));
    office.vault().work(&office.world);
    office.vault().check(&office.world);
    office.world.check_invariants();
    assert_eq!(of(&office, &PACKED), ["b", "c"]);
    assert!(requeue(&office, "b", text("c", 2)).is_err(), "another text");
    requeue(&office, "b", text("b", 1)).unwrap();
    requeue(&office, "c", text("c", 2)).unwrap();
    office.vault().check(&office.world);
    office.world.check_invariants();
    assert_eq!(ids(&office.start()), ["a", "b", "c", "d"]);
    collect(&office);
    assert_eq!(office.vault().names(), [], "nobody refers to the pack any more");
}

/// Lets the kernel collect what nobody refers to.
fn collect(office: &Office) {
    for _ in 0..60 {
        office.world.pass_ms(HOUR_MS);
        office.vault().work(&office.world);
    }
    office.world.check_invariants();
}

#[test]
fn exc_8_22_a_pack_goes_when_the_last_of_its_messages_is_too_old() {
    let office = Office::in_blobs();
    fill(&office);
    office.vault().work(&office.world);
    collect(&office);
    assert_eq!(office.vault().names().len(), 1, "as long as messages are kept");
    let rules = office.world.kernel.common::<exchange::Rules>();
    rules.set(exchange::Settings { kept_ms: 10_000_000, ..rules.get() });
    collect(&office);
    assert_eq!((office.vault().names().len(), of(&office, &PACKED).len()), (0, 0));
    assert_eq!(of(&office, &IN_STORE), ["d", "r"], "what waits stays, however old");
}

#[test]
fn exc_8_bodies_are_found_wherever_they_lie_when_the_configuration_changes() {
    let office = Office::in_blobs();
    let kernel = &office.world.kernel;
    let follow = |bodies| {
        office.vault().put_bodies(kernel, bodies);
        recover(kernel, &office.world.main());
        office.world.check_invariants();
    };
    follow(Bodies::Store);
    fill(&office);
    office.vault().work(&office.world);
    assert_eq!(of(&office, &PACKED), [""; 0]);
    // What was at rest before is packed as well.
    follow(Bodies::Blobs);
    office.vault().work(&office.world);
    office.vault().check(&office.world);
    assert_eq!(of(&office, &PACKED), ["a", "b", "c"]);
    // Back: packs stay, and what is done now stays in the store.
    follow(Bodies::Store);
    office.ack("r").unwrap();
    office.vault().work(&office.world);
    assert_eq!(
        (of(&office, &PACKED), of(&office, &IN_STORE)),
        (vec!["a".into(), "b".into(), "c".into()], vec!["d".to_owned(), "r".into()])
    );
    requeue(&office, "a", Some(office.message("a", 0).to_string())).unwrap();
    assert_eq!(of(&office, &IN_STORE), ["a", "d", "r"]);
    // To blobs again while something was due to nobody, then once more without a change.
    follow(Bodies::Blobs);
    follow(Bodies::Blobs);
    office.vault().work(&office.world);
    office.vault().check(&office.world);
    assert_eq!((of(&office, &PACKED), late(&office)), (vec!["b".into(), "c".into(), "r".to_owned()], vec![]));
}

#[test]
fn exc_8_7_folders_are_laid_from_packs_and_left_for_packs() {
    let mut office = Office::in_blobs();
    fill(&office);
    office.vault().work(&office.world);
    office.shelf = Some(Shelf::open(&office.world.kernel));
    recover(&office.world.kernel, &office.world.main());
    office.shelf().work(&office.world);
    office.shelf().check(&office.world);
    office.world.check_invariants();
    let process = office.start().process.unwrap();
    office.prepare(&process, &[("d", Processed)], &[]).unwrap();
    // Its files are to be moved when the folders are left: nobody waits for that any more.
    assert_eq!((office.commit(&process), office.start().status), (Ok(Yes), StartAnswer::Busy));
    office.vault().put_bodies(&office.world.kernel, Bodies::Blobs);
    recover(&office.world.kernel, &office.world.main());
    office.vault().work(&office.world);
    office.world.check_invariants();
    office.vault().check(&office.world);
    assert_eq!((office.start().status, office.alerts()), (StartAnswer::Idle, vec![]));
}
