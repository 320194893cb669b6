//! Averages of parameters, and the walks over a module that compute them and put them in.

use crate::arithmetic::{cast, is_half};
use crate::formula::Formula;
use crate::param_state::StateTensor;
use alloc::collections::BTreeMap;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend as _, DType, HasSpec};
use burn_core::module::{AnyParam, AutodiffModule, ParamId, ParamKind, ParamMapper, ParamVisitor};
use burn_core::tensor::{AutodiffBackend, TensorPrimitive};
use core::marker::PhantomData;

pub type Averages = BTreeMap<ParamId, StateTensor>;

/// Computes `decay * average + (1 - decay) * x` for every parameter `x` of `module`; the first average is `x`.
pub fn update<B: AutodiffBackend, M: AutodiffModule<B>>(
    averages: &mut Averages,
    module: &M,
    decay: f64,
    use_buffers: bool,
) {
    let walk = UpdateAverages { old: averages, updated: Averages::new(), decay, use_buffers };
    let mut visitor = OnBackend::<_, B> { walk, backend: PhantomData };
    module.visit_params(&mut visitor);
    let updated = visitor.walk.updated;
    averages.extend(updated);
}

/// Returns `module` with the averaged parameters.
///
/// # Panics
/// An average has another shape than its parameter.
#[track_caller]
pub fn put<B: AutodiffBackend, M: AutodiffModule<B>>(averages: &Averages, mut module: M) -> M {
    module.map_params(&mut OnBackend::<_, B> { walk: averages, backend: PhantomData });
    module
}

/// A walk over a module, on any backend.
struct OnBackend<W, B> {
    walk: W,
    backend: PhantomData<B>,
}

/// Update of the averages by the parameters of a module.
struct UpdateAverages<'a> {
    old: &'a mut Averages,
    updated: Averages,
    decay: f64,
    use_buffers: bool,
}

impl UpdateAverages<'_> {
    fn wants(&self, id: ParamId, kind: ParamKind, is_require_grad: bool) -> bool {
        let is_averaged = kind == ParamKind::Float && (is_require_grad || self.use_buffers);
        is_averaged && !self.updated.contains_key(&id)
    }

    fn update(&mut self, id: ParamId, x: DynamicTensor) {
        let dtype = if is_half(x.dtype()) { DType::F32 } else { x.dtype() };
        let x = cast(x, dtype);
        let average = match self.old.remove(&id) {
            Some(average) => {
                let average = average.on(&Dynamic::device(&x), dtype);
                let formula = Formula::like(&x);
                let (x, average) = (formula.input(x), formula.input(average));
                (average * self.decay + x * (1.0 - self.decay)).run()
            }
            None => x,
        };
        self.updated.insert(id, StateTensor::Live(average));
    }
}

impl<B: AutodiffBackend> ParamVisitor<B> for OnBackend<UpdateAverages<'_>, B> {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        if !self.walk.wants(param.id(), param.kind(), param.is_require_grad()) {
            return;
        }
        // The numbers of a quantized tensor do not change.
        if let TensorPrimitive::Float(x) = param.tensor() {
            self.walk.update(param.id(), DynamicTensor::new::<B::InnerBackend>(B::inner(x)));
        }
    }
}

impl<B: AutodiffBackend> ParamMapper<B> for OnBackend<&Averages, B> {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        let Some(average) = self.walk.get(&param.id()) else { return };
        let TensorPrimitive::Float(x) = param.tensor() else { return };
        let x = DynamicTensor::new::<B::InnerBackend>(B::inner(x));
        let average = averaged(average.clone(), &x).into_inner::<B::InnerBackend>();
        param.set(TensorPrimitive::Float(B::from_inner(average)));
    }
}

/// Returns the average in the place of the parameter `x`.
fn averaged(average: StateTensor, x: &DynamicTensor) -> DynamicTensor {
    let (found, expected) = (average.shape(), x.shape());
    assert!(
        found == expected,
        "ModuleAverage: the average of a parameter of shape {expected:?} has shape {found:?}"
    );
    average.on(&Dynamic::device(x), x.dtype())
}
