use super::Forward;
use burn_core::module::{
    AutodiffModule, Content, Loader, Module, ModuleDisplay, ModuleDisplayDefault, ParamMapper, ParamVisitor,
};
use burn_core::tensor::{AutodiffBackend, Backend};
use core::fmt::{Display, Formatter};

/// Layers one after the other: the output of each one is the input of the next. PyTorch:
/// `torch.nn.Sequential`.
///
/// The layers are a tuple of up to 12 layers of any types, or a list or an array of layers of one type;
/// compositions nest. Parameters are named by position, `0.weight`, as in PyTorch.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::conv::Conv2dConfig;
/// use burn::nn::{Flatten, LinearConfig, Relu, Sequential};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let model = Sequential::new((
///     Conv2dConfig::new([1, 4], [3, 3]).init::<NdArray>(&device),
///     Relu::new(),
///     Flatten::new(),
///     LinearConfig::new(4 * 6 * 6, 10).init::<NdArray>(&device),
/// ));
/// assert_eq!(model.forward(Tensor::<NdArray, 4>::ones([2, 1, 8, 8], &device)).dims(), [2, 10]);
/// ```
#[derive(Clone, Debug)]
pub struct Sequential<L> {
    /// Layers, in the order of their application.
    pub layers: L,
}

impl<L> Sequential<L> {
    /// Returns the composition of `layers`.
    pub fn new(layers: L) -> Self {
        Sequential { layers }
    }

    /// Applies the layers in order.
    ///
    /// # Panics
    /// A layer refuses the shape of its input.
    #[track_caller]
    pub fn forward<Input>(&self, input: Input) -> L::Output
    where
        L: Forward<Input>,
    {
        self.layers.forward(input)
    }
}

impl<Input, L: Forward<Input>> Forward<Input> for Sequential<L> {
    type Output = L::Output;

    #[track_caller]
    fn forward(&self, input: Input) -> L::Output {
        self.layers.forward(input)
    }
}

impl<B: Backend, L: Module<B>> Module<B> for Sequential<L> {
    type Record = L::Record;

    fn visit_params(&self, visitor: &mut dyn ParamVisitor<B>) {
        self.layers.visit_params(visitor);
    }
    fn map_params(&mut self, mapper: &mut dyn ParamMapper<B>) {
        self.layers.map_params(mapper);
    }
    fn into_record(self) -> L::Record {
        self.layers.into_record()
    }
    fn read_record(&mut self, record: L::Record, loader: &mut Loader) {
        self.layers.read_record(record, loader);
    }
}

impl<B: AutodiffBackend, L: AutodiffModule<B>> AutodiffModule<B> for Sequential<L> {
    type InnerModule = Sequential<L::InnerModule>;

    fn valid(&self) -> Self::InnerModule {
        Sequential::new(self.layers.valid())
    }
}

impl<L: ModuleDisplay> ModuleDisplay for Sequential<L> {}
impl<L: ModuleDisplay> ModuleDisplayDefault for Sequential<L> {
    fn content(&self, content: Content) -> Option<Content> {
        self.layers.content(content)
    }
}

impl<L: ModuleDisplay> Display for Sequential<L> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        burn_core::module::derive::display(self, f)
    }
}
