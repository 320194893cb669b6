//! Backends, and backends around backends.

#[cfg(feature = "ndarray")]
mod any;

#[cfg(feature = "ndarray")]
pub use any::{AnyBackend, AnyDevice, AnyDeviceError};
#[cfg(feature = "autodiff")]
pub use burn_autodiff::Autodiff;
#[cfg(feature = "fusion")]
pub use burn_fusion::Fusion;
#[cfg(feature = "ndarray")]
pub use burn_ndarray::NdArray;
#[cfg(feature = "remote")]
pub use burn_remote::{Remote, Remote as RemoteBackend, RemoteDevice};
#[cfg(feature = "router")]
pub use burn_router::Router;

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
