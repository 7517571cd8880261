//! The direction of dependencies, as ARCHITECTURE.md draws it. Development dependencies are free.

use super::Finding;
use crate::repo::{File, Tree};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layer {
    Contracts,
    Kernel,
    Engine,
    Kit,
    /// Whoever uses a server from outside: knows its HTTP and nothing of its inside.
    Client,
    /// The command line against a running server, and what it runs: clients too.
    Commands,
    Service,
    Suite,
    /// What is tried with bytes of every kind: reaches into everything.
    Tried,
    /// The server's library: the one place that names engines and host parts.
    Server,
    Program,
    Example,
    /// Depends on nothing of ours, so that it builds in seconds.
    Chores,
}

use Layer::{
    Chores, Client, Commands, Contracts, Engine, Example, Kernel, Kit, Program, Server, Service, Suite, Tried,
};

const CRATES: [(&str, Layer); 30] = [
    ("base", Contracts),
    ("replica", Contracts),
    ("synxpo", Contracts),
    ("guides", Contracts),
    ("kernel", Kernel),
    ("store-sqlite", Engine),
    ("store-postgres", Engine),
    ("host", Engine),
    ("web", Kit),
    ("client", Client),
    ("cli", Commands),
    ("connector", Commands),
    ("folder-agent", Commands),
    ("documents", Service),
    ("exchange", Service),
    ("workflow", Service),
    ("folders", Service),
    ("sensors", Service),
    ("store-suite", Suite),
    ("testbed", Suite),
    ("testbed-web", Suite),
    ("fuzz-targets", Tried),
    ("fuzz-shells", Tried),
    ("fastness", Server),
    ("sim", Program),
    ("bench", Program),
    ("browser", Program),
    ("kill", Program),
    ("ledger", Example),
    ("xtask", Chores),
];

/// What a crate of this layer may depend on.
fn below(layer: Layer) -> &'static [Layer] {
    match layer {
        Contracts | Chores => &[],
        Kernel | Engine | Client => &[Contracts],
        Commands => &[Contracts, Client, Commands],
        Kit => &[Contracts, Kernel],
        Service => &[Contracts, Kernel, Kit],
        Tried => &[Contracts, Kernel, Engine, Kit, Commands, Service, Suite, Server, Tried],
        Suite => &[Contracts, Kernel, Engine, Kit, Suite],
        Server => &[Contracts, Kernel, Engine, Kit, Service, Commands],
        Example => &[Contracts, Kernel, Engine, Kit, Client, Commands, Service, Server],
        Program => &[Contracts, Kernel, Engine, Kit, Client, Commands, Service, Server, Example],
    }
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let manifests: Vec<&File> = tree.files.iter().filter(|file| file.path.ends_with("/Cargo.toml")).collect();
    let ours: Vec<&str> = manifests.iter().filter_map(|file| package(&file.text)).collect();
    manifests.into_iter().flat_map(|file| check_manifest(file, &ours)).collect()
}

fn check_manifest(file: &File, ours: &[&str]) -> Vec<Finding> {
    let Some(name) = package(&file.text) else { return Vec::new() };
    let Some(layer) = layer_of(&file.path, name) else {
        return vec![Finding::new(file, 1, format!("crate `{name}` has no layer: add it to tidy/layers.rs"))];
    };
    let own = dependencies(&file.text).into_iter().filter(|(_, dependency)| ours.contains(dependency));
    let allowed = |dependency: &str| layer_of("", dependency).is_some_and(|other| below(layer).contains(&other));
    let bad = own.filter(|(_, dependency)| !allowed(dependency));
    bad.map(|(line, dependency)| Finding::new(file, line, message(name, layer, dependency))).collect()
}

fn message(name: &str, layer: Layer, dependency: &str) -> String {
    format!("`{name}` ({layer:?}) must not depend on `{dependency}`; it may on {:?}", below(layer))
}

fn layer_of(path: &str, name: &str) -> Option<Layer> {
    let listed = CRATES.iter().find(|(crate_name, _)| *crate_name == name).map(|(_, layer)| *layer);
    listed.or_else(|| path.starts_with("examples/").then_some(Example))
}

fn package(manifest: &str) -> Option<&str> {
    let section = manifest.split("[package]").nth(1)?;
    let line = section.lines().find(|line| key(line) == Some("name"))?;
    line.split('"').nth(1)
}

/// Lines and names of normal and build dependencies, in both ways TOML writes them.
fn dependencies(manifest: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut section = Section::Other;
    for (index, line) in manifest.lines().enumerate() {
        if let Some(title) = line.trim().strip_prefix('[') {
            section = Section::of(title.trim_end_matches(']'));
            found.extend(section.only().map(|name| (index + 1, name)));
        } else if section == Section::Dependencies {
            found.extend(renamed(line).or_else(|| key(line)).map(|name| (index + 1, name)));
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq)]
enum Section<'a> {
    /// `[dependencies]`, `[target.….build-dependencies]`: one per line.
    Dependencies,
    /// `[dependencies.name]`: this one.
    Dependency(&'a str),
    Other,
}

impl<'a> Section<'a> {
    fn of(title: &'a str) -> Section<'a> {
        if title.contains("dev-dependencies") || title.starts_with("workspace") {
            return Section::Other;
        }
        match title.rsplit_once("dependencies") {
            Some((_, "")) => Section::Dependencies,
            Some((_, rest)) => rest.strip_prefix('.').map_or(Section::Other, Section::Dependency),
            None => Section::Other,
        }
    }

    fn only(self) -> Option<&'a str> {
        match self {
            Section::Dependency(name) => Some(name),
            Section::Dependencies | Section::Other => None,
        }
    }
}

/// `other = { package = "name" }` depends on `name`.
fn renamed(line: &str) -> Option<&str> {
    line.split_once("package")?.1.trim_start().strip_prefix('=')?.split('"').nth(1)
}

fn key(line: &str) -> Option<&str> {
    let key = line.split_once('=')?.0.trim().trim_end_matches(".workspace").trim_matches('"');
    (!key.is_empty() && !key.starts_with('#')).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    fn manifest(name: &str, rest: &str) -> String {
        format!("[package]\nname = \"{name}\"\n{rest}")
    }

    #[test]
    fn a_service_may_use_the_kit_but_not_another_service() {
        let exchange =
            manifest("exchange", "[dependencies]\nweb.workspace = true\nsensors = { path = \"x\" }\nserde = \"1\"\n");
        let files = [
            ("crates/exchange/Cargo.toml", exchange.as_str()),
            ("crates/sensors/Cargo.toml", &manifest("sensors", "")),
            ("crates/web/Cargo.toml", &manifest("web", "")),
        ];
        let expected = "crates/exchange/Cargo.toml:5: `exchange` (Service) must not depend on `sensors`; \
                        it may on [Contracts, Kernel, Kit]";
        expect_findings(check, &files, &[expected]);
    }

    #[test]
    fn tables_renames_and_build_dependencies_count_and_dev_dependencies_do_not() {
        let rest = "[dev-dependencies]\nhost.workspace = true\n[dev-dependencies.kernel]\npath = \"x\"\n\
                    [dependencies.kernel]\npath = \"x\"\n[build-dependencies]\nk = { package = \"host\" }\n\
                    [target.'cfg(unix)'.dependencies]\nkernel = \"1\"\n";
        let base = manifest("base", rest);
        let files = [
            ("crates/base/Cargo.toml", base.as_str()),
            ("crates/host/Cargo.toml", &manifest("host", "")),
            ("crates/kernel/Cargo.toml", &manifest("kernel", "")),
        ];
        let text = |line: usize, name: &str| {
            format!("crates/base/Cargo.toml:{line}: `base` (Contracts) must not depend on `{name}`; it may on []")
        };
        expect_findings(check, &files, &[&text(7, "kernel"), &text(10, "host"), &text(12, "kernel")]);
    }

    #[test]
    fn a_crate_without_a_layer_is_named_and_an_example_has_one() {
        let example = manifest("ledger", "[dependencies]\nfastness.workspace = true\n");
        let files = [
            ("crates/odd/Cargo.toml", manifest("odd", "")),
            ("examples/ledger/Cargo.toml", example),
            ("crates/fastness/Cargo.toml", manifest("fastness", "")),
        ];
        let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
        expect_findings(
            check,
            &files,
            &["crates/odd/Cargo.toml:1: crate `odd` has no layer: add it to tidy/layers.rs"],
        );
    }
}
