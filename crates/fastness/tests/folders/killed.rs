//! Three daemons and a server, each of which is killed again and again while people work: in the end all have the same, and everything that its author
//! left is there (FLD-26).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use kill::server::{Launch, Server};

use crate::kit::{Device, program};

const NAMES: [&str; 3] = ["laptop", "desk", "phone"];
const ROUNDS: u64 = 24;

/// The same numbers every time: what differs is where the kills strike.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// What a person has in a folder that nobody else changes, and writes in files that all do. Renames and removals are the simulator's: there it is known
/// what the person saw.
struct Person {
    own: &'static str,
    files: BTreeMap<String, String>,
}

impl Person {
    fn work(&mut self, device: &Device, number: u64, numbers: &mut Numbers) {
        let name = format!("f{}", numbers.below(6));
        let text = format!("{} {number}", self.own);
        match numbers.below(8) {
            0..=4 => {
                device.write(&format!("{}/{name}", self.own), &text);
                self.files.insert(name, text);
            }
            5 if device.has(self.own) => {
                save_by_rename(device, &format!("{}/{name}", self.own), &text);
                self.files.insert(name, text);
            }
            6 => save_by_rename(device, &format!("shared {}", numbers.below(3)), &text),
            _ => device.write(&format!("shared {}", numbers.below(3)), &text),
        }
    }
}

fn save_by_rename(device: &Device, name: &str, text: &str) {
    let beside = format!(".saving {}", device.name);
    device.write(&beside, text);
    // The daemon sees it too, and may have put it elsewhere.
    if fs::rename(device.root.join(beside), device.root.join(name)).is_err() {
        device.write(name, text);
    }
}

/// All files but what is the daemon's own.
fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if name == ".fastness" {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if let Ok(bytes) = fs::read(&path) {
                found.insert(name, bytes);
            }
        }
    }
    found
}

/// What is not as it should be in the end.
fn differs(devices: &[Device; 3], people: &[Person; 3]) -> Option<String> {
    let trees = devices.each_ref().map(|device| tree(&device.root));
    for (name, other) in NAMES.iter().zip(&trees).skip(1) {
        let paths = trees[0].keys().chain(other.keys());
        if let Some(path) = paths.into_iter().find(|path| trees[0].get(*path) != other.get(*path)) {
            return Some(format!("{name} differs at `{path}`"));
        }
    }
    people.iter().find_map(|person| {
        let prefix = format!("{}/", person.own);
        let found: BTreeMap<&str, &[u8]> =
            trees[0].iter().filter_map(|(path, bytes)| Some((path.strip_prefix(&prefix)?, bytes.as_slice()))).collect();
        // Who died between sending and hearing may meet its own change as another's, and keep both: one copy too many, and nothing lost.
        let mark = |name: &str| format!("{name} (conflict, ");
        let has = |(name, text): (&String, &String)| {
            let places = found.iter().filter(|(path, _)| *path == name || path.starts_with(&mark(name)));
            places.into_iter().any(|(_, bytes)| *bytes == text.as_bytes())
        };
        let is_known = |path: &&str| person.files.contains_key(*path) || path.contains(" (conflict, ");
        let is_good = person.files.iter().all(has) && found.keys().all(is_known);
        (!is_good).then(|| format!("{prefix} has {:?}, not {:?}", found.keys(), person.files.keys()))
    })
}

fn kill_and_start(server: Server, launch: &Launch) -> Server {
    server.kill().unwrap();
    launch.start().unwrap()
}

#[test]
fn fld_26_daemons_and_server_that_are_killed_anywhere_end_with_the_same_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let launch = Launch::new(program(), &folder.path().join("data"));
    let mut server = launch.start().unwrap();
    let launch = launch.listen_on(server.address);
    let mut devices = NAMES.map(|name| Device::new(name, folder.path(), &server));
    devices[0].out(&["create", "Plans", devices[0].root_text(), "--device", "laptop"]);
    for device in &devices[1..] {
        device.out(&["link", "Plans", device.root_text(), "--device", device.name]);
    }
    devices.iter_mut().for_each(Device::run_daemon);
    let mut people = NAMES.map(|name| Person { own: name, files: BTreeMap::new() });
    let mut numbers = Numbers(1);
    for round in 0..ROUNDS {
        for edit in 0..9 {
            let who = edit % NAMES.len();
            people[who].work(&devices[who], round * 100 + edit as u64, &mut numbers);
        }
        match numbers.below(4) {
            3 => server = kill_and_start(server, &launch),
            device => {
                let device = &mut devices[usize::try_from(device).unwrap()];
                device.kill_daemon();
                device.run_daemon();
            }
        }
    }
    let last = std::cell::RefCell::new(None);
    let is_so = || {
        *last.borrow_mut() = differs(&devices, &people);
        last.borrow().is_none()
    };
    let told = || {
        let logs = devices.each_ref().map(Device::log).join("\n\n");
        format!("{:?}\n{logs}", last.borrow())
    };
    devices[0].wait_or("all have the same, and what each left is there", is_so, told);
    drop(server);
}
