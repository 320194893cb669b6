use super::dynamic_dim::DynamicDim;
use super::error::ExportError;
use super::file::{self, ModelFile};
use super::lower;
use super::parameters::Parameters;
use super::sample::Sample;
use super::size_expr::SizeTable;
use super::trace::Trace;
use burn_backend::{Backend, block_on};
use burn_capture::{Capture, CaptureError, CaptureTensor};
use burn_core::module::Module;
use burn_ir::TensorData;
use burn_tensor::grad::Tensors;
use std::path::Path;

/// The most dynamic dimensions: the forward pass is recorded `2^n + 1` times.
const MOST_DYNAMIC: usize = 4;

/// Exports the forward pass of a module as an ONNX model (operator set 20), which onnxruntime and other
/// runtimes run. PyTorch: `torch.onnx.export`.
///
/// The module lives on the backend `Capture<B>`, which records what it computes; load a record into it as
/// into any other. Parameters become initializers with the paths of their fields as names. Shapes are those
/// of the sample, except the dimensions that [`dynamic`](OnnxExport::dynamic) leaves open. What the forward
/// pass decides from values or sizes is decided once, as while recording. Layers compute as in inference:
/// dropout does nothing, and batch norm uses its running statistics.
///
/// ```
/// use burn::backend::{Capture, NdArray};
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::Tensor;
/// use burn_onnx::export::OnnxExport;
/// use burn_onnx::{Graph, Model};
///
/// type B = Capture<NdArray>;
/// let device = Default::default();
/// let linear: Linear<B> = LinearConfig::new(3, 2).init(&device);
/// let sample = Tensor::<B, 2>::zeros([1, 3], &device);
///
/// let export = OnnxExport::new().inputs(["x"]).outputs(["y"]).dynamic("x", 0, "batch");
/// # let folder = std::env::temp_dir().join(format!("burn-onnx-export-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let path = folder.join("linear.onnx");
/// export.save(&path, &linear, sample, |linear, x| linear.forward(x))?;
///
/// // The file again, here on another backend and with a batch of 5.
/// let graph = Graph::new(Model::from_file(&path)?)?;
/// let x = Tensor::<NdArray, 2>::ones([5, 3], &device);
/// let outputs = graph.run::<NdArray>(vec![x.into()], &device)?;
/// assert_eq!(outputs.len(), 1);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OnnxExport {
    inputs: Vec<String>,
    outputs: Vec<String>,
    dynamic: Vec<(String, usize, DynamicDim)>,
    graph_name: String,
    external_data_above: u64,
}

impl Default for OnnxExport {
    fn default() -> Self {
        OnnxExport {
            inputs: Vec::new(),
            outputs: Vec::new(),
            dynamic: Vec::new(),
            graph_name: "main_graph".into(),
            external_data_above: file::DEFAULT_EXTERNAL_DATA_ABOVE,
        }
    }
}

impl OnnxExport {
    /// Makes an export with fixed shapes and default names: `input` and `output`, or `input_0`, `input_1` and
    /// so on.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the names of the inputs, in order.
    #[must_use]
    pub fn inputs<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.inputs = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the names of the outputs, in order.
    #[must_use]
    pub fn outputs<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.outputs = names.into_iter().map(Into::into).collect();
        self
    }

    /// Leaves the size of dimension `dim` of an input open, under the name of `size`; dimensions of one name
    /// have one size. At most four names.
    ///
    /// The forward pass is recorded with several sizes, and the model computes from the sizes of its inputs
    /// whatever differed. The sample is repeated or shortened along the dimension for that.
    #[must_use]
    pub fn dynamic(mut self, input: impl Into<String>, dim: usize, size: impl Into<DynamicDim>) -> Self {
        self.dynamic.push((input.into(), dim, size.into()));
        self
    }

    /// Sets the name of the graph; `main_graph` by default.
    #[must_use]
    pub fn graph_name(mut self, name: impl Into<String>) -> Self {
        self.graph_name = name.into();
        self
    }

    /// Sets how many bytes of weights the model file holds at most; with more of them they go to a file
    /// beside it, `NAME.data`. 1 GiB by default, and never more than 2 GiB, which is the limit of the format.
    #[must_use]
    pub fn external_data_above(mut self, bytes: u64) -> Self {
        self.external_data_above = bytes.min(file::LARGEST_MESSAGE);
        self
    }

    /// Writes the model to a file, whole or not at all.
    ///
    /// # Errors
    /// When an operation cannot be written as ONNX (the error lists all of them), names or dimensions do not
    /// fit, or the file cannot be written.
    ///
    /// # Panics
    /// When the forward pass does.
    pub fn save<B, M, X, Y>(
        &self,
        path: impl AsRef<Path>,
        module: &M,
        sample: X,
        forward: impl Fn(&M, X) -> Y,
    ) -> Result<(), ExportError>
    where
        B: Backend,
        M: Module<Capture<B>>,
        X: Tensors<Backend = Capture<B>>,
        Y: Tensors<Backend = Capture<B>>,
    {
        self.model(module, sample, forward)?.save(path.as_ref(), self.external_data_above)
    }

    /// Returns the model as [`OnnxExport::save`] writes it.
    ///
    /// # Errors
    /// As [`OnnxExport::save`]; also when the weights have 2 GiB or more.
    ///
    /// # Panics
    /// When the forward pass does.
    pub fn to_bytes<B, M, X, Y>(
        &self,
        module: &M,
        sample: X,
        forward: impl Fn(&M, X) -> Y,
    ) -> Result<Vec<u8>, ExportError>
    where
        B: Backend,
        M: Module<Capture<B>>,
        X: Tensors<Backend = Capture<B>>,
        Y: Tensors<Backend = Capture<B>>,
    {
        self.model(module, sample, forward)?.to_bytes()
    }

    fn model<B, M, X, Y>(
        &self,
        module: &M,
        sample: X,
        forward: impl Fn(&M, X) -> Y,
    ) -> Result<ModelFile, ExportError>
    where
        B: Backend,
        M: Module<Capture<B>>,
        X: Tensors<Backend = Capture<B>>,
        Y: Tensors<Backend = Capture<B>>,
    {
        let forward =
            |handles: Vec<CaptureTensor<B>>| forward(module, X::from_handles(handles)).into_handles();
        self.lower(&Parameters::of(module), sample.into_handles(), &forward)
    }

    fn lower<B: Backend>(
        &self,
        parameters: &Parameters<B>,
        sample: Vec<CaptureTensor<B>>,
        forward: super::trace::Forward<'_, B>,
    ) -> Result<ModelFile, ExportError> {
        let device = match sample.first() {
            Some(first) => <Capture<B> as Backend>::device(first),
            None => B::Device::default(),
        };
        let names = self.input_names(sample.len())?;
        let mut samples = Vec::with_capacity(sample.len());
        for (name, tensor) in names.into_iter().zip(sample) {
            let data = read::<B>(tensor)?;
            let symbols = vec![None; data.shape.rank()];
            samples.push(Sample { name, data, symbols });
        }
        let table = self.size_table(&mut samples)?;
        let trace = Trace::record(&samples, table, parameters, &self.outputs, &device, forward)?;
        lower::lower(trace, &samples, &self.graph_name)
    }

    fn input_names(&self, count: usize) -> Result<Vec<String>, ExportError> {
        if self.inputs.is_empty() {
            let name = |at: usize| if count == 1 { "input".into() } else { format!("input_{at}") };
            return Ok((0..count).map(name).collect());
        }
        if self.inputs.len() != count {
            let reason =
                format!("the sample has {count} tensors, but {} names were given", self.inputs.len());
            return Err(ExportError::Argument { name: self.inputs.join("`, `"), reason });
        }
        for (place, name) in self.inputs.iter().enumerate() {
            if name.is_empty() || self.inputs[..place].contains(name) {
                let reason = "names of inputs are different and not empty".into();
                return Err(ExportError::Argument { name: name.clone(), reason });
            }
        }
        Ok(self.inputs.clone())
    }

    /// The dynamic dimensions with their sizes in the recordings. Samples get the numbers of theirs.
    fn size_table(&self, samples: &mut [Sample]) -> Result<SizeTable, ExportError> {
        let mut dims: Vec<DynamicDim> = Vec::new();
        for (input, dim, size) in &self.dynamic {
            let refuse = |reason: String| ExportError::Argument { name: input.clone(), reason };
            let Some(sample) = samples.iter_mut().find(|sample| sample.name == *input) else {
                return Err(refuse("a dynamic dimension is given of an input that there is not".into()));
            };
            let rank = sample.data.shape.rank();
            let Some(place) = sample.symbols.get_mut(*dim) else {
                return Err(refuse(format!("dimension {dim} is dynamic, but the sample has rank {rank}")));
            };
            let at = dims.iter().position(|other| other.name == size.name).unwrap_or_else(|| {
                dims.push(size.clone());
                dims.len() - 1
            });
            dims[at].multiple = dims[at].multiple.max(size.multiple);
            *place = Some(at);
        }
        if dims.len() > MOST_DYNAMIC {
            let names: Vec<&str> = dims.iter().map(|dim| &dim.name[..]).collect();
            let reason =
                format!("expected at most {MOST_DYNAMIC} names of dynamic dimensions, got {}", dims.len());
            return Err(ExportError::Argument { name: names.join("`, `"), reason });
        }
        let names = dims.iter().map(|dim| dim.name.clone()).collect();
        let mut table = SizeTable { names, choices: Vec::new() };
        let mut first = vec![None; dims.len()];
        samples.iter().try_for_each(|sample| sample.check(&table, &mut first))?;
        let sizes = dims.iter().zip(first);
        table.choices = sizes.map(|(dim, size)| dim.sizes(size.unwrap_or(1))).collect();
        Ok(table)
    }
}

fn read<B: Backend>(tensor: CaptureTensor<B>) -> Result<TensorData, ExportError> {
    let data = block_on(<Capture<B> as Backend>::into_data(tensor));
    let data = data.map_err(|_pending| ExportError::Capture(CaptureError::Pending))?;
    data.map_err(|error| ExportError::Capture(CaptureError::Constant(error)))
}
