/// Error of an [`Engine`](crate::Engine).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TransportError {
    /// The deadline passed before these ranks arrived.
    Timeout {
        /// Ranks that did not arrive.
        missing: Vec<usize>,
    },
    /// A rank ended, with its last message.
    Ended {
        /// Rank that ended.
        rank: usize,
        /// Message that it gave to [`Engine::abandon`](crate::Engine::abandon).
        frame: Vec<u8>,
    },
    /// The launcher asked this process to end while it waited.
    Terminated {
        /// Ranks that it waited for.
        missing: Vec<usize>,
    },
    /// There is no memory for the bytes of another rank.
    Memory(burn_ir::DataError),
    /// The library refused a call.
    Library(String),
}
