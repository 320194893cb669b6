//! Convolutions as products of matrices: weights times the windows of the images, as columns.

use super::unfold::{Windows, fold, unfold};
use crate::launch::element::widened;
use crate::launch::tensor::CubeTensor;
use crate::ops::elementwise::{cast, elementwise};
use crate::ops::layout::{cat, contiguous, slice, transpose};
use crate::ops::matmul::matmul;
use crate::ops::reduce::reduce;
use burn_backend::*;

/// Most bytes of columns that are in memory at a time: WebGPU promises buffers of this size. The columns of
/// an image are not made where they take more.
const MOST_COLUMNS: usize = 128 << 20;

/// Output channels of a group, and elements of its windows, below which products are too thin to pay.
const FEWEST: [usize; 2] = [4, 8];

/// A convolution by products.
struct Products<'a> {
    windows: Windows<'a>,
    images: usize,
    groups: usize,
    /// Output channels of a group.
    group_out: usize,
    /// Input channels of a group times taps.
    depth: usize,
    /// Outputs of an image and channel.
    places: usize,
}

impl<'a> Products<'a> {
    /// A convolution of these shapes, where products pay.
    fn new(dtype: DType, [input, weight, output]: [&'a Shape; 3], options: &'a ConvOptions) -> Option<Self> {
        let groups = options.groups;
        let windows = Windows { kernel: &weight[2..], input: &input[2..], output: &output[2..], options };
        let depth: usize = weight[1..].iter().product();
        let places: usize = output[2..].iter().product();
        let (images, group_out) = (input[0], weight[0] / groups);
        let pays = dtype.is_float() && group_out >= FEWEST[0] && depth >= FEWEST[1];
        let is_there = images * places * depth > 0 && input[2..].iter().all(|&size| size > 0);
        let products = Products { windows, images, groups, group_out, depth, places };
        let has_room = products.columns_of_image() * widened(dtype).size() <= MOST_COLUMNS;
        (pays && is_there && has_room).then_some(products)
    }

    /// Elements of the columns of an image that are made.
    fn columns_of_image(&self) -> usize {
        if self.windows.are_elements() { 0 } else { self.groups * self.depth * self.places }
    }

    /// Ranges of images that take so much memory at a time, where each has `of_image` elements.
    fn parts(&self, of_image: usize, dtype: DType) -> impl Iterator<Item = [usize; 2]> {
        let images = self.images;
        let each = (MOST_COLUMNS / widened(dtype).size() / of_image.max(1)).clamp(1, images);
        (0..images).step_by(each).map(move |first| [first, images.min(first + each)])
    }

    /// Windows of contiguous images, `[images, groups, depth, places]`.
    fn columns(&self, x: CubeTensor) -> CubeTensor {
        let images = x.spec().shape[0];
        let columns = if self.windows.are_elements() { x } else { unfold(&x, &self.windows) };
        columns.reshaped([images, self.groups, self.depth, self.places].into())
    }

    /// The weight as matrices, `[1, groups, group_out, depth]`.
    fn matrices(&self, weight: &CubeTensor) -> CubeTensor {
        weight.clone().reshaped([1, self.groups, self.group_out, self.depth].into())
    }

    /// Gradients or outputs of contiguous images as matrices, `[images, groups, group_out, places]`.
    fn outputs(&self, y: CubeTensor) -> CubeTensor {
        let images = y.spec().shape[0];
        y.reshaped([images, self.groups, self.group_out, self.places].into())
    }
}

/// Some of the images, contiguous.
fn images_of(x: &CubeTensor, [start, end]: [usize; 2]) -> CubeTensor {
    let shape = &x.spec().shape;
    if [start, end] == [0, shape[0]] {
        return x.clone();
    }
    let whole = shape[1..].iter().map(|&end| Slice { start: 0, end, step: 1 });
    let slices = std::iter::once(Slice { start, end, step: 1 }).chain(whole).collect();
    contiguous(slice(x.clone(), &slices))
}

/// Joins parts along the images.
fn joined(mut parts: Vec<CubeTensor>, shape: Shape) -> CubeTensor {
    let whole = if parts.len() == 1 { parts.remove(0) } else { cat(&parts, 0) };
    whole.reshaped(shape)
}

fn sum_of_images(x: &CubeTensor) -> CubeTensor {
    reduce(ReduceOp::Sum, x, &[0].into_iter().collect())
}

/// Computes the convolution of contiguous operands. With a bias, halves are rounded once, after it was added.
pub fn conv_by_product(
    x: &CubeTensor,
    weight: &CubeTensor,
    bias: Option<&CubeTensor>,
    spec: &TensorSpec,
    options: &ConvOptions,
) -> Option<CubeTensor> {
    let shapes = [&x.spec().shape, &weight.spec().shape, &spec.shape];
    let products = Products::new(spec.dtype, shapes, options)?;
    let dtype = if bias.is_some() { widened(spec.dtype) } else { spec.dtype };
    let matrices = products.matrices(&cast(weight.clone(), dtype));
    let part = |range: [usize; 2]| {
        let product = matmul(&matrices, &products.columns(cast(images_of(x, range), dtype)));
        let Some(bias) = bias else { return product };
        let channels = bias.clone().reshaped([1, products.groups, products.group_out, 1].into());
        let rhs = cast(channels, dtype);
        let sum = elementwise(Elementwise::Binary { op: BinaryOp::Add, lhs: product, rhs });
        cast(sum, spec.dtype)
    };
    let parts = products.parts(products.columns_of_image(), dtype).map(part).collect();
    Some(joined(parts, spec.shape.clone()))
}

/// Computes the gradient of the input, of `spec`, from contiguous operands. Where windows overlap, halves are
/// multiplied and added up in `f32`.
pub fn input_grad_by_product(
    grad: &CubeTensor,
    weight: &CubeTensor,
    spec: &TensorSpec,
    options: &ConvOptions,
) -> Option<CubeTensor> {
    let shapes = [&spec.shape, &weight.spec().shape, &grad.spec().shape];
    let products = Products::new(spec.dtype, shapes, options)?;
    let is_sum = !products.windows.are_elements();
    let dtype = if is_sum { widened(spec.dtype) } else { spec.dtype };
    let matrices = transpose(products.matrices(&cast(weight.clone(), dtype)));
    let part = |range @ [start, end]: [usize; 2]| {
        let grad = cast(images_of(grad, range), dtype);
        let columns = matmul(&matrices, &products.outputs(grad));
        let mut shape = spec.shape.clone();
        shape[0] = end - start;
        match is_sum {
            true => cast(fold(&columns, TensorSpec::new(shape, dtype), &products.windows), spec.dtype),
            false => columns.reshaped(shape),
        }
    };
    Some(joined(
        products.parts(products.columns_of_image(), spec.dtype).map(part).collect(),
        spec.shape.clone(),
    ))
}

/// Computes the gradient of the weight, of `spec`, from contiguous operands: the sum of the products of all
/// images, in `f32` where elements are halves.
pub fn weight_grad_by_product(
    grad: &CubeTensor,
    x: &CubeTensor,
    spec: &TensorSpec,
    options: &ConvOptions,
) -> Option<CubeTensor> {
    let shapes = [&x.spec().shape, &spec.shape, &grad.spec().shape];
    let products = Products::new(spec.dtype, shapes, options)?;
    let wide = widened(spec.dtype);
    let widened = |x: &CubeTensor, range| cast(images_of(x, range), wide);
    let part = |range: [usize; 2]| {
        let columns = products.columns(widened(x, range));
        let product = matmul(&products.outputs(widened(grad, range)), &transpose(columns));
        sum_of_images(&product)
    };
    let of_image = products.columns_of_image() + spec.shape.num_elements();
    let sums: Vec<_> = products.parts(of_image, spec.dtype).map(part).collect();
    let sum = match sums.len() {
        1 => joined(sums, spec.shape.clone()),
        _ => sum_of_images(&cat(&sums, 0)).reshaped(spec.shape.clone()),
    };
    Some(cast(sum, spec.dtype))
}
