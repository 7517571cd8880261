//! The contract of places, on the simulated disk.

use host::DiskBlobs;

use crate::disk::{DiskFaults, SimDisk};
use crate::rng::Rng;

#[test]
fn ker_26_the_simulated_disk_keeps_the_contract() {
    for (name, contract) in store_suite::blobs::ALL {
        println!("{name}");
        let disk = SimDisk::new(Rng::new(1), DiskFaults::default());
        contract(&DiskBlobs::below(disk.root()).unwrap());
    }
}
