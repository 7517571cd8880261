//! Help, completions and the reference page.

use expect_test::expect_file;

use crate::kit::{bare, ran};

fn out(words: &str) -> String {
    let ran = ran(bare().args(words.split_whitespace()), "");
    assert_eq!(ran.code, 0, "{words}: {ran:?}");
    ran.out
}

#[test]
fn ker_36_the_help_of_the_program() {
    expect_file!["help.txt"].assert_eq(&out("--help"));
}

#[test]
fn ker_36_every_verb_has_a_line_and_an_example() {
    let reference = out("help-markdown");
    let verbs = reference.matches("\n**`fastness ").count();
    assert!(verbs >= 50, "{verbs} verbs");
    for verb in reference.split("\n**`fastness ").skip(1) {
        let name = verb.split('`').next().unwrap_or_default();
        let (line, rest) = verb.split_once("\n\n").expect("a line");
        assert!(line.len() > name.len() + 20, "{name} has no line");
        let words: Vec<&str> =
            name.split(' ').take_while(|word| word.chars().all(|c| c.is_ascii_lowercase())).collect();
        assert!(rest.contains(&format!("fastness {}", words.join(" "))), "{name} has no example");
    }
}

#[test]
fn ker_36_shells_complete_nouns_and_verbs() {
    for shell in ["bash", "zsh", "fish"] {
        let script = out(&format!("completions {shell}"));
        for word in ["tasks", "queue", "suspend", "namespace", "attachment", "reset-password"] {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
    }
    assert_eq!(ran(bare().args(["completions", "tcsh"]), "").code, 2);
}

/// The shell that every Debian has reads its script, and completes the third word of a command by it.
#[test]
fn ker_36_bash_reads_what_it_is_given_and_completes_by_it() {
    let script = out("completions bash");
    let read = ran(std::process::Command::new("bash").arg("-n"), &script);
    assert_eq!((read.code, read.err.as_str()), (0, ""), "{read:?}");
    let ask =
        "COMP_WORDS=(fastness exchange device un) COMP_CWORD=3\n_fastness fastness un device\necho ${COMPREPLY[@]}\n";
    let completed = ran(&mut std::process::Command::new("bash"), &format!("{script}\n{ask}"));
    assert_eq!(completed.out, "unblock\n", "{completed:?}");
}

#[test]
fn ker_36_the_reference_is_current() {
    let stored = include_str!("../../../../docs/reference/commands.md");
    assert!(stored == out("help-markdown"), "renew it: fastness help-markdown > docs/reference/commands.md");
}
