//! What all pages of the console have: the way in and out, namespaces, language, theme, keyboard, refusals (CON-1).

use anyhow::Result;
use browser::eyes::{button, field, heading, link};
use browser::{Eyes, Sight, Theme};
use serde_json::json;

use crate::site::{ADMIN, HOME, PASSWORD, Site};
use crate::steps::{check, check_sound};

const MENU: &str = ".person summary";

fn language(eyes: &Eyes) -> Result<String> {
    let language = eyes.script("return document.documentElement.lang", vec![])?;
    Ok(language.as_str().unwrap_or_default().to_owned())
}

/// The colour behind everything.
fn ground(eyes: &Eyes) -> Result<String> {
    let colour = eyes.script("return getComputedStyle(document.body).backgroundColor", vec![])?;
    Ok(colour.as_str().unwrap_or_default().to_owned())
}

#[test]
fn con_1_a_person_logs_in_goes_to_another_namespace_and_logs_out() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.stranger(Sight::DESK)?;
    eyes.goto("/console")?;
    eyes.wait_for(heading("Welcome"))?;
    eyes.fill("input[name=account]", ADMIN)?;
    eyes.fill("input[name=password]", "not the one")?;
    eyes.click(button("Log in"))?;
    eyes.wait_for("form .form-error")?;
    let refused = "Account or password is wrong, or the account is of another namespace than “z”.";
    assert_eq!(eyes.read("form .form-error")?, refused, "said once, in plain words");
    eyes.fill("input[name=password]", PASSWORD)?;
    eyes.click(button("Log in"))?;
    eyes.wait_for_place("/console/main/")?;
    eyes.wait_for(heading("Overview"))?;
    eyes.complaints()?; // The browser notes that a password was refused.

    eyes.click("header.top .pick:not(.person) summary")?;
    eyes.click("header.top .pick a[href='/console/z/']")?;
    eyes.wait_for_place("/console/z/")?;
    eyes.wait_for(heading("Namespaces"))?;
    assert_eq!(eyes.complaints()?, [""; 0]);

    eyes.click(MENU)?;
    eyes.click(button("Log out"))?;
    eyes.wait_for(heading("Welcome"))?;
    eyes.goto("/console/z/")?;
    eyes.wait_for(heading("Welcome"))?;
    assert_eq!(eyes.place()?, "/console/_login?next=%2Fconsole%2Fz%2F", "and back to where one wanted to go");
    Ok(())
}

#[test]
fn con_1_a_password_that_somebody_else_made_is_changed_first() -> Result<()> {
    let site = Site::start()?;
    let first = site.invite("main", "anna", "operator")?;
    let eyes = site.stranger(Sight::PHONE)?;
    eyes.goto("/console/main/")?;
    let log_in = |password: &str| -> Result<()> {
        eyes.fill("input[name=account]", "anna")?;
        eyes.fill("input[name=namespace]", "main")?;
        eyes.fill("input[name=password]", password)?;
        eyes.click(button("Log in"))
    };
    eyes.wait_for(heading("Welcome"))?;
    log_in(&first)?;
    eyes.wait_for_place("/console/main/account?first=yes")?;
    eyes.wait_for(heading("My account"))?;
    eyes.complaints()?; // The login asks whether one is in already, and the browser notes that one is not.
    assert_eq!(eyes.judge()?, [""; 0]);
    eyes.fill(field("Current password"), &first)?;
    eyes.fill("input[name=new]", "short")?;
    eyes.click(button("Change password"))?;
    eyes.wait_for("form .form-error")?;
    eyes.fill("input[name=new]", PASSWORD)?;
    eyes.complaints()?; // The browser notes that it was refused.
    eyes.click(button("Change password"))?;
    eyes.wait_for_place("/console/main/start")?;
    assert_eq!(eyes.count("header.top .pick:not(.person)")?, 0, "one namespace, no switch");
    eyes.complaints()?; // The page looked again just when its session had ended.
    assert_eq!(eyes.judge()?, [""; 0]);
    // Nothing is held against whoever changes it once more; the old one is of no use any more.
    eyes.goto("/console/main/account")?;
    eyes.fill(field("Current password"), PASSWORD)?;
    eyes.fill("input[name=new]", "another battery, another staple")?;
    eyes.click(button("Change password"))?;
    eyes.wait_for_text("Your password is changed.")?;
    eyes.complaints()?; // As above.
    assert_eq!(eyes.judge()?, [""; 0]);
    eyes.goto("/console/_login")?;
    log_in(PASSWORD)?;
    eyes.wait_for("form .form-error")?;
    log_in("another battery, another staple")?;
    eyes.wait_for_place("/console/main/")
}

#[test]
fn con_12_con_1_the_printed_password_leads_to_start_here() -> Result<()> {
    let (site, first) = Site::untouched(&[])?;
    let eyes = site.stranger(Sight::DESK)?;
    eyes.goto("/console")?;
    eyes.fill("input[name=account]", ADMIN)?;
    eyes.fill("input[name=password]", &first)?;
    eyes.click(button("Log in"))?;
    eyes.wait_for_text("Somebody else made this password.")?;
    eyes.fill(field("Current password"), &first)?;
    eyes.fill("input[name=new]", PASSWORD)?;
    eyes.click(button("Change password"))?;
    eyes.wait_for_place("/console/main/start")?;
    eyes.wait_for(heading("Start here"))?;
    eyes.complaints()?; // The login asks whether one is in already, and the browser notes that one is not.
    assert_eq!(eyes.judge()?, [""; 0]);
    Ok(())
}

#[test]
fn con_1_where_something_is_already_the_first_login_leads_to_the_overview() -> Result<()> {
    let (site, first) = Site::untouched(&[])?;
    site.ask("PUT", "/v1/main/sensors/door1", &json!({ "address": "Mill Lane 4" }))?;
    let eyes = site.stranger(Sight::DESK)?;
    eyes.goto("/console/_login")?;
    eyes.fill("input[name=account]", ADMIN)?;
    eyes.fill("input[name=password]", &first)?;
    eyes.click(button("Log in"))?;
    eyes.fill(field("Current password"), &first)?;
    eyes.fill("input[name=new]", PASSWORD)?;
    eyes.click(button("Change password"))?;
    eyes.wait_for_place("/console/main/")
}

#[test]
fn con_10_a_page_that_fits_needs_no_scroll_bar() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    for page in ["main/keys", "main/stuck", "main/alerts", "main/account", "z/namespaces"] {
        eyes.goto(&format!("/console/{page}"))?;
        eyes.wait_for("#live.on")?;
        let heights = eyes.script("return [document.scrollingElement.scrollHeight, innerHeight]", vec![])?;
        assert_eq!(heights[0], heights[1], "{page}");
    }
    Ok(())
}

/// A namespace's name has at most sixteen letters.
const LONG_NAME: &str = "mmmmmmmmmmmmmmmm";

#[test]
fn con_10_a_long_name_covers_nothing_at_the_top_of_a_phone() -> Result<()> {
    const LEFT_TO_RIGHT: &str = "
        const places = ['.brand', '.pick:not(.person)', '.find', '#live', '.person'];
        const boxes = places.map((place) => document.querySelector('.top ' + place).getBoundingClientRect());
        return boxes.every((box, at) => box.width > 0 && (at === 0 || box.left >= boxes[at - 1].right)) && boxes.at(-1).right <= innerWidth";
    let site = Site::start()?;
    site.make("/v1/z/namespaces", &json!({ "name": LONG_NAME, "temporary": true }))?;
    for width in [360, Sight::PHONE.width] {
        let eyes = site.admin(Sight { width, ..Sight::PHONE })?;
        eyes.goto(&format!("/console/{LONG_NAME}/"))?;
        eyes.wait_for("#live.on")?;
        assert_eq!(eyes.script(LEFT_TO_RIGHT, vec![])?, true, "{width}");
        eyes.wait_for(".find .icon")?;
        check(&eyes)?;
    }
    Ok(())
}

/// The longest words are Russian.
#[test]
fn con_10_what_can_be_done_in_a_wide_list_is_in_reach() -> Result<()> {
    const SEEN: &str = "
        const box = document.querySelector('main .scroll'), edge = box.getBoundingClientRect().right;
        const ends = [...box.querySelectorAll('td.actions button')].map((button) => button.getBoundingClientRect().right);
        return ends.length > 0 && ends.every((end) => end <= edge) && box.scrollWidth <= box.clientWidth";
    let site = Site::start()?;
    site.make("/v1/z/namespaces", &json!({ "name": "demodocuments", "temporary": true }))?;
    for width in [1280, Sight::DESK.width] {
        let eyes = site.admin(Sight { width, ..Sight::DESK })?;
        eyes.goto("/console/_prefer?language=ru&back=/console/z/")?;
        for page in ["tasks?whose=all", "queues"] {
            eyes.goto(&format!("/console/z/{page}"))?;
            eyes.wait_for("td.actions button")?;
            assert_eq!(eyes.script(SEEN, vec![])?, true, "{page} at {width}");
        }
    }
    Ok(())
}

#[test]
fn con_12_a_page_of_a_namespace_that_is_gone_says_so_and_leads_to_start_here() -> Result<()> {
    let site = Site::start()?;
    site.make("/v1/z/namespaces", &json!({ "name": "demo7", "temporary": true }))?;
    let eyes = site.admin(Sight::PHONE)?;
    eyes.goto("/console/demo7/exchange")?;
    eyes.wait_for(heading("Exchange"))?;
    eyes.wait_for("#live.on")?;
    site.ask("DELETE", "/v1/z/namespaces/demo7", &json!(null))?;
    // The page looks again by itself, and learns it.
    eyes.wait_for(heading("This namespace is not there"))?;
    eyes.wait_for_text("A demo removes the namespace that it made")?;
    let found = eyes.judge()?.into_iter().filter(|fault| !fault.contains("the server responded with a status of 40"));
    assert_eq!(found.collect::<Vec<_>>(), [""; 0]);
    eyes.click(link("Start here"))?;
    eyes.wait_for_place("/console/main/start")?;
    // Of another namespace's page the way back is the usual one.
    eyes.goto("/console/z/namespaces/demo7")?;
    eyes.wait_for(heading("This namespace is not there"))?;
    assert_eq!(eyes.count(link("Start here"))?, 0);
    eyes.click(link("To the overview"))?;
    eyes.wait_for_place("/console/z/")
}

#[test]
fn con_1_pages_speak_the_language_of_the_browser_until_the_person_chooses() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.reader_of("ru,en", Sight::DESK)?;
    eyes.goto("/console/_login")?;
    assert_eq!(language(&eyes)?, "ru");
    eyes.wait_for(heading("Добро пожаловать"))?;
    eyes.log_in(HOME, ADMIN, PASSWORD)?;
    for (code, name, title, other) in [
        ("fr", "Français", "Vue d’ensemble", "Mon compte"),
        ("en", "English", "Overview", "My account"),
        ("ru", "Русский", "Обзор", "Моя учётная запись"),
    ] {
        eyes.goto("/console/main/?span=24h")?;
        eyes.click(MENU)?;
        eyes.click(link(name))?;
        eyes.wait_until("document.documentElement.lang === args[0]", json!([code]))?;
        eyes.wait_for(heading(title))?;
        assert_eq!(eyes.place()?, "/console/main/?span=24h", "the page stays");
        eyes.goto("/console/main/account")?;
        eyes.wait_for(heading(other))?;
        assert_eq!(eyes.faults()?, [""; 0]);
    }
    assert_eq!(eyes.complaints()?, [""; 0]);
    Ok(())
}

#[test]
fn con_1_pages_have_the_theme_of_the_device_until_the_person_chooses() -> Result<()> {
    let site = Site::start()?;
    let mut eyes = site.admin(Sight::DESK)?;
    let dark = Sight { theme: Theme::Dark, ..Sight::DESK };
    eyes.goto("/console/main/")?;
    let by_day = ground(&eyes)?;
    eyes.look_as(dark)?;
    let by_night = ground(&eyes)?;
    assert_ne!(by_day, by_night);
    let choose = |eyes: &Eyes, name: &str, word: &str| -> Result<()> {
        eyes.click(MENU)?;
        eyes.click(link(name))?;
        eyes.wait_until("(document.documentElement.dataset.theme ?? '') === args[0]", json!([word]))
    };
    choose(&eyes, "Light", "light")?;
    assert_eq!(ground(&eyes)?, by_day, "though the device is dark");
    eyes.goto("/console/main/account")?;
    assert_eq!(ground(&eyes)?, by_day, "on every page");
    eyes.look_as(Sight::DESK)?;
    choose(&eyes, "Dark", "dark")?;
    assert_eq!(ground(&eyes)?, by_night, "though the device is light");
    assert_eq!(eyes.judge()?, [""; 0]);
    choose(&eyes, "As the device", "")?;
    assert_eq!(ground(&eyes)?, by_day);
    Ok(())
}

#[test]
fn con_10_the_frame_is_used_by_keyboard_and_on_a_phone() -> Result<()> {
    let site = Site::start()?;
    let mut eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.press(browser::Key::Tab)?;
    assert_eq!(eyes.focused()?, "Skip to content", "the first stop");
    eyes.press(browser::Key::Enter)?;
    eyes.wait_until("document.activeElement.id === 'content'", json!([]))?;
    eyes.click(MENU)?;
    eyes.wait_for(button("Log out"))?;
    eyes.press(browser::Key::Escape)?;
    eyes.wait_gone(".person[open]")?;

    eyes.look_as(Sight::PHONE)?;
    eyes.reload()?;
    assert_eq!(eyes.count("nav.side a")?, 0, "no room for it");
    eyes.click(button("Menu"))?;
    eyes.wait_for(link("Overview").within("nav.side"))?;
    assert_eq!(eyes.judge()?, [""; 0]);
    eyes.click(button("Menu"))?;
    eyes.wait_until("!document.querySelector('nav.side a').checkVisibility()", json!([]))
}

#[test]
fn con_10_keys_that_do_something_alone_are_switched_off_and_on() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.wait_for("#live.on")?;
    eyes.press_letter('?')?;
    eyes.wait_for("#keyboard[open]")?;
    assert_eq!(eyes.judge()?, [""; 0]);
    eyes.click(link("Off").within("#keyboard"))?;
    eyes.wait_for("[data-single-keys=off] #live.on")?;
    eyes.press_letter('?')?;
    assert_eq!(eyes.count("#keyboard[open]")?, 0);
    eyes.click(MENU)?;
    eyes.click("button[data-keys]")?;
    eyes.wait_for("#keyboard[open]")?;
    eyes.click(link("On").within("#keyboard"))?;
    eyes.wait_for("body:not([data-single-keys]) #live.on")?;
    eyes.press_letter('?')?;
    eyes.wait_for("#keyboard[open]")?;
    Ok(())
}

#[test]
fn con_1_a_session_that_ended_elsewhere_leads_to_the_login_and_back() -> Result<()> {
    let site = Site::start()?;
    site.account("main", "olga", "operator")?;
    let eyes = site.person("main", "olga", Sight::DESK)?;
    eyes.goto("/console/main/?span=7d")?;
    eyes.wait_for(heading("Overview"))?;
    site.ask("PATCH", "/v1/main/accounts/olga", &json!({ "blocked": true }))?;
    // The page looks again by itself, and learns it.
    eyes.wait_for(heading("Welcome"))?;
    eyes.wait_for_text("Your session has ended")?;
    site.ask("PATCH", "/v1/main/accounts/olga", &json!({ "blocked": false }))?;
    eyes.fill("input[name=account]", "olga")?;
    eyes.fill("input[name=namespace]", "main")?;
    eyes.fill("input[name=password]", PASSWORD)?;
    eyes.click(button("Log in"))?;
    eyes.wait_for_place("/console/main/?span=7d")
}

#[test]
fn con_1_what_cannot_be_shown_is_told_with_a_way_on() -> Result<()> {
    let site = Site::start()?;
    site.account("main", "rita", "reader")?;
    let eyes = site.person("main", "rita", Sight::PHONE)?;
    // The browser notes every page that is refused; nothing else may be wrong.
    let check = |page: &str, title: &str| -> Result<()> {
        eyes.goto(page)?;
        eyes.wait_for(heading(title))?;
        let found =
            eyes.judge()?.into_iter().filter(|fault| !fault.contains("the server responded with a status of 40"));
        assert_eq!(found.collect::<Vec<_>>(), [""; 0], "{page}");
        Ok(())
    };
    check("/console/main/no-such-page", "There is no such page")?;
    check("/console/main/?span=yesterday", "That cannot be shown")?;
    check("/console/z/", "Welcome")?;
    check("/console/main/accounts", "Not for your role")?;
    assert_eq!(eyes.count(link("Log in with another account"))?, 1);
    check("/console/main/no-such-page", "There is no such page")?;
    eyes.click(link("To the overview"))?;
    eyes.wait_for_place("/console/main/")
}

#[test]
fn con_10_login_account_and_components_are_sound_in_every_sight() -> Result<()> {
    let site = Site::start()?;
    let mut eyes = site.admin(Sight::DESK)?;
    for page in ["/console/_login", "/console/main/account", "/console/_components"] {
        check_sound(&mut eyes, page, &Sight::CROSSWISE)?;
    }
    Ok(())
}
