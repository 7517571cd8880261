//! The same at a shell.

use std::process::Command;

use kill::server::KEY;
use serde_json::{Value, json};

use crate::{Site, program};

fn run(site: &Site, words: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(program());
    for name in ["FASTNESS_NAMESPACE", "XDG_CONFIG_HOME", "HOME"] {
        command.env_remove(name);
    }
    command.arg("search").args(words).env("FASTNESS_SERVER", format!("http://{}", site.server.address));
    let output = command.env("FASTNESS_KEY", KEY).output().expect("the program");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

#[test]
fn con_11_anything_is_found_at_a_shell() {
    let site = Site::start();
    for number in 0..6 {
        site.make("/v1/main/keys", &json!({ "role": "app", "label": format!("till {number} \u{202e}x") }));
    }
    let (code, out, told) = run(&site, &["till"]);
    assert_eq!(code, 0, "{told}");
    assert!(out.starts_with("KIND") && out.contains("till 4") && !out.contains('\u{202e}'), "{out}");
    assert!(told.contains("there is more of: key"), "{told}");
    let (code, out, _) = run(&site, &["till 5", "--kind", "key", "--json"]);
    let found: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, found["items"].as_array().map(Vec::len)), (0, Some(1)), "{out}");
    let (code, _, told) = run(&site, &["nothing-like-this"]);
    assert_eq!(
        (code, told.as_str()),
        (0, "no things of that id or name in namespace `main`; another one: --namespace NAME\n")
    );
    assert_eq!(run(&site, &[" "]).0, 3, "refused");
}
