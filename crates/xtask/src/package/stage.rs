//! The tree that becomes the package.

use super::man::{self, About};
use super::{read, said};
use crate::{Result, process};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is known once the program is built.
pub(super) struct Made {
    pub(super) version: String,
    pub(super) architecture: String,
    pub(super) glibc: String,
    pub(super) seconds: String,
}

const PLAIN: u32 = 0o644;
const PROGRAM: u32 = 0o755;
/// May hold secrets; the group is given by `postinst`.
const SECRET: u32 = 0o640;

const CONFIGURATION: &str = "etc/fastness/fastness.toml";

/// Keys that have a place of their own on a machine with packages.
const PLACES: [(&str, &str); 2] = [
    ("#dir = \"./fastness-data\"", "dir = \"/var/lib/fastness\""),
    ("#dir = \"./fastness-backups\"", "dir = \"/var/lib/fastness-backups\""),
];

const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];

/// Puts everything below `tree`, which is emptied first.
pub(super) fn stage(root: &Path, program: &Path, tree: &Path, made: &Made) -> Result<()> {
    fresh(tree)?;
    let stage = Stage { root, program, tree };
    stage.put("usr/bin/fastness", &read(program)?, PROGRAM)?;
    stage.put(CONFIGURATION, configuration(&stage.ask(&["config", "example"])?)?.as_bytes(), SECRET)?;
    stage.units()?;
    stage.completions()?;
    stage.manual(made)?;
    stage.documents()?;
    stage.about(made)
}

/// An empty folder in place of what was there.
pub(super) fn fresh(folder: &Path) -> Result<()> {
    let gone = fs::remove_dir_all(folder).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    });
    gone.and_then(|()| fs::create_dir_all(folder)).map_err(|error| format!("{}: {error}", folder.display()))
}

fn configuration(example: &str) -> Result<String> {
    let mut text = example.to_owned();
    for (from, to) in PLACES {
        if text.matches(from).count() != 1 {
            return Err(format!("`fastness config example` does not say `{from}` once"));
        }
        text = text.replace(from, to);
    }
    Ok(text)
}

struct Stage<'a> {
    root: &'a Path,
    program: &'a Path,
    tree: &'a Path,
}

impl Stage<'_> {
    fn put(&self, path: &str, bytes: &[u8], mode: u32) -> Result<()> {
        let path = self.tree.join(path);
        let folder = path.parent().unwrap_or(self.tree);
        make_folder(folder, self.tree)
            .and_then(|()| fs::write(&path, bytes))
            .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(mode)))
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    /// As Debian wants documents: compressed, without a name and a time in the file.
    fn put_compressed(&self, path: &str, text: &str) -> Result<()> {
        self.put(path, text.as_bytes(), PLAIN)?;
        process::must(Command::new("gzip").arg("-9n").arg(self.tree.join(path)))
    }

    fn source(&self, path: &str) -> Result<String> {
        String::from_utf8(read(&self.root.join(path))?).map_err(|_| format!("{path} is not text"))
    }

    fn ask(&self, words: &[&str]) -> Result<String> {
        said(Command::new(self.program).args(words))
    }

    fn units(&self) -> Result<()> {
        let server = self.source("docs/systemd/fastness.service")?.replace("/usr/local/bin/", "/usr/bin/");
        self.put("usr/lib/systemd/system/fastness.service", server.as_bytes(), PLAIN)?;
        let folders = self.source("docs/systemd/fastness-folders.service")?.replace("%h/.local/bin/", "/usr/bin/");
        self.put("usr/lib/systemd/user/fastness-folders.service", folders.as_bytes(), PLAIN)
    }

    fn completions(&self) -> Result<()> {
        for (shell, path) in [
            ("bash", "usr/share/bash-completion/completions/fastness"),
            ("zsh", "usr/share/zsh/vendor-completions/_fastness"),
            ("fish", "usr/share/fish/vendor_completions.d/fastness.fish"),
        ] {
            self.put(path, self.ask(&["completions", shell])?.as_bytes(), PLAIN)?;
        }
        Ok(())
    }

    /// A page of the program, and one of each of its commands.
    fn manual(&self, made: &Made) -> Result<()> {
        let help = self.ask(&["--help"])?;
        let commands = man::commands(&help).into_iter().filter(|name| name != "help");
        let pages: Vec<(String, String)> = commands.map(|name| (format!("fastness-{name}"), name)).collect();
        let others: Vec<String> = pages.iter().map(|page| page.0.clone()).collect();
        let about = About { name: "fastness", version: &made.version, others: &others };
        self.put_compressed("usr/share/man/man1/fastness.1", &man::page(&help, &about))?;
        for (page, name) in &pages {
            let about = About { name: page, version: &made.version, others: &["fastness".to_owned()] };
            let text = man::page(&self.ask(&[name, "--help"])?, &about);
            self.put_compressed(&format!("usr/share/man/man1/{page}.1"), &text)?;
        }
        Ok(())
    }

    fn documents(&self) -> Result<()> {
        let licence = self.source("LICENSE-MIT")?;
        let licence =
            licence.trim_end().lines().map(|line| if line.is_empty() { " .".into() } else { format!(" {line}") });
        let copyright = self.source("packaging/debian/copyright")?;
        let copyright = copyright.replace("{mit}", &licence.collect::<Vec<String>>().join("\n"));
        self.put("usr/share/doc/fastness/copyright", copyright.as_bytes(), PLAIN)?;
        self.put_compressed("usr/share/doc/fastness/changelog", &self.source("CHANGELOG.md")?)?;
        self.plainly("README.md")?;
        self.pages("docs")?;
        for name in names(&self.root.join("examples/config"))? {
            self.plainly(&format!("examples/config/{name}"))?;
        }
        Ok(())
    }

    /// All pages below a folder, under the names by which the program and the other pages lead to them. Not compressed, as links would lead
    /// nowhere; pictures and figures stay out.
    fn pages(&self, folder: &str) -> Result<()> {
        for name in names(&self.root.join(folder))? {
            let path = format!("{folder}/{name}");
            if self.root.join(&path).is_dir() {
                self.pages(&path)?;
            } else if name.ends_with(".md") {
                self.plainly(&path)?;
            }
        }
        Ok(())
    }

    fn plainly(&self, path: &str) -> Result<()> {
        self.put(&format!("usr/share/doc/fastness/{path}"), self.source(path)?.as_bytes(), PLAIN)
    }

    /// What dpkg reads.
    fn about(&self, made: &Made) -> Result<()> {
        let kib = size(self.tree).map_err(|error| format!("{}: {error}", self.tree.display()))?.div_ceil(1024);
        let control = self.source("packaging/debian/control")?;
        let control = control.replace("{version}", &made.version).replace("{architecture}", &made.architecture);
        let control = control.replace("{glibc}", &made.glibc).replace("{kib}", &kib.to_string());
        self.put("DEBIAN/control", control.as_bytes(), PLAIN)?;
        self.put("DEBIAN/conffiles", format!("/{CONFIGURATION}\n").as_bytes(), PLAIN)?;
        for script in SCRIPTS {
            let text = self.source(&format!("packaging/debian/{script}"))?;
            self.put(&format!("DEBIAN/{script}"), text.as_bytes(), PROGRAM)?;
        }
        Ok(())
    }
}

/// Every folder down to this one, with rights that do not depend on who packs.
fn make_folder(folder: &Path, tree: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut below = folder.ancestors().take_while(|folder| folder.starts_with(tree));
    below.try_for_each(|folder| fs::set_permissions(folder, Permissions::from_mode(PROGRAM)))
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}

fn size(path: &Path) -> std::io::Result<u64> {
    let about = fs::symlink_metadata(path)?;
    if !about.is_dir() {
        return Ok(about.len());
    }
    let inside: Vec<PathBuf> = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    inside.iter().map(|path| size(path)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo;

    /// Stands for the server: says what the package asks of it.
    const PROGRAM_TEXT: &str = r##"#!/bin/sh
case "$*" in
  "config example") printf '[data]\n#dir = "./fastness-data"\n[backup]\n#dir = "./fastness-backups"\n' ;;
  "--help") printf 'A server\n\nUsage: fastness <COMMAND>\n\nCommands:\n  serve  Run\n  help   Print\n' ;;
  "serve --help") printf 'Run\n\nUsage: fastness serve\n' ;;
  completions*) echo "# $2" ;;
  *) exit 2 ;;
esac
"##;

    fn made() -> Made {
        let text = str::to_owned;
        Made { version: text("1.2.3-1"), architecture: text("amd64"), glibc: text("2.34"), seconds: text("0") }
    }

    /// A folder that goes with the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
            fresh(&folder).unwrap();
            Self(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn the_tree_holds_program_units_manual_completions_and_what_dpkg_reads() {
        let folder = Folder::new("package");
        let (program, tree) = (folder.0.join("fastness"), folder.0.join("tree"));
        fs::write(&program, PROGRAM_TEXT).unwrap();
        fs::set_permissions(&program, Permissions::from_mode(PROGRAM)).unwrap();
        stage(&repo::root().unwrap(), &program, &tree, &made()).unwrap();
        let text = |path: &str| fs::read_to_string(tree.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));

        assert_eq!(mode(&tree.join("usr/bin/fastness")), PROGRAM);
        assert_eq!((mode(&tree.join(CONFIGURATION)), mode(&tree.join("etc/fastness"))), (SECRET, PROGRAM));
        assert_eq!(
            text(CONFIGURATION),
            "[data]\ndir = \"/var/lib/fastness\"\n[backup]\ndir = \"/var/lib/fastness-backups\"\n"
        );
        let unit = text("usr/lib/systemd/system/fastness.service");
        assert!(unit.contains("\nExecStart=/usr/bin/fastness serve --config /etc/fastness/fastness.toml\n"), "{unit}");
        let unit = text("usr/lib/systemd/user/fastness-folders.service");
        assert!(unit.contains("\nExecStart=/usr/bin/fastness folders run\n"), "{unit}");
        assert_eq!(text("usr/share/zsh/vendor-completions/_fastness"), "# zsh\n");
        let pages = names(&tree.join("usr/share/man/man1")).unwrap();
        assert_eq!(pages, ["fastness-serve.1.gz", "fastness.1.gz"]);
        assert!(tree.join("usr/share/doc/fastness/changelog.gz").is_file());
        for page in ["README.md", "docs/operations.md", "docs/errors/XDISK.md", "examples/config/one-node.toml"] {
            assert!(tree.join("usr/share/doc/fastness").join(page).is_file(), "{page}");
        }
        assert!(!tree.join("usr/share/doc/fastness/docs/pictures").exists());
        let control = text("DEBIAN/control");
        assert!(control.contains("\nVersion: 1.2.3-1\nArchitecture: amd64\n") && !control.contains('{'), "{control}");
        assert!(control.contains("\nDepends: libc6 (>= 2.34), "), "{control}");
        assert_eq!(text("DEBIAN/conffiles"), "/etc/fastness/fastness.toml\n");
        for script in SCRIPTS {
            assert_eq!(mode(&tree.join("DEBIAN").join(script)), PROGRAM);
            process::must(Command::new("sh").arg("-n").arg(tree.join("DEBIAN").join(script))).unwrap();
        }
    }

    /// Runs `postinst configure` as on a machine whose folder of configuration is this one. Tells whether it did well, and what it said.
    fn configured(folder: &Path, old: &str, is_enabled: bool) -> (bool, String) {
        let stubs = folder.join("bin");
        for (name, text) in [("getent", "true"), ("chown", "[ -e \"$2\" ]"), ("systemctl", "[ $ENABLED = true ]")] {
            let stub = stubs.join(name);
            fs::create_dir_all(&stubs).and_then(|()| fs::write(&stub, format!("#!/bin/sh\n{text}\n"))).unwrap();
            fs::set_permissions(&stub, Permissions::from_mode(PROGRAM)).unwrap();
        }
        let script = fs::read_to_string(repo::root().unwrap().join("packaging/debian/postinst")).unwrap();
        let script = script.replace("/etc/fastness", &folder.join("etc").display().to_string());
        let path = format!("{}:{}", stubs.display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("sh");
        command.args(["-c", &script, "postinst", "configure", old]).env("PATH", path);
        let output = command.env("ENABLED", is_enabled.to_string()).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    #[test]
    fn ker_36_an_installation_goes_on_without_a_configuration_that_was_deleted() {
        let folder = Folder::new("postinst-deleted");
        fs::create_dir_all(folder.0.join("etc")).unwrap();
        assert_eq!(configured(&folder.0, "0.1.0-1", true), (true, String::new()));
    }

    #[test]
    fn ker_36_whoever_installs_again_after_a_removal_is_told_how_to_start() {
        let folder = Folder::new("postinst-again");
        fs::create_dir_all(folder.0.join("etc")).unwrap();
        fs::write(folder.0.join("etc/fastness.toml"), "").unwrap();
        assert!(configured(&folder.0, "", false).1.contains("enable --now fastness"));
        assert!(configured(&folder.0, "0.1.0-1", false).1.contains("enable --now fastness"));
        assert_eq!(configured(&folder.0, "0.1.0-1", true), (true, String::new()), "an upgrade");
    }

    #[test]
    fn a_configuration_without_its_places_is_refused() {
        let error = configuration("[data]\n#dir = \"./data\"\n").unwrap_err();
        assert!(error.contains("fastness-data"), "{error}");
    }
}
