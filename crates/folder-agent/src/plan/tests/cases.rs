//! Rule by rule.

use super::script::Trees;

fn two() -> Trees {
    Trees::default().level(1, 0, "d", "/").level(2, 1, "a", "one").level(3, 0, "b", "two")
}

#[test]
fn fld_26_where_nothing_differs_there_is_nothing_to_do() {
    two().check(&[]);
    two().unread("d/a").unread("b").check(&[]);
    Trees::default().check(&[]);
}

#[test]
fn fld_5_a_change_is_asked_for_on_top_of_what_it_was_made_from() {
    two().here("d/a", 2, "new").check(&["ask edit 2 d/a = new on 1"]);
    // The server renamed the file since, and it was moved here, too: that version is known.
    let moved = two().moved_there(3, 1, "b").moved_here("b", "d/b").here("d/b", 3, "new");
    moved.was(3, 1, "b", "two").check(&["ask edit 3 d/b = new on 2"]);
}

#[test]
fn fld_7_a_content_is_fetched_in_place_of_what_was_planned_on() {
    two().edited_there(2, "new").check(&["fetch 2 d/a = new over 2"]);
    two().there(4, 1, "c", "new", 1, 1).check(&["fetch 4 d/c = new"]);
}

#[test]
fn fld_9_a_rename_on_one_side_and_an_edit_on_the_other_merge() {
    let here = two().moved_here("d/a", "z").edited_there(2, "new");
    here.check(&["fetch 2 z = new over 2"]);
    let mut fetched = here.here("z", 2, "new").was(2, 1, "a", "new");
    fetched
        .synced
        .entry(crate::model::FileId(2))
        .and_modify(|synced| (synced.version, synced.content_version) = (2, 2));
    fetched.check(&["ask put 2 z = new on 2"]);
    two().here("d/a", 2, "new").moved_there(2, 0, "z").check(&["move 2 d/a -> z"]);
}

#[test]
fn fld_9_of_two_renames_the_servers_counts() {
    two().moved_here("b", "here").moved_there(3, 1, "there").check(&["move 3 here -> d/there"]);
    two().moved_here("b", "d/same").moved_there(3, 1, "same").check(&["adopt 3 d/same"]);
}

#[test]
fn fld_10_equal_contents_are_adopted() {
    two().here("b", 3, "new").edited_there(3, "new").check(&["adopt 3 b"]);
    two().here("c", 4, "new").there(4, 0, "c", "new", 1, 1).check(&["adopt 4 c"]);
    // Touched, and otherwise the same.
    two().here("b", 9, "two").check(&["adopt 3 b"]);
}

#[test]
fn fld_11_an_edit_on_both_sides_becomes_a_visible_copy() {
    let both = two().here("d/a", 2, "mine").edited_there(2, "theirs");
    both.check(&["copy d/a -> d/a (conflict, box, today)", "forget 2"]);
    let mut copied = two().lost_here("d/a").here("d/a (conflict, box, today)", 2, "mine").edited_there(2, "theirs");
    let after = ["fetch 2 d/a = theirs", "ask edit new d/a (conflict, box, today) = mine on 0"];
    copied.check(&after);
    copied.synced.remove(&crate::model::FileId(2));
    copied.check(&after);
}

#[test]
fn fld_11_a_conflict_name_is_free_on_both_sides() {
    let taken = two().here("b", 3, "mine").edited_there(3, "theirs").here("b (conflict, box, today)", 7, "x");
    let taken = taken.there(8, 0, "B (conflict, box, today 2)", "x", 1, 1);
    taken.check(&["copy b -> b (conflict, box, today 3)", "forget 3"]);
}

#[test]
fn fld_12_what_is_gone_here_is_asked_to_be_deleted() {
    two().lost_here("b").check(&["ask delete 3 b = two on 1"]);
    two().lost_here("d").check(&["ask delete 2 d/a = one on 1", "ask delete 1 d = / on 1"]);
    let plan = two().lost_here("d").plan();
    assert_eq!((plan.removes_here, plan.removes_there), (0, 1));
}

#[test]
fn fld_12_what_is_gone_here_and_changed_there_comes_back() {
    two().lost_here("b").edited_there(3, "new").check(&["fetch 3 b = new"]);
    two().lost_here("b").moved_there(3, 0, "c").check(&["fetch 3 c = two"]);
    two().lost_here("d").edited_there(2, "new").check(&["folder 1 d"]);
    // Something new is in the folder that was deleted here; what was known of it goes.
    two().lost_here("d").there(4, 1, "new", "new", 1, 1).check(&["folder 1 d"]);
    let again = two().lost_here("d").here("d", 9, "/").there(4, 1, "new", "new", 1, 1);
    again.check(&["adopt 1 d"]);
}

#[test]
fn fld_12_what_both_deleted_is_forgotten() {
    two().lost_here("b").deleted_there(3).check(&["forget 3"]);
    two().lost_here("d").deleted_there(1).deleted_there(2).check(&["forget 1", "forget 2"]);
}

#[test]
fn fld_12_what_the_server_deleted_is_removed_and_an_edit_revives_it() {
    two().deleted_there(3).check(&["remove 3 b"]);
    two().deleted_there(1).deleted_there(2).check(&["remove 2 d/a", "remove 1 d"]);
    assert_eq!(two().deleted_there(1).deleted_there(2).plan().removes_here, 1);
    two().deleted_there(3).here("b", 3, "mine").check(&["ask edit 3 b = mine on 1"]);
    two().deleted_there(3).here("b", 3, "mine").unread("b").check(&["aside b"]);
}

#[test]
fn fld_12_what_is_new_or_edited_in_a_folder_that_the_server_deleted_survives() {
    let new = || two().deleted_there(1).deleted_there(2).here("d/new", 9, "new");
    new().check(&["remove 2 d/a", "forget 1"]);
    let mut after = new().lost_here("d/a");
    after.synced.clear();
    let after = after.was(3, 0, "b", "two");
    after.check(&["ask put new d = / on 0", "ask edit new d/new = new on 0"]);
    let mut edited = two().deleted_there(1).deleted_there(2).here("d/a", 2, "mine");
    edited.check(&["forget 1"]);
    edited.synced.remove(&crate::model::FileId(1));
    edited.check(&["ask put new d = / on 0", "ask edit 2 d/a = mine on 1"]);
}

#[test]
fn fld_13_what_is_missing_from_an_answer_is_not_deleted() {
    let mut missing = two();
    missing.remote.remove(&crate::model::FileId(3));
    missing.check(&["forget 3"]);
    missing.synced.remove(&crate::model::FileId(3));
    missing.check(&["ask edit new b = two on 0"]);
    missing.remote.clear();
    missing.check(&["forget 1", "forget 2"]);
    missing.synced.clear();
    missing.check(&["ask edit new b = two on 0", "ask put new d = / on 0", "ask edit new d/a = one on 0"]);
}

#[test]
fn fld_13_a_lost_memory_is_healed_by_hashes_without_deleting() {
    let mut lost = two().here("mine", 9, "mine").here("b", 3, "other").there(7, 1, "theirs", "theirs", 1, 1);
    lost.synced.clear();
    let steps = ["adopt 1 d", "adopt 2 d/a", "copy b -> b (conflict, box, today)"];
    lost.check(&steps);
    assert_eq!((lost.plan().removes_here, lost.plan().removes_there), (0, 0));
}

#[test]
fn fld_14_two_that_make_one_path_keep_both() {
    let both = two().here("c", 9, "mine").there(4, 0, "c", "theirs", 1, 1);
    both.check(&["copy c -> c (conflict, box, today)"]);
    let folders = two().here("c", 9, "/").here("c/x", 10, "x").there(4, 0, "c", "/", 1, 1);
    folders.check(&["adopt 4 c"]);
    let other_kind = two().here("c", 9, "mine").there(4, 0, "c", "/", 1, 1);
    other_kind.check(&["copy c -> c (conflict, box, today)", "folder 4 c"]);
    let reverse = two().here("c", 9, "/").here("c/x", 10, "x").there(4, 0, "c", "theirs", 1, 1);
    reverse.check(&["copy c -> c (conflict, box, today)"]);
}

#[test]
fn fld_15_a_renamed_folder_is_one_move() {
    let deep = || two().level(5, 1, "e", "/").level(6, 5, "f", "six");
    deep().moved_here("d", "z").check(&["ask put 1 z = / on 1"]);
    deep().moved_there(1, 0, "z").check(&["move 1 d -> z"]);
    deep().moved_here("d", "z").here("z/a", 2, "new").check(&["ask put 1 z = / on 1", "ask edit 2 z/a = new on 1"]);
    deep().moved_here("d/e", "e").moved_there(1, 0, "z").check(&["move 1 d -> z"]);
}

#[test]
fn fld_15_a_folder_whose_inode_was_used_again_is_new() {
    let reused = two().lost_here("d").here("z", 1, "/").here("z/other", 9, "x");
    let asks = ["ask delete 2 d/a = one on 1", "ask put new z = / on 0", "ask edit new z/other = x on 0"];
    reused.check(&[&asks[..], &["ask delete 1 d = / on 1"]].concat());
}

#[test]
fn fld_15_folders_that_were_moved_into_each_other_follow_the_server() {
    let folders = Trees::default().level(1, 0, "x", "/").level(2, 0, "y", "/").level(3, 1, "f", "f");
    let folders = folders.level(4, 2, "g", "g").moved_here("x", "y/x").moved_there(2, 1, "y");
    folders.check(&["move 1 y/x -> x", "move 2 y -> x/y"]);
}

#[test]
fn fld_16_what_was_renamed_onto_another_goes_to_the_backup_first() {
    let over = || two().deleted_there(2).moved_there(3, 1, "a");
    over().check(&["remove 2 d/a", "move 3 b -> d/a"]);
    over().here("d/a", 2, "mine").check(&["copy d/a -> d/a (conflict, box, today)", "forget 2", "move 3 b -> d/a"]);
    let here = two().lost_here("d/a").moved_here("b", "d/a");
    here.check(&["ask delete 2 d/a = one on 1", "ask put 3 d/a = two on 1"]);
}

#[test]
fn fld_17_an_editor_that_saves_by_rename_changes_the_content_of_the_old_file() {
    two().here("b", 9, "new").check(&["ask edit 3 b = new on 1"]);
    // It keeps what was there under another name.
    let backup = two().moved_here("b", "b~").here("b", 9, "new");
    backup.check(&["ask edit 3 b = new on 1", "ask edit new b~ = two on 0"]);
    // And the next time that name is taken.
    let again = two().level(4, 0, "b~", "old").moved_here("b", "b~").here("b", 9, "new");
    again.check(&["ask edit 3 b = new on 1", "ask edit 4 b~ = two on 1"]);
}

#[test]
fn fld_17_swaps_and_chains_of_renames_are_renames() {
    let swap = two().moved_here("b", "third").moved_here("d/a", "b").moved_here("third", "d/a");
    swap.check(&["ask put 2 b = one on 1", "ask put 3 d/a = two on 1"]);
    let chain = two().moved_here("d/a", "c").moved_here("b", "d/a");
    chain.check(&["ask put 2 c = one on 1", "ask put 3 d/a = two on 1"]);
}

#[test]
fn fld_17_swaps_and_chains_of_the_server_are_carried_out() {
    let swap = two().moved_there(2, 0, "b").moved_there(3, 1, "a");
    let parked = ".fastness-00000000-0000-0000-0000-000000000002";
    swap.check(&[&format!("move 2 d/a -> {parked}"), "move 3 b -> d/a", &format!("move 2 {parked} -> b")]);
    two().moved_there(2, 0, "b").moved_there(3, 0, "c").check(&["move 3 b -> c", "move 2 d/a -> b"]);
}

#[test]
fn fld_17_whoever_waited_for_its_place_when_a_plan_broke_off_is_found() {
    let parked = ".fastness-00000000-0000-0000-0000-000000000003";
    two().moved_here("b", parked).check(&[&format!("move 3 {parked} -> b")]);
    two().moved_here("b", parked).here(parked, 3, "mine").check(&[&format!("move 3 {parked} -> b")]);
    let nobody = ".fastness-00000000-0000-0000-0000-000000000099";
    let steps = [format!("copy {nobody} -> recovered (conflict, box, today)")];
    two().here(nobody, 9, "x").check(&[steps[0].as_str()]);
}

/// The server would take the second for one that was renamed onto the first, and bury that.
#[test]
fn fld_16_nobody_is_asked_into_a_place_that_another_does_not_leave_yet() {
    let chain = || two().moved_here("d/a", "c").moved_here("b", "d/a");
    chain().edited_there(2, "new").check(&["fetch 2 c = new over 2"]);
    // Not even a folder is deleted in which such a one is.
    let out = two().moved_here("d/a", "c").lost_here("d").edited_there(2, "new");
    out.check(&["fetch 2 c = new over 2"]);
}

#[test]
fn fld_15_a_tangle_of_folders_is_taken_apart_from_the_top() {
    // Here: y/x/z, there: x/z/y. What lies where it belongs in its folder moves along with it.
    let nested = Trees::default().level(2, 0, "y", "/").level(1, 2, "x", "/").level(3, 1, "z", "/");
    nested.moved_there(1, 0, "x").moved_there(2, 3, "y").check(&["move 1 y/x -> x", "move 2 y -> x/z/y"]);
}

#[test]
fn fld_13_a_version_that_went_down_is_of_a_server_that_was_put_back() {
    let mut back = two();
    back.synced.entry(crate::model::FileId(3)).and_modify(|synced| synced.version = 5);
    back.check(&["forget 3"]);
}

#[test]
fn fld_17_a_file_that_became_a_folder_is_deleted_and_new() {
    let turned = two().here("b", 9, "/").here("b/x", 10, "x");
    turned.check(&["ask delete 3 b = two on 1", "ask put new b = / on 0", "ask edit new b/x = x on 0"]);
    let back = two().lost_here("d").here("d", 9, "x");
    back.check(&["ask delete 2 d/a = one on 1", "ask edit new d = x on 0", "ask delete 1 d = / on 1"]);
}

#[test]
fn fld_17_a_folder_that_the_server_replaced_by_another_lets_its_files_over() {
    let replaced = two().deleted_there(1).there(7, 0, "d", "/", 1, 1).moved_there(2, 7, "a");
    let parked = ".fastness-00000000-0000-0000-0000-000000000001";
    let steps = [format!("move 1 d -> {parked}"), "folder 7 d".to_owned(), format!("move 2 {parked}/a -> d/a")];
    replaced.check(&steps.each_ref().map(String::as_str));
}

#[test]
fn fld_26_of_what_is_not_read_nothing_is_decided() {
    two().here("b", 3, "new").unread("b").edited_there(3, "x").check(&["aside b"]);
    two().here("new", 9, "new").unread("new").there(4, 0, "new", "x", 1, 1).check(&["aside new"]);
    // Was it moved and written, or is it another?
    two().lost_here("b").here("z", 3, "new").unread("z").check(&["aside z"]);
    two().lost_here("d").here("z", 2, "new").unread("z").check(&["aside z"]);
    let decided = ["ask delete 3 b = two on 1", "ask edit new z = new on 0"];
    two().lost_here("b").here("z", 3, "new").check(&decided);
}

#[test]
fn fld_26_a_tree_that_is_broken_is_left_alone() {
    let broken = two().moved_there(1, 7, "d").there(7, 1, "loop", "/", 1, 1).there(8, 99, "lost", "x", 1, 1);
    broken.check(&[]);
}

#[test]
fn fld_26_where_a_step_failed_all_others_go_on() {
    let trees = two().deleted_there(3).here("new", 9, "new");
    trees.check(&["remove 3 b"]);
    let stuck = ["b".to_owned()].into();
    let (view, Trees { remote, local, synced }) = (super::script::VIEW, &trees);
    let plan = crate::plan::plan_without(remote, local, synced, &view, &stuck);
    assert_eq!(super::script::told(&plan), ["ask edit new new = new on 0"]);
}
