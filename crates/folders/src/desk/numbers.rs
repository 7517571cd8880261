//! Numbers of the wire are unsigned, those of rows are not. None of them ever comes near the end of either.

/// As a row has it.
pub(crate) fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// As it is told.
pub(crate) fn told(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// A count of ours, as a parameter.
pub(crate) fn many(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The text of a uuid4 out of 32 bytes of chance.
pub(crate) fn uuid4(chance: [u8; 32]) -> String {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&chance[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fld_2_ids_are_uuid4() {
        assert_eq!(uuid4([0; 32]), "00000000-0000-4000-8000-000000000000");
        assert_eq!(uuid4([255; 32]), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}
