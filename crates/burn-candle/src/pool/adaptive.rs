//! Means over windows that share a plane between a number of results.

use crate::element::{Float, Number};
use crate::library::Core;
use crate::memory::in_order;
use crate::rows::by_row;
use crate::tensor::CandleTensor;
use crate::unary::is_half;
use crate::{cast, create, host};
use burn_backend::{DType, Dims, Element, HasSpec, Operation, Pooling, Scalar, Shape, TensorSpec};
use burn_library_backend::{Kernels, result, with_float};
use std::ops::Range;

/// Window `i` of a dimension reaches from `i input / output`, down, to `(i + 1) input / output`, up.
struct Windows {
    along: [Vec<Range<usize>>; 3],
    input: [usize; 3],
}

impl Windows {
    fn new(input: &[usize], output: &[usize]) -> Self {
        let spatial = input.len();
        let own = |d: usize| (d + spatial).checked_sub(3);
        let window =
            |input: usize, output: usize, i: usize| i * input / output..((i + 1) * input).div_ceil(output);
        let along = |d: usize| match own(d) {
            Some(d) => (0..output[d]).map(|i| window(input[d], output[d], i)).collect(),
            None => std::iter::once(0..1).collect(),
        };
        Windows {
            along: std::array::from_fn(along),
            input: std::array::from_fn(|d| own(d).map_or(1, |d| input[d])),
        }
    }

    /// Elements of a plane that goes in, and of one that comes out.
    fn sizes(&self) -> [usize; 2] {
        [self.input.iter().product(), self.along.iter().map(Vec::len).product()]
    }

    /// Calls `f` with every window in order: its number of elements, and their positions.
    fn each(&self, mut f: impl FnMut(usize, &mut dyn Iterator<Item = usize>)) {
        let [planes, rows, cols] = &self.along;
        for plane in planes {
            for row in rows {
                for col in cols {
                    let start = |p: usize, r: usize| (p * self.input[1] + r) * self.input[2];
                    let in_plane =
                        |p: usize| row.clone().flat_map(move |r| col.clone().map(move |c| start(p, r) + c));
                    f(plane.len() * row.len() * col.len(), &mut plane.clone().flat_map(in_plane));
                }
            }
        }
    }
}

pub fn adaptive_avg_pool(x: CandleTensor, size: Dims) -> CandleTensor {
    let dtype = x.dtype();
    if is_half(dtype) {
        return cast::cast(adaptive_avg_pool(cast::cast(x, DType::F32), size), dtype);
    }
    let spec = result(&Operation::Pooling(Pooling::AdaptiveAvgPool { x: &x, size: size.clone() }));
    let shape = spec.shape.clone();
    if shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), x.device());
    }
    Core::own("adaptive_avg_pool", [&x], spec, |[x]| {
        // Windows are as many as results: they are listed when there is memory for those.
        let windows = Windows::new(&x.dims()[2..], &size);
        let [inputs, outputs] = windows.sizes();
        with_float!(dtype, E => {
            let values = by_row::<E, E>(&x, inputs, outputs, |plane, out| {
                let mut out = out.iter_mut();
                windows.each(|count, places| {
                    let mut sum = E::default();
                    places.for_each(|place| sum = E::from_sum(sum.to_sum() + E::load(plane[place]).to_sum()));
                    if let Some(out) = out.next() {
                        *out = E::from_f64(sum.to_f64() / count as f64).store();
                    }
                });
            })?;
            host::make::<E>(values, &shape)
        })
    })
}

/// Each element of `grad` in equal parts to its window.
pub fn adaptive_avg_pool_grad(grad: CandleTensor, target: Shape) -> CandleTensor {
    let dtype = grad.dtype();
    if is_half(dtype) {
        return cast::cast(adaptive_avg_pool_grad(cast::cast(grad, DType::F32), target), dtype);
    }
    let spec = TensorSpec { shape: target.clone(), dtype };
    if grad.spec().shape.num_elements() == 0 || target.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), grad.device());
    }
    Core::own("adaptive_avg_pool_grad", [&grad], spec, |[grad]| {
        // As many as elements of the gradient, which lie in memory from here on.
        let grad = in_order(&grad)?;
        let windows = Windows::new(&target[2..], &grad.dims()[2..]);
        let [inputs, outputs] = windows.sizes();
        with_float!(dtype, E => {
            let values = by_row::<E, E>(&grad, outputs, inputs, |grads, out| {
                let mut grads = grads.iter();
                windows.each(|count, places| {
                    let grad = grads.next().map_or(0.0, |&grad| E::load(grad).to_f64());
                    let share = E::from_f64(grad / count as f64).to_sum();
                    places.for_each(|place| {
                        out[place] = E::from_sum(E::load(out[place]).to_sum() + share).store();
                    });
                });
            })?;
            host::make::<E>(values, &target)
        })
    })
}
