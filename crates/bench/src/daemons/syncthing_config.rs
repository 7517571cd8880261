//! The configuration of Syncthing, as text: no parser of XML is needed for a file of which we know every line.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, Result};

/// What an instance is told.
pub struct Wanted<'a> {
    pub device: &'a str,
    pub other: &'a str,
    pub gui: SocketAddr,
    pub listen: SocketAddr,
    pub dial: &'a str,
    pub folder: &'a Path,
    pub delay_s: u32,
}

/// All that would reach beyond loopback, or get in the way of the other side.
const OFF: [(&str, &str); 10] = [
    ("globalAnnounceEnabled", "false"),
    ("localAnnounceEnabled", "false"),
    ("relaysEnabled", "false"),
    ("natEnabled", "false"),
    ("startBrowser", "false"),
    ("urAccepted", "-1"),
    ("autoUpgradeIntervalH", "0"),
    ("crashReportingEnabled", "false"),
    ("stunServer", ""),
    // Others run at their usual priority, too.
    ("setLowPriority", "false"),
];

/// The generated file with a folder, another device, and nothing that leaves this machine.
pub fn configured(generated: &str, wanted: &Wanted<'_>) -> Result<String> {
    let mut text = generated.to_owned();
    for (name, value) in OFF {
        text = with(&text, name, value)?;
    }
    text = with(&text, "listenAddress", &format!("tcp://{}", wanted.listen))?;
    let gui = between(&text, "<gui ", "</gui>").context("no gui")?.to_owned();
    text = text.replace(&gui, &with(&gui, "address", &wanted.gui.to_string())?);
    let more = format!("{}{}", folder(&text, wanted)?, device(&text, wanted)?);
    let (head, rest) = text.split_once('\n').context("an empty file")?;
    Ok(format!("{head}\n{more}{rest}"))
}

/// Copied from the defaults: one that is written by hand has no conflict copies.
fn folder(text: &str, wanted: &Wanted<'_>) -> Result<String> {
    let defaults = between(text, "<defaults>", "</defaults>").context("no defaults")?;
    let folder = format!("{}</folder>\n", between(defaults, "<folder ", "</folder>").context("no folder")?);
    let folder = folder
        .replacen(
            "id=\"\" label=\"\" path=\"~\"",
            &format!("id=\"bench\" label=\"bench\" path=\"{}\"", wanted.folder.display()),
            1,
        )
        .replacen("rescanIntervalS=\"3600\"", "rescanIntervalS=\"0\"", 1)
        .replacen("fsWatcherDelayS=\"10\"", &format!("fsWatcherDelayS=\"{}\"", wanted.delay_s), 1);
    let ours = format!("<device id=\"{}\" introducedBy=\"\">", wanted.device);
    let other = format!("<device id=\"{}\" introducedBy=\"\"></device>{ours}", wanted.other);
    Ok(folder.replacen(&ours, &other, 1))
}

fn device(text: &str, wanted: &Wanted<'_>) -> Result<String> {
    let defaults = between(text, "<defaults>", "</defaults>").context("no defaults")?;
    let (_, devices) = defaults.split_once("</folder>").context("no device")?;
    let device = format!("{}</device>\n", between(devices, "<device ", "</device>").context("no device")?);
    with(&device.replacen("id=\"\"", &format!("id=\"{}\" name=\"other\"", wanted.other), 1), "address", wanted.dial)
}

/// From the first `start` to the `end` after it, which is left out.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let begin = text.find(start)?;
    let length = text[begin..].find(end)?;
    Some(&text[begin..begin + length])
}

/// What the first element of a name holds.
pub fn text_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    between(text, &format!("<{name}>"), &format!("</{name}>"))?.split_once('>').map(|(_, held)| held)
}

fn with(text: &str, name: &str, value: &str) -> Result<String> {
    let held = text_of(text, name).with_context(|| format!("Syncthing's configuration has no {name}"))?;
    Ok(text.replacen(&format!("<{name}>{held}</{name}>"), &format!("<{name}>{value}</{name}>"), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GENERATED: &str = r#"<configuration version="36">
    <device id="ME" name="vm"><address>dynamic</address></device>
    <gui enabled="true"><address>127.0.0.1:8384</address><apikey>k</apikey></gui>
    <options><listenAddress>default</listenAddress><globalAnnounceEnabled>true</globalAnnounceEnabled>
        <localAnnounceEnabled>true</localAnnounceEnabled><relaysEnabled>true</relaysEnabled><startBrowser>true</startBrowser>
        <natEnabled>true</natEnabled><urAccepted>0</urAccepted><autoUpgradeIntervalH>12</autoUpgradeIntervalH>
        <setLowPriority>true</setLowPriority><crashReportingEnabled>true</crashReportingEnabled><stunServer>default</stunServer></options>
    <defaults><folder id="" label="" path="~" rescanIntervalS="3600" fsWatcherDelayS="10"><device id="ME" introducedBy=""></device></folder>
        <device id="" compression="metadata"><address>dynamic</address></device></defaults>
</configuration>"#;

    #[test]
    fn an_instance_keeps_to_loopback_and_has_the_folder_of_the_defaults() {
        let address = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
        let wanted = Wanted {
            device: "ME",
            other: "YOU",
            gui: address(1),
            listen: address(2),
            dial: "tcp://127.0.0.1:3",
            folder: Path::new("/f"),
            delay_s: 1,
        };
        let text = configured(GENERATED, &wanted).unwrap();
        let gui = between(&text, "<gui ", "</gui>").unwrap();
        assert_eq!(
            (text_of(gui, "address"), text_of(&text, "listenAddress")),
            (Some("127.0.0.1:1"), Some("tcp://127.0.0.1:2"))
        );
        for (name, value) in OFF {
            assert_eq!(text_of(&text, name), Some(value));
        }
        let folder = between(&text, "<folder ", "</folder>").unwrap();
        for part in
            ["id=\"bench\"", "path=\"/f\"", "rescanIntervalS=\"0\"", "fsWatcherDelayS=\"1\"", "id=\"YOU\"", "id=\"ME\""]
        {
            assert!(folder.contains(part), "{part}: {folder}");
        }
        assert!(text.contains("id=\"YOU\" name=\"other\"") && text.contains("<address>tcp://127.0.0.1:3</address>"));
    }
}
