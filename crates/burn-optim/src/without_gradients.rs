//! A step that has no gradient of any parameter of its module.

/// Reports steps that change nothing: gradients of another model are an error, no gradients a warning, once.
#[derive(Clone, Debug, Default)]
pub struct WithoutGradients {
    was_reported: bool,
}

impl WithoutGradients {
    /// Reports that none of `given` gradients is of one of the `parameters` of the module.
    ///
    /// # Panics
    /// When there are gradients and parameters: they are those of another model.
    #[cold]
    pub fn found(&mut self, given: usize, parameters: usize) {
        if parameters == 0 {
            return;
        }
        assert!(
            given == 0,
            "optimizer step: the gradients are of another model; expected gradients of some of the module's \
             {parameters} parameters, got {given} of others. Take those of the module that is stepped: \
             `GradientsParams::from_grads(loss.backward(), &model)`"
        );
        if !self.was_reported {
            self.was_reported = true;
            warn(parameters);
        }
    }
}

#[cfg(feature = "std")]
fn warn(parameters: usize) {
    tracing::warn!(
        "optimizer step: 0 gradients for the {parameters} parameters of the module, which stays as it is. Take the \
         gradients of this module, of a loss that depends on it: `GradientsParams::from_grads(loss.backward(), &model)`"
    );
}

/// Without the standard library there is no log.
#[cfg(not(feature = "std"))]
fn warn(_parameters: usize) {}
