//! Two devices keep a directory in step. One of them goes offline in the middle, both are changed, and one file on both sides.

use std::path::PathBuf;

use client::Request;
use folder_agent::run::{Address, Home, Link, new_uuid};
use serde_json::json;

use super::machine::{self, Part};
use super::narrator::Narrator;
use super::parts::{Folder, Order};
use super::stage::{Stage, until};
use crate::failure::{Done, Failure};

/// What the daemon puts into the name of a conflict copy.
const CONFLICT: &str = "(conflict, ";

/// A device: a folder, and what its daemon remembers.
struct Device {
    root: PathBuf,
    home: PathBuf,
}

impl Device {
    fn link(stage: &Stage, directory: &str, name: &str) -> Result<Self, Failure> {
        let session = &stage.session;
        let below = stage.folder.join(name);
        let device = Self { root: below.join("plans"), home: below.join("daemon") };
        let id = || new_uuid().map_err(|error| Failure::here(format!("no id for the link: {error}")));
        let server = url::Url::parse(session.server()).map_err(Failure::usage)?;
        let address = Address { server, namespace: session.namespace.clone(), key: session.access_key()?.to_owned() };
        let link = Link {
            link: id()?,
            root: device.root.clone(),
            directory: directory.to_owned(),
            address,
            device: name.to_owned(),
            client_id: id()?,
            exact_names: false,
            links: true,
            rescan_s: 600,
        };
        Home::at(device.home.clone()).add(link).map_err(Failure::here)?;
        Ok(device)
    }

    async fn daemon(&self) -> Result<Part, Failure> {
        let mut part = Part::start(&Order::Folder(Folder { home: self.home.clone() }))?;
        part.says("ready").await?;
        Ok(part)
    }

    fn write(&self, name: &str, text: &str) -> Done {
        machine::write(&self.root.join(name), text)
    }

    fn rename(&self, from: &str, to: &str) -> Done {
        machine::rename(&self.root.join(from), &self.root.join(to))
    }
}

/// Waits until both hold the same, and that is so.
async fn level(laptop: &Device, desk: &Device, what: &str, is_so: impl Fn(&[(&String, &String)]) -> bool) -> Done {
    let holds = async || {
        let (one, two) = (machine::tree(&laptop.root), machine::tree(&desk.root));
        Ok(one == two && is_so(&one.iter().collect::<Vec<_>>()))
    };
    until(what, holds).await
}

pub(super) async fn play(stage: &Stage, narrator: &mut Narrator) -> Done {
    let request = Request::new("POST", &["folders", "directories"]).json(&json!({ "name": "Plans" }));
    let made = stage.session.step(request).await?;
    let directory = made["id"].as_str().unwrap_or_default();
    let page = format!("folders/{directory}");
    let (laptop, desk) = (Device::link(stage, directory, "laptop")?, Device::link(stage, directory, "desk")?);
    let what = format!(
        "A directory is made, and two folders are linked with it, each kept by a daemon: {}",
        stage.folder.display()
    );
    narrator.step(&what, "Look into both while it runs: laptop/plans and desk/plans.", &page).await?;
    let (mut laptop_daemon, _desk_daemon) = (laptop.daemon().await?, desk.daemon().await?);
    together(&laptop, &desk, narrator, &page).await?;
    let what = format!("The laptop goes offline: its daemon (process {}) is killed with kill -9.", laptop_daemon.id());
    laptop_daemon.kill();
    narrator.step(&what, "People go on working on both sides.", &format!("{page}/devices")).await?;
    apart(&laptop, &desk, narrator, &page).await?;
    let _laptop_daemon = laptop.daemon().await?;
    let why = "Changes travel both ways; what was changed on both sides is kept twice, and nobody is asked.";
    narrator.step("The laptop is back.", why, &format!("{page}/conflicts")).await?;
    level(&laptop, &desk, "both folders to hold the same again", is_merged).await?;
    verify(&laptop, &desk, narrator, &page).await
}

async fn together(laptop: &Device, desk: &Device, narrator: &mut Narrator, page: &str) -> Done {
    narrator
        .step("The laptop gets six files; the desk has them a moment later.", "Only what is missing travels.", page)
        .await?;
    for number in 1..=5 {
        laptop.write(&format!("house/room {number}.txt"), &format!("room {number}: white\n"))?;
        narrator.beat().await;
    }
    laptop.write("budget.txt", "roof 100\n")?;
    level(laptop, desk, "the desk to have six files", |files| files.len() == 6).await?;
    narrator
        .step(
            "The desk renames a folder and edits a file; the laptop follows.",
            "A rename is one step, however large the folder is.",
            page,
        )
        .await?;
    desk.rename("house", "villa")?;
    desk.write("villa/room 2.txt", "room 2: blue\n")?;
    let is_so = |files: &[(&String, &String)]| {
        files.iter().any(|(name, text)| *name == "villa/room 2.txt" && text.contains("blue")) && files.len() == 6
    };
    level(laptop, desk, "the laptop to follow the rename", is_so).await
}

async fn apart(laptop: &Device, desk: &Device, narrator: &mut Narrator, page: &str) -> Done {
    let what = "Both edit budget.txt; the laptop adds a file, and the desk renames one and removes another.";
    narrator.step(what, "Nobody knows yet that budget.txt was changed twice.", page).await?;
    laptop.write("budget.txt", "roof 120\n")?;
    laptop.write("letter.txt", "written on a train\n")?;
    desk.write("budget.txt", "roof 90, floor 40\n")?;
    desk.rename("villa/room 3.txt", "villa/kitchen.txt")?;
    machine::remove(&desk.root.join("villa/room 5.txt"))?;
    // The desk is online: its version is the server's before the laptop comes back.
    narrator.beat().await;
    Ok(())
}

fn is_merged(files: &[(&String, &String)]) -> bool {
    let has = |wanted: &str| files.iter().any(|(name, _)| *name == wanted);
    let texts = ["roof 120\n", "roof 90, floor 40\n"];
    has("letter.txt")
        && has("villa/kitchen.txt")
        && !has("villa/room 5.txt")
        && texts.iter().all(|wanted| files.iter().any(|(_, text)| text == wanted))
}

async fn verify(laptop: &Device, desk: &Device, narrator: &mut Narrator, page: &str) -> Done {
    narrator.step("What came of it, read from both folders:", "", page).await?;
    let (one, two) = (machine::tree(&laptop.root), machine::tree(&desk.root));
    narrator.claim(
        &format!("{} files on the laptop = {} files on the desk, byte for byte", one.len(), two.len()),
        one == two,
    )?;
    let copies: Vec<&String> = one.keys().filter(|name| name.contains(CONFLICT)).collect();
    let budgets: Vec<&String> =
        one.iter().filter(|(name, _)| name.starts_with("budget")).map(|(_, text)| text).collect();
    let both = ["roof 120\n", "roof 90, floor 40\n"].iter().all(|wanted| budgets.iter().any(|text| text == wanted));
    let named = copies.first().map_or("none", |name| name.as_str());
    narrator
        .claim(&format!("budget.txt is there in both versions; the second as `{named}`"), copies.len() == 1 && both)?;
    let is_renamed = one.contains_key("villa/kitchen.txt") && !one.contains_key("villa/room 3.txt");
    narrator.claim(
        "the renamed file has its new name only, the removed one is gone",
        is_renamed && !one.contains_key("villa/room 5.txt"),
    )?;
    narrator.claim("what was written offline is on both", one.contains_key("letter.txt"))
}
