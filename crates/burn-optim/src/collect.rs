//! Module visitors that read parameters.

use crate::GradientsParams;
use alloc::collections::BTreeMap;
use burn_backend::dynamic::DynamicTensor;
use burn_core::module::{AnyParam, Module, ParamId, ParamVisitor};
use burn_core::tensor::{AutodiffBackend, Backend, Shape, TensorPrimitive};

/// Visitor that moves the gradients of parameters out.
pub struct Gradients<'a, B: AutodiffBackend> {
    pub from: &'a mut B::Gradients,
    pub into: GradientsParams,
    /// The parameters to take; all of them if `None`.
    pub only: Option<&'a [ParamId]>,
}

impl<B: AutodiffBackend> ParamVisitor<B> for Gradients<'_, B> {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        let id = param.id();
        // A parameter that was never initialized has no gradient, and is not initialized for this.
        if !param.is_initialized() || self.only.is_some_and(|only| !only.contains(&id)) {
            return;
        }
        let TensorPrimitive::Float(x) = param.tensor() else { return };
        if let Some(grad) = B::grad_remove(&x, self.from) {
            self.into.add(id, DynamicTensor::new::<B::InnerBackend>(grad));
        }
    }
}

struct Shapes(BTreeMap<ParamId, Shape>);

impl<B: Backend> ParamVisitor<B> for Shapes {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        self.0.insert(param.id(), param.shape());
    }
}

/// Returns the shape of every parameter of `module`.
pub fn shapes<B: Backend, M: Module<B>>(module: &M) -> BTreeMap<ParamId, Shape> {
    let mut shapes = Shapes(BTreeMap::new());
    module.visit_params(&mut shapes);
    shapes.0
}
