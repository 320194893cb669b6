use super::{
    AutodiffModule, Content, Loader, Module, ModuleDisplay, ModuleDisplayDefault, Param, ParamMapper,
    ParamVisitor,
};
use crate::tensor::{AutodiffBackend, Backend, Tensor};
use core::fmt::{Debug, Formatter};
use spin::Mutex;

/// Buffer that a module updates while it is used, such as the running mean of a batch norm.
///
/// It is saved and visited like a parameter that gets no gradient. A copy of the module has its own state
/// from then on.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::{Initializer, RunningState};
/// use burn::tensor::Tensor;
///
/// let mean: RunningState<NdArray, 1> = RunningState::new(Initializer::Zeros.init([2], &Default::default()));
/// mean.update(|mean| mean + 1.0);
/// assert_eq!(mean.value().into_data().to_f64(), [1.0, 1.0]);
/// ```
pub struct RunningState<B: Backend, const D: usize>(Mutex<Param<Tensor<B, D>>>);

impl<B: Backend, const D: usize> RunningState<B, D> {
    /// Creates a state with the values of `param`.
    pub fn new(param: Param<Tensor<B, D>>) -> Self {
        RunningState(Mutex::new(param.set_require_grad(false)))
    }

    /// Returns the current values.
    pub fn value(&self) -> Tensor<B, D> {
        self.snapshot().into_value()
    }

    /// Changes the values. Nothing is tracked, whatever they are computed from.
    pub fn update(&self, f: impl FnOnce(Tensor<B, D>) -> Tensor<B, D>) {
        // Not under the lock: another thread would spin as long as `f` computes.
        let value = f(self.value());
        self.0.lock().put(value);
    }

    /// Returns the shape, known before the first use.
    pub fn dims(&self) -> [usize; D] {
        self.0.lock().dims()
    }

    fn snapshot(&self) -> Param<Tensor<B, D>> {
        let param = self.0.lock();
        // Made here, so that all copies of the state begin with the same values.
        let _ = param.val();
        param.clone()
    }
}

impl<B: Backend, const D: usize> Clone for RunningState<B, D> {
    fn clone(&self) -> Self {
        RunningState(Mutex::new(self.0.lock().clone()))
    }
}

impl<B: Backend, const D: usize> Debug for RunningState<B, D> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("RunningState").field(&*self.0.lock()).finish()
    }
}

impl<B: Backend, const D: usize> Module<B> for RunningState<B, D> {
    type Record = Param<Tensor<B, D>>;

    fn visit_params(&self, visitor: &mut dyn ParamVisitor<B>) {
        let param = self.0.lock().clone();
        visitor.visit(&param);
    }
    fn map_params(&mut self, mapper: &mut dyn ParamMapper<B>) {
        let param = self.0.get_mut();
        mapper.map(param);
        param.track(false);
    }
    fn into_record(self) -> Self::Record {
        self.0.into_inner()
    }
    fn read_record(&mut self, record: Self::Record, loader: &mut Loader) {
        self.0.get_mut().read_record(record, loader);
    }
}

impl<B: AutodiffBackend, const D: usize> AutodiffModule<B> for RunningState<B, D> {
    type InnerModule = RunningState<B::InnerBackend, D>;

    fn valid(&self) -> Self::InnerModule {
        RunningState::new(self.snapshot().valid())
    }
}

impl<B: Backend, const D: usize> ModuleDisplay for RunningState<B, D> {}
impl<B: Backend, const D: usize> ModuleDisplayDefault for RunningState<B, D> {
    fn content(&self, content: Content) -> Option<Content> {
        self.0.lock().content(content)
    }
}
