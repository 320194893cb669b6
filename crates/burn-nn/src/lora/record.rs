use super::config::Walk;
use super::{Lora, LoraAdapter};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use burn_core::module::{AnyParam, Module, Param, ParamMapper};
use burn_core::record::{Record, RecordError, RecordMismatch};
use burn_core::tensor::{Backend, Shape, Tensor};
use core::any::Any;

/// The adapters of a module, without the weights that they are for; recorders save it like any record.
#[derive(Record, Clone, Debug)]
pub struct LoraRecord<B: Backend> {
    /// Adapters by the path of their linear layer.
    pub adapters: BTreeMap<String, SavedAdapter<B>>,
}

/// An adapter in a [`LoraRecord`].
#[derive(Record, Clone, Debug)]
pub struct SavedAdapter<B: Backend> {
    /// Projection to the rank, `[d_input, rank]`.
    pub a: Param<Tensor<B, 2>>,
    /// Projection from the rank, `[rank, d_output]`.
    pub b: Param<Tensor<B, 2>>,
    /// Factor of the result, `alpha / rank`.
    pub scale: f64,
    /// Dropout probability of the input.
    pub dropout: f64,
}

/// Returns the adapters of `module`, merged or not.
pub fn record<B: Backend, M: Module<B>>(module: &M) -> LoraRecord<B> {
    let mut collect = Collect { path: Vec::new(), adapters: BTreeMap::new() };
    module.clone().map_params(&mut collect);
    LoraRecord { adapters: collect.adapters }
}

/// Adds the adapters of `record` to the linear layers of `module` that they were saved from, and freezes all
/// other parameters. `module` is the base that the adapters were trained on.
///
/// # Errors
/// The record has an adapter for a path where `module` has no linear layer, or for one of another size.
pub fn try_load<B: Backend, M: Module<B>>(module: M, record: LoraRecord<B>) -> Result<M, RecordError> {
    let (mut module, mut adapters, mut mismatch) = (module, record.adapters, RecordMismatch::default());
    let mut found = BTreeMap::new();
    module.map_params(&mut Walk::<B>::new(&mut |path, dims| {
        let (path, saved) = adapters.remove_entry(path)?;
        let (wrong, adapter) =
            (wrong_shapes(&path, dims, &saved), (saved.a.dims()[1], saved.scale, saved.dropout));
        if wrong.is_empty() {
            found.insert(path, saved);
            return Some(adapter);
        }
        mismatch.merge(wrong);
        None
    }));
    mismatch.unexpected.extend(adapters.into_keys());
    mismatch.into_result()?;
    module.map_params(&mut RestoreAdapters { path: Vec::new(), adapters: found });
    Ok(module)
}

/// [`try_load`], for a record that fits.
///
/// # Panics
/// The record has an adapter for a path where `module` has no linear layer, or for one of another size.
#[must_use]
#[track_caller]
pub fn load<B: Backend, M: Module<B>>(module: M, record: LoraRecord<B>) -> M {
    match try_load(module, record) {
        Ok(module) => module,
        Err(error) => panic!("{error}"),
    }
}

fn wrong_shapes<B: Backend>(
    path: &str,
    [d_input, d_output]: [usize; 2],
    saved: &SavedAdapter<B>,
) -> RecordMismatch {
    let rank = saved.a.dims()[1];
    let mut mismatch = RecordMismatch::default();
    for (name, expected, found) in
        [("a", [d_input, rank], saved.a.dims()), ("b", [rank, d_output], saved.b.dims())]
    {
        if expected != found {
            let key = alloc::format!("{path}.{name}");
            mismatch.merge(RecordMismatch::shape(key, Shape::from(expected), Shape::from(found)));
        }
    }
    mismatch
}

/// The path of the layer whose slot for an adapter is visited.
fn layer(path: &[String]) -> String {
    path.split_last().map_or(String::new(), |(_, path)| path.join("."))
}

struct Collect<B: Backend> {
    path: Vec<String>,
    adapters: BTreeMap<String, SavedAdapter<B>>,
}

impl<B: Backend> ParamMapper<B> for Collect<B> {
    fn map(&mut self, _param: &mut dyn AnyParam<B>) {}
    fn map_extension(&mut self, extension: &mut dyn Any) {
        let Some(adapter) = extension.downcast_ref::<Lora<B>>().and_then(Lora::adapter) else { return };
        let LoraAdapter { a, b, scale, dropout, .. } = adapter.clone();
        self.adapters.insert(layer(&self.path), SavedAdapter { a, b, scale, dropout: dropout.prob });
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.push(name.to_string());
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.pop();
    }
}

/// Mapper that gives new adapters the saved values.
struct RestoreAdapters<B: Backend> {
    path: Vec<String>,
    adapters: BTreeMap<String, SavedAdapter<B>>,
}

impl<B: Backend> ParamMapper<B> for RestoreAdapters<B> {
    fn map(&mut self, _param: &mut dyn AnyParam<B>) {}
    fn map_extension(&mut self, extension: &mut dyn Any) {
        let Some(lora) = extension.downcast_mut::<Lora<B>>() else { return };
        let Some(saved) = self.adapters.remove(&layer(&self.path)) else { return };
        if let Some(adapter) = lora.take() {
            let (a, b) = (adapter.a.load_record(saved.a), adapter.b.load_record(saved.b));
            lora.set(LoraAdapter { a, b, ..adapter });
        }
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.push(name.to_string());
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.pop();
    }
}
