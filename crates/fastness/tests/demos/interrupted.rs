//! A demo that does not come to its end.

use kill::server::{send_signal, wait};

use crate::kit::Kit;

/// The process that a step names: `… (process 17) …`.
fn process_in(text: &str) -> u32 {
    text.split("(process ").nth(1).and_then(|rest| rest.split(')').next()?.parse().ok()).expect("a process")
}

#[test]
fn con_12_a_demo_that_is_killed_takes_its_processes_along_and_is_cleaned_by_the_next_run() {
    let kit = Kit::start();
    let mut demo = kit.begin("exchange --pace slow");
    let told = demo.until_step(3);
    let erp = process_in(told["what"].as_str().unwrap());
    demo.child.kill().unwrap();
    wait(&mut demo.child).unwrap();
    assert!(kit.namespaces().contains(&"demoexchange".to_owned()), "nobody removed it");
    // Its input ended with the demo; an orphan may stay a zombie for a moment.
    let lives = || std::fs::read_to_string(format!("/proc/{erp}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    while lives() {
        std::thread::yield_now();
    }
    let ran = kit.run("demo exchange --quick");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("ok  40 orders sent = 40 booked, each once"), "{ran:?}");
    kit.assert_clean();
}

#[test]
fn con_12_a_demo_that_is_stopped_cleans_up_and_says_that_it_was() {
    for signal in ["INT", "TERM"] {
        let kit = Kit::start();
        let mut demo = kit.begin("folders --pace slow");
        demo.until_step(2);
        send_signal(&[demo.child.id()], signal).unwrap();
        assert_eq!(wait(&mut demo.child).unwrap().code(), Some(1), "{signal}");
        kit.assert_clean();
    }
}

#[test]
fn con_12_what_killed_demos_left_is_removed_by_clean() {
    let kit = Kit::start();
    for name in ["documents", "sensors"] {
        let mut demo = kit.begin(&format!("{name} --pace slow"));
        demo.until_step(2);
    }
    let ran = kit.run("demo clean");
    assert_eq!((ran.code, ran.out.as_str()), (0, "removed: demodocuments, demosensors\n"), "{ran:?}");
    kit.assert_clean();
    assert_eq!(kit.run("demo clean").out, "nothing was left\n");
}
