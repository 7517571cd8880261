//! Folders (CON-6): a directory is created, looked at from every side, given members and limits, and removed.

use anyhow::{Context, Result};
use browser::Sight;
use browser::eyes::{button, link};
use serde_json::json;

use crate::site::Site;
use crate::steps::{DIALOG, check, check_sound};

/// Creates a directory; gives its id.
pub fn directory(site: &Site, name: &str) -> Result<String> {
    let made = site.make("/v1/main/folders/directories", &json!({ "name": name }))?;
    Ok(made["id"].as_str().context("no id")?.to_owned())
}

#[test]
fn con_6_a_directory_is_created_looked_at_shared_limited_and_removed() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.click(link("Folders").within("nav.side"))?;
    eyes.wait_for_text("No directory yet")?;
    check(&eyes)?;
    eyes.click(button("New directory"))?;
    eyes.fill("dialog[open] [name=name]", "Plans of 2026")?;
    check(&eyes)?;
    eyes.click(button("New directory").within(DIALOG))?;
    eyes.click(link("Plans of 2026"))?;
    eyes.wait_for_text("Nothing is in this folder")?;
    check(&eyes)?;
    eyes.click(button("Settings"))?;
    eyes.fill("dialog[open] [name=quota_bytes]", "1048576")?;
    eyes.click(button("Save").within(DIALOG))?;
    eyes.wait_for_text("of 1.0\u{a0}MiB")?;
    for (view, nothing) in
        [("Deleted", "Nothing was deleted"), ("Conflicts", "No conflicts"), ("Locks", "Nobody writes")]
    {
        eyes.click(link(view).within(".tabs"))?;
        eyes.wait_for_text(nothing)?;
        check(&eyes)?;
    }
    eyes.click(link("Devices").within(".tabs"))?;
    eyes.wait_for_text("No device came yet")?;
    eyes.click(button("Add a member"))?;
    eyes.fill("dialog[open] [name=key]", "01KEYOFTHELAPTOP")?;
    eyes.click(button("Add a member").within(DIALOG))?;
    eyes.wait_for("tr[data-key='01KEYOFTHELAPTOP']")?;
    check(&eyes)?;
    eyes.click(link("Files").within(".tabs"))?;
    eyes.click(button("Delete"))?;
    eyes.click(button("Delete").within(DIALOG))?;
    eyes.wait_for_text("No directory yet")
}

#[test]
fn con_6_folders_are_sound_in_every_sight() -> Result<()> {
    let site = Site::start()?;
    let id = directory(&site, "Plans")?;
    let mut eyes = site.admin(Sight::DESK)?;
    for view in ["", "/devices", "/locks"] {
        check_sound(&mut eyes, &format!("/console/main/folders/{id}{view}"), &[Sight::DESK])?;
    }
    check_sound(&mut eyes, "/console/main/folders", &[Sight::DESK])
}
