//! Parameters of a module in the order of declaration, which is the same on every rank.

use burn_backend::dynamic::DynamicDevice;
use burn_backend::{AutodiffBackend, HasSpec, Shape};
use burn_core::module::{AnyParam, AutodiffModule, ParamId, ParamVisitor};
use burn_ir::DType;
use std::collections::BTreeSet;

/// Path of what a walk over a module is at.
#[derive(Debug, Default)]
pub struct Path(Vec<String>);

impl Path {
    pub fn enter(&mut self, name: &str) {
        self.0.push(name.to_string());
    }

    pub fn exit(&mut self) {
        self.0.pop();
    }

    pub fn text(&self) -> String {
        self.0.join(".")
    }
}

/// Parameter that gradients are wanted for.
#[derive(Clone, Debug)]
pub struct TrainedParameter {
    pub id: ParamId,
    pub path: String,
    pub shape: Shape,
    pub dtype: DType,
    /// Device of its gradient, which is on the inner backend.
    pub device: DynamicDevice,
}

#[derive(Default)]
struct Trained {
    path: Path,
    /// A parameter that is in a module twice has one gradient.
    seen: BTreeSet<ParamId>,
    found: Vec<TrainedParameter>,
}

impl<B: AutodiffBackend> ParamVisitor<B> for Trained {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        if !param.is_require_grad() || !param.is_initialized() || !self.seen.insert(param.id()) {
            return;
        }
        self.found.push(TrainedParameter {
            id: param.id(),
            path: self.path.text(),
            shape: param.shape(),
            dtype: param.tensor().spec().dtype,
            device: DynamicDevice::new::<B::InnerBackend>(param.device()),
        });
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.enter(name);
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.exit();
    }
}

/// Returns the parameters of `module` that gradients are wanted for.
pub fn trained<B: AutodiffBackend, M: AutodiffModule<B>>(module: &M) -> Vec<TrainedParameter> {
    let mut trained = Trained::default();
    module.visit_params(&mut trained);
    trained.found
}
