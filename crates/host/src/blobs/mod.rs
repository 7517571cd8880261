//! Places of blobs: the disk of this machine, and S3-compatible storage.
//!
//! Both keep the contract of [`base::Blobs`], which `store-suite` checks on each.

mod disk;
mod places;
mod s3;
#[cfg(test)]
mod tests;

pub use disk::DiskBlobs;
pub use places::DiskPlaces;
pub use s3::{S3Config, S3Places};
