use crate::check::check;
use crate::{Bool, Float, Int, Numeric, TensorKind};
use burn_backend::*;
use std::marker::PhantomData;
use std::ops::Range;

/// A tensor of rank `D` on backend `B`; its elements are of kind `K`.
#[derive(Clone, Debug)]
pub struct Tensor<B: Backend, const D: usize, K = Float> {
    primitive: B::Tensor,
    kind: PhantomData<K>,
}

impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    pub fn from_primitive(primitive: B::Tensor) -> Self {
        debug_assert_eq!(primitive.spec().shape.rank(), D);
        Tensor { primitive, kind: PhantomData }
    }

    pub fn into_primitive(self) -> B::Tensor {
        self.primitive
    }

    pub fn primitive(&self) -> &B::Tensor {
        &self.primitive
    }

    #[track_caller]
    pub fn from_data(data: impl Into<TensorData>, device: &B::Device) -> Self {
        let data = data.into();
        let (rank, wanted) = (data.shape.rank(), K::dtype::<B>());
        assert_eq!(rank, D, "from_data: data has rank {rank}, the tensor rank {D}");
        Self::from_primitive(B::from_data(data.convert_dtype(wanted), device))
    }

    pub fn full(shape: [usize; D], value: impl Into<Scalar>, device: &B::Device) -> Self {
        Self::from_primitive(B::full(TensorSpec::new(shape, K::dtype::<B>()), value.into(), device))
    }

    pub fn zeros(shape: [usize; D], device: &B::Device) -> Self {
        Self::full(shape, 0, device)
    }

    pub fn dims(&self) -> [usize; D] {
        self.primitive.spec().shape[..].try_into().expect("rank is D")
    }

    pub fn shape(&self) -> Shape {
        self.primitive.shape()
    }

    pub fn dtype(&self) -> DType {
        self.primitive.dtype()
    }

    pub fn device(&self) -> B::Device {
        B::device(&self.primitive)
    }

    /// Reads the elements. Where a thread cannot wait (wasm), use [`Tensor::into_data_async`].
    #[track_caller]
    pub fn into_data(self) -> TensorData {
        let read = block_on(self.into_data_async());
        read.expect("cannot wait for the device on this platform: use into_data_async").expect("device works")
    }

    pub async fn into_data_async(self) -> Result<TensorData, DataError> {
        B::into_data(self.primitive).await
    }

    #[track_caller]
    pub fn reshape<const D2: usize>(self, shape: [usize; D2]) -> Tensor<B, D2, K> {
        let shape = Shape::from(shape);
        check(&Operation::Reshape { x: self.primitive.spec(), shape: shape.clone() });
        Tensor::from_primitive(B::reshape(self.primitive, shape))
    }

    #[track_caller]
    pub fn expand<const D2: usize>(self, shape: [usize; D2]) -> Tensor<B, D2, K> {
        let shape = Shape::from(shape);
        check(&Operation::Expand { x: self.primitive.spec(), shape: shape.clone() });
        Tensor::from_primitive(B::expand(self.primitive, shape))
    }

    #[track_caller]
    pub fn permute(self, axes: [usize; D]) -> Self {
        let axes = Dims::from(&axes[..]);
        check(&Operation::Permute { x: self.primitive.spec(), axes: axes.clone() });
        Self::from_primitive(B::permute(self.primitive, axes))
    }

    #[track_caller]
    pub fn slice<const R: usize>(self, ranges: [Range<usize>; R]) -> Self {
        let slices: Vec<Slice> = ranges.into_iter().map(Slice::from).collect();
        check(&Operation::Slice { x: self.primitive.spec(), slices: slices.clone() });
        Self::from_primitive(B::slice(self.primitive, slices))
    }

    #[track_caller]
    pub fn cat(tensors: Vec<Self>, dim: usize) -> Self {
        check(&Operation::Cat { xs: tensors.iter().map(|t| t.primitive.spec()).collect(), dim });
        Self::from_primitive(B::cat(tensors.into_iter().map(|t| t.primitive).collect(), dim))
    }

    #[track_caller]
    pub fn gather(self, dim: usize, indices: Tensor<B, D, Int>) -> Self {
        check(&Operation::Gather { x: self.primitive.spec(), dim, indices: indices.primitive.spec() });
        Self::from_primitive(B::gather(self.primitive, dim, indices.primitive))
    }
}

impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    #[track_caller]
    pub(crate) fn binary(self, op: BinaryOp, other: Self) -> Self {
        check(&Operation::Binary { op, lhs: self.primitive.spec(), rhs: other.primitive.spec() });
        Self::from_primitive(B::binary(op, self.primitive, other.primitive))
    }

    pub(crate) fn binary_scalar(self, op: BinaryOp, other: Scalar) -> Self {
        Self::from_primitive(B::binary_scalar(op, self.primitive, other))
    }

    #[track_caller]
    pub(crate) fn unary(self, op: UnaryOp) -> Self {
        check(&Operation::Unary { op, x: self.primitive.spec() });
        Self::from_primitive(B::unary(op, self.primitive))
    }

    #[track_caller]
    fn reduce(self, op: ReduceOp, dims: Dims) -> Self {
        check(&Operation::Reduce { op, x: self.primitive.spec(), dims: dims.clone() });
        Self::from_primitive(B::reduce(op, self.primitive, dims))
    }

    /// Sum along `dim`, which stays with size 1.
    #[track_caller]
    pub fn sum_dim(self, dim: usize) -> Self {
        self.reduce(ReduceOp::Sum, Dims::from(&[dim][..]))
    }

    /// Sum of all elements.
    pub fn sum(self) -> Tensor<B, 1, K> {
        self.reduce(ReduceOp::Sum, (0..D).collect()).reshape([1])
    }

    #[track_caller]
    pub fn max_dim_with_indices(self, dim: usize) -> (Self, Tensor<B, D, Int>) {
        check(&Operation::ReduceWithIndices {
            op: Extremum::Max,
            x: self.primitive.spec(),
            dim,
            index: Int::dtype::<B>(),
        });
        let (values, indices) = B::reduce_with_indices(Extremum::Max, self.primitive, dim, Int::dtype::<B>());
        (Self::from_primitive(values), Tensor::from_primitive(indices))
    }

    #[track_caller]
    pub fn greater(self, other: Self) -> Tensor<B, D, Bool> {
        let op = CompareOp::Greater;
        check(&Operation::Compare { op, lhs: self.primitive.spec(), rhs: other.primitive.spec() });
        Tensor::from_primitive(B::compare(op, self.primitive, other.primitive))
    }

    pub fn greater_elem(self, other: impl Into<Scalar>) -> Tensor<B, D, Bool> {
        Tensor::from_primitive(B::compare_scalar(CompareOp::Greater, self.primitive, other.into()))
    }

    pub fn powf_scalar(self, exponent: impl Into<Scalar>) -> Self {
        self.binary_scalar(BinaryOp::Pow, exponent.into())
    }

    pub fn abs(self) -> Self {
        self.unary(UnaryOp::Abs)
    }
}

macro_rules! float_functions {
    ($($name:ident => $variant:ident)*) => {
        impl<B: Backend, const D: usize> Tensor<B, D> {
            $(
                #[doc = concat!("See [`UnaryOp::", stringify!($variant), "`].")]
                #[track_caller]
                pub fn $name(self) -> Self {
                    self.unary(UnaryOp::$variant)
                }
            )*
        }
    };
}
float_functions! {
    exp => Exp log => Log sqrt => Sqrt recip => Recip sin => Sin cos => Cos tanh => Tanh erf => Erf
    floor => Floor relu => Relu sigmoid => Sigmoid
}

impl<B: Backend, const D: usize> Tensor<B, D> {
    pub fn random(shape: [usize; D], distribution: Distribution, device: &B::Device) -> Self {
        Self::from_primitive(B::random(TensorSpec::new(shape, Float::dtype::<B>()), distribution, device))
    }

    #[track_caller]
    pub fn matmul(self, other: Self) -> Self {
        check(&Operation::Matmul { lhs: self.primitive.spec(), rhs: other.primitive.spec() });
        Self::from_primitive(B::matmul(self.primitive, other.primitive))
    }

    #[track_caller]
    pub fn softmax(self, dim: usize) -> Self {
        check(&Operation::Softmax { x: self.primitive.spec(), dim });
        Self::from_primitive(B::softmax(self.primitive, dim))
    }

    /// Convolution over `D - 2` spatial dimensions.
    #[track_caller]
    pub fn conv(self, weight: Self, bias: Option<Tensor<B, 1>>, options: ConvOptions) -> Self {
        let specs = ConvArgs {
            x: self.primitive.spec(),
            weight: weight.primitive.spec(),
            bias: bias.as_ref().map(|bias| bias.primitive.spec()),
            options: options.clone(),
        };
        check(&Operation::Conv(Box::new(specs)));
        let bias = bias.map(|bias| bias.primitive);
        Self::from_primitive(B::conv(ConvArgs { x: self.primitive, weight: weight.primitive, bias, options }))
    }

    pub fn require_grad(self) -> Self {
        self.set_require_grad(true)
    }

    pub fn set_require_grad(self, require_grad: bool) -> Self {
        Self::from_primitive(B::set_require_grad(self.primitive, require_grad))
    }

    pub fn is_require_grad(&self) -> bool {
        B::is_require_grad(&self.primitive)
    }

    pub fn detach(self) -> Self {
        Self::from_primitive(B::detach(self.primitive))
    }
}

impl<B: Backend, const D: usize> Tensor<B, D, Bool> {
    /// Coordinates of the true elements, `[count, D]`; reads the device.
    pub async fn argwhere(self) -> Result<Tensor<B, 2, Int>, DataError> {
        B::argwhere(self.primitive, Int::dtype::<B>()).await.map(Tensor::from_primitive)
    }

    /// `on` where `self` is true, `off` elsewhere.
    #[track_caller]
    pub fn choose<K: TensorKind>(self, on: Tensor<B, D, K>, off: Tensor<B, D, K>) -> Tensor<B, D, K> {
        let specs = (self.primitive.spec(), on.primitive.spec(), off.primitive.spec());
        check(&Operation::MaskWhere { mask: specs.0, on: specs.1, off: specs.2 });
        Tensor::from_primitive(B::mask_where(self.primitive, on.primitive, off.primitive))
    }
}
