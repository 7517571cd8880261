//! Documents (CON-5): classes, documents, items with versions, attachments, search, who changed it when.

use anyhow::{Context, Result};
use browser::Sight;
use browser::eyes::{button, heading, link};
use serde_json::{Value, json};

use crate::site::Site;
use crate::steps::{DIALOG, check, set};

/// A class with a history and an index.
pub fn declare(site: &Site) -> Result<Value> {
    let items =
        json!({ "Card": { "singleton": true, "index": { "name": "string" } }, "Phone": {}, "Note": { "raw": true } });
    site.make("/v1/main/doc-classes", &json!({ "class": "Contact", "history": true, "items": items }))
}

/// Changes a document, or makes it.
pub fn commit(site: &Site, id: &str, items: Value) -> Result<Value> {
    let change = json!({ "c": "Contact", "id": id, "expect": "any", "items": items });
    site.make("/v1/main/op/doc.commit", &json!({ "param": { "changes": [change] } }))
}

#[test]
fn con_5_a_class_is_declared_and_a_document_made_found_and_deleted() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.click(link("Documents").within("nav.side"))?;
    eyes.wait_for_text("No class of documents yet")?;
    check(&eyes)?;
    eyes.click(button("Declare a class"))?;
    check(&eyes)?;
    eyes.click(button("Save").within(DIALOG))?; // What is proposed is a class.
    eyes.click(link("Contact"))?;
    eyes.wait_for_text("No documents here")?;
    check(&eyes)?;
    eyes.click(button("New document"))?;
    eyes.fill("dialog[open] [name='param.changes.0.id']", "anna")?;
    let items = r#"[{ "c": "Card", "j": { "name": "Anna", "number": 9007199254740993 } }]"#;
    set(&eyes, "dialog[open] [name='param.changes.0.items']", items)?;
    check(&eyes)?;
    eyes.click(button("Create").within(DIALOG))?;
    eyes.wait_for(heading("anna"))?;
    eyes.wait_for_text("9007199254740993")?; // Numbers stay exact.
    check(&eyes)?;

    eyes.goto("/console/main/documents/Contact")?;
    eyes.fill("[name=v1]", "Anna")?;
    eyes.click(button("Search"))?;
    eyes.wait_for(link("anna"))?;
    check(&eyes)?;
    eyes.fill("[name=v1]", "Boris")?;
    eyes.click(button("Search"))?;
    eyes.wait_for_text("Nothing found")?;
    eyes.goto("/console/main/documents/Contact/anna")?;
    eyes.click(button("Delete document"))?;
    eyes.click(button("Delete document").within(DIALOG))?;
    eyes.wait_for_place("/console/main/documents/Contact")?;
    eyes.wait_for_text("No documents here")
}

#[test]
fn con_5_what_somebody_else_changed_meanwhile_is_not_overwritten_unseen() -> Result<()> {
    let site = Site::start()?;
    declare(&site)?;
    commit(&site, "anna", json!([{ "c": "Card", "j": { "name": "Anna" } }]))?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/documents/Contact/anna")?;
    eyes.click(link("Edit"))?;
    eyes.wait_for(heading("Card"))?;
    let value = "[name='param.changes.0.items.0.j']";
    eyes.fill(value, "{ \"name\": \"Anna of ours\" }")?;
    commit(&site, "anna", json!([{ "c": "Card", "j": { "name": "Anna of theirs" } }]))?;
    eyes.wait_until("document.querySelector('#item').innerText.includes('theirs')", json!([]))?;
    eyes.click(button("Save"))?;
    eyes.wait_for_text("Somebody else changed this document since you opened it")?;
    eyes.complaints()?; // The browser notes that it was refused.
    assert!(eyes.value(value)?.contains("Anna of ours"), "what was typed stays");
    check(&eyes)?;
    eyes.click(button("Save"))?;
    eyes.wait_for_place("/console/main/documents/Contact/anna")?;
    eyes.wait_for_text("Anna of ours")?;
    eyes.wait_for_text("admin")?; // Who changed it.
    check(&eyes)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a file that a person chooses")]
fn con_5_items_and_attachments_come_and_go() -> Result<()> {
    let site = Site::start()?;
    declare(&site)?;
    commit(&site, "anna", json!([{ "c": "Card", "j": { "name": "Anna" } }]))?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("portrait.txt");
    std::fs::write(&file, "not really a picture").context("no file")?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/documents/Contact/anna")?;
    eyes.click(button("Add or open an item"))?;
    eyes.choose("details [name=c]", "Note")?;
    eyes.fill("details [name=k]", "1")?;
    eyes.click(button("Open"))?;
    eyes.wait_for_text("There is no such item yet")?;
    check(&eyes)?;
    eyes.fill("[name='param.changes.0.items.0.s']", "likes tea")?;
    eyes.click(button("Save"))?;
    eyes.wait_for_text("likes tea")?;
    let note = "tr[data-key='Note 1']";
    eyes.click(button("Delete").within(note))?;
    eyes.click(button("Delete").within(DIALOG))?;
    eyes.wait_gone(note)?;
    eyes.wait_for(heading("Deleted items"))?;

    eyes.click(button("Attach a file"))?;
    eyes.upload("dialog[open] input[type=file]", &file)?;
    eyes.fill("dialog[open] [name=key]", "portrait.txt")?;
    check(&eyes)?;
    eyes.click(button("Attach a file").within(DIALOG))?;
    eyes.wait_for(link("portrait.txt"))?;
    check(&eyes)?;
    let row = "tr[data-key='portrait.txt']";
    eyes.click(button("Delete").within(row))?;
    eyes.click(button("Delete").within(DIALOG))?;
    eyes.wait_for_text("Nothing is attached")
}
