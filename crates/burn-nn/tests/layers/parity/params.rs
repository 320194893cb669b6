//! Parameters of a module by their path, such as `layers.0.weight`.

use burn::module::{ModuleMapper, ModuleVisitor, ParamId};
use burn::tensor::{AutodiffBackend, Tensor, TensorData};
use std::collections::BTreeMap;

/// Where a walk is in a module.
#[derive(Default)]
struct Path(Vec<String>);

impl Path {
    fn text(&self) -> String {
        self.0.join(".")
    }
}

/// Puts values into the parameters that are named, and keeps the paths that it met.
pub struct Put<'a> {
    values: &'a dyn Fn(&str) -> Option<TensorData>,
    path: Path,
    pub met: Vec<String>,
}

impl<'a> Put<'a> {
    pub fn new(values: &'a dyn Fn(&str) -> Option<TensorData>) -> Self {
        Put { values, path: Path::default(), met: Vec::new() }
    }
}

impl<B: AutodiffBackend> ModuleMapper<B> for Put<'_> {
    fn map_float<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<B, D>) -> Tensor<B, D> {
        let path = self.path.text();
        let Some(data) = (self.values)(&path) else {
            panic!("the fixture has no parameter {path}");
        };
        assert_eq!(data.shape[..], tensor.dims(), "shape of parameter {path}");
        self.met.push(path);
        Tensor::from_data(data, &tensor.device())
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.0.push(name.to_string());
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.0.pop();
    }
}

/// Collects the gradients of all parameters.
pub struct Collect<'a, B: AutodiffBackend> {
    gradients: &'a B::Gradients,
    path: Path,
    pub found: BTreeMap<String, Option<TensorData>>,
}

impl<'a, B: AutodiffBackend> Collect<'a, B> {
    pub fn new(gradients: &'a B::Gradients) -> Self {
        Collect { gradients, path: Path::default(), found: BTreeMap::new() }
    }
}

impl<B: AutodiffBackend> ModuleVisitor<B> for Collect<'_, B> {
    fn visit_float<const D: usize>(&mut self, _id: ParamId, tensor: &Tensor<B, D>) {
        let gradient = tensor.grad(self.gradients).map(Tensor::into_data);
        self.found.insert(self.path.text(), gradient);
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.0.push(name.to_string());
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.0.pop();
    }
}
