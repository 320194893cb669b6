//! The walks that every module has, compiled once per backend.

use super::{AnyParam, ParamMapper, ParamVisitor};
#[cfg(feature = "std")]
use crate::record::{Node, RecordMismatch};
use crate::tensor::{Backend, Shape};
use alloc::string::String;
use alloc::vec::Vec;

/// Counts elements.
pub struct Count(pub usize);

impl<B: Backend> ParamVisitor<B> for Count {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        self.0 += param.shape().num_elements();
    }
}

/// Collects devices, each once.
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
    fn visit_constant(&mut self, tensor: &B::Tensor) {
        self.add(B::device(tensor));
    }
}

/// Moves everything.
pub struct ToDevice<'a, B: Backend>(pub &'a B::Device);

impl<B: Backend> ParamMapper<B> for ToDevice<'_, B> {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        param.to_device(self.0);
    }
    fn map_constant(&mut self, tensor: B::Tensor) -> B::Tensor {
        B::to_device(tensor, self.0)
    }
}

/// Moves everything, and leaves graphs behind: parameters start new ones.
pub struct Fork<'a, B: Backend>(pub &'a B::Device);

impl<B: Backend> ParamMapper<B> for Fork<'_, B> {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        param.to_device(self.0);
        if param.is_initialized() {
            let tensor = B::detach(param.take());
            param.set(tensor);
        }
    }
    fn map_constant(&mut self, tensor: B::Tensor) -> B::Tensor {
        B::to_device(B::detach(tensor), self.0)
    }
}

/// Asks for no gradients.
pub struct NoGrad;

impl<B: Backend> ParamMapper<B> for NoGrad {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        param.set_require_grad(false);
    }
}

/// The names that a walk has entered.
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

/// Lists parameters by path and shape.
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
    /// The parameters that `record` has in another shape.
    pub fn compare(self, record: &Node) -> RecordMismatch {
        let mut mismatch = RecordMismatch::default();
        for (key, expected) in self.found {
            if let Some(found) = shape_at(record, &key).filter(|found| **found != expected) {
                mismatch.merge(RecordMismatch::shape(key, expected, found.clone()));
            }
        }
        mismatch
    }
}

/// The shape of the parameter at a path.
#[cfg(feature = "std")]
fn shape_at<'a>(record: &'a Node, path: &str) -> Option<&'a Shape> {
    let step = |node: &'a Node, key: &str| match node {
        Node::List(items) => items.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    };
    match path.split('.').try_fold(record, step)?.get("param")? {
        Node::Tensor(data) => Some(&data.shape),
        _ => None,
    }
}
