//! Pages that need no login, in every sight.

use anyhow::Result;
use browser::Sight;
use browser::eyes::{heading, link};

use crate::site::Site;
use crate::steps::check_sound;

#[test]
fn con_10_the_status_page_is_sound_in_every_sight() -> Result<()> {
    let site = Site::start()?;
    check_sound(&mut site.stranger(Sight::DESK)?, "/", &Sight::ALL)
}

/// The longest of all pages: each width and each theme is asked for once.
#[test]
fn con_10_the_page_of_the_api_is_sound_in_every_sight() -> Result<()> {
    let site = Site::start()?;
    check_sound(&mut site.stranger(Sight::DESK)?, "/docs", &Sight::CROSSWISE)
}

#[test]
fn con_10_a_newcomer_finds_the_api_from_the_first_page() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.stranger(Sight::PHONE)?;
    eyes.goto("/")?;
    eyes.wait_for(heading("Ready"))?;
    eyes.click(link("API").within("nav"))?;
    eyes.wait_for_place("/docs")?;
    eyes.wait_for(heading("API"))
}

/// The judge itself: a page with one fault of each kind is not called sound.
#[test]
fn con_10_what_is_wrong_with_a_page_is_found() -> Result<()> {
    const BREAK: &str = "
        const main = document.querySelector('main');
        main.insertAdjacentHTML('beforeend', '<h6>deep</h6><input name=bare><button></button><b id=x></b><i id=x></i>');
        main.style.width = '2000px';
        const picture = document.createElement('img');
        picture.src = 'http://127.0.0.1:9/elsewhere.png';
        document.body.append(picture);";
    let site = Site::start()?;
    let eyes = site.admin(Sight::PHONE)?;
    eyes.goto("/")?;
    eyes.script(BREAK, vec![])?;
    let found = eyes.judge()?.join("\n");
    let expected = [
        "a heading of level 6 follows one of level 2",
        "a field has no label: <input name=\"bare\">",
        "a button or link has no name: <button></button>",
        "two elements have the id x",
        "wide in a window of 390",
        "axe: label (critical)",
        "Content Security Policy",
    ];
    for one in expected {
        assert!(found.contains(one), "no `{one}` in\n{found}");
    }
    Ok(())
}
