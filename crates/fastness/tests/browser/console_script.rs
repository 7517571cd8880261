//! What the script does to a page while somebody works on it (CON-2, CON-10): `morph` makes a live part like a fresh copy, around what the
//! person is doing; `gathered` says what a form sends. Both are asked directly, with small pages.

use anyhow::{Context, Result};
use browser::{Eyes, Sight};
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
         morph(part, parsed(arguments[1]));
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
