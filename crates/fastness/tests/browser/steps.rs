//! Steps of many stories.

use anyhow::Result;
use browser::{Eyes, Sight};
use serde_json::json;

/// A dialog that is open.
pub const DIALOG: &str = "dialog[open]";

/// Sets a field whose letters depend on the machine's own language, such as a moment.
pub fn set(eyes: &Eyes, css: &str, value: &str) -> Result<()> {
    let script = "document.querySelector(arguments[0]).value = arguments[1]";
    eyes.script(script, vec![json!(css), json!(value)]).map(drop)
}

/// Nothing is wrong with the page that is shown.
pub fn check(eyes: &Eyes) -> Result<()> {
    assert_eq!(eyes.judge()?, [""; 0], "{}", eyes.place()?);
    Ok(())
}

/// Everything that is wrong with a page, however one looks at it. axe-core, which takes long, is asked in these sights.
pub fn faults_of(eyes: &mut Eyes, page: &str, asked: &[Sight]) -> Result<Vec<String>> {
    let mut found = vec![];
    eyes.goto(page)?;
    for sight in Sight::ALL {
        eyes.look_as(sight)?;
        picture(eyes, page)?;
        let faults = if asked.contains(&sight) { eyes.judge()? } else { eyes.faults()? };
        found.extend(faults.into_iter().map(|fault| format!("{page} {sight}: {fault}")));
    }
    found.extend(eyes.complaints()?.into_iter().map(|fault| format!("{page}: {fault}")));
    Ok(found)
}

/// The folder in which pictures of all pages are wanted, if they are.
const PICTURES: &str = "FASTNESS_TEST_PICTURES";

/// Takes a picture of the page for whoever wants to look at it.
#[expect(clippy::disallowed_methods, reason = "pictures for a person, nothing durable")]
pub fn picture(eyes: &Eyes, page: &str) -> Result<()> {
    let Some(folder) = std::env::var_os(PICTURES) else { return Ok(()) };
    let language = eyes.script("return document.documentElement.lang", vec![])?;
    let name: String = page.chars().take(80).map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let thread = std::thread::current();
    let test = thread.name().and_then(|name| name.rsplit("::").next()).unwrap_or_default();
    let folder = std::path::Path::new(&folder).join(test);
    std::fs::create_dir_all(&folder)?;
    let file = format!("{name}.{}.{}.png", language.as_str().unwrap_or_default(), eyes.sight());
    Ok(std::fs::write(folder.join(file), eyes.png(browser::eyes::Part::Whole)?)?)
}

/// Nothing is wrong with the page, however one looks at it.
pub fn check_sound(eyes: &mut Eyes, page: &str, asked: &[Sight]) -> Result<()> {
    let found = faults_of(eyes, page, asked)?;
    assert!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}
