//! DOC-9 as a property: whatever happens to a document, and through whatever chain of copies it is told, every copy equals
//! the reference as it was at the copy's version, and no answer holds more than the rules allow.
//!
//! The reference of this test is its own small model, with a history of every state that it ever had. A copy remembers at which
//! step of that history its content was true; so it can be judged although it lags.

mod chain {
    pub mod history;
    pub mod judge;
    pub mod world;
}

use std::cell::RefCell;

use proptest::test_runner::{Config, TestRunner};

use chain::judge::Reached;
use chain::world::{World, steps};

#[test]
fn doc_9_every_copy_equals_the_reference_with_the_smallest_answer_the_rules_allow() {
    let reached = RefCell::new(Reached::default());
    let config = Config { cases: 600, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&steps(), |steps| {
        let mut world = World::new(&reached);
        steps.into_iter().for_each(|step| world.play(step));
        world.settle();
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    let reached = reached.into_inner();
    println!("{reached:?}");
    reached.check();
}
