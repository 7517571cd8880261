//! The disk's own sync time, printed beside every run: shared disks move by a factor of three within minutes.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;

/// Prints the median and the 99th percentile of 200 small synced appends.
pub fn print_sync_time(directory: &Path) -> Result<()> {
    let mut file = File::create(directory.join("sync-probe"))?;
    let mut times = Vec::new();
    for _ in 0..200 {
        file.write_all(&[0; 4096])?;
        let begun = Instant::now();
        file.sync_data()?;
        times.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    println!("disk: fdatasync p50 {:.0} µs, p99 {:.0} µs", times[100], times[198]);
    Ok(())
}
