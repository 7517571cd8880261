//! Who may do what, and how it is set up (CON-8): accounts, keys, namespaces, configuration.

use anyhow::{Result, ensure};
use browser::eyes::{button, heading, link};
use browser::{Eyes, Sight};
use serde_json::json;

use crate::site::Site;
use crate::steps::{DIALOG, check};

/// What is shown once, in a dialog; closes it.
fn shown_once(eyes: &Eyes) -> Result<String> {
    let secret = eyes.read("dialog[open] .secret")?;
    check(eyes)?;
    eyes.click(button("Copy").within(DIALOG))?;
    eyes.wait_for(button("Copied").within(DIALOG))?;
    eyes.click(button("Close").within(DIALOG))?;
    eyes.wait_gone(DIALOG)?;
    ensure!(!eyes.text()?.contains(&secret), "it is still shown");
    Ok(secret)
}

#[test]
fn con_8_an_account_lives_from_its_password_to_its_end() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.click(link("Accounts").within("nav.side"))?;
    eyes.wait_for_text("No account here")?;
    eyes.click(button("New account"))?;
    eyes.fill("dialog[open] [name=name]", "Anna!")?;
    eyes.click(button("Create").within(DIALOG))?;
    eyes.wait_for("dialog[open] .form-error")?;
    let told = eyes.read("dialog[open] .form-error")?;
    assert!(told.starts_with("“Name” was not accepted\n") && told.contains("(ABODY)"), "which field, and why: {told}");
    assert_eq!(eyes.count("dialog[open] [name=name][aria-invalid]")?, 1);
    eyes.complaints()?; // The browser notes that it was refused.
    eyes.fill("dialog[open] [name=name]", "anna")?;
    eyes.choose("dialog[open] [name=role]", "Reader")?;
    check(&eyes)?;
    eyes.click(button("Create").within(DIALOG))?;
    let first = shown_once(&eyes)?;
    eyes.wait_for("tr[data-key=anna]")?;
    site.stranger(Sight::PHONE)?.log_in("main", "anna", &first)?;

    let row = |button| -> Result<()> { eyes.click(browser::eyes::button(button).within("tr[data-key=anna]")) };
    let says = |text: &str| {
        eyes.wait_until("document.querySelector('tr[data-key=anna]').innerText.includes(args[0])", json!([text]))
    };
    row("Change role")?;
    eyes.choose("dialog[open] [name=role]", "Operator")?;
    eyes.click(button("Save").within(DIALOG))?;
    says("Operator")?;
    row("New password")?;
    eyes.click(button("New password").within(DIALOG))?;
    let second = shown_once(&eyes)?;
    assert_ne!(first, second);
    row("Block")?;
    check(&eyes)?;
    eyes.click(button("Block").within(DIALOG))?;
    says("blocked")?;
    assert!(site.stranger(Sight::PHONE)?.log_in("main", "anna", &second).is_err());
    row("Unblock")?;
    says("active")?;
    row("Delete")?;
    eyes.click(button("Delete").within(DIALOG))?;
    eyes.wait_for_text("No account here")?;
    check(&eyes)
}

#[test]
fn con_8_a_key_is_made_rotated_renamed_and_revoked() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::PHONE)?;
    eyes.goto("/console/main/keys")?;
    eyes.click(button("New key"))?;
    eyes.fill("dialog[open] [name=label]", "till 7")?;
    check(&eyes)?;
    eyes.click(button("Create").within(DIALOG))?;
    let first = shown_once(&eyes)?;
    eyes.wait_for_text("till 7")?;
    let row = "tr:has(strong)";
    eyes.click(button("Rotate").within(row))?;
    eyes.choose("dialog[open] [name=overlap_s]", "1 hour")?;
    eyes.click(button("Rotate").within(DIALOG))?;
    assert_ne!(shown_once(&eyes)?, first);
    eyes.wait_for_text("two secrets")?;
    eyes.click(button("Rename").within(row))?;
    eyes.fill("dialog[open] [name=label]", "desk 9")?;
    check(&eyes)?;
    eyes.click(button("Rename").within(DIALOG))?;
    eyes.wait_for_text("desk 9")?;
    eyes.click(button("Revoke").within(row))?;
    eyes.click(button("Revoke").within(DIALOG))?;
    eyes.wait_for_text("revoked")?;
    // A revoked key loses its label.
    eyes.click(button("Rename").within(row))?;
    eyes.fill("dialog[open] [name=label]", "")?;
    eyes.click(button("Rename").within(DIALOG))?;
    eyes.wait_until("!document.querySelector('#keys').innerText.includes('desk 9')", json!([]))?;
    check(&eyes)
}

/// Each role has fields of its own: what it cannot use is neither there nor sent.
#[test]
fn con_8_a_key_is_bound_to_what_its_role_can_use() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/keys")?;
    eyes.click(button("New key"))?;
    eyes.fill("dialog[open] [name='scope.actor']", "price#1")?;
    eyes.choose("dialog[open] [name=role]", "Device: a device of the exchange")?;
    eyes.wait_for("dialog[open] [data-for=device] input:enabled")?;
    assert_eq!(eyes.count("dialog[open] [name='scope.actor']:enabled")?, 0);
    eyes.fill("dialog[open] [data-for=device] input", "phone-7")?;
    check(&eyes)?;
    eyes.click(button("Create").within(DIALOG))?;
    shown_once(&eyes)?;
    eyes.wait_for_text("device: phone-7")?;
    check(&eyes)
}

#[test]
fn con_8_a_namespace_is_made_closed_opened_and_removed() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/z/")?;
    eyes.click(link("Namespaces").within("nav.side"))?;
    eyes.click(button("New namespace"))?;
    eyes.fill("dialog[open] [name=name]", "shop")?;
    eyes.fill("dialog[open] [name=label]", "The shop")?;
    check(&eyes)?;
    eyes.click(button("Create").within(DIALOG))?;
    eyes.wait_until("document.querySelector('tr[data-key=shop]')?.innerText.includes('open')", json!([]))?;
    eyes.click("tr[data-key=shop] a")?;
    eyes.wait_for(heading("shop"))?;
    check(&eyes)?;
    let standing = "form:has([name=state])";
    eyes.choose("[name=state]", "closed")?;
    eyes.fill("[name=message]", "moving house")?;
    eyes.click(button("Save").within(standing))?;
    eyes.wait_until("document.querySelector('#standing .facts').innerText.includes('moving house')", json!([]))?;
    // Another change of it leaves alone when it reopens.
    let expected = json!({ "state": "closed", "message": "moving house", "reopens_at": "2031-05-06T07:08:09.500Z" });
    site.ask("PATCH", "/v1/z/namespaces/shop", &expected)?;
    eyes.wait_until("document.querySelector('[name=reopens_at]').value.startsWith('2031-05-0')", json!([]))?;
    eyes.choose("[name=state]", "read-only")?;
    eyes.click(button("Save").within(standing))?;
    eyes.wait_until("document.querySelector('#standing .facts').innerText.includes('read-only')", json!([]))?;
    assert_eq!(site.read("/v1/z/namespaces/shop")?["reopens_at"], expected["reopens_at"]);
    eyes.choose("[name=state]", "open")?;
    eyes.click(button("Save").within(standing))?;
    eyes.fill("[name='limits.requests_max']", "7")?;
    eyes.click(button("Save").within("form:has([name='limits.readers'])"))?;
    eyes.wait_until("document.querySelector(\"[name='limits.requests_max']\").defaultValue === '7'", json!([]))?;
    assert_eq!(site.read("/v1/z/namespaces/shop")?["limits"]["requests_max"], 7);
    eyes.click(button("Give a grant"))?;
    eyes.fill("dialog[open] [name=class]", "order")?;
    eyes.choose("dialog[open] [name=reader]", "main")?;
    eyes.click(button("Give").within(DIALOG))?;
    eyes.click(button("Take back"))?;
    eyes.click(button("Take back").within(DIALOG))?;
    eyes.wait_for_text("No grant")?;
    site.ask("PUT", "/v1/z/namespaces/shop/resources/prices.json", &json!({ "tea": 3 }))?;
    eyes.wait_for(link("prices.json"))?;
    check(&eyes)?;
    eyes.click(button("Delete").within("#resources"))?;
    eyes.click(button("Delete").within(DIALOG))?;
    eyes.wait_for_text("No resource")?;
    // What cannot be taken back wants its name typed.
    eyes.fill("input[pattern=shop]", "shot")?;
    eyes.click(button("Remove this namespace"))?;
    assert_eq!(eyes.place()?, "/console/z/namespaces/shop");
    eyes.fill("input[pattern=shop]", "shop")?;
    eyes.click(button("Remove this namespace"))?;
    eyes.wait_for_place("/console/z/namespaces")?;
    check(&eyes)
}

/// To a PostgreSQL where nobody answers, so that it stays under way until it is taken back.
#[test]
fn con_8_ker_3_a_move_is_begun_watched_and_taken_back() -> Result<()> {
    let away = ("FASTNESS_STORE__URL", "host=127.0.0.1 port=9 user=u password=hunter-two dbname=d");
    let site = Site::start_with(&[away])?;
    site.make("/v1/z/namespaces", &json!({ "name": "shop" }))?;
    let eyes = site.admin(Sight::PHONE)?;
    eyes.goto("/console/z/namespaces/shop")?;
    eyes.click(button("Move to PostgreSQL"))?;
    check(&eyes)?;
    eyes.click(button("Move to PostgreSQL").within(DIALOG))?;
    eyes.wait_for_text("rows are carried")?;
    check(&eyes)?;
    assert_eq!(site.read("/v1/z/namespaces/shop/transfer")?["to"], "postgres");
    assert!(!eyes.text()?.contains("hunter-two"), "a secret is shown");
    eyes.goto("/console/z/namespaces")?;
    eyes.wait_until("document.querySelector('tr[data-key=shop]').innerText.includes('rows are carried')", json!([]))?;
    check(&eyes)?;
    eyes.goto("/console/z/namespaces/shop")?;
    eyes.click(button("Take it back"))?;
    eyes.click(button("Take it back").within(DIALOG))?;
    eyes.wait_for_text("taken back")?;
    eyes.wait_for(button("Move to PostgreSQL"))?;
    assert_eq!(site.read("/v1/z/namespaces/shop")?["engine"], "sqlite");
    check(&eyes)
}

#[test]
fn con_8_the_configuration_shows_everything_but_secrets() -> Result<()> {
    let mail = ("FASTNESS_MAIL__URL", "smtp://robot:hunter-two@127.0.0.1:9");
    let site = Site::start_with(&[mail, ("FASTNESS_MAIL__FROM", "robot@example.org")])?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/z/")?;
    eyes.click(link("Configuration").within("nav.side"))?;
    eyes.wait_for_text("mail.url")?;
    let text = eyes.text()?;
    assert!(!text.contains("hunter-two") && !text.contains(kill::server::KEY), "a secret is shown");
    check(&eyes)?;
    eyes.fill(".filters input", "mail.")?;
    eyes.click(".filters button")?;
    eyes.wait_until("!document.body.innerText.includes('server.listen')", json!([]))?;
    check(&eyes)
}
