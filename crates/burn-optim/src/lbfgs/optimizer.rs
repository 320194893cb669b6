use super::config::LbfgsConfig;
use super::flat::FlatLayout;
use super::iteration::minimize;
use super::record::LbfgsRecord;
use super::state::LbfgsState;
use crate::{GradientsParams, LearningRate};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::{ConfigError, FieldCheck};
use burn_core::module::AutodiffModule;
use burn_core::record::RecordError;
use burn_core::tensor::{AutodiffBackend, ElementConversion, Tensor};
use burn_derive::fallible;

#[fallible(config)]
impl LbfgsConfig {
    /// Returns the optimizer, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<Lbfgs, ConfigError> {
        let check = FieldCheck::of("LbfgsConfig");
        check.at_least("max_iter", self.max_iter, 1)?;
        if let Some(max_eval) = self.max_eval {
            check.at_least("max_eval", max_eval, 1)?;
        }
        check.not_negative("tolerance_grad", self.tolerance_grad)?;
        check.not_negative("tolerance_change", self.tolerance_change)?;
        check.at_least("history_size", self.history_size, 1)?;
        Ok(Lbfgs { config: self.clone(), state: LbfgsState::default() })
    }
}

/// L-BFGS: a quasi-Newton method with limited memory (Liu and Nocedal 1989), for small problems whose loss is
/// computed over all data. PyTorch: `torch.optim.LBFGS`.
///
/// It evaluates the loss several times a step, so it is no [`Optimizer`](crate::Optimizer): it is given the
/// function that computes the loss. All parameters that require gradients are one vector, in `f32` or `f64`.
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::module::Param;
/// use burn::optim::{LbfgsConfig, LineSearch};
/// use burn::tensor::Tensor;
///
/// // The Rosenbrock function, whose minimum is at [1, 1].
/// let rosenbrock = |x: &Param<Tensor<Autodiff<NdArray<f64>>, 1>>| {
///     let (x, y) = (x.val().narrow(0, 0, 1), x.val().narrow(0, 1, 1));
///     (x.clone() - 1.0).square() + (y - x.square()).square() * 100.0
/// };
/// let mut x = Param::from_data([-1.2, 1.0], &Default::default());
/// let mut lbfgs = LbfgsConfig::new().with_line_search(Some(LineSearch::StrongWolfe)).init();
/// for _ in 0..5 {
///     (x, _) = lbfgs.step(1.0, x, rosenbrock);
/// }
/// // It stops when a step changes the loss by less than the tolerance, 1e-9.
/// assert!(x.val().into_data().to_f64().iter().all(|x| (x - 1.0).abs() < 1e-4));
/// ```
#[derive(Clone, Debug)]
pub struct Lbfgs {
    config: LbfgsConfig,
    state: LbfgsState,
}

impl Lbfgs {
    /// Performs one step of up to `max_iter` iterations. Returns the updated module and the loss before the
    /// step.
    ///
    /// `loss` is a scalar for a module; it is evaluated at most `max_eval` times, and one time more than
    /// iterations without a line search. Waits for the device.
    ///
    /// # Panics
    /// The state is one of another number of parameters, the device failed, or this thread cannot wait for
    /// it.
    #[track_caller]
    pub fn step<B, M, F>(&mut self, lr: LearningRate, module: M, mut loss: F) -> (M, f64)
    where
        B: AutodiffBackend,
        M: AutodiffModule<B>,
        F: FnMut(&M) -> Tensor<B, 1>,
    {
        let Some((layout, x)) = FlatLayout::flatten::<B, M>(&module) else {
            let value = loss(&module).into_scalar().elem::<f64>();
            return (module, value);
        };
        if let Some(found) = self.state.length() {
            let expected = layout.length();
            assert!(
                found == expected,
                "Lbfgs: the state is of {found} parameters; the module has {expected}"
            );
        }
        let mut current = Some(module);
        let mut evaluate = |x: &DynamicTensor| {
            let module = layout.unflatten::<B, M>(current.take().expect("it was put back"), x);
            let value = loss(&module);
            let grads = GradientsParams::from_grads::<B, M>(value.backward(), &module);
            current = Some(module);
            (value.into_scalar().elem::<f64>(), layout.gradients(grads))
        };
        let (x, first) = minimize(&self.config, &mut self.state, lr, x, &mut evaluate);
        let module = current.take().expect("it was put back");
        (layout.unflatten::<B, M>(module, &x), first)
    }

    /// Returns the number of iterations of all steps.
    pub fn iterations(&self) -> usize {
        self.state.iterations
    }

    /// Returns the number of evaluations of the loss in all steps.
    pub fn evaluations(&self) -> usize {
        self.state.evaluations
    }

    /// Returns the state. It shares the tensors until they are changed.
    pub fn to_record(&self) -> LbfgsRecord {
        LbfgsRecord::new(self.state.clone())
    }

    /// Returns this optimizer with the state of `record`.
    #[must_use]
    pub fn load_record(mut self, record: LbfgsRecord) -> Self {
        self.state = record.into_state();
        self
    }

    /// Returns this optimizer with the state of `record`, after comparing its size with that of `module`.
    ///
    /// # Errors
    /// The number of elements of the parameters differs from that of the state.
    pub fn try_load_record<B: AutodiffBackend, M: AutodiffModule<B>>(
        self,
        record: LbfgsRecord,
        module: &M,
    ) -> Result<Self, RecordError> {
        let length = FlatLayout::flatten::<B, M>(module).map_or(0, |(layout, _)| layout.length());
        record.check(length).map(|()| self.load_record(record))
    }
}
