//! The walks that every module has, compiled once per backend.

use super::{AnyParam, ParamMapper, ParamVisitor};
#[cfg(feature = "std")]
use crate::record::{Node, RecordMismatch, shape_of};
use crate::tensor::backend::module_scope::ParameterWalk;
use crate::tensor::{Backend, Shape, TensorPrimitive};
use alloc::string::String;
use alloc::vec::Vec;

/// Visitor that counts elements.
pub struct Count(pub usize);

impl<B: Backend> ParamVisitor<B> for Count {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        self.0 += param.shape().num_elements();
    }
}

/// Visitor that collects devices, each once.
pub struct Devices<B: Backend>(pub Vec<B::Device>);

impl<B: Backend> Devices<B> {
    fn add(&mut self, device: B::Device) {
        if !self.0.contains(&device) {
            self.0.push(device);
        }
    }
}

impl<B: Backend> ParamVisitor<B> for Devices<B> {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        self.add(param.device());
    }
    fn visit_constant(&mut self, tensor: &TensorPrimitive<B>) {
        self.add(tensor.device());
    }
}

/// Visitor that reports to profilers the paths of parameters.
pub struct ProfilePaths(pub ParameterWalk);

impl<B: Backend> ParamVisitor<B> for ProfilePaths {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        self.0.visit(param.id().value());
    }
    fn enter_layer(&mut self, _layer: &'static str) {
        self.0.enter_layer();
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.0.enter_module(name);
    }
    fn exit_module(&mut self, name: &str, _container: &str) {
        self.0.exit_module(name);
    }
}

/// Mapper that moves everything to a device.
pub struct ToDevice<'a, B: Backend>(pub &'a B::Device);

impl<B: Backend> ParamMapper<B> for ToDevice<'_, B> {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        param.to_device(self.0);
    }
    fn map_constant(&mut self, tensor: TensorPrimitive<B>) -> TensorPrimitive<B> {
        tensor.map::<B>(|part| B::to_device(part, self.0))
    }
}

/// Mapper that moves everything to a device and detaches it: parameters start new graphs.
pub struct Fork<'a, B: Backend>(pub &'a B::Device);

impl<B: Backend> ParamMapper<B> for Fork<'_, B> {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        param.to_device(self.0);
        if param.is_initialized() {
            let tensor = param.take().map::<B>(B::detach);
            param.set(tensor);
        }
    }
    fn map_constant(&mut self, tensor: TensorPrimitive<B>) -> TensorPrimitive<B> {
        tensor.map::<B>(|part| B::to_device(B::detach(part), self.0))
    }
}

/// Mapper that disables gradients.
pub struct NoGrad;

impl<B: Backend> ParamMapper<B> for NoGrad {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        param.set_require_grad(false);
    }
}

/// Path of the names that a walk has entered.
#[derive(Debug, Default)]
pub struct Path(Vec<String>);

impl Path {
    pub fn enter(&mut self, name: &str) {
        self.0.push(name.into());
    }
    pub fn exit(&mut self) {
        self.0.pop();
    }
    pub fn join(&self) -> String {
        self.0.join(".")
    }
}

/// Visitor that lists parameters by path and shape.
#[derive(Default)]
pub struct Shapes {
    path: Path,
    pub found: Vec<(String, Shape)>,
}

impl<B: Backend> ParamVisitor<B> for Shapes {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        self.found.push((self.path.join(), param.shape()));
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.enter(name);
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.exit();
    }
}

#[cfg(feature = "std")]
impl Shapes {
    /// Returns the parameters that `record` has in another shape.
    pub fn compare(self, record: &Node) -> RecordMismatch {
        let mut mismatch = RecordMismatch::default();
        for (key, expected) in self.found {
            if let Some(found) = shape_at(record, &key).filter(|found| *found != expected) {
                mismatch.merge(RecordMismatch::shape(key, expected, found));
            }
        }
        mismatch
    }
}

/// Returns the shape of the parameter at a path.
#[cfg(feature = "std")]
fn shape_at(record: &Node, path: &str) -> Option<Shape> {
    fn step<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
        match node {
            Node::List(items) => items.get(key.parse::<usize>().ok()?),
            other => other.get(key),
        }
    }
    shape_of(path.split('.').try_fold(record, step)?.get("param")?)
}
