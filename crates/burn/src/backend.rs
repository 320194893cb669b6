//! Backends, and backends around backends.

#[cfg(feature = "ndarray")]
mod any;

#[cfg(feature = "ndarray")]
pub use any::{AnyBackend, AnyDevice, AnyDeviceError};
#[cfg(feature = "amp")]
pub use burn_amp::Amp;
#[cfg(feature = "autodiff")]
pub use burn_autodiff::Autodiff;
#[cfg(feature = "capture")]
pub use burn_capture::Capture;
#[cfg(feature = "fusion")]
pub use burn_fusion::Fusion;
#[cfg(feature = "ndarray")]
pub use burn_ndarray::NdArray;
#[cfg(feature = "profile")]
pub use burn_profile::Profile;
#[cfg(feature = "remote")]
pub use burn_remote::{Remote, Remote as RemoteBackend, RemoteDevice};
#[cfg(feature = "router")]
pub use burn_router::Router;

/// Mixed precision, and how to choose which operations compute in which element type.
#[cfg(feature = "amp")]
pub mod amp {
    pub use burn_amp::*;
}

/// Programs as lists of operations: recorded, printed, saved, run again on any backend.
#[cfg(feature = "capture")]
pub mod capture {
    pub use burn_capture::*;
}

/// Times of operations.
#[cfg(feature = "profile")]
pub mod profile {
    pub use burn_profile::*;
}

/// Gradients, and how an operation of your own gets one.
#[cfg(feature = "autodiff")]
pub mod autodiff {
    #[doc(inline)]
    pub use burn_autodiff::NodeId as NodeID;
    pub use burn_autodiff::*;
}

/// Lazy execution.
#[cfg(feature = "fusion")]
pub mod fusion {
    pub use burn_fusion::*;
}

/// The CPU.
#[cfg(feature = "ndarray")]
pub mod ndarray {
    pub use burn_ndarray::*;
}

/// A backend in another place.
#[cfg(feature = "remote")]
pub mod remote {
    pub use burn_remote::*;
}

/// Several backends as one.
#[cfg(feature = "router")]
pub mod router {
    pub use burn_router::*;
}
