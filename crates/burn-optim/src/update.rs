//! One step of an optimizer: clipping, then the update rule for every parameter of a module.

use crate::master_weight::{self, StepOptions};
use crate::without_gradients::WithoutGradients;
use crate::{GradientClippingConfig, GradientsParams, LearningRate, ParamState, UpdateRule};
use alloc::collections::BTreeMap;
use burn_backend::dynamic::DynamicTensor;
use burn_backend::module_scope::{self, ParameterWalk, ScopeGuard};
use burn_core::module::{AnyParam, Module, ParamId, ParamMapper};
use burn_core::tensor::{AutodiffBackend, TensorPrimitive};
use core::marker::PhantomData;

pub type States = BTreeMap<ParamId, ParamState>;

/// Gradients, and the factor by which their clipping multiplies all of them, shape `[1]`.
#[derive(Debug)]
pub struct ClippedGradients {
    pub grads: GradientsParams,
    pub factor: Option<DynamicTensor>,
}

impl ClippedGradients {
    /// Clips gradients. A factor of all is left to the pass that updates the parameters.
    pub fn of(mut grads: GradientsParams, clipping: &GradientClippingConfig) -> Self {
        let factor = clipping.clip_or_factor(&mut grads);
        ClippedGradients { grads, factor }
    }

    /// Returns the gradients multiplied by the factor.
    fn multiplied(self) -> GradientsParams {
        let ClippedGradients { mut grads, factor } = self;
        if let Some(factor) = factor {
            grads.scale_by(&factor);
        }
        grads
    }
}

impl From<GradientsParams> for ClippedGradients {
    fn from(grads: GradientsParams) -> Self {
        ClippedGradients { grads, factor: None }
    }
}

/// State of an optimizer, and what it does beside its update rule.
#[derive(Clone, Debug, Default)]
pub struct Stepper {
    pub states: States,
    pub clipping: Option<GradientClippingConfig>,
    pub master_weights: bool,
    pub without_gradients: WithoutGradients,
}

impl Stepper {
    /// Updates the parameters of `module` that have a gradient.
    pub fn step<B: AutodiffBackend, M: Module<B>>(
        &mut self,
        rule: &dyn UpdateRule,
        lr: LearningRate,
        module: &mut M,
        grads: ClippedGradients,
    ) {
        let mut update = self.begin(rule, lr, grads);
        module.map_params(&mut OnBackend::<B> { update: &mut update, backend: PhantomData });
        update.end();
    }

    fn begin<'a>(
        &'a mut self,
        rule: &'a dyn UpdateRule,
        lr: LearningRate,
        grads: ClippedGradients,
    ) -> Update<'a> {
        let scope = module_scope::update();
        let ClippedGradients { grads, factor } = match &self.clipping {
            Some(clipping) => ClippedGradients::of(grads.multiplied(), clipping),
            None => grads,
        };
        let Stepper { states, master_weights, without_gradients, .. } = self;
        Update {
            rule,
            states,
            lr,
            grads,
            factor,
            master_weights: *master_weights,
            updated: BTreeMap::new(),
            walk: ParameterWalk::new(false),
            trainable: 0,
            with_gradient: 0,
            without_gradients,
            _scope: scope,
        }
    }
}

/// One step, for any backend.
struct Update<'a> {
    rule: &'a dyn UpdateRule,
    states: &'a mut States,
    lr: LearningRate,
    grads: GradientsParams,
    factor: Option<DynamicTensor>,
    master_weights: bool,
    /// Updated values, for parameters that the module holds twice.
    updated: BTreeMap<ParamId, DynamicTensor>,
    /// Reports to profilers the paths of the parameters, and that this is a step of an optimizer.
    walk: ParameterWalk,
    /// Number of parameters that require gradients, and of those with one.
    trainable: usize,
    with_gradient: usize,
    without_gradients: &'a mut WithoutGradients,
    _scope: ScopeGuard,
}

impl Update<'_> {
    /// Returns whether the step updates the parameter.
    fn changes(&mut self, id: ParamId, is_require_grad: bool) -> bool {
        let has_gradient = self.grads.has(id) || self.updated.contains_key(&id);
        self.trainable += usize::from(is_require_grad);
        self.with_gradient += usize::from(has_gradient);
        is_require_grad && has_gradient
    }

    fn end(self) {
        if self.with_gradient == 0 {
            self.without_gradients.found(self.grads.len(), self.trainable);
        }
    }

    fn update(&mut self, id: ParamId, x: DynamicTensor) -> DynamicTensor {
        self.walk.visit(id.value());
        module_scope::read_parameter(id.value());
        let updated = match (self.updated.get(&id), self.grads.take(id)) {
            (Some(updated), _) => return updated.clone(),
            (None, None) => return x,
            (None, Some(grad)) => {
                let state = self.states.entry(id).or_default();
                let options = StepOptions {
                    rule: self.rule,
                    lr: self.lr,
                    factor: self.factor.as_ref(),
                    master_weights: self.master_weights,
                };
                master_weight::update(options, x, grad, state)
            }
        };
        self.updated.insert(id, updated.clone());
        updated
    }
}

/// Part of a step that is generic over the backend.
struct OnBackend<'u, 'a, B> {
    update: &'u mut Update<'a>,
    backend: PhantomData<B>,
}

impl<B: AutodiffBackend> ParamMapper<B> for OnBackend<'_, '_, B> {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        let id = param.id();
        if !self.update.changes(id, param.is_require_grad()) {
            return;
        }
        // A parameter that requires gradients is not quantized.
        let x = DynamicTensor::new::<B::InnerBackend>(B::inner(param.take().tensor()));
        let x = self.update.update(id, x).into_inner::<B::InnerBackend>();
        param.set(TensorPrimitive::Float(B::from_inner(x)));
    }
    fn enter_layer(&mut self, _layer: &'static str) {
        self.update.walk.enter_layer();
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.update.walk.enter_module(name);
    }
    fn exit_module(&mut self, name: &str, _container: &str) {
        self.update.walk.exit_module(name);
    }
}
