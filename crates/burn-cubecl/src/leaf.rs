use crate::device::engine::Engine;
use crate::launch::tensor::CubeTensor;
use crate::ops::attention;
use crate::ops::block;
use crate::ops::create;
use crate::ops::elementwise::elementwise;
use crate::ops::fft;
use crate::ops::index;
use crate::ops::interpolate;
use crate::ops::layout;
use crate::ops::linalg;
use crate::ops::matmul;
use crate::ops::norm;
use crate::ops::quantization;
use crate::ops::random;
use crate::ops::recurrent;
use crate::ops::reduce;
use crate::ops::scan;
use crate::ops::softmax;
use crate::ops::sort;
use crate::ops::window;
use burn_backend::dynamic::{BackendObject, object_of};
use burn_backend::*;

/// The backend without its type parameters, which no kernel knows: what programs call is compiled here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaf;

/// A device of any runtime.
#[derive(Clone, Debug)]
pub struct LeafDevice(pub &'static dyn Engine);

impl PartialEq for LeafDevice {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(self.0, other.0)
    }
}

impl Default for LeafDevice {
    /// # Panics
    /// Always: the devices of runtimes have defaults, and no other is made.
    fn default() -> Self {
        unreachable!("a device belongs to a runtime")
    }
}

impl Backend for Leaf {
    type Device = LeafDevice;
    type Tensor = CubeTensor;
    type FloatElem = f32;
    type IntElem = i32;

    #[inline(never)]
    fn execute(op: Operation<CubeTensor>) -> Outputs<CubeTensor> {
        dispatch::<Leaf>(op)
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<Leaf>()
    }
    fn name(device: &LeafDevice) -> String {
        device.0.name().to_string()
    }
    fn has_dtype(device: &LeafDevice, dtype: DType) -> bool {
        device.0.has(dtype)
    }
    fn seed(seed: u64) {
        random::seed(seed);
    }
    fn sync(device: &LeafDevice) {
        let engine = device.0;
        match block_on(engine.sync()) {
            Ok(Ok(())) => {}
            // Who waits has no result to lose; who reads next is told.
            Ok(Err(error)) => engine.faults().note_error(&error),
            Err(pending) => panic!("{}: {pending:?}", engine.name()),
        }
    }
    fn device(x: &CubeTensor) -> LeafDevice {
        LeafDevice(x.engine())
    }
    fn to_device(x: CubeTensor, device: &LeafDevice) -> CubeTensor {
        if LeafDevice(x.engine()) == *device {
            return x;
        }
        let data = block_on(create::into_data(x)).expect("this thread may wait");
        create::from_data(data.unwrap_or_else(|error| panic!("{error}")), device.0)
    }
    async fn into_data(x: CubeTensor) -> Result<TensorData, DataError> {
        create::into_data(x).await
    }
    fn tracks_gradients(_device: &LeafDevice) -> bool {
        false
    }
    fn set_require_grad(x: CubeTensor, _require_grad: bool) -> CubeTensor {
        x
    }
    fn is_require_grad(_x: &CubeTensor) -> bool {
        false
    }
    fn detach(x: CubeTensor) -> CubeTensor {
        x
    }
    fn checkpoint(segment: Segment<CubeTensor>, inputs: Vec<CubeTensor>) -> Vec<CubeTensor> {
        segment(inputs)
    }
    fn linear_map(map: LinearMapRef, x: CubeTensor) -> Result<CubeTensor, LinearMapError> {
        apply_linear_map::<Self>(&map, x)
    }

    fn from_data(data: TensorData, device: &LeafDevice) -> CubeTensor {
        create::from_data(data, device.0)
    }
    fn full(spec: TensorSpec, value: Scalar, device: &LeafDevice) -> CubeTensor {
        create::full(spec, value, device.0)
    }
    fn range(spec: TensorSpec, start: Scalar, step: Scalar, device: &LeafDevice) -> CubeTensor {
        create::range(spec, start, step, device.0)
    }
    fn random(spec: TensorSpec, distribution: Distribution, device: &LeafDevice) -> CubeTensor {
        random::random(spec, distribution, device.0)
    }

    fn unary(op: UnaryOp, x: CubeTensor) -> CubeTensor {
        elementwise(Operation::Unary { op, x })
    }
    fn binary(op: BinaryOp, lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
        elementwise(Operation::Binary { op, lhs, rhs })
    }
    fn binary_scalar(op: BinaryOp, lhs: CubeTensor, rhs: Scalar) -> CubeTensor {
        elementwise(Operation::BinaryScalar { op, lhs, rhs })
    }
    fn compare(op: CompareOp, lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
        elementwise(Operation::Compare { op, lhs, rhs })
    }
    fn compare_scalar(op: CompareOp, lhs: CubeTensor, rhs: Scalar) -> CubeTensor {
        elementwise(Operation::CompareScalar { op, lhs, rhs })
    }
    fn clamp(x: CubeTensor, min: Option<Scalar>, max: Option<Scalar>) -> CubeTensor {
        elementwise(Operation::Clamp { x, min, max })
    }
    fn mask_where(mask: CubeTensor, on: CubeTensor, off: CubeTensor) -> CubeTensor {
        elementwise(Operation::MaskWhere { mask, on, off })
    }
    fn mask_fill(x: CubeTensor, mask: CubeTensor, value: Scalar) -> CubeTensor {
        elementwise(Operation::MaskFill { x, mask, value })
    }
    fn cast(x: CubeTensor, dtype: DType) -> CubeTensor {
        elementwise(Operation::Cast { x, dtype })
    }

    fn reshape(x: CubeTensor, shape: Shape) -> CubeTensor {
        layout::reshape(x, shape)
    }
    fn permute(x: CubeTensor, axes: Dims) -> CubeTensor {
        layout::permute(x, &axes)
    }
    fn expand(x: CubeTensor, shape: Shape) -> CubeTensor {
        layout::expand(x, shape)
    }
    fn flip(x: CubeTensor, axes: Dims) -> CubeTensor {
        layout::flip(x, &axes)
    }
    fn slice(x: CubeTensor, slices: Slices) -> CubeTensor {
        layout::slice(x, &slices)
    }
    fn slice_assign(x: CubeTensor, slices: Slices, value: CubeTensor) -> CubeTensor {
        layout::slice_assign(&x, &slices, &value)
    }
    fn cat(xs: Vec<CubeTensor>, dim: usize) -> CubeTensor {
        layout::cat(&xs, dim)
    }
    fn repeat_dim(x: CubeTensor, dim: usize, times: usize) -> CubeTensor {
        layout::repeat_dim(x, dim, times)
    }

    fn reduce(op: ReduceOp, x: CubeTensor, dims: Dims) -> CubeTensor {
        reduce::reduce(op, &x, &dims)
    }
    fn arg_reduce(op: Extremum, x: CubeTensor, dim: usize, index: DType) -> CubeTensor {
        reduce::reduce_with_indices(op, &x, dim, index).1
    }
    fn reduce_with_indices(
        op: Extremum,
        x: CubeTensor,
        dim: usize,
        index: DType,
    ) -> (CubeTensor, CubeTensor) {
        reduce::reduce_with_indices(op, &x, dim, index)
    }
    fn cumulative(op: CumulativeOp, x: CubeTensor, dim: usize) -> CubeTensor {
        scan::cumulative(op, x, dim)
    }
    fn sort(x: CubeTensor, dim: usize, descending: bool) -> CubeTensor {
        sort::sort_with_indices(&x, dim, descending, DType::I32).0
    }
    fn sort_with_indices(
        x: CubeTensor,
        dim: usize,
        descending: bool,
        index: DType,
    ) -> (CubeTensor, CubeTensor) {
        sort::sort_with_indices(&x, dim, descending, index)
    }
    fn topk(x: CubeTensor, k: usize, dim: usize, largest: bool, index: DType) -> (CubeTensor, CubeTensor) {
        sort::topk(&x, k, dim, largest, index)
    }

    fn gather(x: CubeTensor, dim: usize, indices: CubeTensor) -> CubeTensor {
        index::gather_(x, dim, indices)
    }
    fn scatter(
        x: CubeTensor,
        dim: usize,
        indices: CubeTensor,
        value: CubeTensor,
        update: IndexUpdate,
    ) -> CubeTensor {
        index::scatter(&x, dim, indices, value, update)
    }
    fn select(x: CubeTensor, dim: usize, indices: CubeTensor) -> CubeTensor {
        index::select_(x, dim, indices)
    }
    fn select_assign(
        x: CubeTensor,
        dim: usize,
        indices: CubeTensor,
        value: CubeTensor,
        update: IndexUpdate,
    ) -> CubeTensor {
        index::select_assign(&x, dim, indices, value, update)
    }

    fn matmul(lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
        matmul::matmul(&lhs, &rhs)
    }
    fn factorize(op: Factorization, x: CubeTensor) -> CubeTensor {
        match op {
            Factorization::Cholesky => linalg::cholesky(&x),
            Factorization::Qr => linalg::qr(&x),
            Factorization::Svd => linalg::svd(&x),
            Factorization::Eigh => linalg::eigh(&x),
        }
    }
    fn lu(x: CubeTensor, index: DType) -> (CubeTensor, CubeTensor) {
        linalg::lu(&x, index)
    }
    fn solve(a: CubeTensor, b: CubeTensor) -> CubeTensor {
        linalg::solve(a, b)
    }
    fn solve_triangular(a: CubeTensor, b: CubeTensor, triangle: Triangle) -> CubeTensor {
        linalg::solve_triangular(a, b, triangle)
    }
    fn conv(args: ConvArgs<CubeTensor>) -> CubeTensor {
        window::conv_(args)
    }
    fn conv_transpose(args: ConvGradArgs<CubeTensor>) -> CubeTensor {
        window::conv_transpose_(args)
    }
    fn conv_weight_grad(args: ConvGradArgs<CubeTensor>) -> CubeTensor {
        window::conv_weight_grad_(args)
    }
    fn pool(args: PoolArgs<CubeTensor>) -> CubeTensor {
        window::pool(args)
    }
    fn pool_grad(args: PoolGradArgs<CubeTensor>) -> CubeTensor {
        window::pool_grad_(args)
    }
    fn max_pool_with_indices(x: CubeTensor, options: PoolOptions, index: DType) -> (CubeTensor, CubeTensor) {
        window::max_pool_with_indices(x, &options, index)
    }
    fn adaptive_avg_pool(x: CubeTensor, size: Dims) -> CubeTensor {
        window::adaptive_avg_pool(x, &size)
    }
    fn adaptive_avg_pool_grad(grad: CubeTensor, target: Shape) -> CubeTensor {
        window::adaptive_avg_pool_grad(grad, target)
    }
    fn interpolate(x: CubeTensor, size: Dims, options: Interpolation) -> CubeTensor {
        interpolate::interpolate(x, &size, &options)
    }
    fn interpolate_grad(grad: CubeTensor, target: Shape, options: Interpolation) -> CubeTensor {
        interpolate::interpolate_grad(grad, target, &options)
    }
    fn fft(op: FftOp, x: CubeTensor, dim: usize) -> CubeTensor {
        fft::fft(op, x, dim)
    }

    fn run_block(block: Block<CubeTensor>) -> Vec<CubeTensor> {
        block::run_block(block)
    }
    fn softmax(x: CubeTensor, dim: usize) -> CubeTensor {
        softmax::softmax(x, dim, false)
    }
    fn log_softmax(x: CubeTensor, dim: usize) -> CubeTensor {
        softmax::softmax(x, dim, true)
    }
    fn layer_norm(args: LayerNormArgs<CubeTensor>) -> CubeTensor {
        norm::layer_norm_(args)
    }
    fn layer_norm_grad(args: LayerNormGradArgs<CubeTensor>) -> CubeTensor {
        norm::layer_norm_grad_(args)
    }
    fn attention(args: AttentionArgs<CubeTensor>) -> (CubeTensor, CubeTensor) {
        attention::attention(args)
    }
    fn attention_grad(args: AttentionGradArgs<CubeTensor>) -> (CubeTensor, CubeTensor, CubeTensor) {
        attention::attention_grad(args)
    }
    fn recurrent(args: RecurrentArgs<CubeTensor>) -> (CubeTensor, CubeTensor) {
        recurrent::recurrent(args)
    }
    fn recurrent_grad(args: RecurrentGradArgs<CubeTensor>) -> (CubeTensor, CubeTensor) {
        recurrent::recurrent_grad(args)
    }
    fn quantize(args: QuantizeArgs<CubeTensor>) -> CubeTensor {
        quantization::quantize(args)
    }
    fn dequantize(x: Packed<CubeTensor>) -> CubeTensor {
        quantization::dequantize(x)
    }
    fn quantized_matmul(args: QuantizedMatmulArgs<CubeTensor>) -> CubeTensor {
        quantization::quantized_matmul(args)
    }
    fn integer_matmul(args: IntegerMatmulArgs<CubeTensor>) -> CubeTensor {
        quantization::integer_matmul(args)
    }

    async fn argwhere(mask: CubeTensor, index: DType) -> Result<CubeTensor, DataError> {
        index::argwhere(mask, index).await
    }
}
