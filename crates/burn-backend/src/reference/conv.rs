//! Convolutions as products of matrices: what a window sees is a column.

use super::precision::{narrow, wide};
use super::window::Windows;
use crate::{Backend, ops};
use burn_ir::{ConvArgs, ConvGradArgs, ConvOptions, HasSpec, Scalar, Shape, TensorSpec};

/// The sizes of a convolution, and its windows.
struct Geometry {
    batch: usize,
    groups: usize,
    /// Channels of a group that go in and come out.
    channels_in: usize,
    channels_out: usize,
    windows: Windows,
}

fn output_shape(x: &Shape, weight: &Shape, options: &ConvOptions) -> Shape {
    let size = |d: usize| options.output_size(d, x[d + 2], weight[d + 2]).expect("the kernel fits");
    [x[0], weight[0]].into_iter().chain((0..options.stride.len()).map(size)).collect()
}

impl Geometry {
    fn new(x: &Shape, weight: &Shape, options: &ConvOptions) -> Self {
        let ConvOptions { stride, padding: _, dilation, groups } = options;
        let output = output_shape(x, weight, options);
        let windows = Windows::sliding(
            &x[2..],
            &weight[2..],
            &output[2..],
            [stride, options.padding_before(), dilation],
        );
        Geometry {
            batch: x[0],
            groups: *groups,
            channels_in: weight[1],
            channels_out: weight[0] / groups,
            windows,
        }
    }

    /// Returns the number of input elements in one window: input channels per group times kernel size.
    fn seen(&self) -> usize {
        self.channels_in * self.windows.taps
    }

    /// Gathers the windows as columns (im2col): `[batch, group, seen, window]`.
    fn columns<B: Backend>(&self, x: B::Tensor) -> B::Tensor {
        let shape = [self.batch, self.groups, self.seen(), self.windows.outputs];
        B::reshape(self.windows.read::<B>(x), shape.into())
    }

    /// Reshapes the result of a convolution: `[batch, group, channel, window]`.
    fn results<B: Backend>(&self, x: B::Tensor) -> B::Tensor {
        let shape = [self.batch, self.groups, self.channels_out, self.windows.outputs];
        B::reshape(wide::<B>(x), shape.into())
    }

    /// Reshapes the weight: `[1, group, channel, seen]`.
    fn weight<B: Backend>(&self, weight: B::Tensor) -> B::Tensor {
        B::reshape(wide::<B>(weight), [1, self.groups, self.channels_out, self.seen()].into())
    }
}

/// Returns zeros of `target` where a gradient is a sum of no terms: where it or an operand has no elements.
/// The windows of such a convolution may be more than there is memory for.
fn without_terms<B: Backend>(args: &ConvGradArgs<B::Tensor>) -> Option<B::Tensor> {
    let ConvGradArgs { grad, other, target, .. } = args;
    let has_terms = [target, &grad.spec().shape, &other.spec().shape].iter().all(|x| x.num_elements() > 0);
    let spec = || TensorSpec::new(target.clone(), grad.dtype());
    (!has_terms).then(|| B::full(spec(), Scalar::Int(0), &B::device(grad)))
}

/// See [`ConvArgs`]. Padding is zeros that are multiplied like others.
pub fn conv<B: Backend>(args: ConvArgs<B::Tensor>) -> B::Tensor {
    let ConvArgs { x, weight, bias, options } = args;
    let (dtype, shape) = (x.dtype(), output_shape(&x.spec().shape, &weight.spec().shape, &options));
    if shape.num_elements() == 0 {
        return B::full(TensorSpec::new(shape, dtype), Scalar::Int(0), &B::device(&x));
    }
    let geometry = Geometry::new(&x.spec().shape, &weight.spec().shape, &options);
    let result = B::matmul(geometry.weight::<B>(weight), geometry.columns::<B>(x));
    let result = match bias {
        Some(bias) => {
            let channels = [geometry.groups, geometry.channels_out, 1];
            ops::add::<B>(result, B::reshape(wide::<B>(bias), channels.into()))
        }
        None => result,
    };
    narrow::<B>(B::reshape(result, shape), dtype)
}

/// Computes a transposed convolution: the gradient of each column, added to the positions it was gathered
/// from (col2im).
pub fn conv_transpose<B: Backend>(args: ConvGradArgs<B::Tensor>) -> B::Tensor {
    if let Some(zeros) = without_terms::<B>(&args) {
        return zeros;
    }
    let ConvGradArgs { grad, other: weight, target, options } = args;
    let (dtype, geometry) = (grad.dtype(), Geometry::new(&target, &weight.spec().shape, &options));
    let weight = ops::transpose::<B>(geometry.weight::<B>(weight));
    let columns = B::matmul(weight, geometry.results::<B>(grad));
    narrow::<B>(geometry.windows.add::<B>(columns, &target), dtype)
}

/// Computes the weight gradient: products of output gradients and columns, summed over windows and batch.
pub fn conv_weight_grad<B: Backend>(args: ConvGradArgs<B::Tensor>) -> B::Tensor {
    if let Some(zeros) = without_terms::<B>(&args) {
        return zeros;
    }
    let ConvGradArgs { grad, other: x, target, options } = args;
    let (dtype, geometry) = (grad.dtype(), Geometry::new(&x.spec().shape, &target, &options));
    // Windows of all of the batch side by side: `[group, .., batch * window]`.
    let beside = |x: B::Tensor, rows: usize| {
        let shape = [geometry.groups, rows, geometry.batch * geometry.windows.outputs];
        B::reshape(B::permute(x, [1, 2, 0, 3].into()), shape.into())
    };
    let grad = beside(geometry.results::<B>(grad), geometry.channels_out);
    let columns = beside(geometry.columns::<B>(x), geometry.seen());
    let sums = B::matmul(grad, ops::transpose::<B>(columns));
    narrow::<B>(B::reshape(sums, target), dtype)
}
