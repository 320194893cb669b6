//! Calls of a group on tensors that stay on their device.

use crate::frame::CallFields;
use crate::group::Group;
use crate::{Collective, CollectiveError, Pending};
use burn_backend::dynamic::DynamicTensor;
use burn_ir::HasSpec;

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
