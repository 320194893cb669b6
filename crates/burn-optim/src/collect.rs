//! Module visitors that read parameters.

use crate::module_path::ModulePath;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use burn_core::module::{AnyParam, Module, ParamId, ParamVisitor};
use burn_core::tensor::{Backend, Shape};

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
