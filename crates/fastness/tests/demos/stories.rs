//! Each story, as programs hear it: its steps with their pages, what it claims, and that nothing is left.

use serde_json::Value;

use crate::kit::Kit;

/// Plays one; its claims, in their order.
fn claims(kit: &Kit, demo: &str) -> Vec<String> {
    let ran = kit.run(&format!("demo {demo} --quick --json"));
    assert_eq!(ran.code, 0, "{ran:?}");
    let told: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let steps: Vec<&Value> = told.iter().filter(|one| one["console"].is_string()).collect();
    assert!(steps.len() >= 5, "{ran:?}");
    for (number, step) in (1..).zip(&steps) {
        let page = format!("http://{}/console/demo{demo}/", kit.server.address);
        assert!(step["step"] == number && step["console"].as_str().unwrap().starts_with(&page), "{step}");
    }
    assert!(told.iter().any(|one| one["held"] == true && one["wrong"] == serde_json::json!([])), "{ran:?}");
    assert!(told.last().unwrap()["removed"] == true, "{ran:?}");
    let claims = told.iter().filter_map(|one| Some((one["claim"].as_str()?, one["holds"] == true)));
    claims.inspect(|(claim, holds)| assert!(holds, "{claim}")).map(|(claim, _)| claim.to_owned()).collect()
}

#[test]
fn con_12_exchange_books_each_message_once_though_the_erp_is_killed_twice() {
    let kit = Kit::start();
    let claims = claims(&kit, "exchange");
    assert!(claims.contains(&"40 orders sent = 40 booked, each once".to_owned()), "{claims:?}");
    assert!(claims.contains(&"40 replies reached the phone, one for each order".to_owned()), "{claims:?}");
    kit.assert_clean();
}

#[test]
fn con_12_workflow_counts_each_result_once_whatever_workers_do() {
    let kit = Kit::start();
    let claims = claims(&kit, "workflow");
    assert!(claims.contains(&"order 1: 2230, as its lines cost".to_owned()), "{claims:?}");
    assert!(claims.iter().any(|claim| claim.ends_with("and 36 results count: one each")), "{claims:?}");
    kit.assert_clean();
}

#[test]
fn con_12_folders_hold_the_same_in_the_end_with_both_sides_of_a_conflict() {
    let kit = Kit::start();
    let claims = claims(&kit, "folders");
    assert!(claims[0].starts_with("7 files on the laptop = 7 files on the desk"), "{claims:?}");
    assert!(claims[1].contains("(conflict, "), "{claims:?}");
    kit.assert_clean();
}

#[test]
fn con_12_sensors_tell_a_receiver_that_was_down_on_a_server_that_nobody_configured() {
    let kit = Kit::start();
    let claims = claims(&kit, "sensors");
    assert!(claims.iter().any(|claim| claim.ends_with("each once: what was told is what arrived")), "{claims:?}");
    assert!(claims.contains(&"1 silence was told, of one door".to_owned()), "{claims:?}");
    kit.assert_clean();
}

#[test]
fn con_12_documents_are_level_though_both_copies_changed() {
    let kit = Kit::start();
    let claims = claims(&kit, "documents");
    assert_eq!(claims[0], "12 of 12 documents: the phone = the laptop = the server");
    assert!(claims[1].starts_with("3 of 6 changes of the phone were overtaken"), "{claims:?}");
    kit.assert_clean();
}
