//! A folder that a device keeps in step: its daemon brings each new file to the server, whose bytes lie in S3.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use kill::server::KEY;
use serde_json::Value;

use super::{Load, Work};
use crate::site::{Site, program, wait_until};

pub struct Device {
    home: PathBuf,
    root: PathBuf,
    /// The folder's files, as the server lists them.
    list: String,
    daemon: Child,
}

impl Device {
    /// A directory that is empty at first, linked to the first server.
    pub fn start(site: &Site) -> Self {
        let (home, root) = (site.path("device/home"), site.path("device/plans"));
        std::fs::create_dir_all(&root).unwrap();
        let command = |words: &[&str]| {
            let mut command = Command::new(program());
            command.arg("folders").args(words).env("FASTNESS_FOLDERS_HOME", &home).env("FASTNESS_NAMESPACE", "main");
            command.env("FASTNESS_SERVER", format!("http://{}", site.nodes[0].address)).env("FASTNESS_KEY", KEY);
            command.env("XDG_CONFIG_HOME", site.path("device/config"));
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        let created = command(&["create", "Plans", root.to_str().unwrap(), "--device", "laptop"]).status();
        assert!(created.unwrap().success());
        let directories = site.caller().get("/v1/main/folders/directories");
        let id = directories["items"][0]["id"].as_str().unwrap();
        let list = format!("/v1/main/folders/directories/{id}/files?limit=1000");
        Self { list, daemon: command(&["run"]).spawn().unwrap(), home, root }
    }

    /// Writes files one by one; their texts, once the server has them.
    pub fn write(&self, site: &Site, load: &Load) -> Vec<String> {
        let (mut caller, mut texts) = (site.caller(), vec![]);
        while load.goes_on() {
            let (name, text) = (format!("plan-{:04}.txt", texts.len()), format!("plan {}\n", texts.len()).repeat(500));
            std::fs::write(self.root.join(&name), &text).unwrap();
            wait_until(&format!("{name} is on the server ({})", self.home.display()), || {
                names(&caller.get(&self.list)).contains(&name)
            });
            texts.push(text);
            load.count(Work::Files);
        }
        texts
    }
}

fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap();
    items.iter().map(|item| item["name"].as_str().unwrap_or_default().to_owned()).collect()
}

impl Drop for Device {
    fn drop(&mut self) {
        self.daemon.kill().unwrap();
        self.daemon.wait().unwrap();
    }
}
