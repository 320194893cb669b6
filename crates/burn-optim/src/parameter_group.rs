use crate::record::StateLayout;
use crate::update::Stepper;
use crate::{LearningRate, OptimizerAdaptor, UpdateRule};
use alloc::sync::Arc;

/// Group of [`ParameterGroups`](crate::ParameterGroups): an optimizer and a learning-rate factor, or frozen parameters.
#[derive(Clone, Debug)]
pub struct ParameterGroup {
    pub(crate) optimizer: Option<GroupOptimizer>,
    pub(crate) lr_factor: LearningRate,
}

/// Optimizer of a group, whatever its update rule is.
#[derive(Clone, Debug)]
pub struct GroupOptimizer {
    pub rule: Arc<dyn UpdateRule>,
    pub layout: StateLayout,
    pub stepper: Stepper,
}

impl ParameterGroup {
    /// Returns a group of parameters that `optimizer` updates.
    pub fn new<R: UpdateRule>(optimizer: OptimizerAdaptor<R>) -> Self {
        let OptimizerAdaptor { rule, stepper } = optimizer;
        let optimizer = GroupOptimizer { rule: Arc::new(rule), layout: StateLayout::of::<R>(), stepper };
        ParameterGroup { optimizer: Some(optimizer), lr_factor: 1.0 }
    }

    /// Returns a group of parameters that are not updated.
    pub fn frozen() -> Self {
        ParameterGroup { optimizer: None, lr_factor: 0.0 }
    }

    /// Returns this group with a learning rate of `factor` times that of [`step`](crate::Optimizer::step).
    ///
    /// # Panics
    /// The factor is negative, infinite or NaN.
    #[must_use]
    #[track_caller]
    pub fn with_lr_factor(mut self, factor: f64) -> Self {
        let fits = factor.is_finite() && factor >= 0.0;
        assert!(
            fits,
            "ParameterGroup: invalid `lr_factor`; expected a finite number of at least 0, got {factor:?}"
        );
        self.lr_factor = factor;
        self
    }
}

impl<R: UpdateRule> From<OptimizerAdaptor<R>> for ParameterGroup {
    fn from(optimizer: OptimizerAdaptor<R>) -> Self {
        ParameterGroup::new(optimizer)
    }
}
