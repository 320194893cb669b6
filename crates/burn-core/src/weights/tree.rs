use super::{LayerAdapter, NamedTensor, TensorSource};
use crate::record::{KeyPath, RecordError, RecordMismatch};
use crate::tensor::quantization::PackedBlocks;
use crate::tensor::sync::Arc;
use crate::tensor::{TensorData, arc_dyn};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{Debug, Formatter};
use spin::Mutex;

/// The tensors of a source as a tree: parts of names between dots are its levels.
///
/// Nothing is read before a parameter takes it, one tensor at a time. Clones share which tensors were used.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::Module;
/// use burn::nn::LinearConfig;
/// use burn::record::Node;
/// use burn::tensor::TensorData;
/// use burn::weights::{RecordSource, Strictness, Weights};
///
/// let record = Node::Map(vec![
///     ("weight".into(), Node::Tensor(TensorData::from([[1.0_f32, 2.0]]))),
///     ("scale".into(), Node::Tensor(TensorData::from([3.0_f32]))),
/// ]);
/// let weights = Weights::new(RecordSource::new("memory", record)?);
/// let linear = LinearConfig::new(1, 2).init::<NdArray>(&Default::default());
/// let (linear, report) = weights.load_into(linear, Strictness::Lenient)?;
/// assert_eq!(linear.weight.to_data().to_f64(), [1.0, 2.0]);
/// assert_eq!((&report.mismatch.missing[..], &report.mismatch.unexpected[..]), (&["bias".into()][..], &["scale".into()][..]));
/// # Ok::<(), burn::record::RecordError>(())
/// ```
#[derive(Clone)]
pub struct Weights {
    shared: Arc<Shared>,
    tensors: Vec<NamedTensor>,
}

struct Shared {
    source: Arc<dyn TensorSource>,
    adapter: Option<Arc<dyn LayerAdapter>>,
    /// Whether tensors in block formats are loaded without dequantizing them.
    keeps_quantized: bool,
    /// Tensors of the source that were taken, in order.
    used: Arc<Mutex<Vec<usize>>>,
}

impl Shared {
    /// Returns the same source, with the same list of used tensors.
    fn copy(&self) -> Self {
        Shared {
            source: self.source.clone(),
            adapter: self.adapter.clone(),
            keeps_quantized: self.keeps_quantized,
            used: self.used.clone(),
        }
    }
}

impl Weights {
    /// Creates a tree of all tensors of `source`, under their names.
    pub fn new(source: impl TensorSource + 'static) -> Self {
        Self::shared(arc_dyn!(source as dyn TensorSource))
    }

    /// Creates a tree of all tensors of a shared source.
    pub fn shared(source: Arc<dyn TensorSource>) -> Self {
        let named = source.tensors().iter().enumerate();
        let tensors = named
            .map(|(index, info)| NamedTensor::new(info.name.clone(), index, info.shape.clone(), info.dtype));
        let tensors = tensors.collect();
        let shared = Shared { source, adapter: None, keeps_quantized: false, used: Arc::default() };
        Weights { tensors, shared: Arc::new(shared) }
    }

    /// Translates these weights with `adapter` at every layer.
    #[must_use]
    pub fn with_adapter(self, adapter: Arc<dyn LayerAdapter>) -> Self {
        let shared = Shared { adapter: Some(adapter), ..self.shared.copy() };
        Weights { shared: Arc::new(shared), ..self }
    }

    /// Loads matrices that are stored in a block format, such as the quantized tensors of GGUF files, without
    /// dequantizing them: float parameters of rank 2 then are quantized tensors over the bytes of the file,
    /// which a linear layer and an embedding read as they are.
    ///
    /// Without this, parameters are loaded as floats, which can be trained.
    #[must_use]
    pub fn keep_quantized(self) -> Self {
        let shared = Shared { keeps_quantized: true, ..self.shared.copy() };
        Weights { shared: Arc::new(shared), ..self }
    }

    /// Renames the weights with `rename`.
    ///
    /// # Errors
    /// Two tensors get the same name.
    pub fn renamed(mut self, mut rename: impl FnMut(&str) -> String) -> Result<Self, RecordError> {
        let mut names = BTreeMap::new();
        for tensor in &mut self.tensors {
            let (old, new) = (tensor.name().to_string(), rename(tensor.name()));
            if let Some(other) = names.insert(new.clone(), old.clone()) {
                let cause = format!("both `{other}` and `{old}` are renamed to this");
                return Err(
                    RecordMismatch::value(&KeyPath::ROOT.key(&new), cause).in_file(self.source_name())
                );
            }
            *tensor = tensor.clone().renamed(&new);
        }
        Ok(self)
    }

    /// Returns the tensors whose names begin with `prefix` and a dot, without that; nothing if there are
    /// none.
    #[must_use]
    pub fn below(&self, prefix: &str) -> Option<Self> {
        let tensors: Vec<_> = self.tensors.iter().filter_map(|tensor| tensor.below(prefix)).collect();
        (!tensors.is_empty()).then(|| Weights { shared: self.shared.clone(), tensors })
    }

    /// Returns the tensors, in the order of the source.
    pub fn tensors(&self) -> &[NamedTensor] {
        &self.tensors
    }

    /// Returns the name of the source: the path of a file.
    pub fn source_name(&self) -> String {
        self.shared.source.name()
    }

    /// Returns the name of a tensor in its source, before it was renamed.
    pub fn original_name(&self, tensor: &NamedTensor) -> &str {
        &self.shared.source.tensors()[tensor.index].name
    }

    /// Reads the tensor `name`, if there is one.
    ///
    /// # Errors
    /// The bytes of the tensor are damaged or cannot be read.
    pub fn read(&self, name: &str) -> Option<Result<TensorData, RecordError>> {
        self.tensors.iter().find(|tensor| tensor.name() == name).map(|tensor| self.read_tensor(tensor))
    }

    /// Returns the tensors that were not used yet, under their names in the source.
    pub fn unused(&self) -> Vec<String> {
        let used: BTreeSet<usize> = self.shared.used.lock().iter().copied().collect();
        let unused = self.tensors.iter().filter(|tensor| !used.contains(&tensor.index));
        unused.map(|tensor| self.original_name(tensor).to_string()).collect()
    }

    /// Returns the children with their keys, in the order of the source.
    pub(super) fn children(&self) -> Vec<(String, Self)> {
        let (mut places, mut children) = (BTreeMap::new(), Vec::<(String, Self)>::new());
        for tensor in &self.tensors {
            let key = tensor.first();
            let place = *places.entry(key).or_insert_with(|| {
                children
                    .push((key.to_string(), Weights { shared: self.shared.clone(), tensors: Vec::new() }));
                children.len() - 1
            });
            children[place].1.tensors.extend(tensor.below(key));
        }
        children
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    /// Returns the same node, with fields named as `layer` names them.
    pub(crate) fn at_layer(self, layer: &str) -> Self {
        let Some(adapter) = self.shared.adapter.clone() else { return self };
        let mut tensors = Vec::with_capacity(self.tensors.len());
        for tensor in self.tensors {
            let (index, before) = (tensor.index, tensors.len());
            adapter.adapt(layer, tensor, &mut tensors);
            if tensors.len() == before {
                self.shared.used.lock().push(index);
            }
        }
        Weights { tensors, ..self }
    }

    /// Returns the subtree below `key`, which may be empty.
    pub(crate) fn child(&self, key: &str) -> Self {
        let tensors = self.tensors.iter().filter_map(|tensor| tensor.below(key)).collect();
        Weights { shared: self.shared.clone(), tensors }
    }

    /// Returns the keys here, each once, in the order of the source.
    pub(crate) fn keys(&self) -> Vec<&str> {
        let mut known = BTreeSet::new();
        self.tensors.iter().map(NamedTensor::first).filter(|key| known.insert(*key)).collect()
    }

    /// Returns the keys here that are numbers, in their order.
    pub(crate) fn indices(&self) -> Vec<usize> {
        let mut indices: Vec<usize> = self.keys().iter().filter_map(|key| key.parse().ok()).collect();
        indices.sort_unstable();
        indices
    }

    /// Returns the items of a list, in the order of their numbers, which may have gaps.
    pub(crate) fn items(&self) -> Vec<Self> {
        let children = self.children().into_iter();
        let mut items: Vec<(usize, Self)> =
            children.filter_map(|(key, child)| Some((key.parse().ok()?, child))).collect();
        items.sort_by_key(|(index, _)| *index);
        items.into_iter().map(|(_, item)| item).collect()
    }

    /// Returns the tensor at this very node.
    pub(crate) fn leaf(&self) -> Option<&NamedTensor> {
        self.tensors.iter().find(|tensor| tensor.name().is_empty())
    }

    /// Reads one of [`tensors`](Self::tensors).
    ///
    /// # Errors
    /// The bytes of the tensor are damaged or cannot be read.
    pub fn read_tensor(&self, tensor: &NamedTensor) -> Result<TensorData, RecordError> {
        let mut data = self.shared.source.read(tensor.index)?;
        for transform in &tensor.transforms {
            data = transform.apply(data);
        }
        self.shared.used.lock().push(tensor.index);
        Ok(data)
    }

    /// Reads one of [`tensors`](Self::tensors) without dequantizing it: nothing, unless
    /// [`keep_quantized`](Self::keep_quantized) was called and it is a matrix in a block format.
    ///
    /// # Errors
    /// The bytes of the tensor are damaged or cannot be read.
    pub fn read_packed(&self, tensor: &NamedTensor) -> Result<Option<PackedBlocks<TensorData>>, RecordError> {
        if !self.shared.keeps_quantized {
            return Ok(None);
        }
        let Some(mut blocks) = self.shared.source.read_packed(tensor.index)? else { return Ok(None) };
        for transform in &tensor.transforms {
            match transform.apply_packed(blocks) {
                Some(applied) => blocks = applied,
                None => return Ok(None),
            }
        }
        self.shared.used.lock().push(tensor.index);
        Ok(Some(blocks))
    }

    /// Marks a tensor of the source as used, though it did not fit.
    pub(crate) fn use_tensor(&self, index: usize) {
        self.shared.used.lock().push(index);
    }

    /// Returns the number of tensors used so far, for [`rewind`](Self::rewind).
    pub(crate) fn mark(&self) -> usize {
        self.shared.used.lock().len()
    }

    /// Forgets that tensors were used since `mark`.
    pub(crate) fn rewind(&self, mark: usize) {
        self.shared.used.lock().truncate(mark);
    }
}

impl Debug for Weights {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        let names: Vec<&str> = self.tensors.iter().map(NamedTensor::name).collect();
        f.debug_struct("Weights").field("source", &self.source_name()).field("tensors", &names).finish()
    }
}

impl PartialEq for Weights {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared.source, &other.shared.source) && self.tensors == other.tensors
    }
}
