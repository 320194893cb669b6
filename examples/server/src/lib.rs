//! Command-line arguments of the server, as options of `burn::server`.

use burn::server::ServerOptions;
use clap::Parser;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Burn server: computes for programs on other machines.
#[derive(Parser, Debug)]
pub struct Args {
    /// Address to listen on; 0.0.0.0 is every network that the machine is in.
    #[arg(long, default_value = "127.0.0.1:3000")]
    pub address: String,
    /// Token that clients must present; required where other machines reach the address.
    #[arg(long, env = "BURN_REMOTE_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// Accept clients without a token: anyone who reaches the address.
    #[arg(long)]
    pub allow_without_token: bool,
    /// PEM file with the chain of certificates, for TLS.
    #[arg(long, value_name = "FILE", requires = "key")]
    pub certificate: Option<PathBuf>,
    /// PEM file with the key of the certificate.
    #[arg(long, value_name = "FILE", requires = "certificate")]
    pub key: Option<PathBuf>,
    /// Maximum number of concurrent sessions.
    #[arg(long, default_value_t = 16)]
    pub sessions: usize,
    /// Memory limit of a session in MiB: its tensors and the workspace of its calls.
    #[arg(long, default_value_t = 4096)]
    pub session_mib: u64,
    /// Seconds for which the tensors of a lost connection are kept.
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
