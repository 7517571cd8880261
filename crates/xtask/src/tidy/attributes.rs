//! Attributes that switch a check off.

use super::Finding;
use crate::repo::{File, Tree};
use crate::source::{Source, line_of, words};

pub(super) fn allow(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .flat_map(|file| find(file, "allow", |_| Some("#[allow] hides a warning: use #[expect(…, reason = \"…\")]")))
        .collect()
}

pub(super) fn expect_reason(tree: &Tree) -> Vec<Finding> {
    let judge = |arguments: &str| (!arguments.contains("reason")).then_some("#[expect] without a reason");
    tree.rust().flat_map(|file| find(file, "expect", judge)).collect()
}

pub(super) fn ignore(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(|file| find(file, "ignore", |_| Some("#[ignore]: make it pass, or delete it"))).collect()
}

/// Looks at every attribute whose name is `name`, also inside `cfg_attr`; `judge` sees all of the attribute.
fn find(file: &File, name: &str, judge: impl Fn(&str) -> Option<&'static str>) -> Vec<Finding> {
    let source = Source::read(&file.text);
    let code = source.code();
    let mut findings = Vec::new();
    for at in words(&code, name) {
        let message = attribute_around(&code, at).and_then(&judge);
        findings.extend(message.map(|message| Finding::new(file, line_of(&code, at), message)));
    }
    findings
}

/// The text of the attribute that the name at `at` belongs to; `None` if it is not the name of one.
fn attribute_around(code: &str, at: usize) -> Option<&str> {
    let before = code[..at].trim_end();
    let inner = before.strip_suffix("#[").or_else(|| before.strip_suffix("#![")).is_some();
    let conditional = before.rfind("cfg_attr(").is_some_and(|start| !before[start..].contains(']'));
    let length = code[at..].find(']')?;
    (inner || conditional).then(|| &code[at..at + length])
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn allow_is_found_in_every_form() {
        let text = "#![allow(a)]\n#[allow(b)]\n#[cfg_attr(test, allow(c))]\n// #[allow(d)]\nfn allow() {}\n";
        let message = "#[allow] hides a warning: use #[expect(…, reason = \"…\")]";
        let expected = [1, 2, 3].map(|line| format!("a.rs:{line}: {message}"));
        expect_findings(allow, &[("a.rs", text)], &expected.each_ref().map(String::as_str));
    }

    #[test]
    fn expect_needs_a_reason() {
        let text = "#[expect(a)]\n#[expect(\n    b,\n    reason = \"c\"\n)]\nfn f() { x.expect(\"y\"); a[0] }\n";
        expect_findings(expect_reason, &[("a.rs", text)], &["a.rs:1: #[expect] without a reason"]);
    }

    #[test]
    fn ignored_tests_are_found() {
        let text = "#[test]\n#[ignore = \"slow\"]\nfn a() {}\n#[ignore]\nfn b() { let ignore = \"#[ignore]\"; }\n";
        let message = "#[ignore]: make it pass, or delete it";
        expect_findings(ignore, &[("a.rs", text)], &[&format!("a.rs:2: {message}"), &format!("a.rs:4: {message}")]);
    }
}
