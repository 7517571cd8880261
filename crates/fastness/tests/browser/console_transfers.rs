//! Namespaces on their way (KER-3), resources and secrets, as a person handles them on the console (CON-8): each with a refusal in words.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use browser::eyes::{button, heading, link};
use browser::{Eyes, Sight};
use kill::postgres::{Database, SHARED};
use serde_json::json;

use crate::site::Site;
use crate::steps::{DIALOG, check};

const FORM_ERROR: &str = "dialog[open] .form-error:not([hidden])";

/// What the dialog says that it was refused with; it stays open with all that was typed.
fn refusal(eyes: &Eyes) -> Result<String> {
    eyes.wait_for(FORM_ERROR)?;
    let told = eyes.read(FORM_ERROR)?;
    eyes.complaints()?; // The browser notes that it was refused.
    assert_eq!(eyes.judge()?, [""; 0]);
    Ok(told)
}

/// Presses what downloads, and gives the bytes that came.
#[expect(clippy::disallowed_methods, reason = "a folder that a person looks into")]
fn downloaded(eyes: &Eyes, press: &str, folder: &Path, name: &str) -> Result<Vec<u8>> {
    const LOOKS: u32 = 20_000;
    let place = json!({ "behavior": "allow", "downloadPath": folder.display().to_string() });
    eyes.cdp("Browser.setDownloadBehavior", place)?;
    eyes.click(link(press))?;
    let file = folder.join(name);
    // It has its name when all of it is there.
    let came = (0..LOOKS).any(|_| file.is_file() || eyes.place().is_err());
    ensure!(came && file.is_file(), "{name} does not come");
    Ok(fs::read(&file)?)
}

fn import(eyes: &Eyes, file: &Path, name: &str) -> Result<()> {
    eyes.upload("dialog[open] input[type=file]", file)?;
    eyes.fill("dialog[open] [name=name]", name)?;
    eyes.click(button("Import an archive").within(DIALOG))
}

#[test]
#[expect(clippy::disallowed_methods, reason = "files that a person chooses")]
fn con_8_ker_3_a_namespace_is_exported_to_a_file_and_imported_under_another_name() -> Result<()> {
    let site = Site::start()?;
    site.make("/v1/z/namespaces", &json!({ "name": "shop", "label": "The shop" }))?;
    site.make("/v1/shop/keys", &json!({ "role": "app", "label": "till 7" }))?;
    let folder = tempfile::tempdir()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/z/namespaces/shop")?;
    let archive = downloaded(&eyes, "Export", folder.path(), "shop.archive")?;
    let cut_off = folder.path().join("cut-off.archive");
    fs::write(&cut_off, &archive[..archive.len() / 2])?;

    eyes.goto("/console/z/namespaces")?;
    eyes.click(button("Import an archive"))?;
    check(&eyes)?;
    import(&eyes, &cut_off, "copy")?;
    let told = refusal(&eyes)?;
    assert!(told.contains("no whole archive") && told.contains("(AARCHIVE)"), "{told}");
    import(&eyes, &folder.path().join("shop.archive"), "main")?;
    let told = refusal(&eyes)?;
    assert!(told.contains("there is a namespace `main` already"), "{told}");
    import(&eyes, &folder.path().join("shop.archive"), "copy")?;
    eyes.wait_for_place("/console/z/namespaces/copy")?;
    eyes.wait_until("/The shop[^]*open/.test(document.querySelector('#standing .facts').innerText)", json!([]))?;
    check(&eyes)?;
    eyes.goto("/console/copy/keys")?;
    eyes.wait_for_text("till 7")?;
    check(&eyes)
}

/// Its state is what it is closed for, perhaps: a copy before something risky. The administrators' own has its backup.
#[test]
fn con_8_ker_3_what_is_closed_can_be_exported_and_the_administrators_own_cannot() -> Result<()> {
    let site = Site::start()?;
    site.make("/v1/z/namespaces", &json!({ "name": "shop" }))?;
    site.ask("PATCH", "/v1/z/namespaces/shop", &json!({ "state": "closed" }))?;
    let folder = tempfile::tempdir()?;
    let eyes = site.admin(Sight::PHONE)?;
    eyes.goto("/console/z/namespaces/shop")?;
    assert!(!downloaded(&eyes, "Export", folder.path(), "shop.archive")?.is_empty());
    eyes.goto("/console/z/namespaces/z")?;
    eyes.wait_for(heading("z"))?;
    assert_eq!(eyes.count(link("Export"))?, 0);
    check(&eyes)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "files that a person chooses")]
fn con_8_ker_2_a_resource_is_put_opened_and_deleted() -> Result<()> {
    let site = Site::start()?;
    let folder = tempfile::tempdir()?;
    let (style, large) = (folder.path().join("shop.css"), folder.path().join("large.css"));
    fs::write(&style, "body { color: teal }")?;
    fs::write(&large, vec![b' '; 2 << 20])?;
    let eyes = site.admin(Sight::PHONE)?;
    eyes.goto("/console/z/namespaces/main")?;
    eyes.wait_for_text("No resource")?;
    eyes.click(button("Put a file"))?;
    check(&eyes)?;
    eyes.upload("dialog[open] input[type=file]", &large)?;
    assert_eq!(eyes.value("dialog[open] [name=path]")?, "large.css", "as the file is called");
    eyes.click(button("Put a file").within(DIALOG))?;
    let told = refusal(&eyes)?;
    assert!(told.contains("larger than the server takes") && told.contains("(ATOOBIG)"), "{told}");
    eyes.upload("dialog[open] input[type=file]", &style)?;
    eyes.fill("dialog[open] [name=path]", "style/shop.css")?;
    eyes.click(button("Put a file").within(DIALOG))?;
    eyes.wait_for(link("style/shop.css"))?;
    check(&eyes)?;
    assert_eq!(site.client().get("/v1/main/resources/style/shop.css")?.status, 200);
    eyes.click(button("Delete").within("#resources"))?;
    eyes.wait_for_text("The file style/shop.css is removed.")?;
    eyes.click(button("Delete").within(DIALOG))?;
    eyes.wait_for_text("No resource")?;
    check(&eyes)
}

#[test]
fn con_8_ker_32_secrets_of_a_key_end_one_after_the_other() -> Result<()> {
    let site = Site::start()?;
    site.make("/v1/main/keys", &json!({ "role": "app", "label": "till 7" }))?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/keys")?;
    let rotate = || eyes.click(button("Rotate").within(DIALOG));
    let open = || eyes.click(button("Rotate").within("tr:has(strong)"));
    loop {
        open()?;
        rotate()?;
        eyes.wait_for(":is(dialog[open] .secret, dialog[open] .form-error:not([hidden]))")?;
        if eyes.count(FORM_ERROR)? > 0 {
            break;
        }
        eyes.click(button("Close").within(DIALOG))?;
        eyes.wait_for_text("two secrets")?;
    }
    let told = refusal(&eyes)?;
    assert!(told.contains("older secrets") && told.contains("a smaller overlap"), "{told}");
    eyes.choose("dialog[open] [name=overlap_s]", "not at all")?;
    rotate()?;
    eyes.wait_for("dialog[open] .secret")?;
    eyes.click(button("Close").within(DIALOG))?;
    eyes.wait_until("!document.querySelector('#keys').innerText.includes('two secrets')", json!([]))?;
    eyes.click(button("Webhook secret"))?;
    eyes.wait_for_text("The journal notes that you looked.")?;
    eyes.click(button("Webhook secret").within(DIALOG))?;
    eyes.wait_for("dialog[open] .secret")?;
    check(&eyes)
}

#[test]
fn con_8_ker_3_a_namespace_moves_to_another_engine_and_back_postgres() -> Result<()> {
    let site = Site::start()?;
    let database = Database::new(SHARED, "console_moves")?;
    site.make("/v1/z/namespaces", &json!({ "name": "shop" }))?;
    site.make("/v1/shop/keys", &json!({ "role": "app", "label": "till 7" }))?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/z/namespaces/shop")?;
    let to = |engine: &str, url: Option<&str>| -> Result<()> {
        if let Some(url) = url {
            eyes.fill("#engine [name=url]", url)?;
        }
        eyes.click(button(&format!("Move to {engine}")).within("#engine"))?;
        eyes.click(button(&format!("Move to {engine}")).within(DIALOG))
    };
    to("PostgreSQL", Some(&"x".repeat(2_000)))?;
    eyes.wait_for("#engine .form-error:not([hidden])")?;
    let told = eyes.read("#engine .form-error")?;
    assert!(told.contains("too large or too small") && told.contains("url has 2000 bytes"), "{told}");
    eyes.complaints()?; // The browser notes that it was refused.
    to("PostgreSQL", Some(&database.url))?;
    eyes.wait_for(button("Move to SQLite"))?;
    check(&eyes)?;
    assert_eq!(site.read("/v1/z/namespaces/shop")?["engine"], "postgres");
    to("SQLite", None)?;
    eyes.wait_for(button("Move to PostgreSQL"))?;
    assert_eq!(site.read("/v1/z/namespaces/shop")?["engine"], "sqlite");
    eyes.goto("/console/shop/keys")?;
    eyes.wait_for_text("till 7")?;
    check(&eyes)
}
