use crate::library::Core;
use crate::{
    CandleDevice, CandleTensor, arg_reduce, binary, cast, compare, conv, create, cumulative, fft, index,
    interpolate, layer_norm, layout, mask, matmul, object, pool, random, reduce, scatter, softmax, sort,
    unary,
};
use burn_backend::dynamic::BackendObject;
use burn_backend::*;
use burn_foreign::{Kernels, Library};
use std::marker::PhantomData;

/// The leaf over candle. `F` and `I` are the default element types; tensors may have others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Candle<F = f32, I = i64>(PhantomData<(F, I)>);

/// The leaf that compositions are made on: kernels know no default element types.
pub type Leaf = Candle<f32, i64>;

/// Methods that are compositions of others, which are told to who measures.
macro_rules! compositions {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {$(
        #[track_caller]
        fn $name($($argument: $ty),*) -> $result {
            kernels::ran(|| concat!("composition ", stringify!($name)).into());
            reference::$name::<Leaf>($($argument),*)
        }
    )*};
}

/// The elements, row-major, for what is computed on the host in `f64`.
fn read(x: CandleTensor) -> Vec<f64> {
    let device = x.device();
    kernels::explain(|| format!("read from {device}"));
    create::into_data(x).unwrap_or_else(|error| burn_foreign::refuse("read", error)).to_f64()
}

impl<F: Element, I: Element> Backend for Candle<F, I> {
    type Device = CandleDevice;
    type Tensor = CandleTensor;
    type FloatElem = F;
    type IntElem = I;

    fn execute(op: Operation<CandleTensor>) -> Outputs<CandleTensor> {
        object::execute(op)
    }
    fn object() -> &'static dyn BackendObject {
        object::object()
    }
    fn name(_device: &CandleDevice) -> String {
        "candle".into()
    }
    fn has_dtype(device: &CandleDevice, dtype: DType) -> bool {
        Core::has_dtype(*device, dtype)
    }
    fn seed(seed: u64) {
        random::seed(seed);
    }
    fn sync(device: &CandleDevice) {
        let done = device.to_candle().map(|place| place.synchronize());
        match done {
            Ok(Ok(())) => {}
            Ok(Err(error)) => Core::raise("sync", None, *device, &error),
            Err(error) => burn_foreign::refuse("sync", error),
        }
    }
    fn device(x: &CandleTensor) -> CandleDevice {
        x.device()
    }
    fn to_device(x: CandleTensor, device: &CandleDevice) -> CandleTensor {
        layout::to_device(x, *device)
    }
    async fn into_data(x: CandleTensor) -> Result<TensorData, DataError> {
        create::into_data(x)
    }
    fn tracks_gradients(_device: &CandleDevice) -> bool {
        false
    }
    fn set_require_grad(x: CandleTensor, _require_grad: bool) -> CandleTensor {
        x
    }
    fn is_require_grad(_x: &CandleTensor) -> bool {
        false
    }
    fn detach(x: CandleTensor) -> CandleTensor {
        x
    }
    fn checkpoint(segment: Segment<CandleTensor>, inputs: Vec<CandleTensor>) -> Vec<CandleTensor> {
        segment(inputs)
    }
    fn linear_map(map: LinearMapRef, x: CandleTensor) -> Result<CandleTensor, LinearMapError> {
        apply_linear_map::<Self>(&map, x)
    }

    fn from_data(data: TensorData, device: &CandleDevice) -> CandleTensor {
        create::from_data(&data, *device)
    }
    fn full(spec: TensorSpec, value: Scalar, device: &CandleDevice) -> CandleTensor {
        create::full(spec, value, *device)
    }
    fn range(spec: TensorSpec, start: Scalar, step: Scalar, device: &CandleDevice) -> CandleTensor {
        create::range(spec, start, step, *device)
    }
    fn random(spec: TensorSpec, distribution: Distribution, device: &CandleDevice) -> CandleTensor {
        random::random(spec, distribution, *device)
    }

    fn unary(op: UnaryOp, x: CandleTensor) -> CandleTensor {
        unary::unary(op, x)
    }
    fn binary(op: BinaryOp, lhs: CandleTensor, rhs: CandleTensor) -> CandleTensor {
        binary::binary(op, lhs, rhs)
    }
    fn compare(op: CompareOp, lhs: CandleTensor, rhs: CandleTensor) -> CandleTensor {
        compare::compare(op, lhs, rhs)
    }
    fn mask_where(mask: CandleTensor, on: CandleTensor, off: CandleTensor) -> CandleTensor {
        mask::mask_where(mask, on, off)
    }
    fn cast(x: CandleTensor, dtype: DType) -> CandleTensor {
        cast::cast(x, dtype)
    }
    // The number is a tensor of one element that candle's kernels repeat without a copy.
    by_reference!(binary_scalar, compare_scalar, mask_fill, clamp);

    fn reshape(x: CandleTensor, shape: Shape) -> CandleTensor {
        layout::reshape(x, shape)
    }
    fn permute(x: CandleTensor, axes: Dims) -> CandleTensor {
        layout::permute(x, &axes)
    }
    fn expand(x: CandleTensor, shape: Shape) -> CandleTensor {
        layout::expand(x, shape)
    }
    fn flip(x: CandleTensor, axes: Dims) -> CandleTensor {
        layout::flip(x, &axes)
    }
    fn slice(x: CandleTensor, slices: Slices) -> CandleTensor {
        layout::slice(x, &slices)
    }
    fn slice_assign(x: CandleTensor, slices: Slices, value: CandleTensor) -> CandleTensor {
        layout::slice_assign(x, &slices, value)
    }
    fn cat(xs: Vec<CandleTensor>, dim: usize) -> CandleTensor {
        layout::cat(xs, dim)
    }
    // A view, and candle's copy of it.
    by_reference!(repeat_dim);

    fn reduce(op: ReduceOp, x: CandleTensor, dims: Dims) -> CandleTensor {
        reduce::reduce(op, x, dims)
    }
    fn arg_reduce(op: Extremum, x: CandleTensor, dim: usize, index: DType) -> CandleTensor {
        arg_reduce::arg_reduce(op, x, dim, index)
    }
    fn reduce_with_indices(
        op: Extremum,
        x: CandleTensor,
        dim: usize,
        index: DType,
    ) -> (CandleTensor, CandleTensor) {
        arg_reduce::reduce_with_indices(op, x, dim, index)
    }
    fn cumulative(op: CumulativeOp, x: CandleTensor, dim: usize) -> CandleTensor {
        cumulative::cumulative(op, x, dim)
    }
    fn sort(x: CandleTensor, dim: usize, descending: bool) -> CandleTensor {
        sort::sort_with_indices(x, dim, descending, DType::I64).0
    }
    fn sort_with_indices(
        x: CandleTensor,
        dim: usize,
        descending: bool,
        index: DType,
    ) -> (CandleTensor, CandleTensor) {
        sort::sort_with_indices(x, dim, descending, index)
    }
    fn topk(
        x: CandleTensor,
        k: usize,
        dim: usize,
        largest: bool,
        index: DType,
    ) -> (CandleTensor, CandleTensor) {
        sort::topk(x, k, dim, largest, index)
    }

    fn gather(x: CandleTensor, dim: usize, indices: CandleTensor) -> CandleTensor {
        index::gather(&x, dim, indices)
    }
    fn scatter(
        x: CandleTensor,
        dim: usize,
        indices: CandleTensor,
        value: CandleTensor,
        update: IndexUpdate,
    ) -> CandleTensor {
        scatter::scatter(x, dim, indices, value, update)
    }
    fn select(x: CandleTensor, dim: usize, indices: CandleTensor) -> CandleTensor {
        index::select(x, dim, indices)
    }
    fn select_assign(
        x: CandleTensor,
        dim: usize,
        indices: CandleTensor,
        value: CandleTensor,
        update: IndexUpdate,
    ) -> CandleTensor {
        scatter::select_assign(x, dim, indices, value, update)
    }
    async fn argwhere(mask: CandleTensor, index: DType) -> Result<CandleTensor, DataError> {
        index::argwhere(mask, index)
    }

    fn matmul(lhs: CandleTensor, rhs: CandleTensor) -> CandleTensor {
        matmul::matmul(lhs, rhs)
    }
    // Matrix by matrix on the host, in `f64`: candle has no factorisations.
    by_reference!(read: factorize, lu, solve, solve_triangular);
    fn conv(args: ConvArgs<CandleTensor>) -> CandleTensor {
        conv::conv(args)
    }
    fn conv_transpose(args: ConvGradArgs<CandleTensor>) -> CandleTensor {
        conv::conv_transpose(args)
    }
    fn conv_weight_grad(args: ConvGradArgs<CandleTensor>) -> CandleTensor {
        conv::conv_weight_grad(args)
    }
    fn pool(args: PoolArgs<CandleTensor>) -> CandleTensor {
        pool::pool(args)
    }
    fn pool_grad(args: PoolGradArgs<CandleTensor>) -> CandleTensor {
        pool::pool_grad(args)
    }
    fn max_pool_with_indices(
        x: CandleTensor,
        options: PoolOptions,
        index: DType,
    ) -> (CandleTensor, CandleTensor) {
        pool::max_pool_with_indices(x, options, index)
    }
    fn adaptive_avg_pool(x: CandleTensor, size: Dims) -> CandleTensor {
        pool::adaptive_avg_pool(x, size)
    }
    fn adaptive_avg_pool_grad(grad: CandleTensor, target: Shape) -> CandleTensor {
        pool::adaptive_avg_pool_grad(grad, target)
    }
    fn interpolate(x: CandleTensor, size: Dims, options: Interpolation) -> CandleTensor {
        interpolate::interpolate(x, size, options)
    }
    fn interpolate_grad(grad: CandleTensor, target: Shape, options: Interpolation) -> CandleTensor {
        interpolate::interpolate_grad(grad, target, options)
    }
    fn fft(op: FftOp, x: CandleTensor, dim: usize) -> CandleTensor {
        fft::fft(op, x, dim)
    }
    compositions! {
        attention(args: AttentionArgs<CandleTensor>) -> (CandleTensor, CandleTensor);
        attention_grad(args: AttentionGradArgs<CandleTensor>) -> (CandleTensor, CandleTensor, CandleTensor);
        recurrent(args: RecurrentArgs<CandleTensor>) -> (CandleTensor, CandleTensor);
        recurrent_grad(args: RecurrentGradArgs<CandleTensor>) -> (CandleTensor, CandleTensor);
        quantize(args: QuantizeArgs<CandleTensor>) -> CandleTensor;
        dequantize(x: Packed<CandleTensor>) -> CandleTensor;
        quantized_matmul(args: QuantizedMatmulArgs<CandleTensor>) -> CandleTensor;
        integer_matmul(args: IntegerMatmulArgs<CandleTensor>) -> CandleTensor;
        run_block(block: Block<CandleTensor>) -> Vec<CandleTensor>;
    }

    fn softmax(x: CandleTensor, dim: usize) -> CandleTensor {
        softmax::softmax(x, dim)
    }
    fn log_softmax(x: CandleTensor, dim: usize) -> CandleTensor {
        softmax::log_softmax(x, dim)
    }
    fn layer_norm(args: LayerNormArgs<CandleTensor>) -> CandleTensor {
        layer_norm::layer_norm(args)
    }
    fn layer_norm_grad(args: LayerNormGradArgs<CandleTensor>) -> CandleTensor {
        layer_norm::layer_norm_grad(args)
    }
}

/// Blocks run call by call: candle has no kernel for several operations.
impl<F: Element, I: Element> FusionBackend for Candle<F, I> {
    fn has_kernel(composite: Composite) -> bool {
        match composite {
            Composite::Softmax | Composite::LogSoftmax => true,
            Composite::LayerNorm | Composite::LayerNormGrad => true,
        }
    }
    fn fusion_object() -> &'static dyn FusionObject {
        object::fusion_object()
    }
}
