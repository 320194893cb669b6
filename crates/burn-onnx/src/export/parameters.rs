//! Names of the parameters of a module.

use burn_backend::Backend;
use burn_capture::{Capture, CaptureTensor, Recording};
use burn_core::module::{AnyParam, Module, ParamVisitor};
use burn_tensor::TensorPrimitive;

/// Parameters with the path of each, such as `encoder.layers.0.weight`.
pub(super) struct Parameters<B: Backend>(Vec<(String, CaptureTensor<B>)>);

impl<B: Backend> Parameters<B> {
    /// Looks at the parameters of a module. Parameters that were not used before get their first values now,
    /// so that no recording draws them.
    pub fn of(module: &impl Module<Capture<B>>) -> Self {
        let mut paths = Paths { path: Vec::new(), found: Vec::new() };
        module.visit_params(&mut paths);
        Parameters(paths.found)
    }

    /// Names the parameters in a recording.
    pub fn name(&self, recording: &Recording<B>) {
        self.0.iter().for_each(|(path, tensor)| recording.name(path.clone(), tensor));
    }
}

struct Paths<B: Backend> {
    path: Vec<String>,
    found: Vec<(String, CaptureTensor<B>)>,
}

impl<B: Backend> Paths<B> {
    fn add(&mut self, tensor: TensorPrimitive<Capture<B>>) {
        let path = if self.path.is_empty() { "parameter".into() } else { self.path.join(".") };
        match tensor {
            TensorPrimitive::Float(tensor) => self.found.push((path, tensor)),
            TensorPrimitive::Blocks(blocks) => {
                self.found.push((format!("{path}.blocks"), blocks.packed().blocks.clone()));
            }
            TensorPrimitive::QFloat(parts) => {
                let packed = parts.packed();
                let zero = packed.zero.as_ref().map(|zero| ("zero", zero));
                let parts = [("values", &packed.values), ("scale", &packed.scale)].into_iter().chain(zero);
                self.found.extend(parts.map(|(part, tensor)| (format!("{path}.{part}"), tensor.clone())));
            }
        }
    }
}

impl<B: Backend> ParamVisitor<Capture<B>> for Paths<B> {
    fn visit(&mut self, param: &dyn AnyParam<Capture<B>>) {
        self.add(param.tensor());
    }
    fn visit_constant(&mut self, tensor: &TensorPrimitive<Capture<B>>) {
        self.add(tensor.clone());
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.push(name.to_string());
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.pop();
    }
}
