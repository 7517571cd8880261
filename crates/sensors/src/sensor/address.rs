//! The address of the room that a sensor is in: any text of one line. Its parts are separated by commas, the widest first, which is
//! all that is known of it. Pure.

use base::{OpError, OpResult};

use crate::codes::ASENSOR;
use crate::limits::ADDRESS_MAX;

/// Refuses what is no address.
///
/// # Errors
/// `ASENSOR`: it is empty, too long, or has control characters.
pub fn check_address(address: &str) -> OpResult<()> {
    let refused = |why: String| Err(OpError::new(ASENSOR, why));
    if address.trim().is_empty() {
        return refused("the address is empty".into());
    }
    if address.len() > ADDRESS_MAX {
        return refused(format!("the address has {} bytes, at most {ADDRESS_MAX}", address.len()));
    }
    if address.chars().any(char::is_control) {
        return refused("the address has a line break or another control character".into());
    }
    Ok(())
}

/// The beginning of an address up to the comma (and the blanks behind it) that ends its next part after `prefix`; the whole
/// address if none follows.
pub(crate) fn next_part<'a>(address: &'a str, prefix: &str) -> &'a str {
    let Some(comma) = address.get(prefix.len()..).and_then(|rest| rest.find(',')) else { return address };
    let behind = prefix.len() + comma + 1;
    let blanks = address[behind..].len() - address[behind..].trim_start_matches(' ').len();
    &address[..behind + blanks]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_1_an_address_is_one_line_of_bounded_length() {
        assert_eq!(check_address("Moscow, Russia, Svobody st. 23 fl 1 room 16"), Ok(()));
        assert_eq!(check_address(&"ä".repeat(ADDRESS_MAX / 2)), Ok(()));
        for bad in ["", "  ", "a\nb", "a\u{7f}", "a\0b", &"x".repeat(ADDRESS_MAX + 1)] {
            assert_eq!(check_address(bad).unwrap_err().code, ASENSOR, "{bad:?}");
        }
    }

    #[test]
    fn sen_1_parts_of_an_address_end_at_commas() {
        let address = "Moscow,  Russia,Svobody st. 23";
        assert_eq!(next_part(address, ""), "Moscow,  ");
        assert_eq!(next_part(address, "Mos"), "Moscow,  ");
        assert_eq!(next_part(address, "Moscow,  "), "Moscow,  Russia,");
        assert_eq!(next_part(address, "Moscow,  Russia,"), address);
        assert_eq!(next_part("é, b", ""), "é, ");
        assert_eq!(next_part("short", "longer than it"), "short");
    }
}
