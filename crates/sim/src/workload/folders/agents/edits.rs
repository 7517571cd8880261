//! What people do with their files.

use folder_agent::disk::memory::MemoryDisk;
use folder_agent::model::Content;

use super::{Shared, hash_of};
use crate::sim::Sim;

const NAMES: [&str; 8] = ["a", "A", "b", "c.txt", "é", "e\u{301}", "notes", "x"];
const FOLDERS: [&str; 4] = ["", "d", "d/in", "e"];

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn folder_of(path: &str) -> String {
    path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
}

/// One thing that a person does; the folders that it changed. What cannot be done is not done.
pub(super) fn edit(disk: &mut MemoryDisk, client: usize, shared: &mut Shared, sim: &mut Sim) -> Vec<String> {
    let tree = disk.tree();
    let files: Vec<&String> =
        tree.iter().filter(|(_, content)| matches!(content, Content::File { .. })).map(|(path, _)| path).collect();
    let folders: Vec<&String> =
        tree.iter().filter(|(_, content)| **content == Content::Folder).map(|(path, _)| path).collect();
    let (folder, name): (&&str, &&str) = (sim.rng.pick(&FOLDERS), sim.rng.pick(&NAMES));
    let place = join(folder, name);
    let before = tree.clone();
    let kind = sim.rng.below(12);
    sim.say(&format!("person {client} does {kind} near {place}"));
    let touched = match kind {
        0 | 1 => write(disk, &place, client, shared, sim, false),
        2 | 3 if !files.is_empty() => write(disk, &(*sim.rng.pick(&files)).clone(), client, shared, sim, false),
        4 if !files.is_empty() => write(disk, &(*sim.rng.pick(&files)).clone(), client, shared, sim, true),
        5 if !files.is_empty() => rename(disk, &(*sim.rng.pick(&files)).clone(), &place),
        6 if !folders.is_empty() => rename(disk, &(*sim.rng.pick(&folders)).clone(), &place),
        7 if !files.is_empty() => remove(disk, &(*sim.rng.pick(&files)).clone()),
        8 if !folders.is_empty() && sim.rng.once_in(3) => remove(disk, &(*sim.rng.pick(&folders)).clone()),
        9 => make_folder(disk, folder),
        10 if files.len() > 1 => swap(disk, &(*sim.rng.pick(&files)).clone(), &(*sim.rng.pick(&files)).clone()),
        11 if !files.is_empty() => twin(disk, &(*sim.rng.pick(&files)).clone(), &place, shared),
        _ => vec![],
    };
    if !touched.is_empty() {
        forget(&before, disk, shared);
    }
    touched
}

/// What the person replaced or removed need not be kept.
fn forget(before: &std::collections::BTreeMap<String, Content>, disk: &MemoryDisk, shared: &mut Shared) {
    let after: std::collections::BTreeSet<String> = disk.tree().values().filter_map(hash_of).collect();
    for hash in before.values().filter_map(hash_of).filter(|hash| !after.contains(hash)) {
        shared.kept.remove(&hash);
    }
}

fn write(
    disk: &mut MemoryDisk,
    path: &str,
    client: usize,
    shared: &mut Shared,
    sim: &mut Sim,
    by_rename: bool,
) -> Vec<String> {
    let size = if sim.rng.once_in(6) { sim.rng.below(200_000) } else { sim.rng.below(100) };
    let text = shared.new_text(size);
    let mut user = disk.user();
    let written = if by_rename { user.save_by_rename(path, &text) } else { user.write(path, &text) };
    if written.is_err() {
        return vec![];
    }
    let hash = disk.tree().get(path).and_then(hash_of);
    shared.kept.extend(hash.map(|hash| (hash, client)));
    vec![folder_of(path)]
}

fn rename(disk: &mut MemoryDisk, from: &str, to: &str) -> Vec<String> {
    match disk.user().rename(from, to) {
        Ok(()) if from != to => vec![folder_of(from), folder_of(to)],
        Ok(()) | Err(_) => vec![],
    }
}

fn remove(disk: &mut MemoryDisk, path: &str) -> Vec<String> {
    disk.user().remove(path).map_or(vec![], |()| vec![folder_of(path)])
}

fn make_folder(disk: &mut MemoryDisk, path: &str) -> Vec<String> {
    if path.is_empty() {
        return vec![];
    }
    disk.user().mkdir(path).map_or(vec![], |()| vec![folder_of(path)])
}

fn swap(disk: &mut MemoryDisk, one: &str, other: &str) -> Vec<String> {
    let mut user = disk.user();
    if one == other || user.rename(one, "swap~").is_err() {
        return vec![];
    }
    let _ = user.rename(other, one);
    let _ = user.rename("swap~", other);
    vec![String::new(), folder_of(one), folder_of(other)]
}

/// The same content twice. From then on two people may each remove one of the two and mean to keep the other: nobody is to blame if it goes.
fn twin(disk: &mut MemoryDisk, of: &str, path: &str, shared: &mut Shared) -> Vec<String> {
    let Some(bytes) = disk.bytes(of) else { return vec![] };
    if let Some(hash) = disk.tree().get(of).and_then(hash_of) {
        shared.kept.remove(&hash);
    }
    disk.user().write(path, &bytes).map_or(vec![], |()| vec![folder_of(path)])
}
