use crate::collect::{self, ParamInfo};
use crate::parameter_group::{GroupOptimizer, ParameterGroup};
use crate::parameter_groups_record::ParameterGroupsRecord;
use crate::update::ClippedGradients;
use crate::without_gradients::WithoutGradients;
use crate::{GradientClippingConfig, GradientsParams, LearningRate, Optimizer, PathPattern};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use burn_core::config::{ConfigError, FieldCheck};
use burn_core::module::{AutodiffModule, Module, ParamId};
use burn_core::record::RecordError;
use burn_core::tensor::{AutodiffBackend, Backend};
use burn_derive::fallible;

/// Optimizer that divides the parameters of a module into groups by their paths. Each group has its own
/// optimizer, with its own weight decay and other options, and its own learning rate. PyTorch: the list of
/// `params` of an optimizer.
///
/// A parameter belongs to the first group whose [`PathPattern`] matches, and to the default group if none
/// does.
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::nn::{Linear, LinearConfig};
/// use burn::optim::{AdamWConfig, GradientsParams, Optimizer, ParameterGroup, ParameterGroups, SgdConfig};
/// use burn::tensor::Tensor;
///
/// let adam = AdamWConfig::new();
/// let mut optimizer = ParameterGroups::new(adam.init())
///     .with_group("**.bias", adam.with_weight_decay(0.0).init())
///     .with_group("1.weight", ParameterGroup::new(SgdConfig::new().init()).with_lr_factor(10.0));
///
/// let device = Default::default();
/// let layer = |input, output| LinearConfig::new(input, output).init(&device);
/// let model: Vec<Linear<Autodiff<NdArray>>> = vec![layer(2, 3), layer(3, 1)];
/// let y = model.iter().fold(Tensor::<_, 2>::ones([4, 2], &device), |x, layer| layer.forward(x));
/// let grads = GradientsParams::from_grads(y.mean().backward(), &model);
/// let model = optimizer.step(1e-3, model, grads);
/// # let _ = model;
/// ```
///
/// # Panics
/// [`step`](Optimizer::step) panics when, for the module of the first step, a group has no parameter; the
/// message lists the paths. [`try_check`](Self::try_check) returns the error.
#[derive(Clone, Debug)]
pub struct ParameterGroups {
    /// Groups in the order in which their patterns are compared; the default group is the last.
    groups: Vec<(Option<PathPattern>, ParameterGroup)>,
    clipping: Option<GradientClippingConfig>,
    /// The group of each parameter that was met.
    assigned: BTreeMap<ParamId, usize>,
    without_gradients: WithoutGradients,
}

impl ParameterGroups {
    fn of(
        groups: Vec<(Option<PathPattern>, ParameterGroup)>,
        clipping: Option<GradientClippingConfig>,
    ) -> Self {
        let (assigned, without_gradients) = (BTreeMap::new(), WithoutGradients::default());
        ParameterGroups { groups, clipping, assigned, without_gradients }
    }
}

#[fallible(config)]
impl ParameterGroups {
    /// Returns an optimizer with a default group only.
    pub fn new(default: impl Into<ParameterGroup>) -> Self {
        let groups = [(None, default.into())].into();
        Self::of(groups, None)
    }

    /// Returns this optimizer with a further group, of the parameters whose paths match `pattern` and that no
    /// earlier group has.
    ///
    /// # Errors
    /// The pattern is not well formed.
    pub fn try_with_group(
        self,
        pattern: &str,
        group: impl Into<ParameterGroup>,
    ) -> Result<Self, ConfigError> {
        let ParameterGroups { mut groups, clipping, .. } = self;
        let default = groups.len() - 1;
        groups.insert(default, (Some(PathPattern::try_new(pattern)?), group.into()));
        Ok(Self::of(groups, clipping))
    }

    /// Returns this optimizer with a group that is not updated; its parameters still get gradients, unlike
    /// those of a module that was [frozen](crate::freeze).
    ///
    /// # Errors
    /// The pattern is not well formed.
    pub fn try_with_frozen(self, pattern: &str) -> Result<Self, ConfigError> {
        self.try_with_group(pattern, ParameterGroup::frozen())
    }

    /// Returns this optimizer with gradient clipping over the gradients of all groups, before that of each
    /// group.
    #[must_use]
    pub fn with_grad_clipping(mut self, clipping: Option<GradientClippingConfig>) -> Self {
        self.clipping = clipping;
        self
    }

    /// Checks that every group but the default one has a parameter of `module`.
    ///
    /// # Errors
    /// A group has none: the pattern matches no path, or earlier groups have all that it matches.
    pub fn try_check<B: Backend, M: Module<B>>(&self, module: &M) -> Result<(), ConfigError> {
        self.check_patterns(&collect::parameters(module))
    }
}

impl ParameterGroups {
    fn check_patterns(&self, parameters: &BTreeMap<ParamId, ParamInfo>) -> Result<(), ConfigError> {
        let check = FieldCheck::of("ParameterGroups");
        for (index, (pattern, _)) in self.groups.iter().enumerate() {
            let Some(pattern) = pattern else { continue };
            if !parameters.values().any(|info| self.group_of(&info.path) == index) {
                let paths = collect::paths(parameters);
                let expected = format!("a pattern of a parameter that no earlier group has, of {paths}");
                check.ensure(false, "pattern", &pattern.as_str(), &expected)?;
            }
        }
        Ok(())
    }

    fn group_of(&self, path: &str) -> usize {
        let matches = |(pattern, _): &(Option<PathPattern>, ParameterGroup)| {
            pattern.as_ref().is_none_or(|pattern| pattern.matches(path))
        };
        self.groups.iter().position(matches).expect("the default group has every path")
    }

    #[track_caller]
    fn assign(&mut self, parameters: &BTreeMap<ParamId, ParamInfo>) {
        if self.assigned.is_empty()
            && let Err(error) = self.check_patterns(parameters)
        {
            error.raise();
        }
        for (id, info) in parameters {
            let group = self.group_of(&info.path);
            self.assigned.insert(*id, group);
        }
    }

    /// Divides gradients by the group of their parameter, after clipping.
    fn split(&self, mut grads: GradientsParams) -> Vec<ClippedGradients> {
        let optimizer =
            |id| self.assigned.get(&id).and_then(|&group| self.groups[group].1.optimizer.as_ref());
        let ids: Vec<ParamId> = grads.ids().collect();
        for id in ids.into_iter().filter(|&id| optimizer(id).is_none()) {
            let _frozen = grads.take(id);
        }
        let factor = self.clipping.as_ref().and_then(|clipping| clipping.clip_or_factor(&mut grads));
        let mut parts: Vec<GradientsParams> = self.groups.iter().map(|_| GradientsParams::new()).collect();
        let ids: Vec<ParamId> = grads.ids().collect();
        for id in ids {
            if let Some(grad) = grads.take(id) {
                parts[self.assigned[&id]].add(id, grad);
            }
        }
        parts.into_iter().map(|grads| ClippedGradients { grads, factor: factor.clone() }).collect()
    }

    /// Returns the groups that have an optimizer, by the text of their pattern.
    fn optimizers(&mut self) -> impl Iterator<Item = (String, &mut GroupOptimizer)> {
        self.groups.iter_mut().filter_map(|(pattern, group)| {
            let name = pattern.as_ref().map_or_else(|| "(default)".to_string(), ToString::to_string);
            group.optimizer.as_mut().map(|optimizer| (name, optimizer))
        })
    }
}

impl<M: AutodiffModule<B>, B: AutodiffBackend> Optimizer<M, B> for ParameterGroups {
    type Record = ParameterGroupsRecord;

    fn step(&mut self, lr: LearningRate, mut module: M, grads: GradientsParams) -> M {
        if self.assigned.is_empty() || !grads.ids().all(|id| self.assigned.contains_key(&id)) {
            self.assign(&collect::parameters(&module));
        }
        if !grads.ids().any(|id| self.assigned.contains_key(&id)) {
            self.without_gradients.found(grads.len(), self.assigned.len());
        }
        let parts = self.split(grads);
        for ((_, group), grads) in self.groups.iter_mut().zip(parts) {
            if let Some(optimizer) = group.optimizer.as_mut().filter(|_| !grads.grads.is_empty()) {
                optimizer.stepper.step(&*optimizer.rule, lr * group.lr_factor, &mut module, grads);
            }
        }
        module
    }

    fn to_record(&self) -> ParameterGroupsRecord {
        let mut groups = self.clone();
        ParameterGroupsRecord::new(
            groups.optimizers().map(|(name, group)| (name, core::mem::take(&mut group.stepper.states))),
        )
    }

    /// # Panics
    /// The record is one of other groups, or of other optimizers.
    fn load_record(mut self, record: ParameterGroupsRecord) -> Self {
        match record.load(self.optimizers(), None) {
            Ok(()) => self,
            Err(error) => panic!("{error}"),
        }
    }

    fn try_load_record(mut self, record: ParameterGroupsRecord, module: &M) -> Result<Self, RecordError> {
        let parameters = collect::parameters(module);
        record.load(self.optimizers(), Some(&parameters)).map(|()| self)
    }
}
