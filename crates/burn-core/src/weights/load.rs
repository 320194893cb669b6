//! Loading of weights into an existing module.

use super::{LoadReport, Weights};
use crate::module::{AnyParam, Module, ParamKind, ParamMapper, ParamVisitor};
use crate::record::{RecordError, RecordMismatch};
use crate::tensor::quantization::PackedBlocks;
use crate::tensor::{
    Backend, Bool, DynTensor, Float, Int, Shape, Tensor, TensorData, TensorKind, TensorPrimitive,
};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Treatment of missing, unexpected and mismatched weights. PyTorch: `load_state_dict(strict=..)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// Anything that is missing, unexpected or of another shape is an error.
    #[default]
    Strict,
    /// Matching parameters are loaded, the others keep their values; the report lists them.
    Lenient,
}

impl Weights {
    /// Returns `module` with these weights, and what was loaded. Parameters that were never used are never
    /// made.
    ///
    /// Parameters are matched by path. The items of a list are matched by number; where the numbers of the
    /// source have gaps, as those of PyTorch's `Sequential` with layers without parameters, they are matched
    /// in order.
    ///
    /// # Errors
    /// A tensor that is needed cannot be read, or, if `strictness` is [`Strictness::Strict`], the report is
    /// not complete: the error then lists what is missing, unexpected or of another shape.
    pub fn load_into<B: Backend, M: Module<B>>(
        &self,
        mut module: M,
        strictness: Strictness,
    ) -> Result<(M, LoadReport), RecordError> {
        let mut positions = Positions::default();
        module.visit_params(&mut positions);
        let mut load = Load {
            places: [self.clone()].into(),
            path: Vec::new(),
            positions: positions.found,
            report: LoadReport::default(),
            error: None,
        };
        module.map_params(&mut load);
        let Load { mut report, error, .. } = load;
        if let Some(error) = error {
            return Err(error.in_file(self.source_name()));
        }
        report.mismatch.unexpected = self.unused();
        match strictness {
            Strictness::Lenient => Ok((module, report)),
            Strictness::Strict => match report.into_result() {
                Ok(report) => Ok((module, report)),
                Err(error) => Err(error.in_file(self.source_name())),
            },
        }
    }
}

fn is_list(container: &str) -> bool {
    matches!(container, "Vec" | "Array" | "Tuple")
}

/// Finds out which items of lists have parameters.
#[derive(Default)]
struct Positions {
    path: Vec<String>,
    /// Whether the key at the same place of `path` is the number of an item.
    is_item: Vec<bool>,
    found: BTreeMap<String, Vec<usize>>,
}

impl<B: Backend> ParamVisitor<B> for Positions {
    fn visit(&mut self, _param: &dyn AnyParam<B>) {
        for depth in 0..self.path.len() {
            if self.is_item[depth]
                && let Ok(index) = self.path[depth].parse()
            {
                let items = self.found.entry(self.path[..depth].join(".")).or_default();
                if items.last() != Some(&index) {
                    items.push(index);
                }
            }
        }
    }
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.push(name.to_string());
        self.is_item.push(is_list(container));
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.pop();
        self.is_item.pop();
    }
}

struct Load {
    /// Subtree of the weights for each key of the current path; the first is the root.
    places: Vec<Weights>,
    path: Vec<String>,
    positions: BTreeMap<String, Vec<usize>>,
    report: LoadReport,
    /// Error of reading a tensor; nothing is loaded after it.
    error: Option<RecordError>,
}

impl Load {
    fn place(&self) -> &Weights {
        self.places.last().expect("the first place stays")
    }

    fn item(&self, name: &str) -> Weights {
        let place = self.place();
        let (Ok(index), Some(positions)) = (name.parse::<usize>(), self.positions.get(&self.path.join(".")))
        else {
            return place.child(name);
        };
        let keys = place.indices();
        let is_exact = keys.iter().all(|key| positions.binary_search(key).is_ok());
        if is_exact {
            return place.child(name);
        }
        let key = positions.binary_search(&index).ok().and_then(|position| keys.get(position));
        key.map_or_else(|| place.child(name), |key| place.child(&key.to_string()))
    }

    fn read(&mut self, path: &str, kind: ParamKind, expected: &Shape) -> Option<Loaded> {
        let place = self.place();
        let Some(tensor) = place.leaf() else {
            self.report.mismatch.missing.push(path.to_string());
            return None;
        };
        let fits_kind = match kind {
            ParamKind::Float => tensor.dtype().is_float(),
            ParamKind::Int => tensor.dtype().is_int(),
            ParamKind::Bool => !tensor.dtype().is_float() && !tensor.dtype().is_int(),
        };
        // A scalar of the other framework is a list of one element here (decision 14).
        let is_scalar = tensor.shape().rank() == 0 && expected[..] == [1];
        if !fits_kind || (tensor.shape() != expected && !is_scalar) {
            let mismatch = if fits_kind {
                RecordMismatch::shape(path.to_string(), expected.clone(), tensor.shape().clone())
            } else {
                let cause = format!("expected {kind:?} elements, found {}", tensor.dtype());
                RecordMismatch { values: [(path.to_string(), cause)].into(), ..RecordMismatch::default() }
            };
            let index = tensor.index;
            place.use_tensor(index);
            self.report.mismatch.merge(mismatch);
            return None;
        }
        let read = || {
            if kind == ParamKind::Float
                && let Some(blocks) = place.read_packed(tensor)?
            {
                return Ok(Loaded::Blocks(blocks));
            }
            let mut data = place.read_tensor(tensor)?;
            data.shape = expected.clone();
            Ok(Loaded::Data(data))
        };
        match read() {
            Ok(loaded) => Some(loaded),
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }
}

/// Values of a parameter as they were read.
enum Loaded {
    Data(TensorData),
    Blocks(PackedBlocks<TensorData>),
}

fn tensor<B: Backend, K: TensorKind>(
    loaded: Loaded,
    device: &B::Device,
) -> Result<TensorPrimitive<B>, String> {
    let data = match loaded {
        Loaded::Data(data) => data,
        Loaded::Blocks(blocks) => {
            let blocks = PackedBlocks { dtype: K::dtype::<B>(), ..blocks };
            let tensor = Tensor::<B, 2>::try_from_blocks(blocks, device);
            return tensor.map(Tensor::into_primitive).map_err(|error| error.to_string());
        }
    };
    let tensor = DynTensor::<B, K>::try_from_data(data, device).map_err(|error| error.to_string())?;
    Ok(TensorPrimitive::Float(tensor.into_handle()))
}

impl<B: Backend> ParamMapper<B> for Load {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        if self.error.is_some() {
            return;
        }
        let (path, device) = (self.path.join("."), param.device());
        let Some(data) = self.read(&path, param.kind(), &param.shape()) else { return };
        let made = match param.kind() {
            ParamKind::Float => tensor::<B, Float>(data, &device),
            ParamKind::Int => tensor::<B, Int>(data, &device),
            ParamKind::Bool => tensor::<B, Bool>(data, &device),
        };
        match made {
            Ok(tensor) => {
                param.set(tensor);
                self.report.loaded.push(path);
            }
            Err(cause) => self.report.mismatch.values.push((path, cause)),
        }
    }
    fn enter_layer(&mut self, layer: &'static str) {
        if let Some(place) = self.places.pop() {
            self.places.push(place.at_layer(layer));
        }
    }
    fn enter_module(&mut self, name: &str, container: &str) {
        let mut place = if is_list(container) { self.item(name) } else { self.place().child(name) };
        // A variant of an enum is a name that other frameworks do not have.
        if place.is_empty() && name.starts_with(char::is_uppercase) {
            place = self.place().clone();
        }
        self.places.push(place);
        self.path.push(name.to_string());
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.places.pop();
        self.path.pop();
    }
}
