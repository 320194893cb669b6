use super::client::Client;
use super::error::RemoteError;
use super::replies::Expected;
use crate::in_process;
#[cfg(feature = "client")]
use crate::websocket::{self, RemoteOptions};
use crate::wire::Request;
use burn_backend::dynamic::DynamicDevice;
use burn_backend::{Backend, block_on};
use std::fmt;
use std::panic::RefUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// Device of a server. A program has one session with it, opened on the first use of the device.
#[derive(Clone, Copy)]
pub struct RemoteDevice(&'static Entry);

/// Entry of the device table. Entries are never removed: there is one for each address in the program.
#[derive(Debug)]
struct Entry {
    place: Location,
    client: Mutex<Option<Arc<Client>>>,
}

// State that a panic could leave inconsistent is under locks that no panic passes, or in the session, which
// catches panics.
impl RefUnwindSafe for Entry {}

#[derive(Debug)]
enum Location {
    InProcess(DynamicDevice),
    #[cfg(feature = "client")]
    Server(RemoteOptions),
}

#[derive(Debug, Default)]
struct Registry {
    entries: Vec<&'static Entry>,
    /// The last seed, for sessions to come.
    seed: Option<u64>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { entries: Vec::new(), seed: None });
static DEFAULT: OnceLock<RemoteDevice> = OnceLock::new();

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().expect("no panic while locked")
}

impl RemoteDevice {
    /// Opens a session on `device` of `B` in this process: everything but the connection.
    pub fn in_process<B: Backend>(device: B::Device) -> Self {
        Self::add(&mut registry(), Location::InProcess(DynamicDevice::new::<B>(device)))
    }

    fn add(registry: &mut Registry, place: Location) -> Self {
        let entry = Box::leak(Box::new(Entry { place, client: Mutex::default() }));
        registry.entries.push(entry);
        RemoteDevice(entry)
    }

    /// Sets the device that `RemoteDevice::default()` returns from now on; the first call wins.
    pub fn set_default(self) {
        let _first = DEFAULT.set(self);
    }

    /// Returns the session, opening it if there is none.
    pub(super) fn client(self) -> Arc<Client> {
        let mut client = self.0.client.lock().expect("no panic while locked");
        client.get_or_insert_with(|| self.open()).clone()
    }

    fn open(self) -> Arc<Client> {
        let client = match &self.0.place {
            Location::InProcess(device) => in_process::open(device.clone()),
            #[cfg(feature = "client")]
            Location::Server(options) => websocket::open(options.clone()),
        };
        if let Some(seed) = registry().seed {
            client.send(&Request::Seed(seed));
        }
        client
    }

    /// The session, if there is one.
    fn opened(self) -> Option<Arc<Client>> {
        self.0.client.lock().expect("no panic while locked").clone()
    }

    /// Waits until all queued work is complete.
    ///
    /// # Errors
    /// The first failure of a call that no read has returned yet, or the error that ended the session.
    pub fn try_sync(self) -> Result<(), RemoteError> {
        let answer = self.client().ask(Expected::Done, |reply| Request::Sync { reply });
        match block_on(answer) {
            Ok(answer) => answer.map(|_done| ()),
            Err(_pending) => {
                let cause = "this platform cannot wait".into();
                Err(RemoteError::Lost { address: self.address().into(), cause })
            }
        }
    }

    /// Ends the session, and with it the tensors: the server frees them at once, and not after the time that
    /// it keeps sessions whose connection was lost. The next use of the device begins another one.
    pub fn close(self) {
        let client = self.0.client.lock().expect("no panic while locked").take();
        if let Some(client) = client {
            client.close();
        }
    }

    /// Returns the error that ended the session, if it has ended. Reading one of its tensors gives the same
    /// error; [`RemoteDevice::close`] allows a new session.
    pub fn failure(self) -> Option<RemoteError> {
        self.opened().and_then(|client| client.failure().cloned())
    }

    /// Returns the address of the server.
    pub fn address(self) -> &'static str {
        match &self.0.place {
            Location::InProcess(_) => "in process",
            #[cfg(feature = "client")]
            Location::Server(options) => options.address(),
        }
    }

    /// Seeds all sessions, those to come included.
    pub(super) fn seed(seed: u64) {
        let entries = {
            let mut registry = registry();
            registry.seed = Some(seed);
            registry.entries.clone()
        };
        for client in entries.into_iter().filter_map(|entry| RemoteDevice(entry).opened()) {
            client.send(&Request::Seed(seed));
        }
    }
}

#[cfg(feature = "client")]
impl RemoteDevice {
    /// Creates a device for the server at an address such as `ws://localhost:3000`, or `wss://` with TLS. The
    /// token is that of the environment variable `BURN_REMOTE_TOKEN`, if it is set.
    ///
    /// Nothing happens before the device is used; that the address is wrong shows then, or in
    /// [`RemoteDevice::try_sync`].
    ///
    /// ```
    /// use burn::backend::RemoteDevice;
    /// let device = RemoteDevice::new("ws://localhost:3000");
    /// assert_eq!(device, RemoteDevice::new("ws://localhost:3000"));
    /// assert_ne!(device, RemoteDevice::new("ws://localhost:3001"));
    /// ```
    pub fn new(address: &str) -> Self {
        Self::with_options(RemoteOptions::new(address))
    }

    /// [`RemoteDevice::new`] for a server that wants this token.
    pub fn with_token(address: &str, token: &str) -> Self {
        Self::with_options(RemoteOptions::new(address).with_token(token))
    }

    /// Creates a device for the server of these options. Devices are equal if their options are.
    pub fn with_options(options: RemoteOptions) -> Self {
        let mut registry = registry();
        let same = |entry: &&&'static Entry| match &entry.place {
            Location::Server(other) => *other == options,
            Location::InProcess(_) => false,
        };
        match registry.entries.iter().find(same) {
            Some(entry) => RemoteDevice(entry),
            None => Self::add(&mut registry, Location::Server(options)),
        }
    }
}

impl Default for RemoteDevice {
    /// The device of [`RemoteDevice::set_default`]; otherwise the server at the environment variable
    /// `BURN_REMOTE_ADDRESS`, or at `ws://127.0.0.1:3000`.
    ///
    /// # Panics
    /// Without the feature `client`, when no default was set.
    fn default() -> Self {
        match DEFAULT.get() {
            Some(device) => *device,
            None => from_environment(),
        }
    }
}

#[cfg(feature = "client")]
fn from_environment() -> RemoteDevice {
    RemoteDevice::with_options(RemoteOptions::default())
}

#[cfg(not(feature = "client"))]
fn from_environment() -> RemoteDevice {
    panic!("there is no default device: call RemoteDevice::set_default, or enable the feature `client`")
}

impl fmt::Debug for RemoteDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RemoteDevice({})", self.address())
    }
}

impl PartialEq for RemoteDevice {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for RemoteDevice {}

impl std::hash::Hash for RemoteDevice {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}
