//! The rules one by one.

use super::store::{A, B, ELSEWHERE, Store, brought, is_all_there, is_taken, uuid};
use crate::form::{Asked, Kind, Told};
use crate::names::Policy;
use crate::plan::{Bytes, CHANGES_MAX, Plan, Seated, Verdict, Wanted};

fn change(path: &str, kind: Kind) -> Asked {
    Asked {
        id: None,
        kind,
        path: path.to_owned(),
        deleted: false,
        content_changed: false,
        try_us: 1,
        base: None,
        size: None,
        hash: None,
        mtime_us: None,
        executable: None,
        target: None,
    }
}

fn file(path: &str, content: &str) -> Asked {
    Asked { content_changed: true, hash: Some(content.to_owned()), ..change(path, Kind::File) }
}

fn folder(path: &str) -> Asked {
    change(path, Kind::Folder)
}

fn edit(store: &Store, path: &str, content: &str) -> Asked {
    Asked { id: Some(store.id(path)), try_us: 2, ..file(path, content) }
}

fn rename(store: &Store, from: &str, to: &str) -> Asked {
    let id = store.id(from);
    Asked { try_us: 3, ..change(to, store.now(&id).kind) }.of(&id)
}

fn delete(store: &Store, path: &str) -> Asked {
    let id = store.id(path);
    Asked { deleted: true, try_us: 4, ..change(path, store.now(&id).kind) }.of(&id)
}

impl Asked {
    fn of(self, id: &str) -> Self {
        Self { id: Some(id.to_owned()), ..self }
    }

    fn at(self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    fn from(self, base: u64) -> Self {
        Self { base: Some(base), ..self }
    }
}

/// A store with these files, each with its path as its content; folders end in `/`.
fn store(paths: &[&str]) -> Store {
    let mut store = Store::new();
    let asked = |path: &&str| match path.strip_suffix('/') {
        Some(path) => folder(path),
        None => file(path, path),
    };
    let group: Vec<Asked> = paths.iter().map(asked).collect();
    store.does(A, &group);
    store
}

impl Store {
    /// By somebody who was told everything.
    fn does(&mut self, client: &str, group: &[Asked]) -> Plan {
        let told = self.told();
        let plan = self.commit(client, &told, group);
        assert!(is_taken(&plan), "{:#?}", plan.verdicts);
        plan
    }

    /// What somebody is answered who was told only so much.
    fn says(&mut self, told: &Told, asked: Asked) -> Verdict {
        self.commit(B, told, &[asked]).verdicts[0].clone()
    }
}

fn is_denied(said: &Verdict) -> bool {
    matches!(said, Verdict::Denied { .. })
}

fn is_refused(said: &Verdict) -> bool {
    matches!(said, Verdict::Refused { .. })
}

pub(super) fn base_check() {
    let mut store = store(&["f"]);
    let told = store.told();
    let late = edit(&store, "f", "b");
    store.does(A, &[edit(&store, "f", "a")]);
    let verdict = store.says(&told, late.clone());
    assert!(is_denied(&verdict), "{verdict:?}");
    assert!(is_denied(&store.says(&Told::default(), late.clone())), "it was told nothing");
    assert!(is_denied(&store.says(&Told::default(), late.clone().from(1))), "it says so itself");
    assert!(is_denied(&store.says(&Told::default(), late.clone().from(9))), "of a server that was put back");
    assert_eq!(store.listing(), ["f=a"]);
    let alone = Told { beyond: vec![(store.id("f"), 2)], ..told };
    assert!(!is_denied(&store.says(&alone, late)), "it was told of this file alone");
    assert_eq!(store.listing(), ["f=b"]);
}

pub(super) fn merging() {
    let mut store = store(&["d/f", "g"]);
    let told = store.told();
    let (late_edit, late_rename) = (edit(&store, "d/f", "new"), rename(&store, "g", "h"));
    store.does(A, &[rename(&store, "d/f", "elsewhere"), edit(&store, "g", "newer")]);
    let plan = store.commit(B, &told, &[late_edit, late_rename]);
    assert!(is_taken(&plan) && plan.rows.len() == 2, "{plan:#?}");
    assert_eq!(store.listing(), ["d/", "elsewhere=new", "h=newer"]);
    let newest = store.now(&store.id("h"));
    assert_eq!((newest.version, newest.content_version), (3, 2), "a rename is no change of content");
    // Two names for one file: the first stays.
    let third = Asked { try_us: 9, ..rename(&store, "h", "third") };
    assert!(is_denied(&store.says(&told, Asked { path: "other".into(), ..third })));
}

pub(super) fn folders_renamed_behind_the_back() {
    let mut store = store(&["a/b/f", "a/b/g"]);
    let told = store.told();
    let group = [edit(&store, "a/b/f", "new"), rename(&store, "a/b/g", "a/b/h"), file("a/b/n", "n")];
    store.does(A, &[rename(&store, "a", "x"), rename(&store, "a/b", "x/y")]);
    let plan = store.commit(B, &told, &group);
    assert!(is_taken(&plan) && plan.rows.len() == 3, "{plan:#?}");
    assert_eq!(store.listing(), ["x/", "x/y/", "x/y/f=new", "x/y/h=a/b/g", "x/y/n=n"]);
}

pub(super) fn repeats() {
    let mut store = store(&["f", "g"]);
    let told = store.told();
    let group = [edit(&store, "f", "b"), rename(&store, "g", "h"), file("n", "n")];
    assert!(is_taken(&store.commit(B, &told, &group)));
    assert!(is_all_there(&store.plan(B, &told, &group)), "its answer was lost");
    // And somebody went on from there.
    store.does(A, &[edit(&store, "f", "a"), rename(&store, "h", "i"), edit(&store, "n", "a n")]);
    let plan = store.plan(B, &told, &group);
    assert!(is_all_there(&plan), "{plan:#?}");
    let version = |place: usize| match &plan.verdicts[place] {
        Verdict::There { version, .. } => *version,
        other => panic!("{other:?}"),
    };
    assert_eq!([version(0), version(1), version(2)], [2, 2, 1], "the versions that they were");
    assert!(!is_all_there(&store.plan(A, &told, &group)), "somebody else's try is another one");
}

pub(super) fn a_try_is_no_repeat_for_who_knows_of_it() {
    let mut store = store(&["f"]);
    let same_try = |store: &Store, content: &str| Asked { try_us: 0, ..edit(store, "f", content) };
    store.does(A, &[same_try(&store, "one")]);
    store.does(A, &[same_try(&store, "two")]);
    assert_eq!(store.listing(), ["f=two"], "a client that always says the same time loses nothing");
    let plan = store.commit(A, &Told::default(), &[same_try(&store, "three").from(1)]);
    assert!(is_denied(&plan.verdicts[0]), "another content is another change: {plan:?}");
}

pub(super) fn equal_content() {
    let mut store = store(&["f"]);
    let told = store.told();
    let late = edit(&store, "f", "same");
    store.does(A, &[edit(&store, "f", "same")]);
    assert!(is_all_there(&store.plan(B, &told, &[late])), "adopted");
    assert!(is_all_there(&store.plan(B, &Told::default(), &[file("f", "same")])), "the same content, the same id");
    let promised = Wanted { bytes: Bytes::Promised, ..brought(&file("f", "same")) };
    assert!(is_all_there(&store.plan_wanted(B, &Told::default(), &[promised])), "its hash tells");
    let silent = Wanted { asked: Asked { hash: None, ..file("n", "n") }, bytes: Bytes::Promised, given_id: None };
    let plan = store.plan_wanted(B, &Told::default(), &[silent]);
    assert!(matches!(plan.verdicts[0], Verdict::Made { wants_bytes: true, .. }), "{plan:?}");
}

pub(super) fn new_files() {
    let mut store = store(&["f", "d/"]);
    let (nothing, all) = (Told::default(), store.told());
    assert!(is_denied(&store.says(&all, file("f", "other"))), "also by somebody who knows it");
    assert!(is_denied(&store.says(&all, file("F", "other"))), "a twin");
    assert!(is_denied(&store.says(&all, file("d", "other"))), "a folder is no file");
    assert!(is_denied(&store.says(&all, file("f/in", "other"))), "a file is no folder");
    let plan = store.commit(B, &nothing, &[file("n", "one"), file("N", "two"), file("m", "same"), file("m", "same")]);
    assert!(is_denied(&plan.verdicts[1]) && !is_denied(&plan.verdicts[3]), "two of one group: {plan:#?}");
    assert_eq!(store.listing(), ["d/", "f=f"], "all or none");
    assert!(is_all_there(&store.plan(B, &nothing, &[folder("d")])));
    store.does(B, &[file("f", "on top").from(1)]);
    assert_eq!(store.listing(), ["d/", "f=on top"], "it says what it was made from");
    store.policy = Policy::Exact;
    store.does(B, &[file("F", "twin")]);
}

pub(super) fn client_made_ids() {
    let mut store = store(&["f"]);
    let taken = store.id("f");
    let told = store.told();
    for bad in [ELSEWHERE, "f", "", "00000000-0000-1000-8000-000000000001", "00000000-0000-4000-c000-000000000001"] {
        assert!(is_refused(&store.says(&told, file("n", "n").of(bad))), "{bad}");
    }
    let own = uuid(77);
    store.does(A, &[file("n", "n").of(&own)]);
    assert_eq!(store.id("n"), own);
    let twice = store.plan(A, &told, &[edit(&store, "f", "a"), edit(&store, "f", "b")]);
    assert!(is_refused(&twice.verdicts[1]));
    assert!(is_refused(&store.says(&told, folder("f").of(&taken))), "a file does not become a folder");
}

pub(super) fn deletes() {
    let mut store = store(&["f", "g"]);
    let told = store.told();
    let (late, gone) = (delete(&store, "f"), delete(&store, "g"));
    store.does(A, &[edit(&store, "f", "newer"), delete(&store, "g")]);
    assert!(is_denied(&store.says(&told, late)), "a delete needs what is there");
    assert!(is_all_there(&store.plan(B, &told, &[gone])), "gone is gone");
    assert!(is_denied(&store.says(&told, Asked { deleted: true, ..change("nothing", Kind::File) })));
    store.does(B, &[Asked { deleted: true, ..change("f", Kind::File) }]);
    assert_eq!(store.listing(), [""; 0]);
}

pub(super) fn revived() {
    let mut store = store(&["d/f", "d/g"]);
    let told = store.told();
    let (id, folder_id) = (store.id("d/f"), store.id("d"));
    let late = edit(&store, "d/f", "new");
    let late_rename = rename(&store, "d/g", "d/h");
    store.does(A, &[delete(&store, "d")]);
    assert_eq!(store.listing(), [""; 0]);
    assert!(is_denied(&store.says(&told, late_rename)), "a rename revives nobody");
    let verdict = store.says(&told, late);
    assert!(matches!(verdict, Verdict::Made { .. }), "{verdict:?}");
    assert_eq!(store.listing(), ["d/", "d/f=new"]);
    assert_eq!((store.id("d/f"), store.now(&id).version, store.now(&id).content_version), (id, 3, 3));
    assert_eq!(store.id("d"), folder_id, "its folder comes back, too");
}

pub(super) fn revived_where_another_is() {
    let mut store = store(&["f"]);
    let told = store.told();
    let late = edit(&store, "f", "new");
    store.does(A, &[delete(&store, "f")]);
    store.does(A, &[Asked { try_us: 77, ..file("f", "another") }]);
    assert!(is_denied(&store.says(&told, late)));
    assert_eq!(store.listing(), ["f=another"]);
}

pub(super) fn deleted_folders() {
    let mut store = store(&["d/known", "d/s/known", "d/s/edited"]);
    let told = store.told();
    let late = delete(&store, "d");
    store.does(A, &[file("d/new", "new"), edit(&store, "d/s/edited", "newer")]);
    let verdict = store.says(&told, late);
    assert!(matches!(verdict, Verdict::There { .. }), "it is kept: {verdict:?}");
    assert_eq!(store.listing(), ["d/", "d/new=new", "d/s/", "d/s/edited=newer"]);
    store.does(B, &[delete(&store, "d")]);
    assert_eq!(store.listing(), [""; 0]);
}

/// Somebody moved a file into a folder; whoever does not know that edits the file and puts something else in the folder's place.
pub(super) fn moved_into_a_folder_that_goes() {
    let mut store = store(&["d/x", "f/"]);
    let told = store.told();
    let group = [edit(&store, "d/x", "new").at("f/x"), delete(&store, "f"), rename(&store, "d", "f")];
    store.does(A, &[rename(&store, "d/x", "f/x")]);
    let plan = store.commit(B, &told, &group);
    assert!(is_taken(&plan), "{plan:#?}");
    assert_eq!(store.listing(), ["f/", "f/x=new"], "what is edited has a folder that is there");
}

pub(super) fn parents_are_made() {
    let mut store = store(&["f"]);
    let plan = store.does(A, &[file("x/y/n", "n"), rename(&store, "f", "x/z/f")]);
    assert_eq!(plan.rows.len(), 5);
    assert_eq!(store.listing(), ["x/", "x/y/", "x/y/n=n", "x/z/", "x/z/f=f"]);
    let seats: Vec<&Seated> = plan
        .verdicts
        .iter()
        .filter_map(|said| match said {
            Verdict::Made { seat, .. } => Some(seat),
            _ => None,
        })
        .collect();
    let top = Seated::Slot { parent: String::new(), slot: "x".into() };
    assert_eq!(seats, [&top, &Seated::File(store.id("x/z/f"))], "a new tree is written by one at a time");
}

pub(super) fn one_row_for_a_folder() {
    let names: Vec<String> = (0..999).map(|number| format!("a/{number}")).collect();
    let paths: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut store = store(&paths);
    let mut group = vec![rename(&store, "a", "b")];
    let told = store.told();
    assert_eq!(store.plan(A, &told, &group).rows.len(), 1, "a client that knows the tree");
    group.extend(names.iter().map(|name| rename(&store, name, &name.replace('a', "b"))));
    group.reverse();
    let plan = store.does(A, &group);
    assert_eq!(plan.rows.len(), 1, "a client that does not");
    assert!(store.reads < 5_000, "{} rows were read", store.reads);
    assert_eq!(store.listing()[1], "b/0=a/0");
}

pub(super) fn rename_over() {
    let mut store = store(&["f", "g", "d/", "e/", "e/in"]);
    let told = store.told();
    let (f, g) = (store.id("f"), store.id("g"));
    let (over_unseen, over_full) = (rename(&store, "f", "g"), rename(&store, "d", "e"));
    store.does(A, &[edit(&store, "g", "unseen")]);
    assert!(is_denied(&store.says(&told, over_unseen.clone())));
    assert!(is_denied(&store.says(&told, over_full)), "a folder that is not empty");
    assert!(is_denied(&store.says(&told, rename(&store, "f", "d"))), "a file over a folder");
    let plan = store.does(B, &[over_unseen]);
    assert_eq!(plan.rows.len(), 2);
    assert_eq!((store.now(&g).deleted, store.id("g")), (true, f), "the target has a tombstone in the same plan");
    assert_eq!(store.listing(), ["d/", "e/", "e/in=e/in", "g=f"]);
}

pub(super) fn saved_by_an_editor() {
    let mut store = store(&["f"]);
    let id = store.id("f");
    let told = store.told();
    let group = [delete(&store, "f"), file("f", "saved")];
    let plan = store.does(A, &group);
    assert_eq!(plan.rows.len(), 1);
    assert_eq!((store.id("f"), store.now(&id).content_version), (id.clone(), 2));
    assert!(is_all_there(&store.plan(A, &told, &group)), "a repeat");
    store.does(A, &[file("f", "saved again").of(&uuid(50)), delete(&store, "f")]);
    assert_eq!((store.id("f"), store.now(&id).version), (id, 3));
}

pub(super) fn swaps_and_chains() {
    let mut store = store(&["a", "b", "c", "d/x", "e/x"]);
    store.does(A, &[rename(&store, "a", "b"), rename(&store, "b", "c"), rename(&store, "c", "a")]);
    assert_eq!(store.listing()[..3], ["a=c", "b=a", "c=b"]);
    store.does(A, &[rename(&store, "d", "e"), rename(&store, "e", "d"), rename(&store, "a", "A")]);
    assert_eq!(store.listing(), ["A=c", "b=a", "c=b", "d/", "d/x=e/x", "e/", "e/x=d/x"]);
    store.does(A, &[rename(&store, "b", "n"), file("b", "new"), rename(&store, "c", "d/x"), delete(&store, "d/x")]);
    assert_eq!(store.listing(), ["A=c", "b=new", "d/", "d/x=b", "e/", "e/x=d/x", "n=a"]);
}

pub(super) fn cycles() {
    let mut store = store(&["a/b/f", "c/"]);
    let told = store.told();
    assert!(is_refused(&store.says(&told, rename(&store, "a", "a/b/a"))));
    let plan = store.commit(A, &told, &[rename(&store, "a", "c/a"), rename(&store, "c", "a/c")]);
    assert!(plan.verdicts.iter().any(is_refused), "{plan:#?}");
    // Each moves one into the other, and neither knows: by their paths as each knows them.
    let late = rename(&store, "a", "c/a");
    store.does(A, &[file("c/g", "g")]);
    let told = store.told();
    let into = Asked { id: Some(store.id("c/g")), try_us: 8, ..file("c/g", "g2") };
    store.does(A, &[rename(&store, "c", "a/c")]);
    let plan = store.commit(B, &told, &[late, into]);
    assert!(is_denied(&plan.verdicts[0]), "{plan:#?}");
    assert_eq!(store.listing(), ["a/", "a/b/", "a/b/f=a/b/f", "a/c/", "a/c/g=g"]);
}

pub(super) fn names_are_judged() {
    let mut store = store(&["f", "e\u{301}"]);
    let told = store.told();
    for path in ["/f", "../f", "a//b", "a\\b", "C:f", ".fastness-1", ""] {
        assert!(is_refused(&store.says(&told, file(path, "x"))), "{path}");
    }
    let composed = Asked { path: "é".into(), ..edit(&store, "e\u{301}", "new") };
    let plan = store.does(A, &[composed]);
    assert_eq!(plan.rows[0].entry.name, "e\u{301}", "the same name in another composition is no rename");
    store.does(A, &[rename(&store, "f", "F")]);
    assert_eq!(store.listing(), ["F=f", "e\u{301}=new"]);
}

pub(super) fn attributes_and_links() {
    let mut store = store(&["f"]);
    let told = store.told();
    let link = |target: &str| Asked { target: Some(target.into()), ..change("l", Kind::Symlink) };
    store.does(A, &[link("f")]);
    assert!(is_all_there(&store.plan(B, &Told::default(), &[link("f")])));
    assert!(is_denied(&store.says(&told, link("g"))));
    assert!(is_refused(&store.says(&told, change("m", Kind::Symlink))));
    let run = Asked { content_changed: false, executable: Some(true), hash: None, ..edit(&store, "f", "") };
    store.does(A, &[run]);
    let stale = Asked { executable: None, mtime_us: Some(5), ..edit(&store, "f", "new") };
    assert!(!is_denied(&store.says(&told, stale)), "no content changed since");
    let now = store.now(&store.id("f"));
    assert_eq!((now.executable, now.mtime_us, now.version, now.content_version), (Some(true), Some(5), 3, 3));
}

pub(super) fn bounds() {
    let mut store = store(&["f"]);
    let many: Vec<Asked> = (0..=CHANGES_MAX).map(|number| file(&format!("d/{number}"), "x")).collect();
    let told = store.told();
    let plan = store.plan(A, &told, &many);
    assert!(plan.rows.is_empty() && plan.verdicts.len() == many.len() && plan.verdicts.iter().all(is_refused));
    store.does(A, &many[..CHANGES_MAX]);
    assert!(store.reads < 5_000, "{} rows were read", store.reads);
    store.does(A, &many[CHANGES_MAX..]);
    let told = store.told();
    let verdict = store.says(&told, delete(&store, "d"));
    assert!(matches!(&verdict, Verdict::Refused { why } if why.contains("in groups")), "{verdict:?}");
    store.does(A, &[delete(&store, "d/7")]);
    store.does(A, &[delete(&store, "d")]);
    assert!(store.reads < 5_000, "{} rows were read", store.reads);
    assert_eq!(store.listing(), ["f=f"]);
}

#[test]
fn fld_5_a_change_is_taken_only_on_top_of_what_it_was_made_from() {
    base_check();
}

#[test]
fn fld_9_rename_on_one_side_and_edit_on_the_other_merge() {
    merging();
    folders_renamed_behind_the_back();
}

#[test]
fn fld_10_a_repeat_and_equal_content_are_there() {
    repeats();
    a_try_is_no_repeat_for_who_knows_of_it();
    equal_content();
}

#[test]
fn fld_14_a_new_file_takes_nobody_s_place_and_an_id_is_unused() {
    new_files();
    client_made_ids();
}

#[test]
fn fld_12_a_delete_needs_what_is_there_and_an_edit_revives() {
    deletes();
    revived();
    revived_where_another_is();
}

#[test]
fn fld_17_a_deleted_folder_takes_along_what_was_known_and_missing_parents_are_made() {
    moved_into_a_folder_that_goes();
    deleted_folders();
    parents_are_made();
}

#[test]
fn fld_15_a_renamed_folder_is_one_row_however_it_is_told() {
    one_row_for_a_folder();
}

#[test]
fn fld_16_a_rename_over_a_known_file_leaves_its_tombstone() {
    rename_over();
}

#[test]
fn fld_17_editors_swaps_chains_and_cycles() {
    saved_by_an_editor();
    swaps_and_chains();
    cycles();
}

#[test]
fn fld_18_names_are_judged_and_compared_as_the_directory_does() {
    names_are_judged();
}

#[test]
fn fld_19_attributes_and_links_are_kept() {
    attributes_and_links();
}

#[test]
fn fld_17_a_plan_is_bounded() {
    bounds();
}
