//! What companies, subsystems, devices, messages and databases may be called (EXC-1): names that are also parts of file names.

use base::{OpError, OpResult};

use crate::codes::AEXCHANGE;

/// Letters of the id of a company, subsystem or device.
const NAME_MAX: usize = 40;
/// Letters of the id of a message, so that the name of its file stays within 255 bytes (EXC-4).
const MESSAGE_MAX: usize = 36;
/// Letters of the id of a database.
const DATABASE_MAX: usize = 64;
/// Bytes of a name for people.
const LABEL_MAX: usize = 200;

/// Refuses what is no id of a company, subsystem or device: 1 to 40 of `A-Za-z0-9-`.
///
/// # Errors
/// `AEXCHANGE` with the reason.
pub fn check_name(what: &str, text: &str) -> OpResult<()> {
    check_letters(what, text, NAME_MAX)
}

/// Refuses what is no id of a message: 1 to 36 of `A-Za-z0-9-`.
///
/// # Errors
/// `AEXCHANGE` with the reason.
pub fn check_message(text: &str) -> OpResult<()> {
    check_letters("message id", text, MESSAGE_MAX)
}

/// Refuses what is no id of a database: 1 to 64 of `A-Za-z0-9._-`, a letter or digit first.
///
/// # Errors
/// `AEXCHANGE` with the reason.
pub fn check_database(text: &str) -> OpResult<()> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let good = (1..=DATABASE_MAX).contains(&text.len()) && text.chars().all(is_letter);
    if good && text.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return Ok(());
    }
    let message = format!(
        "database id `{}` is not 1 to {DATABASE_MAX} of A-Z a-z 0-9 . _ - with a letter or digit first",
        shown(text)
    );
    Err(OpError::new(AEXCHANGE, message))
}

/// Refuses a name for people that is empty, too long, or has control characters.
///
/// # Errors
/// `AEXCHANGE` with the reason.
pub fn check_label(text: &str) -> OpResult<()> {
    if (1..=LABEL_MAX).contains(&text.len()) && !text.chars().any(char::is_control) {
        return Ok(());
    }
    Err(OpError::new(
        AEXCHANGE,
        format!("name `{}` is not 1 to {LABEL_MAX} bytes without control characters", shown(text)),
    ))
}

fn check_letters(what: &str, text: &str, max: usize) -> OpResult<()> {
    let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'-';
    if (1..=max).contains(&text.len()) && text.bytes().all(is_letter) {
        return Ok(());
    }
    Err(OpError::new(AEXCHANGE, format!("{what} `{}` is not 1 to {max} of A-Z a-z 0-9 -", shown(text))))
}

/// As much of a wrong name as an error may show.
fn shown(text: &str) -> String {
    kernel::watch::shown(text, 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exc_1_names_are_letters_digits_and_dashes() {
        for good in ["a", "A-1", &"x".repeat(40)] {
            assert_eq!(check_name("company", good), Ok(()), "{good}");
        }
        for bad in ["", "a b", "a/b", "..", "a~b", "é", "a_b", "a.b", &"x".repeat(41), "a\n"] {
            assert_eq!(check_name("company", bad).unwrap_err().code, AEXCHANGE, "{bad:?}");
        }
        assert!(check_message(&"x".repeat(36)).is_ok() && check_message(&"x".repeat(37)).is_err());
    }

    #[test]
    fn exc_1_databases_begin_with_a_letter_or_digit() {
        for good in ["erp", "9.a_b-c", &"x".repeat(64)] {
            assert_eq!(check_database(good), Ok(()), "{good}");
        }
        for bad in ["", ".hidden", "-x", "_x", "a~b", "a/b", "..", &"x".repeat(65)] {
            assert_eq!(check_database(bad).unwrap_err().code, AEXCHANGE, "{bad:?}");
        }
    }
}
