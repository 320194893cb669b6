use super::code::{Code, GroupWords, difference, grid, is_single, zero_of};
use crate::launch::kernel::{B, Body, Kernel, launch};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::LaunchWords;
use crate::ops::layout::contiguous;
use burn_backend::{HasSpec, Packed, TensorSpec};
use cubecl::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Dequantize {
    code: Code,
}

#[cube]
fn decode<E: Numeric>(
    values: &Array<i32>,
    scale: &Array<E>,
    zero: &Array<i32>,
    out: &mut Array<E>,
    grid: &GroupWords,
    #[comptime] code: Code,
) {
    let at = strides::position();
    if at < grid.packed {
        let word = values[at as usize];
        #[unroll]
        for lane in 0..comptime!(code.lanes()) {
            let element = at * comptime!(code.lanes()) + lane;
            if element < grid.count {
                let group = ((element / grid.step) % grid.groups) as usize;
                let middle = zero_of(zero, group, code);
                let number = difference(word, middle, lane, code);
                out[element as usize] = E::cast_from(number * f32::cast_from(scale[group]));
            }
        }
    }
}

impl Kernel for Dequantize {
    const NAME: &'static str = "dequantize";

    fn expand(&self, body: &mut Body) {
        // Without zero points the kernel does not read them.
        let (zero, out) = if self.code.has_zero { (2, 3) } else { (0, 2) };
        let (values, scale, zero, out) = (body.array(0), body.array(1), body.array(zero), body.array(out));
        let grid = body.read::<GroupWords>();
        decode::expand::<B>(&mut body.scope, values, scale, zero, out, grid, self.code);
    }
}

/// Dequantizes a tensor. `otherwise` computes calls without a kernel.
pub fn dequantize(
    x: Packed<CubeTensor>,
    otherwise: impl FnOnce(Packed<CubeTensor>) -> CubeTensor,
) -> CubeTensor {
    if !is_single(&x.scale) {
        return otherwise(x);
    }
    let Packed { values, scale, zero, scheme, shape } = x.map(contiguous);
    let spec = TensorSpec { shape: shape.clone(), dtype: scale.dtype() };
    let out = CubeTensor::empty(spec, scale.engine());
    let grid = grid(scheme, &shape);
    let inputs: Vec<&CubeTensor> = [&values, &scale].into_iter().chain(&zero).collect();
    launch(Dequantize { code: Code::new(scheme) }, &inputs, &[&out], &grid.words(), grid.packed as usize);
    out
}
