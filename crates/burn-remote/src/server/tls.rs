use super::error::ServerError;
use super::options::Tls;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// # Errors
/// When certificate and key are none, or do not belong together.
pub fn acceptor(tls: &Tls) -> Result<TlsAcceptor, ServerError> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&tls.certificate).collect();
    let certificates = certificates.map_err(|error| ServerError::Tls(format!("the certificate: {error}")))?;
    let key = PrivateKeyDer::from_pem_slice(&tls.key)
        .map_err(|error| ServerError::Tls(format!("the key: {error}")))?;
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = builder
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(certificates, key))
        .map_err(|error| ServerError::Tls(error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
