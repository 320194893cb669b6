//! Values of some parameters of a module.

use burn_backend::dynamic::DynamicTensor;
use burn_core::module::{AnyParam, ParamId, ParamMapper, ParamVisitor};
use burn_ir::TensorData;
use burn_tensor::TensorPrimitive;
use burn_tensor::backend::Backend;
use std::collections::{BTreeMap, BTreeSet};

/// Visitor that takes the values of the parameters `ids`.
pub struct ReadValues {
    pub ids: BTreeSet<ParamId>,
    pub found: BTreeMap<ParamId, DynamicTensor>,
}

impl<B: Backend> ParamVisitor<B> for ReadValues {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        if !self.ids.contains(&param.id()) {
            return;
        }
        if let TensorPrimitive::Float(x) = param.tensor() {
            self.found.insert(param.id(), DynamicTensor::new::<B>(x));
        }
    }
}

/// Mapper that gives parameters other values.
pub struct SetValues(pub BTreeMap<ParamId, TensorData>);

impl<B: Backend> ParamMapper<B> for SetValues {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        // A parameter may be in a module twice.
        if let Some(data) = self.0.get(&param.id()) {
            let x = B::from_data(data.clone(), &param.device());
            param.set(TensorPrimitive::Float(x));
        }
    }
}
