use super::{Lora, LoraAdapter};
use alloc::string::String;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{AnyParam, Module, ParamId, ParamMapper};
use burn_core::tensor::Backend;
use burn_derive::fallible;
use core::any::Any;

/// Options of low-rank adapters.
#[derive(Config, Debug)]
pub struct LoraConfig {
    /// Rank of the update of a weight.
    pub rank: usize,
    /// Scaling: an adapter adds `alpha / rank` times its product. By default `rank`, a factor of 1.
    #[config(default = "rank as f64")]
    pub alpha: f64,
    /// Dropout probability of the input of the adapters.
    #[config(default = 0.0)]
    pub dropout: f64,
    /// Linear layers that get an adapter, by the end of their path: `query` is every layer of that name,
    /// `layers.0.mha.query` one of them. With an empty list every linear layer gets one.
    #[config(default = "Vec::new()")]
    pub targets: Vec<String>,
}

#[fallible(config)]
impl LoraConfig {
    /// Adds adapters to the linear layers of `module` that are targets, and freezes all other parameters. The
    /// first factor of an adapter is initialized as the weight of a linear layer (Kaiming uniform), the
    /// second with zeros, so the outputs are unchanged. An adapter that is there is replaced.
    ///
    /// # Errors
    /// A field is out of its range, or no linear layer is a target; the error names the field and its value.
    pub fn try_apply<B: Backend, M: Module<B>>(&self, module: M) -> Result<M, ConfigError> {
        let check = FieldCheck::of("LoraConfig");
        check.at_least("rank", self.rank, 1)?;
        check.positive("alpha", self.alpha)?;
        check.probability("dropout", self.dropout)?;
        let mut module = module;
        let mut choose = |path: &str, _weight| {
            let fits = self.targets.is_empty() || self.targets.iter().any(|target| is_end(path, target));
            fits.then_some((self.rank, self.alpha / self.rank as f64, self.dropout))
        };
        let mut walk = Walk::new(&mut choose);
        module.map_params(&mut walk);
        let expected = "the end of the path of a linear layer";
        check.ensure(!walk.adapters.is_empty(), "targets", &self.targets, expected)?;
        Ok(module)
    }
}

/// Whether `path` is `end` or ends with it after a dot.
fn is_end(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Rank, scale and dropout of the adapter of a layer, by its path and the shape of its weight.
type Choose<'a> = &'a mut dyn FnMut(&str, [usize; 2]) -> Option<(usize, f64, f64)>;

/// Adds adapters and freezes all other parameters.
pub(super) struct Walk<'a, B: Backend> {
    choose: Choose<'a>,
    path: Vec<String>,
    /// Shape and device of the parameter of rank 2 that was met last: the weight of a linear layer comes
    /// before its adapter.
    weight: Option<([usize; 2], B::Device)>,
    /// The factors of the new adapters.
    pub adapters: Vec<ParamId>,
}

impl<'a, B: Backend> Walk<'a, B> {
    pub fn new(choose: Choose<'a>) -> Self {
        Walk { choose, path: Vec::new(), weight: None, adapters: Vec::new() }
    }
}

impl<B: Backend> ParamMapper<B> for Walk<'_, B> {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        if self.adapters.contains(&param.id()) {
            return;
        }
        if let Ok(dims) = <[usize; 2]>::try_from(&param.shape()[..]) {
            self.weight = Some((dims, param.device()));
        }
        param.set_require_grad(false);
    }
    fn map_extension(&mut self, extension: &mut dyn Any) {
        let (Some(lora), Some((dims, device))) = (extension.downcast_mut::<Lora<B>>(), &self.weight) else {
            return;
        };
        // The last name is that of the slot for the adapter.
        let path = self.path.split_last().map_or(String::new(), |(_, path)| path.join("."));
        if let Some((rank, scale, dropout)) = (self.choose)(&path, *dims) {
            let adapter = LoraAdapter::new(*dims, rank, scale, dropout, device);
            self.adapters.extend([adapter.a.id(), adapter.b.id()]);
            lora.set(adapter);
        }
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.push(name.into());
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.pop();
    }
}
