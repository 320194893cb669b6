#[cfg(feature = "std")]
use super::walk::Shapes;
use super::walk::{Count, Devices, Fork, NoGrad, ProfilePaths, ToDevice};
use super::{
    Calibration, Loader, ModuleDisplay, ModuleMapper, ModuleVisitor, ParamMapper, ParamVisitor, Quantizer,
    mapper, visitor,
};
#[cfg(feature = "std")]
use crate::record::{FileRecorder, KeyPath, Node, RecordMismatch, in_place};
use crate::record::{Record, RecordError};
use crate::tensor::backend::module_scope::{self, ParameterWalk};
use crate::tensor::{AutodiffBackend, Backend};
use alloc::vec::Vec;
use core::fmt::Debug;

/// Something with parameters: a layer, a model, a list of layers. Made by `#[derive(Module)]`.
///
/// Every field of a module is a module: other modules, [`Param`](super::Param)s, tensors and plain values
/// (which are constants: not trained and not saved), and options, lists, arrays and tuples of these. Whatever
/// else a module shall hold goes into [`Ignored`](super::Ignored). There is no prescribed `forward`: a module
/// has the functions that it needs.
///
/// Only the methods without a body are derived. They walk over the fields and do nothing else; all other
/// methods are such walks.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::{Initializer, Module, Param};
/// use burn::tensor::{Backend, Tensor};
///
/// #[derive(Module, Debug)]
/// struct Affine<B: Backend> {
///     weight: Param<Tensor<B, 2>>,
///     bias: Option<Param<Tensor<B, 1>>>,
///     name: String,
/// }
///
/// let affine: Affine<NdArray> = Affine {
///     weight: Initializer::Ones.init([2, 3], &Default::default()),
///     bias: None,
///     name: "head".to_string(),
/// };
/// assert_eq!(affine.num_params(), 6);
///
/// let record: AffineRecord<NdArray> = affine.clone().into_record();
/// let affine = affine.load_record(record);
/// assert_eq!(affine.name, "head");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a module",
    label = "every field of a module must be a module",
    note = "add `#[derive(Module)]` to it, or hold it as `Ignored<{Self}>` if it has no parameters"
)]
pub trait Module<B: Backend>: Clone + Send + Debug + ModuleDisplay {
    /// Saved state of the module.
    type Record: Record<B> + Clone;

    /// Shows every parameter to `visitor`, in the order of declaration.
    fn visit_params(&self, visitor: &mut dyn ParamVisitor<B>);

    /// Lets `mapper` change every parameter, in the order of declaration.
    fn map_params(&mut self, mapper: &mut dyn ParamMapper<B>);

    /// Converts the module into its saved state.
    fn into_record(self) -> Self::Record;

    /// Loads the values of `record`, and reports mismatches to `loader`; mismatched parameters keep their
    /// values.
    fn read_record(&mut self, record: Self::Record, loader: &mut Loader);

    /// Loads the values of `record`. Lazy parameters that were never used are not initialized first.
    ///
    /// # Panics
    /// The record is of another architecture. The message lists the paths that are missing, that are
    /// unexpected or that have another shape. [`try_load_record`](Self::try_load_record) returns the error.
    #[must_use]
    #[track_caller]
    fn load_record(self, record: Self::Record) -> Self {
        match self.try_load_record(record) {
            Ok(module) => module,
            Err(error) => panic!("{error}"),
        }
    }

    /// Loads the values of `record`, as [`load_record`](Self::load_record).
    ///
    /// # Errors
    /// The record is of another architecture.
    fn try_load_record(mut self, record: Self::Record) -> Result<Self, RecordError> {
        let mut loader = Loader::new();
        self.read_record(record, &mut loader);
        loader.finish().into_result().map(|()| self)
    }

    /// Saves this module with `recorder`, which adds the extension to `path`.
    ///
    /// # Errors
    /// The file cannot be written, or an integer does not fit the precision of the recorder.
    #[cfg(feature = "std")]
    fn save_file<R, P>(&self, path: P, recorder: &R) -> Result<(), RecordError>
    where
        R: FileRecorder<B>,
        P: Into<std::path::PathBuf>,
    {
        recorder.record(self.clone().into_record(), path.into())
    }

    /// Loads the values that [`save_file`](Self::save_file) saved. Lazy parameters that were never used are
    /// not initialized first.
    ///
    /// # Errors
    /// There is no such file, it is of another recorder, it is damaged, or it holds another architecture: the
    /// error then lists the keys that are missing, that are unexpected or that have another shape.
    #[cfg(feature = "std")]
    fn load_file<R, P>(self, path: P, recorder: &R, device: &B::Device) -> Result<Self, RecordError>
    where
        R: FileRecorder<B>,
        P: Into<std::path::PathBuf>,
    {
        let path = path.into();
        let place = R::describe(&path);
        let node = recorder.load_node(path)?;
        let shapes = shape_mismatches(&self, &node);
        let loaded = Self::Record::from_node(node, &KeyPath::ROOT, device)
            .and_then(|record| self.try_load_record(record));
        loaded.map_err(|error| in_place(error.and_shapes(shapes), place))
    }

    /// Returns the devices of the parameters and tensors of this module, each once.
    fn devices(&self) -> Vec<B::Device> {
        self.collect_devices(Vec::new())
    }

    /// Adds the devices of this module to `devices`, each once.
    fn collect_devices(&self, devices: Vec<B::Device>) -> Vec<B::Device> {
        let mut devices = Devices::<B>(devices);
        self.visit_params(&mut devices);
        devices.0
    }

    /// Moves the module to `device`. Parameters remain the leaves that gradients are computed for.
    #[must_use]
    fn to_device(mut self, device: &B::Device) -> Self {
        self.map_params(&mut ToDevice::<B>(device));
        self
    }

    /// Copies the module to `device` for another thread: the copy shares no graph with this module.
    #[must_use]
    fn fork(mut self, device: &B::Device) -> Self {
        self.map_params(&mut Fork::<B>(device));
        self
    }

    /// Freezes all parameters: they get no gradients and are not trained.
    #[must_use]
    fn no_grad(mut self) -> Self {
        self.map_params(&mut NoGrad);
        self
    }

    /// Quantizes the weights that [`Quantizer`] selects. Quantized parameters get no gradients and are not
    /// changed by optimizers, until [`Dequantize`](super::Dequantize) maps the module back.
    #[must_use]
    fn quantize_weights<C: Calibration>(self, quantizer: &mut Quantizer<C>) -> Self {
        self.map(quantizer)
    }

    /// Returns the number of elements of all parameters, without initializing them.
    fn num_params(&self) -> usize {
        let mut count = Count(0);
        self.visit_params(&mut count);
        count.0
    }

    /// Reports to profilers the paths of the parameters, so that a `Profile` lists operations by module:
    /// those of the layer with the parameter `encoder.layers.0.weight` as `encoder.layers.0`.
    ///
    /// The step of an optimizer does so too, for the module that it steps. Paths that are given here stay,
    /// for programs that step the parts of a larger module one by one.
    ///
    /// ```
    /// use burn::backend::{NdArray, Profile};
    /// use burn::module::Module;
    /// use burn::nn::{Linear, LinearConfig};
    /// use burn::tensor::{Tensor, backend::Backend};
    ///
    /// type P = Profile<NdArray>;
    /// #[derive(Module, Debug)]
    /// struct Mlp<B: Backend> {
    ///     layers: Vec<Linear<B>>,
    /// }
    ///
    /// let device = Default::default();
    /// let layers: Vec<Linear<P>> =
    ///     vec![LinearConfig::new(4, 8).init(&device), LinearConfig::new(8, 2).init(&device)];
    /// let mlp: Mlp<P> = Mlp { layers };
    /// mlp.profile_by_module();
    /// let x = Tensor::<P, 2>::ones([16, 4], &device);
    /// let _y = mlp.layers.iter().fold(x, |x, layer| layer.forward(x).tanh());
    ///
    /// let report = P::report();
    /// assert!(report.by_module().iter().any(|row| row.module == "layers.1"));
    /// println!("{}", report.module_table());
    /// ```
    fn profile_by_module(&self) {
        module_scope::watch();
        self.visit_params(&mut ProfilePaths(ParameterWalk::new(true)));
    }

    /// Shows every parameter to `visitor`, in the order of declaration.
    fn visit<V: ModuleVisitor<B>>(&self, visitor: &mut V) {
        self.visit_params(&mut visitor::Ranked(visitor));
    }

    /// Maps every parameter with `mapper`, in the order of declaration.
    #[must_use]
    fn map<M: ModuleMapper<B>>(mut self, mapper: &mut M) -> Self {
        self.map_params(&mut mapper::Ranked(mapper));
        self
    }
}

/// A module on a backend that differentiates. Made by `#[derive(Module)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a module",
    label = "every field of a module must be a module",
    note = "add `#[derive(Module)]` to it, or hold it as `Ignored<{Self}>` if it has no parameters"
)]
pub trait AutodiffModule<B: AutodiffBackend>: Module<B> {
    /// Module type on the inner backend.
    type InnerModule: Module<B::InnerBackend>;

    /// Returns the module for validation and inference: on the inner backend, where gradients are not tracked
    /// and layers that act only in training, such as dropout, do nothing.
    fn valid(&self) -> Self::InnerModule;
}

/// Parameters of `module` that `record` has in another shape, whatever else may be wrong with it.
#[cfg(feature = "std")]
fn shape_mismatches<B: Backend, M: Module<B>>(module: &M, record: &Node) -> RecordMismatch {
    let mut shapes = Shapes::default();
    module.visit_params(&mut shapes);
    shapes.compare(record)
}
