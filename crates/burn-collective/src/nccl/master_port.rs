//! Address at which NCCL lets ranks find each other: that of rank 0.

use crate::CollectiveError;
use socket2::{Domain, Socket, Type};
use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};

/// Set by `torchrun` where its own store listens at `MASTER_PORT`.
const AGENT_VARIABLE: &str = "TORCHELASTIC_USE_AGENT_STORE";

/// `MASTER_ADDR`, with `MASTER_PORT` or the port after it.
#[derive(Debug)]
pub struct MasterPort {
    host: String,
    port: u16,
    /// Whether it is the port after `MASTER_PORT`.
    is_next: bool,
}

impl MasterPort {
    /// Returns the address for the variables; the next port where `torchrun` listens at `MASTER_PORT`.
    ///
    /// # Errors
    /// When the variables are not set.
    pub fn new(master: Option<(String, u16)>) -> Result<Self, CollectiveError> {
        let (host, port) = master.ok_or(CollectiveError::Environment {
            variable: "MASTER_ADDR",
            expected: "the host of rank 0, with MASTER_PORT".to_string(),
            found: None,
        })?;
        let is_next = std::env::var(AGENT_VARIABLE).is_ok_and(|value| value == "True");
        let port = if is_next { port.wrapping_add(1).max(1024) } else { port };
        Ok(MasterPort { host, port, is_next })
    }

    /// Checks that rank 0, which calls this, can listen. NCCL would say so on this rank alone and name no
    /// variable, while the other ranks wait for an answer of whatever process has the port.
    ///
    /// # Errors
    /// With the variable that is wrong.
    pub fn check(&self) -> Result<(), CollectiveError> {
        let error = |variable, expected: &str, found: String| CollectiveError::Environment {
            variable,
            expected: expected.to_string(),
            found: Some(found),
        };
        let host = |cause: io::Error| {
            error(
                "MASTER_ADDR",
                "a name or address of the host of rank 0",
                format!("{} on rank 0: {cause}", self.host),
            )
        };
        let mut addresses = (self.host.as_str(), self.port).to_socket_addrs().map_err(host)?;
        let Some(address) = addresses.next() else { return Ok(()) };
        bind(address).map_err(|cause| {
            if cause.kind() == io::ErrorKind::AddrNotAvailable {
                return host(cause);
            }
            let next = if self.is_next { ", the port after it, as `torchrun` listens at it," } else { "" };
            let found = format!("{}{next} on rank 0: {cause}", self.port);
            error("MASTER_PORT", "a port that is free on the host of rank 0", found)
        })
    }
}

/// The form of NCCL's variable `NCCL_COMM_ID`.
impl fmt::Display for MasterPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MasterPort { host, port, .. } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

/// Binds a socket that does not listen, so that no rank that is earlier connects to it.
fn bind(address: SocketAddr) -> io::Result<()> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // Closed connections of an earlier run are no users. On Windows the option takes a port in use.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())
}

#[cfg(test)]
mod tests {
    use super::MasterPort;
    use std::net::TcpListener;

    fn check(host: &str, port: u16, is_next: bool) -> Result<(), String> {
        MasterPort { host: host.to_string(), port, is_next }.check().map_err(|error| error.to_string())
    }

    #[test]
    fn a_port_in_use_is_named_until_it_is_free() {
        for host in ["127.0.0.1", "::1"] {
            let Ok(listener) = TcpListener::bind((host, 0)) else { continue };
            let port = listener.local_addr().unwrap().port();
            let error = check(host, port, false).unwrap_err();
            let expected = format!(
                "MASTER_PORT: expected a port that is free on the host of rank 0, got {port} on rank 0"
            );
            assert!(error.contains(&expected) && error.contains("Set the variable"), "{error}");
            let error = check(host, port, true).unwrap_err();
            assert!(
                error.contains(&format!("{port}, the port after it, as `torchrun` listens at it,")),
                "{error}"
            );
            drop(listener);
            assert_eq!(check(host, port, false), Ok(()));
        }
    }

    #[test]
    fn an_address_of_another_host_is_named() {
        // The block for documentation (RFC 5737), which no host has.
        let error = check("192.0.2.1", 29500, false).unwrap_err();
        assert!(
            error.contains("MASTER_ADDR: expected a name or address of the host of rank 0, got 192.0.2.1"),
            "{error}"
        );
    }

    #[test]
    fn addresses_have_the_form_of_nccl() {
        let text = |host: &str| MasterPort::new(Some((host.to_string(), 29500))).unwrap().to_string();
        assert_eq!((text("node-1"), text("::1")), ("node-1:29500".to_string(), "[::1]:29500".to_string()));
    }
}
