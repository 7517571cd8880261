//! The eyes themselves, on a page that a test serves: `cargo xtask services run -- cargo nextest run -p browser`.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use anyhow::{Result, ensure};
use browser::eyes::{button, checkbox, choice, field, heading};
use browser::{Driver, Eyes, Sight};
use fantoccini::key::Key;

const PAGE: &str = r#"<!doctype html><html lang="en"><title>Form</title><link rel="icon" href="data:,"><main><h1>Form</h1>
<label>Name <input id="name" value="old"></label>
<label>Size <select id="size"><option>small<option>large</select></label>
<label><input type="checkbox" id="agree"> I agree</label>
<button id="send">Send it</button> <button hidden>Hidden</button> <p id="said"></p>
<script>
    const part = id => document.getElementById(id);
    part("send").onclick = () => setTimeout(() => {
        part("said").textContent = [part("name").value, part("size").value, part("agree").checked].join(" ");
    }, 300);
</script></main>"#;

/// Serves the page to everybody. A thread each: Chromium opens connections ahead on which it says nothing.
fn serve() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(stream));
        }
    });
    Ok(address)
}

/// The page, and below it the languages that the browser asked for.
fn answer(mut stream: TcpStream) {
    let mut request = [0; 8192];
    let length = stream.read(&mut request).unwrap_or_default();
    let request = String::from_utf8_lossy(&request[..length]).into_owned();
    let languages = request.lines().find(|line| line.to_ascii_lowercase().starts_with("accept-language"));
    let body = format!("{PAGE}<p>{}</p>", languages.unwrap_or("none"));
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\nconnection: close\r\n";
    let _ = write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len());
}

fn open(languages: &str, sight: Sight) -> Result<Eyes> {
    let eyes = Eyes::open(&Driver::of_services()?, &format!("http://{}", serve()?), sight, languages)?;
    eyes.goto("/")?;
    Ok(eyes)
}

#[test]
fn a_form_is_filled_by_the_names_of_its_parts_and_what_comes_later_is_waited_for() -> Result<()> {
    let eyes = open("en", Sight::DESK)?;
    eyes.wait_for(heading("Form"))?;
    eyes.fill(field("Name"), "Ada")?;
    eyes.choose(choice("Size"), "large")?;
    eyes.click(checkbox("I agree"))?;
    eyes.click(button("Send it").within("main"))?;
    eyes.wait_for_text("Ada large true")?;
    assert_eq!(eyes.read("#said")?, "Ada large true");
    assert_eq!(eyes.value(field("Name"))?, "Ada");
    assert_eq!((eyes.count(button("Hidden"))?, eyes.count("button")?), (0, 1));
    Ok(())
}

#[test]
fn the_keyboard_goes_from_part_to_part() -> Result<()> {
    let eyes = open("en", Sight::DESK)?;
    let mut names = vec![];
    for _ in 0..4 {
        eyes.press(Key::Tab)?;
        names.push(eyes.focused()?);
    }
    assert_eq!(names, ["Name", "Size", "I agree", "Send it"]);
    eyes.press(Key::Enter)?;
    eyes.wait_for_text("old small false")
}

#[test]
fn languages_width_and_theme_are_those_of_the_person() -> Result<()> {
    let mut eyes = open("ru,en", Sight::ALL[3])?;
    let text = eyes.text()?;
    ensure!(text.to_ascii_lowercase().contains("accept-language: ru,en"), "{text}");
    let seen = "return [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, navigator.language]";
    assert_eq!(eyes.script(seen, vec![])?, serde_json::json!([390, true, "ru"]));
    eyes.look_as(Sight::DESK)?;
    assert_eq!(eyes.script(seen, vec![])?, serde_json::json!([1440, false, "ru"]));
    assert!(eyes.complaints()?.is_empty());
    Ok(())
}

#[test]
fn each_has_a_profile_of_its_own() -> Result<()> {
    let (one, other) = (open("en", Sight::DESK)?, open("en", Sight::DESK)?);
    one.script("document.cookie = 'mine=1'", vec![])?;
    other.goto(one.origin())?;
    assert_eq!(other.script("return document.cookie", vec![])?, "");
    Ok(())
}
