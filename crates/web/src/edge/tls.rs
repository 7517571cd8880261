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

    /// Until when the first certificate of a file (PEM) is good; `None` if that cannot be read from it.
    #[must_use]
    pub fn good_until(certificates_pem: &[u8]) -> Option<base::Wall> {
        let certificate = CertificateDer::pem_slice_iter(certificates_pem).next()?.ok()?;
        not_after(&certificate)
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// The end of the validity in a certificate (RFC 5280, 4.1): the fifth part of its first part, or the fourth if it names no version.
fn not_after(certificate: &[u8]) -> Option<base::Wall> {
    const VERSION: u8 = 0xa0;
    let (_, certificate, _) = der(certificate)?;
    let (_, mut signed, _) = der(certificate)?;
    if signed.first() == Some(&VERSION) {
        signed = der(signed)?.2;
    }
    // Number, algorithm, issuer.
    for _ in 0..3 {
        signed = der(signed)?.2;
    }
    let (_, validity, _) = der(signed)?;
    let (_, _, rest) = der(validity)?;
    let (kind, text, _) = der(rest)?;
    moment(kind, std::str::from_utf8(text).ok()?)
}

/// A value of DER: its kind, what it holds, what follows it.
fn der(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&kind, rest) = bytes.split_first()?;
    let (&length, rest) = rest.split_first()?;
    let (length, rest) = match length {
        0..=0x7f => (usize::from(length), rest),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(length & 0x0f))?;
            (digits.iter().fold(0, |sum, digit| sum << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    let (held, rest) = rest.split_at_checked(length)?;
    Some((kind, held, rest))
}

/// `yyMMddHHmmssZ`, of 1950 to 2049, or with four digits of the year.
fn moment(kind: u8, text: &str) -> Option<base::Wall> {
    const UTC_TIME: u8 = 0x17;
    let century = match kind {
        UTC_TIME if text.get(..2)? < "50" => "20",
        UTC_TIME => "19",
        _ => "",
    };
    let text = format!("{century}{}", text.strip_suffix('Z')?);
    let part = |from: usize| text.get(from..from + 2);
    let day = format!("{}-{}-{}", text.get(..4)?, part(4)?, part(6)?);
    base::Wall::parse_rfc3339(&format!("{day}T{}:{}:{}Z", part(8)?, part(10)?, part(12)?))
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
    fn ker_37_the_end_of_a_certificate_is_read_from_it() {
        let made = |year| {
            let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
            params.not_after = rcgen::date_time_ymd(year, 3, 4);
            let key = rcgen::KeyPair::generate().unwrap();
            params.self_signed(&key).unwrap().pem()
        };
        for year in [2020, 2049, 2050, 2100] {
            let until = Tls::good_until(made(year).as_bytes()).unwrap();
            assert_eq!(until.rfc3339(), format!("{year}-03-04T00:00:00.000Z"));
        }
        assert_eq!(Tls::good_until(b"no certificate"), None);
        let half = CertificateDer::pem_slice_iter(made(2020).as_bytes()).next().unwrap().unwrap();
        (0..half.len().min(200)).for_each(|cut| assert_eq!(not_after(&half[..cut]), None));
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
