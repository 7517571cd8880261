//! Sensors, clients, links, signals, imports, and doors that are only played.

use std::process::Stdio;

use kill::server::send_signal;
use serde_json::{Value, json};

use crate::kit::{Kit, plain};

const ADDRESS: &str = "Moscow, Russia, Svobody st. 23 fl 1 room 16";

fn kit() -> Kit {
    let kit = Kit::start();
    let put = kit.run_words(&["sensors", "sensor", "put", "xa7v9Dfadr7H", "--address", ADDRESS], "");
    assert_eq!(put.out, "sensor xa7v9Dfadr7H is registered\n", "{put:?}");
    kit
}

/// A client that is never called; gives its id.
fn client(kit: &Kit) -> String {
    let made = kit.run_words(
        &["sensors", "client", "create", "Hotel Europa", "--url", "https://hotel.example/doors", "--json"],
        "",
    );
    let made: Value = serde_json::from_str(&made.out).unwrap_or_else(|error| panic!("{error}: {made:?}"));
    assert!(made["secret"].as_str().is_some_and(|secret| secret.starts_with("whsec_")), "{made}");
    made["id"].as_str().expect("an id").to_owned()
}

#[test]
fn sen_1_sensors_are_put_listed_shown_and_deleted() {
    let kit = kit();
    assert_eq!(
        kit.table("sensors sensor list --prefix xa"),
        format!("ID  STATE  CHANGED  HEARD  ADDRESS\nxa7v9Dfadr7H  never  {ADDRESS}\n")
    );
    assert_eq!(kit.out("sensors signal send xa7v9Dfadr7H closed"), "sensor xa7v9Dfadr7H is now closed\n");
    assert!(kit.out("sensors signal send xa7v9Dfadr7H closed").contains("is still"));
    let seen = kit.json("sensors sensor show xa7v9Dfadr7H");
    assert_eq!((&seen["state"], &seen["data"], &seen["told"]), (&json!("closed"), &json!(1), &json!([])));
    assert_eq!(
        kit.table("sensors sensor history xa7v9Dfadr7H"),
        format!("AT  DATA  BEFORE  CHANGED  TAKEN  ADDRESS\nAGO  1  yes  AGO  {ADDRESS}\n")
    );
    assert_eq!(kit.out("sensors sensor list --state closed -q"), "xa7v9Dfadr7H\n");
    assert_eq!(kit.run("sensors sensor list --state ajar").code, 2);
    let wrong = kit.run("sensors sensor put with-dash --address x");
    assert!(wrong.code == 3 && wrong.err.contains("ASENSOR"), "{wrong:?}");
    assert_eq!(kit.run("sensors sensor delete xa7v9Dfadr7H").code, 2, "nobody can be asked");
    assert_eq!(kit.out("sensors sensor delete xa7v9Dfadr7H --yes"), "sensor xa7v9Dfadr7H is deleted\n");
    assert_eq!(kit.run("sensors sensor show xa7v9Dfadr7H").code, 3);
}

#[test]
fn sen_1_clients_are_created_changed_linked_rotated_and_deleted() {
    let kit = kit();
    let id = client(&kit);
    assert_eq!(
        kit.out(&format!("sensors link add {id} xa7v9Dfadr7H")),
        format!("client {id} is told of xa7v9Dfadr7H\n")
    );
    assert_eq!(kit.json("sensors sensor show xa7v9Dfadr7H")["told"], json!(["Hotel Europa"]));
    assert_eq!(kit.out(&format!("sensors client sensors {id} -q")), "xa7v9Dfadr7H\n");
    assert_eq!(
        kit.table("sensors client list"),
        "ID  NAME  STATE  SENSORS  WAITING  URL\nID  Hotel Europa  active  1  0  https://hotel.example/doors\n"
    );
    assert_eq!(kit.run(&format!("sensors client change {id}")).code, 2, "nothing to change");
    kit.out(&format!("sensors client change {id} --state disabled --group-lost 5"));
    let seen = kit.json(&format!("sensors client show {id}"));
    assert_eq!((&seen["state"], &seen["group_lost"]), (&json!("disabled"), &json!(5)));
    kit.out("sensors signal send xa7v9Dfadr7H open");
    let events = kit.json(&format!("sensors client events {id}"));
    assert_eq!(
        (&events["items"][0]["state"], &events["items"][0]["body"]["type"]),
        (&json!("disabled"), &json!("sensor.opened"))
    );
    let told = kit.table(&format!("sensors client notifications {id}"));
    assert_eq!(told, "SEQ  TYPE  SENSOR  AT  STATE  TRIES\n1  sensor.opened  xa7v9Dfadr7H  AGO  disabled\n");
    let refused = kit.run(&format!("sensors client replay {id} --from -1h"));
    assert!(refused.code == 3 && refused.err.contains("disabled"), "{refused:?}");
    assert!(kit.out(&format!("sensors client rotate {id}")).contains("secret, shown only now: whsec_"));
    assert_eq!(kit.run(&format!("sensors link remove {id} xa7v9Dfadr7H --yes")).code, 0);
    assert_eq!(kit.out(&format!("sensors client delete {id} --yes")), format!("client {id} is deleted\n"));
    assert_eq!(plain(&kit.run("sensors client list").err), "no clients\n");
}

#[test]
fn sen_3_unknown_sensors_and_rejected_signals_are_listed_harmlessly() {
    let kit = kit();
    let unknown = kit.run("sensors signal send stranger7 open");
    assert!(unknown.code == 1 && unknown.err.contains("not registered"), "{unknown:?}");
    let table = kit.table("sensors unknown list");
    assert_eq!(table, "ID  DATA  SIGNALS  FIRST  LAST\nstranger7  0  1  AGO  AGO\n");
    let wrong = kit.run("sensors signal send \u{1b}[31mred open");
    assert_eq!(wrong.code, 1, "{wrong:?}");
    let rejected = kit.out("sensors rejected list");
    assert!(rejected.contains("http") && !rejected.contains('\u{1b}'), "{rejected}");
}

#[test]
fn sen_1_a_file_is_imported_with_its_progress() {
    let kit = kit();
    let file = kit.file("doors.csv", "id,address\nd1,\"Lyon, France\"\nd2,\"Lyon, France\"\nwith-dash,x\n");
    let ran = kit.run(&format!("sensors import sensors {}", file.display()));
    assert_eq!(ran.code, 0, "{ran:?}");
    let shown = plain(&ran.out);
    for told in ["state  done", "created  2", "rejected  1"] {
        assert!(shown.contains(told), "no `{told}` in {shown}");
    }
    assert!(shown.contains("with-dash"), "the reason is told: {shown}");
    assert_eq!(kit.out("sensors sensor list --address Lyon -q"), "d1\nd2\n");
    let id = client(&kit);
    let links = format!("{{\"sensor_id\": \"d1\", \"client\": \"{id}\"}}\n");
    let ran = kit.run_words(&["sensors", "import", "links", "-"], &links);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(kit.out(&format!("sensors client sensors {id} -q")), "d1\n");
    assert_eq!(kit.json("sensors import list")["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(kit.run("sensors import sensors /nowhere/at/all").code, 2);
}

#[test]
fn con_7_doors_are_registered_for_a_play_and_taken_out_again() {
    let kit = Kit::start();
    let play = ["sensors", "simulate", "--sensors", "30", "--seed", "7", "--minutes", "0"];
    let ran = kit.run_words(&[&play[..], &["--url", "https://hotel.example/doors"]].concat(), "");
    assert!(ran.code == 0 && ran.out.contains("30 sensors are registered"), "{ran:?}");
    assert_eq!(kit.out("sensors sensor list --prefix sim0007n -q").lines().count(), 30);
    assert_eq!(kit.json("sensors client list")["items"][0]["sensors"], 30);
    let again = kit.run_words(&[&play[..], &["--url", "https://hotel.example/doors"]].concat(), "");
    assert_eq!(again.code, 0, "the same again is no error: {again:?}");
    let cleaned = kit.run_words(&[&play[..], &["--clean"]].concat(), "");
    assert_eq!(cleaned.out, "all 30 sensors are taken out again, of namespace `main`\n", "{cleaned:?}");
    let cleaned = kit.run_words(&[&play[..], &["--clean"]].concat(), "");
    let told = "nothing was there to take out: none of the 30 sensors is in namespace `main`\n";
    assert_eq!((cleaned.code, cleaned.out.as_str()), (0, told));
    assert_eq!(kit.out("sensors sensor list -q"), "");
    assert_eq!(kit.out("sensors client list -q"), "");
    for wrong in ["--sensors 0", "--sensors 5001", "--rate 0", "--minutes 1441", "--seed -1"] {
        assert_eq!(kit.run(&format!("sensors simulate {wrong}")).code, 2, "{wrong}");
    }
}

#[test]
fn con_7_a_play_sends_signals_that_are_all_accepted() {
    let kit = Kit::start();
    // A minute is the shortest play: what it says of its first seconds is enough.
    let words = ["sensors", "simulate", "--sensors", "20", "--minutes", "1", "--rate", "40", "--json"];
    let mut child = kit.command().args(words).stdout(std::process::Stdio::piped()).spawn().expect("the program");
    let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().expect("a pipe")));
    let told: Vec<Value> =
        lines.take(4).map(|line| serde_json::from_str(&line.expect("a line")).expect("JSON")).collect();
    child.kill().expect("it ends");
    child.wait().expect("an end");
    assert_eq!((&told[0]["registered"], &told[1]["second"], &told[3]["second"]), (&json!(20), &json!(1), &json!(3)));
    assert_eq!(told[1]["signals"], 40);
    assert_eq!(kit.out("sensors rejected list -q"), "");
    assert_eq!(kit.out("sensors sensor list --state never -q"), "");
}

#[test]
fn con_7_a_play_that_is_stopped_takes_out_what_it_put_in() {
    for signal in ["INT", "TERM"] {
        let kit = Kit::start();
        let words = ["sensors", "simulate", "--sensors", "20", "--clean", "--json"];
        let mut child = kit.command().args(words).stdout(std::process::Stdio::piped()).spawn().expect("the program");
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().expect("a pipe")));
        assert!(lines.next().is_some_and(|line| line.expect("a line").contains("registered")));
        send_signal(&[child.id()], signal).expect("a signal");
        let rest: Vec<String> = lines.map(|line| line.expect("a line")).collect();
        assert_eq!(child.wait().expect("an end").code(), Some(1), "{signal}");
        assert_eq!(rest.last().map(String::as_str), Some("{\"taken_out\":20}"), "{signal}");
        assert_eq!(kit.out("sensors sensor list -q"), "", "{signal}");
    }
}

#[test]
fn con_7_whoever_stops_a_play_is_told_the_whole_command_that_takes_it_out() {
    let kit = Kit::start();
    kit.out("admin namespace create shop");
    let words = ["sensors", "simulate", "--sensors", "5", "--namespace", "shop"];
    let mut command = kit.command();
    let mut child = command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().expect("a pipe")));
    assert!(lines.next().is_some_and(|line| line.expect("a line").contains("registered")));
    send_signal(&[child.id()], "INT").expect("a signal");
    let told = child.wait_with_output().expect("an end").stderr;
    let told = String::from_utf8(told).expect("UTF-8");
    let again = told.split('`').nth(1).expect("a command").strip_prefix("fastness ").expect("the program");
    let expected =
        format!("sensors simulate --sensors 5 --seed 1 --minutes 0 --clean --server {} --namespace shop", kit.url());
    assert_eq!(again, expected);
    assert_eq!(kit.out(again), "all 5 sensors are taken out again, of namespace `shop`\n");
}

#[test]
fn con_9_a_verb_may_be_called_as_other_programs_call_it() {
    let kit = kit();
    assert_eq!(kit.out("sensors sensor ls -q"), "xa7v9Dfadr7H\n");
    assert_eq!(kit.json("sensors sensor get xa7v9Dfadr7H"), kit.json("sensors sensor show xa7v9Dfadr7H"));
    assert_eq!(kit.out("sensors sensor rm xa7v9Dfadr7H --yes"), "sensor xa7v9Dfadr7H is deleted\n");
}
