use super::Lora;
use alloc::vec::Vec;
use burn_core::module::{AnyParam, Module, ParamId, ParamMapper};
use burn_core::tensor::{Backend, Tensor};
use core::any::Any;

/// Adds the products of all adapters to the weights of their layers, which then cost what they cost without
/// adapters. The adapters stay for [`unmerge`], are not trained meanwhile, and are not in the record of the
/// module.
#[must_use]
pub fn merge<B: Backend, M: Module<B>>(module: M) -> M {
    fold(module, true)
}

/// Subtracts the products of all merged adapters from the weights of their layers, up to rounding, and has
/// the adapters compute and train again.
#[must_use]
pub fn unmerge<B: Backend, M: Module<B>>(module: M) -> M {
    fold(module, false)
}

/// Drops all adapters. Merged ones stay in the weights: `remove(merge(module))` is the adapted module without
/// adapters. The other parameters stay frozen.
#[must_use]
pub fn remove<B: Backend, M: Module<B>>(mut module: M) -> M {
    module.map_params(&mut Remove);
    module
}

fn fold<B: Backend, M: Module<B>>(mut module: M, merged: bool) -> M {
    let mut adapters = Adapters { merged, weight: None, deltas: Vec::new() };
    module.map_params(&mut adapters);
    module.map_params(&mut Weights(adapters.deltas));
    module
}

/// Collects what is added to weights.
struct Adapters<B: Backend> {
    merged: bool,
    /// The parameter of rank 2 that was met last: the weight of a linear layer comes before its adapter.
    weight: Option<ParamId>,
    deltas: Vec<(ParamId, Tensor<B, 2>)>,
}

impl<B: Backend> ParamMapper<B> for Adapters<B> {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        if param.shape().rank() == 2 {
            self.weight = Some(param.id());
        }
    }
    fn map_extension(&mut self, extension: &mut dyn Any) {
        let (Some(lora), Some(weight)) = (extension.downcast_mut::<Lora<B>>(), self.weight) else {
            return;
        };
        let Some(adapter) = lora.take() else { return };
        if adapter.merged == self.merged {
            return lora.set(adapter);
        }
        let delta = adapter.delta();
        self.deltas.push((weight, if self.merged { delta } else { -delta }));
        lora.set(adapter.with_merged(self.merged));
    }
}

/// Adds to weights. They keep their element type; quantized ones become floats.
struct Weights<B: Backend>(Vec<(ParamId, Tensor<B, 2>)>);

impl<B: Backend> ParamMapper<B> for Weights<B> {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        let Some((_, delta)) = self.0.iter().find(|(id, _)| *id == param.id()) else { return };
        let weight = Tensor::<B, 2>::from_primitive(param.take());
        let delta = delta.clone().cast(weight.dtype());
        param.set((weight + delta).into_primitive());
    }
}

struct Remove;

impl<B: Backend> ParamMapper<B> for Remove {
    fn map(&mut self, _param: &mut dyn AnyParam<B>) {}
    fn map_extension(&mut self, extension: &mut dyn Any) {
        if let Some(lora) = extension.downcast_mut::<Lora<B>>() {
            lora.take();
        }
    }
}
