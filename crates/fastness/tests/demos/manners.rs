//! Who may run a demo, beside what, and what it never touches.

use kill::server::send_signal;
use serde_json::json;

use crate::kit::{Kit, ran};

#[test]
fn con_12_two_of_a_kind_are_refused_or_run_side_by_side_under_another_name() {
    let kit = Kit::start();
    let mut first = kit.begin("workflow --pace slow");
    first.until_step(1);
    let second = kit.run("demo workflow --quick");
    assert_eq!(second.code, 2, "{second:?}");
    assert!(
        second.err.starts_with("error: this demo is running already, in namespace demoworkflow\n  hint: wait"),
        "{second:?}"
    );
    let beside = kit.run("demo workflow --quick --namespace demo2");
    assert_eq!(beside.code, 0, "{beside:?}");
    assert_eq!(kit.run("demo documents --quick").code, 0, "another demo is not in its way");
    let clean = kit.run("demo clean");
    assert_eq!(clean.out, "still running, and left alone: demoworkflow\n", "{clean:?}");
    send_signal(&[first.child.id()], "INT").unwrap();
    kill::server::wait(&mut first.child).unwrap();
    kit.assert_clean();
}

#[test]
fn con_12_a_namespace_that_no_demo_made_is_never_touched() {
    let kit = Kit::start();
    for (name, temporary) in [("demoexchange", false), ("demo2", true)] {
        kit.make_namespace(&json!({ "name": name, "label": "mine", "temporary": temporary }));
    }
    let before = kit.namespaces();
    for words in [
        "demo exchange --quick",
        "demo exchange --quick --namespace demo2",
        "demo exchange --namespace main2",
        "demo exchange --namespace main",
    ] {
        let ran = kit.run(words);
        assert_eq!(ran.code, 2, "{words}: {ran:?}");
    }
    assert_eq!(kit.run("demo clean").out, "nothing was left\n");
    assert_eq!(kit.namespaces(), before);
}

#[test]
fn con_12_what_is_kept_is_there_until_it_is_cleaned() {
    let kit = Kit::start();
    let kept = kit.run("demo documents --quick --keep");
    assert_eq!(kept.code, 0, "{kept:?}");
    assert!(kept.out.contains("demo clean` removes it"), "{kept:?}");
    let shown = kit.ask("GET", "/v1/demodocuments/docs/Contact/contact-04", &json!(null));
    assert!(shown.status == 200 && shown.body.to_string().contains("met on Monday"), "{shown:?}");
    let again = kit.run("demo documents --quick");
    assert!(again.code == 2 && again.err.contains("was kept by an earlier demo"), "{again:?}");
    assert_eq!(kit.run("demo clean").out, "removed: demodocuments\n");
    kit.assert_clean();
}

#[test]
fn con_12_clean_removes_the_folder_of_a_demo_whose_namespace_somebody_removed() {
    let kit = Kit::start();
    assert_eq!(kit.run("demo documents --quick --keep").code, 0);
    assert_eq!(kit.ask("DELETE", "/v1/z/namespaces/demodocuments", &json!(null)).status, 200);
    while kit.namespaces().len() > 2 {
        std::thread::yield_now();
    }
    assert_eq!(kit.run("demo clean").out, "folders removed, whose namespaces were gone: demodocuments\n");
    assert_eq!(kit.run("demo clean").out, "nothing was left\n");
    kit.assert_clean();
}

#[test]
fn con_12_the_page_of_the_first_step_is_there_when_it_is_named() {
    let kit = Kit::start();
    let mut demo = kit.begin("documents --pace slow");
    let told = demo.until_step(1);
    assert!(told["console"].as_str().unwrap().ends_with("/demodocuments/documents/Contact"), "{told}");
    let classes = kit.ask("GET", "/v1/demodocuments/doc-classes", &json!(null));
    assert!(classes.status == 200 && classes.body.to_string().contains("\"Contact\""), "{classes:?}");
    send_signal(&[demo.child.id()], "INT").unwrap();
    kill::server::wait(&mut demo.child).unwrap();
}

#[test]
fn con_12_without_a_key_or_with_too_small_a_one_it_says_what_to_type() {
    let kit = Kit::start();
    let mut stranger = kit.command("demo exchange --quick");
    let nobody = ran(stranger.env_remove("FASTNESS_KEY"));
    assert_eq!(nobody.code, 2, "{nobody:?}");
    let login = format!("fastness login --server http://{}", kit.server.address);
    assert!(nobody.err.contains("no access key") && nobody.err.contains(&login), "{nobody:?}");
    let key = kit.ask("POST", "/v1/main/keys", &json!({ "role": "operator" })).body["key"].as_str().unwrap().to_owned();
    let small = ran(kit.command("demo exchange --quick").env("FASTNESS_KEY", key));
    assert!(small.code == 3 && small.err.contains("a key of the server's administrator"), "{small:?}");
    assert!(small.err.contains("shown was the key in FASTNESS_KEY"), "{small:?}");
    let away = ran(kit.command("demo exchange --quick").env("FASTNESS_SERVER", "http://127.0.0.1:1"));
    assert!(away.code == 4 && away.err.contains("is it running"), "{away:?}");
    kit.assert_clean();
}

#[test]
fn con_12_without_a_server_it_says_so_before_it_asks_for_a_key_or_a_password() {
    let kit = Kit::start();
    let mut demo = kit.command("demo exchange --quick");
    let away = ran(demo.env_remove("FASTNESS_KEY").env("FASTNESS_SERVER", "http://127.0.0.1:1"));
    assert_eq!(away.code, 4, "{away:?}");
    let told = "error: no server: nothing listens at http://127.0.0.1:1 (connection refused)\n  hint: is it running?";
    assert!(away.err.starts_with(told) && !away.err.contains("password"), "{away:?}");
}
