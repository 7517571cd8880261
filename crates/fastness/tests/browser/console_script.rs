//! What the script does to a page while somebody works on it (CON-2, CON-10): `morph` makes a live part like a fresh copy, around what the
//! person is doing; `gathered` says what a form sends. Both are asked directly, with small pages.

use anyhow::{Context, Result};
use browser::eyes::button;
use browser::{Eyes, Key, Sight};
use serde_json::{Value, json};

use crate::site::Site;

/// A browser with the script on a page that has no live parts of its own.
fn eyes(site: &Site) -> Result<Eyes> {
    let eyes = site.stranger(Sight::DESK)?;
    eyes.goto("/console/_login")?;
    eyes.wait_for("form.call")?;
    Ok(eyes)
}

/// Shows `old` (and does something with it), makes it like `fresh`, and tells what an expression gives.
fn morphed(eyes: &Eyes, [old, does, fresh, tells]: [&str; 4]) -> Result<Value> {
    let script = format!(
        "const parsed = (html) => new DOMParser().parseFromString(`<div id=part>${{html}}</div>`, 'text/html').getElementById('part');
         document.getElementById('part')?.remove();
         const part = document.importNode(parsed(arguments[0]), true);
         document.body.append(part);
         const one = (css) => part.querySelector(css);
         {does};
         const fresh = parsed(arguments[1]);
         setMoments(fresh);
         morph(part, fresh);
         return {tells};"
    );
    eyes.script(&script, vec![json!(old), json!(fresh)]).with_context(|| format!("{old} -> {fresh}"))
}

const FORM: &str = "<form data-call=POST action=/a class=with-fields><input name=t value=old><input type=hidden name=v value=1></form>";
const NEWER: &str = "<form data-call=POST action=/a class=with-fields><input name=t value=new><input type=hidden name=v value=2></form>";

#[test]
fn con_10_a_form_that_nobody_touched_shows_the_new_state_whole() -> Result<()> {
    let site = Site::start()?;
    let eyes = eyes(&site)?;
    let both = "[one('[name=t]').value, one('[name=v]').value]";
    assert_eq!(morphed(&eyes, [FORM, "", NEWER, both])?, json!(["new", "2"]));
    let typed = "one('[name=t]').value = 'mine'";
    assert_eq!(morphed(&eyes, [FORM, typed, NEWER, both])?, json!(["mine", "1"]), "text and version are of one time");
    let focused = "one('[name=t]').focus()";
    assert_eq!(morphed(&eyes, [FORM, focused, NEWER, both])?, json!(["old", "1"]));
    let sent = "one('[name=t]').focus(); renewed.add(one('form'))";
    assert_eq!(
        morphed(&eyes, [FORM, sent, NEWER, both])?,
        json!(["new", "2"]),
        "it was sent and shows what came of it"
    );
    let (off, on) = (
        "<form><select name=s><option>a</option><option>b</option></select><input type=checkbox></form>",
        "<form><select name=s><option>a</option><option selected>b</option></select><input type=checkbox checked></form>",
    );
    let state = "[one('select').value, one('[type=checkbox]').checked]";
    assert_eq!(morphed(&eyes, [off, "", on, state])?, json!(["b", true]));
    assert_eq!(
        morphed(&eyes, [off, "one('select').value = 'b'", off, state])?,
        json!(["b", false]),
        "chosen by the person"
    );
    Ok(())
}

#[test]
fn con_10_what_comes_before_a_form_does_not_take_its_place() -> Result<()> {
    let site = Site::start()?;
    let eyes = eyes(&site)?;
    let typed = "one('[name=t]').value = 'mine'";
    let banner = format!("<div class=banner>news</div><p>more</p>{NEWER}");
    let told = "[one('[name=t]').value, part.children.length, part.firstChild.className]";
    assert_eq!(morphed(&eyes, [FORM, typed, &banner, told])?, json!(["mine", 3, "banner"]));
    let told = "[one('[name=t]')?.value ?? null, part.textContent]";
    assert_eq!(
        morphed(&eyes, [FORM, typed, "<p>gone</p>", told])?,
        json!(["mine", "gone"]),
        "not even when it is not wanted any more"
    );
    assert_eq!(morphed(&eyes, [FORM, "", "<p>gone</p>", told])?, json!([null, "gone"]));
    let of_id = "<form data-call=POST action=/b><input name=id value=7></form>";
    let told = "[one('input').value, one('form').getAttribute('action')]";
    let does = "one('input').value = '8'";
    assert_eq!(
        morphed(&eyes, [of_id, does, &of_id.replace('7', "9"), told])?,
        json!(["8", "/b"]),
        "a field may be named id"
    );
    Ok(())
}

#[test]
fn con_10_rows_keep_their_dialogs_and_their_place() -> Result<()> {
    let site = Site::start()?;
    let eyes = eyes(&site)?;
    let row = |key: &str| {
        format!(
            "<li data-key={key}>{key}<dialog aria-label=d><form data-call=POST action=/{key}><input name=x></form></dialog></li>"
        )
    };
    let rows = |keys: &[&str]| keys.iter().map(|key| row(key)).collect::<String>();
    let open = "one('[data-key=b] dialog').showModal(); one('[data-key=b] input').focus()";
    let told = "[one('[data-key=b] dialog').matches(':modal'), document.activeElement.name, \
                [...part.children].map((row) => row.dataset.key).join('')]";
    for (fresh, order) in [(vec!["b", "c"], "bc"), (vec!["n", "a", "b", "c"], "nabc"), (vec!["c", "b", "a"], "cba")] {
        let told = morphed(&eyes, [&rows(&["a", "b", "c"]), open, &rows(&fresh), told])?;
        assert_eq!(told, json!([true, "x", order]), "{fresh:?}");
    }
    let kept = morphed(&eyes, [&rows(&["a", "b", "c"]), open, &rows(&["a", "c"]), told])?;
    assert_eq!(kept[0], true, "what somebody works on stays though its row has gone");
    Ok(())
}

#[test]
fn con_10_a_form_sends_what_it_shows() -> Result<()> {
    let site = Site::start()?;
    let eyes = eyes(&site)?;
    let sent = |fields: &str| {
        let form = format!("<form data-call=PUT action=/x>{fields}</form>");
        morphed(&eyes, [&form, "", &form, "gathered(one('form')).text"])
            .map(|text| text.as_str().unwrap_or_default().to_owned())
    };
    let present = r#"<input type=hidden name=channels data-kind=json value='[{"label":"a"}]'>"#;
    let added = r#"<input name=channels.1.url data-kind=text value=https://x.example/>"#;
    assert_eq!(sent(&format!("{present}{added}"))?, r#"{"channels":[{"label":"a"},{"url":"https://x.example/"}]}"#);
    assert_eq!(
        sent("<textarea name=n data-kind=json>12345678901234567890</textarea>")?,
        r#"{"n":12345678901234567890}"#
    );
    assert_eq!(sent("<input name=a data-kind=text><input name=b data-kind=any-text>")?, r#"{"b":""}"#);
    Ok(())
}

#[test]
fn con_8_what_is_shown_once_is_not_lost_by_pressing_escape() -> Result<()> {
    let site = Site::start()?;
    let eyes = eyes(&site)?;
    let secret = "dialog('d', make('p', '', 'a secret'), [{ text: 'Close', value: true }], true)";
    eyes.script(secret, vec![])?;
    eyes.wait_for("dialog[open]")?;
    for _ in 0..3 {
        eyes.press(Key::Escape)?;
    }
    assert_eq!(eyes.count("dialog[open]")?, 1, "only its button closes it");
    eyes.click(button("Close").within("dialog[open]"))?;
    eyes.wait_gone("dialog[open]")?;
    // Nothing of a plain one is lost.
    eyes.script(&secret.replace("true)", "false)"), vec![])?;
    eyes.wait_for("dialog[open]")?;
    eyes.press(Key::Escape)?;
    eyes.wait_gone("dialog[open]")
}

#[test]
fn con_10_a_link_that_was_cut_off_leaves_the_page_at_work() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/keys#open=%")?;
    eyes.wait_for("#live.on")?;
    eyes.click(button("New key"))?;
    eyes.wait_for("dialog[open]")?;
    assert_eq!(eyes.complaints()?, [""; 0]);
    Ok(())
}

#[test]
fn con_10_a_refusal_stays_until_it_was_read() -> Result<()> {
    let site = Site::start()?;
    let eyes = eyes(&site)?;
    for text in ["no", "no", "neither"] {
        eyes.script("toast(arguments[0], true)", vec![json!(text)])?;
    }
    assert_eq!(eyes.count(".toast.bad[role=alert]")?, 2, "the same one is there once");
    eyes.click(button("Close").within("#toasts"))?;
    eyes.wait_until("document.querySelectorAll('.toast').length === 1", json!([]))?;
    assert!(eyes.read(".toast.bad")?.starts_with("neither"));
    assert_eq!(eyes.judge()?, [""; 0]);
    Ok(())
}

#[test]
fn con_8_a_moment_that_nobody_touched_is_sent_as_it_came() -> Result<()> {
    let site = Site::start()?;
    let eyes = eyes(&site)?;
    let form = |utc: &str| {
        format!(
            "<form data-call=PUT action=/x><input type=datetime-local step=1 name=m data-kind=moment value='' data-utc={utc}></form>"
        )
    };
    let (whole, odd) = (form("2031-05-06T07:08:00.000Z"), form("2031-05-06T07:08:09.500Z"));
    let sent = "[gathered(one('form')).text, typedIn(one('form')), one('input').value !== '']";
    for (form, text) in [(&whole, "07:08:00.000Z"), (&odd, "07:08:09.500Z")] {
        let told = morphed(&eyes, [form, "setMoments(part)", form, sent])?;
        assert_eq!(told[0], json!(format!("{{\"m\":\"2031-05-06T{text}\"}}")));
        assert_eq!((&told[1], &told[2]), (&json!(false), &json!(true)), "{form}");
    }
    let chosen = "setMoments(part); one('input').value = '2032-01-01T00:00'";
    let told = morphed(&eyes, [&whole, chosen, &whole, sent])?;
    assert!(told[1] == true && !told[0].as_str().unwrap_or_default().contains("2031"), "{told}");
    let emptied = "setMoments(part); one('input').value = ''";
    assert_eq!(morphed(&eyes, [&whole, emptied, &whole, sent])?[0], json!("{}"), "and it can be taken away");
    Ok(())
}
