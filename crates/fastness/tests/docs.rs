//! KER-9: every error code has its page, and the page tells the truth about the code. Guides have one shape.
//!
//! Pages are compiled in, so that the test needs neither a working directory nor the disk.

use base::{Code, codes};
use serde_json::Value;

const README: &str = include_str!("../../../docs/errors/README.md");

/// Codes of the example service, which lies outside the product but is the first that a reader meets.
const EXAMPLE: [Code; 2] = [Code::new("AFUNDS", 422), Code::new("NACCOUNT", 404)];

macro_rules! pages {
    ($($code:ident)+) => {
        /// All pages by the name of their code.
        const PAGES: &[(&str, &str)] =
            &[$((stringify!($code), include_str!(concat!("../../../docs/errors/", stringify!($code), ".md")))),+];
    };
}

pages! {
    AACCOUNT AARCHIVE AATTEMPT ABODY ACLASS ACLIENT AEXCHANGE AEXISTS AFLOW AFOLDER AFORM AFUNDS AGRAPH AHEADER AITEM AKEYREUSED
    ALASTADMIN ALIMIT AMETHOD ANAMESPACE AOPTIME APROCESS AQUOTA ARANGE ASEARCH ASENSOR ASHA ASLOW ATAKEN ATASK ATOOBIG
    ATOOMANYHEADERS ATYPE AVERSION AWORKFLOW BDETECTED BPANIC CEPOCH CGONE CINDEX CLEASE CSERIAL CVERSION DBUILD
    NACCOUNT NALERT NATTACHMENT NBLOB NCLASS NCLIENT NDIRECTORY NDOC NFILE NFLOW NFLOWJOB NFLOWTASK NGRANT NIMPORT NKEY NMESSAGE NNAMESPACE
    NOPERATION NPARTY NPERSON NPROCESS NRESOURCE NROUTE NSENSOR NTASK NTRANSFER NUPLOAD OCLOSED OMOVING OREADONLY OREMOVING SBLOCKED SCODE SCSRF
    SKEY SLOGIN SROLE SSLOW TBUDGET TTIME XBLOB XBUSY XCONTACT XDISK XHISTORY XSTORE XTARGET XUNEXPECTED
}

fn all() -> impl Iterator<Item = Code> {
    // Of the kernel, of every service of the program, of the example.
    [
        codes::ALL,
        documents::codes::ALL,
        sensors::codes::ALL,
        exchange::codes::ALL,
        workflow::codes::ALL,
        folders::codes::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
    .chain(EXAMPLE)
}

fn page(code: Code) -> &'static str {
    let page = PAGES.iter().find(|(name, _)| *name == code.name);
    page.unwrap_or_else(|| panic!("{0}: write docs/errors/{0}.md and name it in this file", code.name)).1
}

/// The value of a line `| name | value |`.
fn fact<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let value = |line: &'a str| line.strip_prefix(&format!("| {name} | "))?.strip_suffix(" |");
    page.lines().find_map(value)
}

fn example(page: &str) -> Option<Value> {
    let (_, rest) = page.split_once("```json\n")?;
    serde_json::from_str(rest.split_once("```")?.0).ok()
}

/// `1 or 2`, `0, 1 or 2`, `0 to 5`.
fn phases(text: &str) -> Vec<u64> {
    let named: Vec<u64> = text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
    match named[..] {
        [first, last] if text.contains(" to ") => (first..=last).collect(),
        _ => named,
    }
}

#[test]
fn ker_9_every_code_has_a_page_with_its_status_and_major() {
    for code in all() {
        let page = page(code);
        assert!(page.starts_with(&format!("# {}: ", code.name)), "{}", code.name);
        assert_eq!(fact(page, "HTTP status"), Some(code.status.to_string().as_str()), "{}", code.name);
        assert_eq!(fact(page, "Major"), Some(code.major().to_string().as_str()), "{}", code.name);
        assert!(fact(page, "Safe to repeat").is_some_and(|text| text.len() > 10), "{}", code.name);
    }
}

#[test]
fn ker_9_every_page_belongs_to_a_code() {
    for (name, _) in PAGES {
        assert!(all().any(|code| code.name == *name), "docs/errors/{name}.md: no such code");
    }
}

#[test]
fn ker_9_the_example_on_a_page_is_such_an_error() {
    for code in all() {
        let page = page(code);
        let body = example(page).unwrap_or_else(|| panic!("{}: no example in JSON", code.name));
        assert_eq!(body["code"], code.name);
        assert_eq!(body["major"], code.major(), "{}", code.name);
        assert!(body["message"].is_string() && body["detail"].is_array(), "{}", code.name);
        let told = fact(page, "Phase").map(phases).unwrap_or_default();
        assert!(body["phase"].as_u64().is_some_and(|phase| phase <= 5 && told.contains(&phase)), "{}", code.name);
        let known = ["code", "major", "phase", "message", "detail", "version", "outcome"];
        assert!(body.as_object().unwrap().keys().all(|field| known.contains(&field.as_str())), "{}", code.name);
    }
}

#[test]
fn ker_9_every_page_speaks_to_caller_and_operator() {
    for (name, page) in PAGES {
        for part in ["**Typical causes**", "**As a caller:** ", "**As an operator:** "] {
            assert!(page.contains(part), "docs/errors/{name}.md: no {part}");
        }
        assert!((15..=32).contains(&page.lines().count()), "docs/errors/{name}.md: {} lines", page.lines().count());
    }
}

#[test]
fn ker_9_the_list_of_codes_is_complete() {
    for code in all() {
        let row = format!("| [{0}]({0}.md) | {1} | ", code.name, code.status);
        assert!(README.contains(&row), "docs/errors/README.md: no row {row}…");
    }
}

const GUIDES: [(&str, &str); 5] = [
    ("documents", include_str!("../../../docs/documents.md")),
    ("exchange", include_str!("../../../docs/exchange.md")),
    ("folders", include_str!("../../../docs/folders.md")),
    ("sensors", include_str!("../../../docs/sensors.md")),
    ("workflow", include_str!("../../../docs/workflow.md")),
];

/// Whoever knows one guide finds their way in the others.
#[test]
fn ker_36_every_guide_has_its_five_parts() {
    for (name, page) in GUIDES {
        let parts =
            ["## What it is for\n", "## Ten minutes: ", "## Operations\n", "## What is promised, and what not\n"];
        for part in parts {
            assert_eq!(page.matches(&format!("\n{part}")).count(), 1, "docs/{name}.md: {part}");
        }
        let index = page.split("\n## Ten minutes").next().unwrap_or_default();
        assert!(index.contains("**Reference:** "), "docs/{name}.md: its index names the reference");
        assert!(page.contains("reference/"), "docs/{name}.md: the way to keys and commands");
    }
}

/// The index leads to every page that is not led to by another index.
#[test]
#[expect(clippy::disallowed_methods, reason = "looks which pages there are")]
fn ker_36_the_index_of_documents_is_complete() {
    let index = include_str!("../../../docs/README.md");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("text");
        let is_page = name.ends_with(".md") && name != "README.md";
        assert!(!is_page || index.contains(&format!("]({name}")), "docs/README.md does not name {name}");
    }
}
