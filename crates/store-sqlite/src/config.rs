//! What an operator may set for one embedded store.

use base::limits;

/// Settings of one store.
#[derive(Debug, Clone)]
pub struct SqliteConfig {
    /// Page cache of the writer in bytes.
    pub cache_bytes: u64,
    /// Size of the WAL at which the writer itself helps to empty it.
    pub wal_max_bytes: u64,
    /// Jobs that may wait, for the writer and for the readers each.
    pub queue_max: usize,
    /// Reader threads.
    pub readers: usize,
    /// Room kept on the disk for ending work when it is full (KER-31); 0 for none.
    pub reserve_bytes: u64,
    /// Whether commits are synced. Off only in the simulator, whose crashes end the process and not the machine.
    pub sync: bool,
}

impl Default for SqliteConfig {
    fn default() -> Self {
        Self {
            cache_bytes: 64 << 20,
            wal_max_bytes: 64 << 20,
            queue_max: limits::QUEUE_MAX,
            readers: 4,
            reserve_bytes: 8 << 20,
            sync: true,
        }
    }
}
