//! Parameters of a module in the order of declaration, which is the same on every rank.

use super::buckets::Sized;
use burn_backend::dynamic::{DynamicDevice, DynamicTensor};
use burn_backend::{AutodiffBackend, HasSpec, LeafId, Shape};
use burn_core::module::{AnyParam, AutodiffModule, ParamId, ParamVisitor};
use burn_ir::DType;
use burn_tensor::TensorPrimitive;
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
    /// Identity by which a backward pass reports its gradient.
    pub leaf: Option<LeafId>,
}

impl TrainedParameter {
    pub fn bytes(&self) -> usize {
        self.shape.num_elements().saturating_mul(self.dtype.size())
    }

    /// Returns the size of its gradient, which may have another dtype.
    pub fn sized(&self, grad: Option<&DynamicTensor>) -> Sized {
        let dtype = grad.map_or(self.dtype, |grad| grad.spec().dtype);
        Sized { bytes: self.shape.num_elements().saturating_mul(dtype.size()), dtype }
    }
}

#[derive(Default)]
struct Trained {
    path: Path,
    /// A parameter that is in a module twice has one gradient.
    seen: BTreeSet<ParamId>,
    found: Vec<TrainedParameter>,
    /// Whether parameters whose values are not made yet are initialized.
    initializes: bool,
}

impl<B: AutodiffBackend> ParamVisitor<B> for Trained {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        let has_values = self.initializes || param.is_initialized();
        if !param.is_require_grad() || !has_values || !self.seen.insert(param.id()) {
            return;
        }
        let tensor = param.tensor();
        let leaf = match &tensor {
            TensorPrimitive::Float(x) => B::leaf_id(x),
            TensorPrimitive::QFloat(_) | TensorPrimitive::Blocks(_) => None,
        };
        self.found.push(TrainedParameter {
            id: param.id(),
            path: self.path.text(),
            shape: param.shape(),
            dtype: tensor.spec().dtype,
            leaf,
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

/// Returns the parameters of `module` that gradients are wanted for, of those with values: others were not in
/// a forward pass.
pub fn trained<B: AutodiffBackend, M: AutodiffModule<B>>(module: &M) -> Vec<TrainedParameter> {
    let mut trained = Trained::default();
    module.visit_params(&mut trained);
    trained.found
}

/// Returns all parameters of `module` that gradients are wanted for, and initializes them.
pub fn all_trained<B: AutodiffBackend, M: AutodiffModule<B>>(module: &M) -> Vec<TrainedParameter> {
    let mut trained = Trained { initializes: true, ..Trained::default() };
    module.visit_params(&mut trained);
    trained.found
}
