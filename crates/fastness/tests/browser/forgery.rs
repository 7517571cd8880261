//! What a page of another origin can do to somebody who is logged in: nothing (KER-33, CON-9).

use anyhow::Result;
use browser::eyes::{button, heading};
use browser::{Eyes, Sight};
use serde_json::{Value, json};

use crate::elsewhere::Elsewhere;
use crate::site::Site;

/// A form that any page can have: a browser sends it with the cookies, and the text is JSON to who reads it kindly.
fn page(action: &str) -> String {
    format!(
        "<!doctype html><html lang=en><title>Win</title><main><h1>You won</h1>
         <form method=post action='{action}' enctype='text/plain'>
         <input type=hidden name='{{\"op\":\"x\",\"target\":\"http://127.0.0.1:9/\",\"info\":\"' value='\"}}'>
         <button>Get it</button></form></main></html>"
    )
}

/// Sends a change as a script of the page; gives the status, or 0 if the browser did not let it through or see the answer.
const SEND: &str = "
    const [url, method, headers, body, done] = arguments;
    fetch(url, { method, headers, body, credentials: 'include' }).then(answer => done(answer.status), () => done(0));";

fn send(eyes: &Eyes, url: &str, headers: Value) -> Result<Value> {
    let task = json!({ "op": "x", "target": "http://127.0.0.1:9/" }).to_string();
    eyes.slow_script(SEND, vec![json!(url), json!("POST"), headers, json!(task)])
}

fn tasks(site: &Site) -> Result<usize> {
    Ok(site.read("/v1/main/tasks?op=x")?["items"].as_array().map_or(0, Vec::len))
}

#[test]
fn con_9_a_page_of_another_origin_changes_nothing() -> Result<()> {
    let site = Site::start()?;
    let create = format!("{}/v1/main/tasks", site.origin());
    let foreign = Elsewhere::start(200, &page(&create))?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto(&foreign.url("/"))?;
    eyes.click(button("Get it"))?;
    eyes.wait_until("location.href === args[0]", json!([create]))?;
    assert!(eyes.text()?.contains("SCSRF"), "{}", eyes.text()?);

    eyes.goto(&foreign.url("/"))?;
    eyes.wait_for(heading("You won"))?;
    for kind in ["text/plain", "application/json"] {
        assert_eq!(send(&eyes, &create, json!({ "Content-Type": kind }))?, 0, "no answer that it may read");
    }
    assert_eq!(send(&eyes, &create, json!({ "Content-Type": "application/json", "X-CSRF-Token": "guessed" }))?, 0);
    assert_eq!(tasks(&site)?, 0);
    Ok(())
}

#[test]
fn con_9_a_page_of_another_origin_cannot_show_ours() -> Result<()> {
    let site = Site::start()?;
    let framed = format!(
        "<!doctype html><html lang=en><title>Win</title><main><h1>You won</h1>
         <iframe title=x src='{}/console/main/'></iframe></main></html>",
        site.origin()
    );
    let foreign = Elsewhere::start(200, &framed)?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto(&foreign.url("/"))?;
    eyes.wait_for(heading("You won"))?;
    let complaints = eyes.complaints()?.join("\n");
    assert!(complaints.contains("X-Frame-Options") || complaints.contains("frame-ancestors"), "{complaints}");
    Ok(())
}

#[test]
fn con_9_a_change_by_a_session_needs_its_token() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    let own = |headers| send(&eyes, "/v1/main/tasks", headers);
    assert_eq!(own(json!({ "Content-Type": "application/json" }))?, 403);
    assert_eq!(own(json!({ "Content-Type": "application/json", "X-CSRF-Token": "guessed" }))?, 403);
    assert_eq!(tasks(&site)?, 0);
    let token = eyes.script("return document.querySelector('meta[name=csrf]').content", vec![])?;
    assert_eq!(own(json!({ "Content-Type": "application/json", "X-CSRF-Token": token }))?, 201);
    assert_eq!(tasks(&site)?, 1);
    Ok(())
}
