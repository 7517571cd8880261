//! Which guides there are, how they are called in addresses, and where their links lead.

use super::markdown::{Target, place};

/// What guides tell about pages of the console: the first part of a page's path, and guide and section. A service has the guide of its
/// name.
const ABOUT: [(&str, &str, &str); 15] = [
    ("", "console", ""),
    ("start", "demos", ""),
    ("search", "console", ""),
    ("folder-files", "folders", ""),
    ("sensor-clients", "sensors", ""),
    ("queues", "tasks", "#queues"),
    ("stuck", "tasks", "#looking-and-steering"),
    ("alerts", "operations", "#alerts-by-kind"),
    ("journal", "console", ""),
    ("counters", "operations", "#metrics-to-watch"),
    ("configuration", "reference-configuration", ""),
    ("account", "namespaces", ""),
    ("accounts", "namespaces", ""),
    ("keys", "namespaces", ""),
    ("namespaces", "namespaces", ""),
];

/// The guides: paths below `docs/`, and texts.
pub(super) struct Library(&'static [(&'static str, &'static str)]);

impl Library {
    pub(super) fn of(guides: &'static [(&'static str, &'static str)]) -> Self {
        Self(guides)
    }

    /// The guide of this name; the contents have none.
    pub(super) fn named(&self, name: &str) -> Option<(&'static str, &'static str)> {
        self.0.iter().find(|(path, _)| name_of(path) == name).copied()
    }

    /// Names and titles, but for the contents.
    pub(super) fn titles(&self) -> impl Iterator<Item = (String, &'static str)> {
        let named = self.0.iter().map(|(path, text)| (name_of(path), title(text)));
        named.filter(|(name, _)| !name.is_empty())
    }

    /// The guide about pages below this part of the console, with the section; an empty name stands for all guides.
    pub(super) fn about(&self, subject: &str) -> Option<(&str, &str)> {
        let known = ABOUT.iter().find(|(of, ..)| *of == subject).map(|(_, guide, section)| (*guide, *section));
        let of_its_name =
            || self.0.iter().map(|(path, _)| *path).find(|path| path.strip_suffix(".md") == Some(subject));
        let guide = known.or_else(|| of_its_name().map(|path| (path.trim_end_matches(".md"), "")));
        guide.filter(|(name, _)| self.named(name).is_some()).or_else(|| self.named("").map(|_| ("", "")))
    }

    /// Where a link of a guide leads; nowhere if it means something that is not here.
    pub(super) fn target(&self, help: &str, from: &str, link: &str) -> Target {
        if link.starts_with("https://") || link.starts_with("http://") {
            return Target::Elsewhere(link.to_owned());
        }
        let (path, section) = link.split_once('#').map_or((link, ""), |(path, section)| (path, section));
        let path = if path.is_empty() { Some(from.to_owned()) } else { beside(from, path) };
        let Some(name) = path.filter(|path| self.0.iter().any(|(of, _)| of == path)).map(|path| name_of(&path)) else {
            return Target::Nowhere;
        };
        let page = if name.is_empty() { help.to_owned() } else { format!("{help}/{name}") };
        Target::Page(if section.is_empty() { page } else { format!("{page}#{}", place(section)) })
    }
}

/// How a guide is called in addresses: its file's name, with its folder where two folders have one of that name.
fn name_of(path: &str) -> String {
    let path = path.strip_suffix(".md").unwrap_or(path);
    match path.rsplit_once('/') {
        Some((folder, "README")) => folder.to_owned(),
        Some(("errors", code)) => code.to_owned(),
        Some((folder, name)) => format!("{folder}-{name}"),
        None if path == "README" => String::new(),
        None => path.to_owned(),
    }
}

/// The path that a link means, seen from a file; `None` if it leads out of the guides.
fn beside(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

fn title(text: &'static str) -> &'static str {
    text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUIDES: &[(&str, &str)] = &[
        ("README.md", "# All"),
        ("tasks.md", "# Tasks"),
        ("errors/README.md", "# Errors"),
        ("errors/ATASK.md", "# ATASK: no"),
        ("reference/tasks.md", "# Keys"),
        ("exchange.md", "# Exchange"),
    ];

    #[test]
    fn con_13_guides_have_names_and_links_lead_to_them() {
        let library = Library::of(GUIDES);
        let names: Vec<_> = library.titles().map(|(name, _)| name).collect();
        assert_eq!(names, ["tasks", "errors", "ATASK", "reference-tasks", "exchange"]);
        let to = |from: &str, link: &str| match library.target("/h", from, link) {
            Target::Page(href) => href,
            Target::Elsewhere(href) => format!("out {href}"),
            Target::Nowhere => "nowhere".into(),
        };
        assert_eq!(to("tasks.md", "errors/ATASK.md"), "/h/ATASK");
        assert_eq!(to("errors/ATASK.md", "../tasks.md#queues"), "/h/tasks#queues");
        assert_eq!(to("errors/ATASK.md", "README.md"), "/h/errors");
        assert_eq!(to("errors/ATASK.md", "#here"), "/h/ATASK#here");
        assert_eq!(to("tasks.md", "README.md"), "/h");
        assert_eq!(to("tasks.md", "#live"), "/h/tasks#guide-live", "the page has one of its own");
        assert_eq!(to("tasks.md", "https://a.example/x"), "out https://a.example/x");
        for outside in ["../README.md", "../../etc/passwd", "decisions/a.md", "javascript:alert(1)", "//evil.example/"]
        {
            assert_eq!(to("tasks.md", outside), "nowhere", "{outside}");
        }
    }

    #[test]
    fn con_13_each_page_has_the_guide_about_it() {
        let library = Library::of(GUIDES);
        assert_eq!(library.about("exchange"), Some(("exchange", "")));
        assert_eq!(library.about("queues"), Some(("tasks", "#queues")));
        assert_eq!(library.about("ledger"), Some(("", "")), "all of them, where none is about it");
        assert_eq!(Library::of(&[]).about("exchange"), None);
    }
}
