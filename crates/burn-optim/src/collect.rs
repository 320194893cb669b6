//! Module visitors that read parameters.

use crate::GradientsParams;
use crate::module_path::ModulePath;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use burn_backend::dynamic::DynamicTensor;
use burn_core::module::{AnyParam, Module, ParamId, ParamVisitor};
use burn_core::tensor::{AutodiffBackend, Backend, Shape, TensorPrimitive};

/// Visitor that moves the gradients of parameters out.
pub struct Gradients<'a, B: AutodiffBackend> {
    pub from: &'a mut B::Gradients,
    pub into: GradientsParams,
    /// The parameters to take; all of them if `None`.
    pub only: Option<&'a [ParamId]>,
}

impl<B: AutodiffBackend> ParamVisitor<B> for Gradients<'_, B> {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        let id = param.id();
        // A parameter that was never initialized has no gradient, and is not initialized for this.
        if !param.is_initialized() || self.only.is_some_and(|only| !only.contains(&id)) {
            return;
        }
        let TensorPrimitive::Float(x) = param.tensor() else { return };
        if let Some(grad) = B::grad_remove(&x, self.from) {
            self.into.add(id, DynamicTensor::new::<B::InnerBackend>(grad));
        }
    }
}

/// Path and shape of a parameter.
#[derive(Clone, Debug)]
pub struct ParamInfo {
    pub path: String,
    pub shape: Shape,
}

#[derive(Default)]
struct Infos {
    path: ModulePath,
    found: BTreeMap<ParamId, ParamInfo>,
}

impl<B: Backend> ParamVisitor<B> for Infos {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        let (path, shape) = (&self.path, param.shape());
        let info = || ParamInfo { path: path.as_str().into(), shape };
        // A parameter that is there twice has its first path.
        self.found.entry(param.id()).or_insert_with(info);
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.enter(name);
    }
    fn exit_module(&mut self, name: &str, _container: &str) {
        self.path.exit(name);
    }
}

/// Returns path and shape of every parameter of `module`.
pub fn parameters<B: Backend, M: Module<B>>(module: &M) -> BTreeMap<ParamId, ParamInfo> {
    let mut infos = Infos::default();
    module.visit_params(&mut infos);
    infos.found
}

/// Returns the paths of parameters for an error, in ascending order.
pub fn paths(parameters: &BTreeMap<ParamId, ParamInfo>) -> String {
    const SHOWN: usize = 20;
    let mut paths: Vec<&str> = parameters.values().map(|info| info.path.as_str()).collect();
    paths.sort_unstable();
    let more = paths.len().saturating_sub(SHOWN);
    paths.truncate(SHOWN);
    let listed = paths.join(", ");
    if more == 0 { listed } else { format!("{listed} and {more} more") }
}
