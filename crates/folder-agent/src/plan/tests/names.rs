//! Names, bits and links.

use synxpo::names::Policy;

use super::script::{Trees, VIEW, told};
use crate::plan::View;

fn one() -> Trees {
    Trees::default().level(1, 0, "a.txt", "one")
}

#[test]
fn fld_18_the_second_of_two_twins_gets_a_conflict_name() {
    let twins = Trees::default().here("B", 8, "x").here("b", 9, "y");
    twins.check(&["copy b -> b (conflict, box, today)"]);
    one().here("A.txt", 9, "y").check(&["copy A.txt -> A (conflict, box, today).txt"]);
    let exact = View { policy: Policy::Exact, ..VIEW };
    assert_eq!(told(&one().here("A.txt", 9, "y").plan_as(&exact)), ["ask edit new A.txt = y on 0"]);
}

#[test]
fn fld_18_a_twin_that_was_moved_here_keeps_its_id() {
    let moved = one().level(2, 0, "b", "two").moved_here("b", "A.TXT");
    moved.check(&["move 2 A.TXT -> A (conflict, box, today).TXT"]);
}

#[test]
fn fld_18_another_case_is_a_rename_and_another_composition_is_not() {
    one().moved_here("a.txt", "A.txt").check(&["ask put 1 A.txt = one on 1"]);
    one().moved_there(1, 0, "A.txt").check(&["move 1 a.txt -> A.txt"]);
    let composed = || Trees::default().level(1, 0, "é", "one");
    composed().moved_here("é", "e\u{301}").check(&[]);
    composed().moved_there(1, 0, "e\u{301}").check(&["adopt 1 é"]);
    composed().moved_here("é", "e\u{301}").here("e\u{301}", 9, "new").check(&["ask edit 1 e\u{301} = new on 1"]);
}

#[test]
fn fld_18_what_was_renamed_here_to_a_name_that_is_taken_there_yields() {
    let taken = one().moved_here("a.txt", "b").there(2, 0, "B", "two", 1, 1);
    taken.check(&["move 1 b -> b (conflict, box, today)"]);
}

#[test]
fn fld_19_a_bit_alone_is_no_new_content() {
    one().here("a.txt", 1, "one*").check(&["ask put 1 a.txt = one* on 1"]);
    one().ran_there(1).check(&["executable 1 a.txt true"]);
    one().ran_there(1).here("a.txt", 1, "new").check(&["executable 1 a.txt true"]);
    one().edited_there(1, "new*").check(&["fetch 1 a.txt = new* over 1"]);
}

#[test]
fn fld_19_links_are_what_they_lead_to() {
    let link = || Trees::default().level(1, 0, "l", "->a");
    link().here("l", 9, "->b").check(&["ask edit 1 l = ->b on 1"]);
    link().edited_there(1, "->b").check(&["link 1 l -> b over 1"]);
    link().deleted_there(1).check(&["remove 1 l"]);
    link().here("l", 9, "->b").edited_there(1, "->c").check(&["copy l -> l (conflict, box, today)", "forget 1"]);
    Trees::default().there(1, 0, "l", "->a", 1, 1).check(&["link 1 l -> a"]);
    Trees::default().here("l", 9, "->a").check(&["ask edit new l = ->a on 0"]);
}

#[test]
fn fld_19_links_that_are_not_kept_in_step_are_left_alone() {
    let view = View { links: false, ..VIEW };
    let left = |trees: Trees| assert_eq!(told(&trees.plan_as(&view)), [""; 0]);
    left(Trees::default().level(1, 0, "l", "->a"));
    left(Trees::default().level(1, 0, "l", "->a").here("l", 9, "->b"));
    left(Trees::default().level(1, 0, "l", "->a").deleted_there(1));
    left(Trees::default().level(1, 0, "l", "->a").lost_here("l"));
    left(Trees::default().there(1, 0, "l", "->a", 1, 1).here("m", 9, "->m"));
    left(Trees::default().here("l", 9, "->b").there(1, 0, "l", "file", 1, 1));
}
