use super::connect_error::ConnectError;
use super::options::RemoteOptions;
use crate::client::RemoteError;
use std::io;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Wraps TLS around a connection with `host`.
pub async fn wrap(
    options: &RemoteOptions,
    host: &str,
    stream: TcpStream,
) -> Result<TlsStream<TcpStream>, ConnectError> {
    let failed =
        |cause: String| ConnectError::For(RemoteError::Tls { address: options.address().into(), cause });
    let name = ServerName::try_from(host.to_owned()).map_err(|error| failed(error.to_string()))?;
    let config = config(options).map_err(failed)?;
    let connected = TlsConnector::from(config).connect(name, stream).await;
    // Invalid data from the peer (a wrong certificate) is permanent; an I/O error of the connection may be
    // retried.
    let wrong = |error: &io::Error| error.kind() == io::ErrorKind::InvalidData;
    connected.map_err(|error| {
        if wrong(&error) { failed(error.to_string()) } else { ConnectError::Now(error.to_string()) }
    })
}

fn config(options: &RemoteOptions) -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore::empty();
    // A system without some of its certificates may do with the others.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(pem) = options.certificate() {
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| format!("the certificate: {error}"))?;
            roots.add(certificate).map_err(|error| format!("the certificate: {error}"))?;
        }
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    Ok(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}
