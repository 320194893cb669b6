//! What can be said to the server on its command line, as options of `burn::server`.

use burn::server::ServerOptions;
use clap::Parser;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Compute for programs elsewhere.
#[derive(Parser, Debug)]
pub struct Args {
    /// Where to listen; 0.0.0.0 is every network that the machine is in.
    #[arg(long, default_value = "127.0.0.1:3000")]
    pub address: String,
    /// What clients have to know; asked for where other machines reach the address.
    #[arg(long, env = "BURN_REMOTE_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// Serve other machines without a token: whoever reaches the address.
    #[arg(long)]
    pub allow_without_token: bool,
    /// PEM file with the chain of certificates, for TLS.
    #[arg(long, value_name = "FILE", requires = "key")]
    pub certificate: Option<PathBuf>,
    /// PEM file with the key of the certificate.
    #[arg(long, value_name = "FILE", requires = "certificate")]
    pub key: Option<PathBuf>,
    /// Programs at once.
    #[arg(long, default_value_t = 16)]
    pub sessions: usize,
    /// MiB that one program may have, for its tensors and for what its calls take while they run.
    #[arg(long, default_value_t = 4096)]
    pub session_mib: u64,
    /// Seconds that the tensors of a program are kept whose connection is lost.
    #[arg(long, default_value_t = 60)]
    pub keep: u64,
}

// ANCHOR: options
impl Args {
    /// # Errors
    /// When certificate or key cannot be read.
    pub fn options(&self) -> io::Result<ServerOptions> {
        let mut options = ServerOptions::new(&self.address)
            .with_sessions(self.sessions)
            .with_session_bytes(self.session_mib << 20)
            .with_resume_timeout(Duration::from_secs(self.keep));
        if let Some(token) = &self.token {
            options = options.with_token(token);
        }
        if self.allow_without_token {
            options = options.allow_without_token();
        }
        if let (Some(certificate), Some(key)) = (&self.certificate, &self.key) {
            options = options.with_tls(std::fs::read(certificate)?, std::fs::read(key)?);
        }
        Ok(options)
    }
}
// ANCHOR_END: options
