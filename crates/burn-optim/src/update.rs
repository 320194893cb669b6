//! Module mapper that updates the parameters in one step.

use crate::{GradientsParams, LearningRate, ParamState, UpdateRule};
use alloc::collections::BTreeMap;
use burn_backend::dynamic::DynamicTensor;
use burn_core::module::{AnyParam, ParamId, ParamMapper};
use burn_core::tensor::{AutodiffBackend, TensorPrimitive};
use core::marker::PhantomData;

pub type States = BTreeMap<ParamId, ParamState>;

/// One step, for any backend.
pub struct Update<'a> {
    rule: &'a dyn UpdateRule,
    states: &'a mut States,
    lr: LearningRate,
    grads: GradientsParams,
    /// Updated values, for parameters that the module holds twice.
    updated: BTreeMap<ParamId, DynamicTensor>,
}

impl<'a> Update<'a> {
    pub fn new(
        rule: &'a dyn UpdateRule,
        states: &'a mut States,
        lr: LearningRate,
        grads: GradientsParams,
    ) -> Self {
        Update { rule, states, lr, grads, updated: BTreeMap::new() }
    }

    pub fn on<B: AutodiffBackend>(&mut self) -> OnBackend<'_, 'a, B> {
        OnBackend { update: self, backend: PhantomData }
    }

    /// Returns whether the step updates the parameter.
    fn changes(&self, id: ParamId) -> bool {
        self.grads.has(id) || self.updated.contains_key(&id)
    }

    fn update(&mut self, id: ParamId, x: DynamicTensor) -> DynamicTensor {
        let updated = match (self.updated.get(&id), self.grads.take(id)) {
            (Some(updated), _) => return updated.clone(),
            (None, None) => return x,
            (None, Some(grad)) => self.rule.update(x, grad, self.lr, self.states.entry(id).or_default()),
        };
        self.updated.insert(id, updated.clone());
        updated
    }
}

/// Part of a step that is generic over the backend.
pub struct OnBackend<'u, 'a, B> {
    update: &'u mut Update<'a>,
    backend: PhantomData<B>,
}

impl<B: AutodiffBackend> ParamMapper<B> for OnBackend<'_, '_, B> {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        let id = param.id();
        if !param.is_require_grad() || !self.update.changes(id) {
            return;
        }
        // A parameter that requires gradients is not quantized.
        let x = DynamicTensor::new::<B::InnerBackend>(B::inner(param.take().tensor()));
        let x = self.update.update(id, x).into_inner::<B::InnerBackend>();
        param.set(TensorPrimitive::Float(B::from_inner(x)));
    }
}
