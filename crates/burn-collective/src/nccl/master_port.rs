//! Address at which NCCL lets ranks find each other: that of rank 0.

use crate::CollectiveError;
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
#[cfg(unix)]
fn bind(address: SocketAddr) -> io::Result<()> {
    use libc::{
        AF_INET, AF_INET6, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, sockaddr, sockaddr_in, sockaddr_in6,
    };
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

    let family = if address.is_ipv4() { AF_INET } else { AF_INET6 };
    // SAFETY: the call has no pointers.
    let socket = check(unsafe { libc::socket(family, SOCK_STREAM, 0) })?;
    // SAFETY: nothing else has the socket.
    let socket = unsafe { OwnedFd::from_raw_fd(socket) };
    let on: libc::c_int = 1;
    // SAFETY: the system reads one integer. Connections of an earlier run, which are closed, are no users.
    check(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            SOL_SOCKET,
            SO_REUSEADDR,
            (&raw const on).cast(),
            length::<libc::c_int>(),
        )
    })?;
    // SAFETY: zeros are an address, and the system reads one of the length that is passed.
    check(unsafe {
        match address {
            SocketAddr::V4(address) => {
                let mut raw: sockaddr_in = core::mem::zeroed();
                raw.sin_family = AF_INET as libc::sa_family_t;
                raw.sin_port = address.port().to_be();
                raw.sin_addr.s_addr = u32::from_ne_bytes(address.ip().octets());
                libc::bind(socket.as_raw_fd(), (&raw const raw).cast::<sockaddr>(), length::<sockaddr_in>())
            }
            SocketAddr::V6(address) => {
                let mut raw: sockaddr_in6 = core::mem::zeroed();
                raw.sin6_family = AF_INET6 as libc::sa_family_t;
                raw.sin6_port = address.port().to_be();
                raw.sin6_addr.s6_addr = address.ip().octets();
                raw.sin6_scope_id = address.scope_id();
                libc::bind(socket.as_raw_fd(), (&raw const raw).cast::<sockaddr>(), length::<sockaddr_in6>())
            }
        }
    })?;
    Ok(())
}

#[cfg(unix)]
fn length<T>() -> libc::socklen_t {
    size_of::<T>() as libc::socklen_t
}

#[cfg(unix)]
fn check(code: libc::c_int) -> io::Result<libc::c_int> {
    if code < 0 { Err(io::Error::last_os_error()) } else { Ok(code) }
}

/// NCCL itself reports the error.
#[cfg(not(unix))]
fn bind(_address: SocketAddr) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
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
