//! Collectives on tensors that stay on their device.

use crate::{Collective, TransportError};
use burn_backend::dynamic::DynamicTensor;
use core::fmt::Debug;

/// Collectives of an [`Engine`](crate::Engine) that moves tensors from device to device, without the host.
///
/// All ranks have tensors of equal spec; nothing compares that, except in the debug mode.
pub trait DeviceCollectives: Debug + Send + Sync {
    /// Starts a collective after the work that the device has for `x`; `None` if it is on another device, or
    /// the transport has no such collective of its dtype: it then goes through the host.
    fn start(
        &self,
        collective: Collective,
        x: &DynamicTensor,
    ) -> Option<Result<Box<dyn Pending>, TransportError>>;
}

/// Collective that runs on a device.
pub trait Pending: Debug + Send {
    /// Lets the work that comes after wait for the collective, and returns its result.
    ///
    /// # Errors
    /// When the transport failed.
    fn finish(self: Box<Self>) -> Result<DynamicTensor, TransportError>;
}
