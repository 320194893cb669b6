//! Collectives on tensors that stay on their device.

use crate::frame::CallFields;
use crate::group::Group;
use crate::{Collective, CollectiveError, TransportError};
use burn_backend::dynamic::DynamicTensor;
use burn_ir::HasSpec;
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

impl Group {
    /// Starts a collective on the device of `x`, if the engine has it there.
    pub fn start_on_device(
        &self,
        collective: Collective,
        x: &DynamicTensor,
    ) -> Result<Option<Box<dyn Pending>>, CollectiveError> {
        let Some(device) = self.engine.device_collectives() else { return Ok(None) };
        self.check_failure()?;
        if self.settings().detail {
            let (name, spec) = (collective.name(), x.spec());
            let fields =
                CallFields::new(name).with("dtype", spec.dtype).with("shape", format!("{:?}", spec.shape));
            self.call(name, Ok(fields.with("arguments", format!("{collective:?}"))), |_call| Ok(()))?;
        }
        let started = device.start(collective, x).transpose();
        started.map_err(|error| self.fail(self.error(collective.name(), error)))
    }

    pub fn finish_on_device(
        &self,
        collective: Collective,
        pending: Box<dyn Pending>,
    ) -> Result<DynamicTensor, CollectiveError> {
        pending.finish().map_err(|error| self.fail(self.error(collective.name(), error)))
    }
}
