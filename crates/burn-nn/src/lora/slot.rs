use super::LoraAdapter;
use alloc::boxed::Box;
use alloc::string::String;
use burn_core::module::{
    AutodiffModule, Content, Loader, Module, ModuleDisplay, ModuleDisplayDefault, ParamMapper, ParamVisitor,
};
use burn_core::tensor::{AutodiffBackend, Backend, Tensor};

/// The slot for the adapter of a linear layer; empty by default.
///
/// A merged adapter is not part of the record of its model: the weights have it already, and the record is
/// that of a model without adapters.
#[derive(Clone, Debug)]
pub struct Lora<B: Backend>(Option<Box<LoraAdapter<B>>>);

impl<B: Backend> Default for Lora<B> {
    fn default() -> Self {
        Lora(None)
    }
}

impl<B: Backend> Lora<B> {
    /// Returns the adapter, if there is one.
    pub fn adapter(&self) -> Option<&LoraAdapter<B>> {
        self.0.as_deref()
    }

    pub(super) fn set(&mut self, adapter: LoraAdapter<B>) {
        self.0 = Some(Box::new(adapter));
    }

    pub(super) fn take(&mut self) -> Option<LoraAdapter<B>> {
        self.0.take().map(|adapter| *adapter)
    }

    /// The adapter, unless it is empty or merged.
    pub(crate) fn active(&self) -> Option<&LoraAdapter<B>> {
        self.adapter().filter(|adapter| !adapter.merged)
    }

    /// The output of a layer, of the input `x`, with what the adapter adds to it.
    pub(crate) fn adapted<const D: usize>(
        &self,
        x: Tensor<B, D>,
        layer: impl FnOnce(Tensor<B, D>) -> Tensor<B, D>,
    ) -> Tensor<B, D> {
        match self.active() {
            Some(adapter) => layer(x.clone()) + adapter.forward(x),
            None => layer(x),
        }
    }
}

impl<B: Backend> Module<B> for Lora<B> {
    type Record = Option<<LoraAdapter<B> as Module<B>>::Record>;

    fn visit_params(&self, visitor: &mut dyn ParamVisitor<B>) {
        self.0.visit_params(visitor);
    }
    fn map_params(&mut self, mapper: &mut dyn ParamMapper<B>) {
        mapper.map_extension(self);
        self.0.map_params(mapper);
    }
    fn into_record(self) -> Self::Record {
        self.0.filter(|adapter| !adapter.merged).map(|adapter| (*adapter).into_record())
    }
    fn read_record(&mut self, record: Self::Record, loader: &mut Loader) {
        match (&mut self.0, record) {
            (Some(adapter), Some(record)) if !adapter.merged => adapter.as_mut().read_record(record, loader),
            (Some(adapter), None) if !adapter.merged => loader.missing::<B, LoraAdapter<B>>(adapter),
            (_, Some(_)) => loader.unexpected(),
            (_, None) => {}
        }
    }
}

impl<B: AutodiffBackend> AutodiffModule<B> for Lora<B> {
    type InnerModule = Lora<B::InnerBackend>;

    fn valid(&self) -> Self::InnerModule {
        Lora(self.0.valid())
    }
}

impl<B: Backend> ModuleDisplay for Lora<B> {}
impl<B: Backend> ModuleDisplayDefault for Lora<B> {
    fn content(&self, content: Content) -> Option<Content> {
        let text = match &self.0 {
            Some(adapter) => alloc::format!("rank {}", adapter.a.dims()[1]),
            None => String::from("None"),
        };
        Some(content.set_text(text))
    }
}
