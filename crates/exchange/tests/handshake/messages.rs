//! Messages of devices.

use serde_json::json;

use exchange::process::{Answer, Processed};
use exchange::registry::{DEVICE_STATE, DeviceChange};

use crate::kit::{Open, everywhere};

fn exc_9_a_resend_is_answered_the_same_and_stored_once(open: Open) {
    let office = open();
    let message = office.message("a", 0);
    let first = office.send(&message).unwrap();
    office.world.pass_ms(5_000);
    assert_eq!(office.send(&message), Ok(first));
    assert_eq!(office.ledger(), [1, 1, 0, 0, 0, 0]);
    let mut other = message;
    other["body"]["payload"] = json!("other");
    assert_eq!(office.send(&other).unwrap_err().code.name, "ATAKEN");
}

fn exc_1_a_device_reaches_only_databases_of_its_own_company(open: Open) {
    let office = open();
    let with = |path: &str, value: &str| {
        let mut message = office.message("m", 0);
        *message.pointer_mut(path).unwrap() = json!(value);
        office.send(&message).unwrap_err().code.name
    };
    assert_eq!(with("/head/to", "nowhere"), "NPARTY");
    assert_eq!(with("/head/company", "other"), "AEXCHANGE");
    assert_eq!(with("/head/subsystem", "other"), "AEXCHANGE");
    assert_eq!(with("/head/from", "other"), "AEXCHANGE");
    assert_eq!(office.ledger(), [0; 6]);
}

fn exc_2_a_blocked_device_sends_nothing_and_its_answers_wait_for_it(open: Open) {
    let office = open();
    office.sent(&["a"]);
    let block = |blocked| office.world.call(&DEVICE_STATE, DeviceChange { id: office.phone.clone(), blocked }).unwrap();
    block(true);
    assert_eq!(office.send(&office.message("b", 1)).unwrap_err().code.name, "SBLOCKED");
    let process = office.start().process.unwrap();
    let answered = office.prepare(&process, &[("a", Processed::Processed)], &[office.reply("r1")]);
    assert_eq!(answered, Ok(Answer::Ok), "the database cannot know");
    assert_eq!(office.commit(&process), Ok(Answer::Ok));
    block(false);
    assert_eq!(office.fetched(), ["r1"]);
    office.send(&office.message("b", 1)).unwrap();
}

everywhere! {
    exc_9_a_resend_is_answered_the_same_and_stored_once
    exc_1_a_device_reaches_only_databases_of_its_own_company
    exc_2_a_blocked_device_sends_nothing_and_its_answers_wait_for_it
}
