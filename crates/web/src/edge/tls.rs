//! TLS at the edge (KER-33): a certificate that can be changed while the server runs.
//!
//! Invariants: a pair that cannot be used never takes the place of one that can; connections that exist keep what they
//! began with. Reading the files is the program's: this crate touches none.

use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// What we speak, the better first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// Why a certificate and its key cannot be used. Says nothing of the key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsError(String);

impl std::fmt::Display for TlsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}

/// The certificate that is shown to new connections; cheap to clone, all clones are the same.
#[derive(Debug, Clone)]
pub struct Tls(Arc<RwLock<Arc<ServerConfig>>>);

impl Tls {
    /// From a chain of certificates, the server's own first, and its private key, both PEM.
    ///
    /// # Errors
    /// If they cannot be read or do not belong together.
    pub fn new(certificates_pem: &[u8], key_pem: &[u8]) -> Result<Self, TlsError> {
        Ok(Self(Arc::new(RwLock::new(Arc::new(config(certificates_pem, key_pem)?)))))
    }

    /// Shows another certificate from now on.
    ///
    /// # Errors
    /// If the pair cannot be used; then the old one stays.
    pub fn renew(&self, certificates_pem: &[u8], key_pem: &[u8]) -> Result<(), TlsError> {
        let renewed = Arc::new(config(certificates_pem, key_pem)?);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = renewed;
        Ok(())
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// A fresh one each time: tickets of an old certificate's connections are not taken with a new one.
fn config(certificates_pem: &[u8], key_pem: &[u8]) -> Result<ServerConfig, TlsError> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificates_pem).collect();
    let certificates = certificates.map_err(|error| TlsError(format!("the certificate cannot be read: {error}")))?;
    if certificates.is_empty() {
        return Err(TlsError("there is no certificate in the file".into()));
    }
    let key = PrivateKeyDer::from_pem_slice(key_pem);
    let key = key.map_err(|error| TlsError(format!("the private key cannot be read: {error}")))?;
    let unusable = |error| TlsError(format!("certificate and key cannot be used: {error}"));
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config.with_safe_default_protocol_versions().map_err(unusable)?;
    let mut config = config.with_no_client_auth().with_single_cert(certificates, key).map_err(unusable)?;
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (String, String) {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        (made.cert.pem(), made.signing_key.serialize_pem())
    }

    #[test]
    fn ker_33_a_pair_that_cannot_be_used_is_told_and_the_old_one_stays() {
        let ((certificate, key), (_, other_key)) = (pair(), pair());
        let tls = Tls::new(certificate.as_bytes(), key.as_bytes()).unwrap();
        let before = Arc::clone(&tls.0.read().unwrap());
        let half = &certificate[..certificate.len() / 2];
        for (certificate, key) in [
            ("", key.as_str()),
            (certificate.as_str(), ""),
            (half, &key),
            (&certificate, &other_key),
            (&key, &certificate),
            ("garbage", "garbage"),
        ] {
            let error = tls.renew(certificate.as_bytes(), key.as_bytes()).unwrap_err();
            assert!(!error.to_string().contains("BEGIN"), "{error}");
        }
        assert!(Arc::ptr_eq(&before, &tls.0.read().unwrap()));
        let (certificate, key) = pair();
        tls.renew(certificate.as_bytes(), key.as_bytes()).unwrap();
        assert!(!Arc::ptr_eq(&before, &tls.0.read().unwrap()));
    }
}
