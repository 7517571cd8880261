//! Which C library a program needs.

const MARK: &[u8] = b"GLIBC_2.";

/// The newest version that the program's symbols name, such as `2.34`. They stand in it as text.
pub(super) fn newest(program: &[u8]) -> Option<String> {
    let places = program.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK);
    let minors = places.filter_map(|(at, _)| minor(&program[at + MARK.len()..]));
    minors.max().map(|minor| format!("2.{minor}"))
}

fn minor(rest: &[u8]) -> Option<u32> {
    let digits: Vec<u8> = rest.iter().copied().take_while(u8::is_ascii_digit).take(4).collect();
    std::str::from_utf8(&digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_symbol_decides_by_number_and_not_by_text() {
        assert_eq!(newest(b"\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.2.5\0GLIBC_2.\0GLIBC_PRIVATE"), Some("2.34".into()));
        assert_eq!(newest(b"\x7fELF"), None);
    }
}
