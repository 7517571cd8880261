//! Whom we trust: the system's certificates and those that were configured.

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use super::OutboundError;

/// Certificates of authorities.
pub(super) struct Roots {
    /// All of them.
    pub(super) store: RootCertStore,
    /// Those that were configured, for whoever takes the system's own itself.
    pub(super) further: Vec<CertificateDer<'static>>,
}

impl Roots {
    /// A system without certificates is no error: plain HTTP works, and TLS fails with a reason.
    pub(super) fn load(further_pem: &[u8]) -> Result<Self, OutboundError> {
        let bad = |error: &dyn std::fmt::Display| OutboundError::Certificates(error.to_string());
        let further: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(further_pem).collect();
        let further = further.map_err(|error| bad(&error))?;
        if further.is_empty() && !further_pem.is_empty() {
            return Err(bad(&"there is none in the file"));
        }
        let mut store = RootCertStore::empty();
        let native = rustls_native_certs::load_native_certs();
        let (taken, _) = store.add_parsable_certificates(native.certs);
        if taken == 0 {
            tracing::warn!(errors = ?native.errors, "the system has no trusted certificates: calls by TLS will fail");
        }
        for certificate in &further {
            store.add(certificate.clone()).map_err(|error| bad(&error))?;
        }
        Ok(Self { store, further })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_36_certificates_that_cannot_be_read_are_an_error() {
        let end = "-----END CERTIFICATE-----\n";
        let garbage = format!("-----BEGIN CERTIFICATE-----\nAAAA\n{end}");
        for bad in ["no PEM at all", "-----BEGIN CERTIFICATE-----\n", &garbage] {
            assert!(Roots::load(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(Roots::load(b"").unwrap().further.is_empty());
    }
}
