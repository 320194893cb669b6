use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_backend::{
    ConvOptions, DType, Dims, Distribution, PoolOptions, Scalar, Shape, TensorData, TypedCalls,
};
use burn_conformance::fuzz::Random;
use burn_conformance::number::{self, Number};
use burn_tensor::linalg::{MatrixNorm, Norm};
use burn_tensor::module::{
    AttentionOptions, ConvTransposeOptions, GridSampleMode, GridSampleOptions, GridSamplePadding,
    InterpolateMode, InterpolateOptions, RecurrentKind, RecurrentOptions, UnfoldOptions,
};
use burn_tensor::signal::StftOptions;
use burn_tensor::{Bool, DynTensor, Float, Int, PadMode, Slice, Tensor, TensorError, TensorKind};

pub type T<const D: usize, K = Float> = Tensor<Dynamic, D, K>;
pub type Done = Result<(), TensorError>;

/// Random arguments.
pub struct Arguments<'a> {
    pub random: &'a mut Random,
    pub device: &'a DynamicDevice,
    /// The shape of the last tensor: the next one often has it too.
    pub last: Option<Shape>,
    /// Whether tensors are views of more elements than any machine has memory for.
    pub is_stretched: bool,
}

/// Elements of a stretched tensor.
const STRETCHED: usize = 1 << 45;

impl Arguments<'_> {
    pub fn shape<const D: usize>(&mut self) -> Shape {
        let kept = self.last.clone().filter(|shape| shape.rank() == D && self.random.chance(65));
        let mut shape = kept.unwrap_or_else(|| self.random.shape_of(D));
        if self.random.chance(12) && D > 0 {
            shape[self.random.below(D)] = self.random.below(4);
        }
        self.last = Some(shape.clone());
        shape
    }

    /// Elements of a kind, seldom of another dtype than `usual`.
    pub fn data<const D: usize, K: TensorKind>(&mut self, usual: DType) -> TensorData {
        let shape = self.shape::<D>();
        let dtypes: Vec<DType> = DType::ALL.into_iter().filter(|&dtype| K::holds(dtype)).collect();
        let dtype = if self.random.chance(90) { usual } else { self.random.pick(&dtypes) };
        let shift = self.random.below(19);
        let value = |i: usize| match dtype {
            dtype if dtype.is_float() => Number::Float(((i + shift) * 37 % 19) as f64 / 4.0 - 2.0),
            dtype => Number::of(((i + shift) * 37 % 7) as i128 - 2, dtype),
        };
        let values: Vec<Number> = (0..shape.num_elements()).map(value).collect();
        number::write(&values, &shape, dtype)
    }

    pub fn of<const D: usize, K: TensorKind>(&mut self) -> T<D, K> {
        if self.is_stretched {
            let shape: [usize; D] = core::array::from_fn(|dim| if dim == 0 { STRETCHED } else { 1 });
            return T::<D, K>::ones([1; D], self.device).expand::<D>(shape);
        }
        let data = self.data::<D, K>(K::dtype::<Dynamic>());
        T::from_handle(Dynamic::from_data(data, self.device))
    }

    pub fn float<const D: usize>(&mut self) -> T<D> {
        self.of()
    }

    pub fn int<const D: usize>(&mut self) -> T<D, Int> {
        self.of()
    }

    pub fn bool<const D: usize>(&mut self) -> T<D, Bool> {
        self.of()
    }

    pub fn any<K: TensorKind>(&mut self) -> DynTensor<Dynamic, K> {
        match self.random.below(6) {
            0 => self.of::<0, K>().into_dyn(),
            1 => self.of::<1, K>().into_dyn(),
            2 | 3 => self.of::<2, K>().into_dyn(),
            4 => self.of::<3, K>().into_dyn(),
            _ => self.of::<5, K>().into_dyn(),
        }
    }

    pub fn maybe<const D: usize>(&mut self) -> Option<T<D>> {
        self.flag().then(|| self.float())
    }

    pub fn several<const D: usize, K: TensorKind>(&mut self) -> Vec<T<D, K>> {
        (0..self.random.below(4)).map(|_| self.of()).collect()
    }

    pub fn flag(&mut self) -> bool {
        self.random.chance(50)
    }

    pub fn chance_of_a_mistake(&mut self) -> bool {
        self.random.chance(20)
    }

    /// A probability, a factor, an epsilon: mostly what it may be.
    pub fn fraction(&mut self) -> f64 {
        let usual = [0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0];
        let rare = [-1.0, 1e-30, 1e30, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        if self.random.chance(80) { self.random.pick(&usual) } else { self.random.pick(&rare) }
    }

    pub fn dim(&mut self) -> isize {
        self.random.signed(3)
    }

    /// A size or an option: small, or so large that no result of it fits into memory.
    pub fn size(&mut self) -> usize {
        if self.random.chance(4) { self.huge() } else { self.random.below(6) }
    }

    /// More than any machine has, though it can perhaps be counted, and the system may promise it.
    pub fn huge(&mut self) -> usize {
        self.random.pick(&[usize::MAX, isize::MAX as usize, 1 << 62, 1 << 40])
    }

    /// A size that is right more often than not.
    pub fn small(&mut self) -> usize {
        if self.random.chance(85) { 1 + self.random.below(2) } else { self.size() }
    }

    pub fn sizes<const N: usize>(&mut self) -> [usize; N] {
        core::array::from_fn(|_| self.small())
    }

    pub fn dims(&mut self) -> Vec<isize> {
        (0..self.random.below(4)).map(|_| self.dim()).collect()
    }

    pub fn options(&mut self, spatial: usize) -> (Dims, Dims, Dims) {
        let mut list = |from: usize| -> Dims {
            let count = if self.random.chance(4) { self.random.below(5) } else { spatial };
            (0..count)
                .map(|_| if self.random.chance(90) { from + self.random.below(2) } else { self.size() })
                .collect()
        };
        (list(1), list(0), list(1))
    }

    pub fn conv(&mut self, spatial: usize) -> ConvOptions {
        let (stride, padding, dilation) = self.options(spatial);
        let groups = if self.random.chance(80) { 1 } else { self.size() };
        ConvOptions { stride, padding, dilation, groups }
    }

    pub fn windows(&mut self, spatial: usize) -> PoolOptions {
        let (stride, padding, dilation) = self.options(spatial);
        let (kernel, _, _) = self.options(spatial);
        PoolOptions { kernel, stride, padding, dilation }
    }

    pub fn item(&mut self) -> Slice {
        let (start, end) = (self.dim(), self.dim());
        let range: Slice = match self.random.below(5) {
            0 => (start..end).into(),
            1 => (start..).into(),
            2 => (start..=end).into(),
            3 => start.into(),
            _ => (..).into(),
        };
        if self.random.chance(30) { range.with_step(self.dim()) } else { range }
    }

    pub fn items(&mut self) -> Vec<Slice> {
        (0..self.random.below(5)).map(|_| self.item()).collect()
    }

    pub fn scalar(&mut self) -> Scalar {
        match self.random.below(4) {
            0 => Scalar::Int(self.dim() as i64),
            1 => Scalar::Bool(true),
            2 => Scalar::Float(f64::NAN),
            _ => Scalar::Float(self.random.signed(4) as f64 / 2.0),
        }
    }

    pub fn offset(&mut self) -> i64 {
        self.random.signed(4) as i64
    }

    /// Few numbers, or more than memory holds.
    pub fn range(&mut self) -> core::ops::Range<i64> {
        let small = |random: &mut Random| random.below(19) as i64 - 9;
        match self.random.below(20) {
            0 => i64::MIN..i64::MAX,
            1 => i64::MIN..small(self.random),
            2 => small(self.random)..i64::MAX,
            _ => small(self.random)..small(self.random),
        }
    }

    pub fn distribution(&mut self) -> Distribution {
        let (x, y) = (self.random.below(7) as f64 - 3.0, self.random.below(7) as f64 - 3.0);
        let list = [
            Distribution::Default,
            Distribution::Uniform(x, y),
            Distribution::Normal(x, y),
            Distribution::Bernoulli(x / 3.0),
            Distribution::Normal(x, f64::NAN),
            Distribution::Uniform(f64::NEG_INFINITY, y),
        ];
        self.random.pick(&list)
    }

    pub fn norm(&mut self) -> Norm {
        self.random.pick(&[
            Norm::L0,
            Norm::L1,
            Norm::L2,
            Norm::Lp(3.5),
            Norm::Lp(-1.0),
            Norm::LInf,
            Norm::LNegInf,
        ])
    }

    pub fn matrix_norm(&mut self) -> MatrixNorm {
        use MatrixNorm::*;
        self.random.pick(&[Frobenius, Nuclear, Spectral, One, Inf])
    }

    pub fn frames(&mut self) -> StftOptions {
        StftOptions {
            n_fft: self.size(),
            hop_length: self.small(),
            win_length: self.size(),
            center: self.random.chance(50),
            onesided: self.random.chance(50),
            normalized: self.random.chance(50),
        }
    }

    pub fn pad(&mut self) -> PadMode {
        let value = self.scalar();
        self.random.pick(&[PadMode::Constant(value), PadMode::Reflect, PadMode::Edge])
    }

    pub fn places(&mut self) -> UnfoldOptions {
        UnfoldOptions {
            kernel: self.sizes(),
            stride: self.sizes(),
            padding: self.sizes(),
            dilation: self.sizes(),
        }
    }

    pub fn conv_transpose(&mut self, spatial: usize) -> ConvTransposeOptions {
        let ConvOptions { stride, padding, dilation, groups } = self.conv(spatial);
        let (_, padding_out, _) = self.options(spatial);
        ConvTransposeOptions { stride, padding, padding_out, dilation, groups }
    }

    pub fn interpolate(&mut self) -> InterpolateOptions {
        use InterpolateMode::*;
        let mode = self.random.pick(&[Nearest, NearestExact, Linear, Cubic, Lanczos]);
        InterpolateOptions { mode, align_corners: self.flag() }
    }

    pub fn grid(&mut self) -> GridSampleOptions {
        let modes = [GridSampleMode::Bilinear, GridSampleMode::Nearest];
        let paddings = [GridSamplePadding::Zeros, GridSamplePadding::Border, GridSamplePadding::Reflection];
        GridSampleOptions {
            mode: self.random.pick(&modes),
            padding: self.random.pick(&paddings),
            align_corners: self.flag(),
        }
    }

    pub fn attention(&mut self) -> AttentionOptions {
        AttentionOptions { causal: self.flag(), scale: self.flag().then(|| self.fraction()) }
    }

    pub fn recurrent(&mut self) -> RecurrentOptions {
        let kind = self.random.pick(&RecurrentKind::ALL);
        let count = self.random.below(4);
        let lengths = self.flag().then(|| (0..count).map(|_| self.random.number(4)).collect());
        RecurrentOptions { kind, reverse: self.flag(), lengths }
    }

    pub fn equation(&mut self) -> &'static str {
        self.random.pick(&[
            "ij,jk->ik",
            "ij,ij->",
            "ij,ij->ij",
            "ij,j->i",
            "ii->i",
            "ii->",
            "ij->ji",
            "i,j->ij",
            "bij,bjk->bik",
            "bij,jk->bik",
            "...ij,...jk->...ik",
            "...i->...",
            "i...,i...->...",
            "ij,jk,kl->il",
            "ijk->kij",
            "ij",
            "ij,jk",
            "iij->j",
            "i,i->i",
            "abc,cd->abd",
            "",
            "->",
            ",",
            "i,j,k->ijk",
            "ij-ji",
            "ij->ijk",
            "1,2->3",
            "i i",
            "ij,jk->ii",
            "....i->i",
            "é->é",
        ])
    }
}
