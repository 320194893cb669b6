use super::code::{Code, GroupWords, grid, is_single, zero_of};
use crate::device::arithmetic::Arithmetic;
use crate::launch::kernel::{A, Body, Kernel, launch};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::LaunchWords;
use crate::ops::block::{float_round, quotient};
use crate::ops::layout::contiguous;
use crate::ops::math::is_nan;
use burn_backend::{DType, HasSpec, QuantizeArgs, TensorSpec};
use cubecl::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Quantize {
    code: Code,
    /// Whether quotients have to be corrected.
    is_near: bool,
}

/// Quantized elements as they are written.
#[derive(CubeType, Clone)]
struct Target {
    grid: GroupWords,
    /// Range of integers, or limits of floats as in [`float`].
    limits: Sequence<u32>,
}

/// An integer, within its range.
#[cube]
fn integer(ratio: f32, zero: i32, low: i32, high: i32) -> u32 {
    // Beyond every range, and below where floats have no fraction.
    let far = 1_048_576.0f32;
    let near = select(is_nan(ratio), 0.0f32, ratio);
    let near = select(near < far, near, far);
    let near = select(near > -far, near, -far);
    let whole = i32::cast_from(float_round(near)) + zero;
    let whole = select(whole < low, low, whole);
    u32::reinterpret(select(whole > high, high, whole))
}

/// The code of a float; `largest`, `normal` and `steps` are the largest number, the smallest normal one and
/// one whose last place is the smallest number.
#[cube]
fn float(ratio: f32, largest: f32, normal: f32, steps: f32, #[comptime] code: Code) -> u32 {
    let size = crate::ops::math::magnitude(ratio);
    let size = select(size < largest, size, largest);
    let bits = u32::reinterpret(size);
    let drop = comptime!(23 - code.fraction());
    let even = (bits >> drop) & 1u32;
    let rounded = (bits + comptime!((1u32 << (22 - code.fraction())) - 1) + even) >> drop;
    let large = rounded - comptime!((127 - code.bias()) << code.fraction());
    let small = u32::reinterpret(size + steps) - u32::reinterpret(steps);
    let found = select(size < normal, small, large);
    let sign = select(ratio < 0.0f32 && found > 0u32, 128u32, 0u32);
    select(is_nan(ratio), 127u32, found | sign)
}

#[cube]
fn quantize<E: Numeric>(
    x: &Array<E>,
    scale: &Array<E>,
    zero: &Array<i32>,
    out: &mut Array<i32>,
    target: &Target,
    #[comptime] kernel: Quantize,
) {
    let code = comptime!(kernel.code);
    let (grid, limits) = (&target.grid, &target.limits);
    let at = strides::position();
    if at < grid.packed {
        let mut word = 0u32;
        #[unroll]
        for lane in 0..comptime!(code.lanes()) {
            let element = at * comptime!(code.lanes()) + lane;
            if element < grid.count {
                let group = ((element / grid.step) % grid.groups) as usize;
                let (above, below) = (f32::cast_from(x[element as usize]), f32::cast_from(scale[group]));
                let ratio = if comptime!(kernel.is_near) { quotient(above, below) } else { above / below };
                let bits = if comptime!(code.is_float()) {
                    let largest = f32::reinterpret(*limits.index(0usize));
                    let normal = f32::reinterpret(*limits.index(1usize));
                    float(ratio, largest, normal, f32::reinterpret(*limits.index(2usize)), code)
                } else {
                    let middle = zero_of(zero, group, code);
                    let low = i32::reinterpret(*limits.index(0usize));
                    integer(ratio, middle, low, i32::reinterpret(*limits.index(1usize)))
                };
                word =
                    word | ((bits & comptime!((1u32 << code.bits()) - 1)) << comptime!(lane * code.bits()));
            }
        }
        out[at as usize] = i32::reinterpret(word);
    }
}

impl Kernel for Quantize {
    const NAME: &'static str = "quantize";

    fn expand(&self, body: &mut Body) {
        // Without zero points the kernel does not read them.
        let (zero, out) = if self.code.has_zero { (2, 3) } else { (1, 2) };
        let (x, scale, zero, out) = (body.array(0), body.array(1), body.array(zero), body.array(out));
        let target = TargetExpand { grid: body.read::<GroupWords>(), limits: body.next_words(3) };
        quantize::expand::<A>(&mut body.scope, x, scale, zero, out, target, *self);
    }
}

/// See [`QuantizeArgs`]. `otherwise` computes calls without a kernel.
pub fn quantize_(
    args: QuantizeArgs<CubeTensor>,
    otherwise: impl FnOnce(QuantizeArgs<CubeTensor>) -> CubeTensor,
) -> CubeTensor {
    if !is_single(&args.scale) {
        return otherwise(args);
    }
    let QuantizeArgs { x, scale, zero, scheme } = args.map(contiguous);
    let (shape, engine) = (x.shape(), x.engine());
    let grid = grid(scheme, &shape);
    let out = CubeTensor::empty(TensorSpec::new([grid.packed as usize], DType::I32), engine);
    let limits = match scheme.value.float8() {
        Some(format) => {
            let power = |exponent: i32| f32::from_bits(((127 + exponent) as u32) << 23);
            let (fraction, bias) = (format.fraction_bits() as i32, format.bias());
            [format.largest().0, power(1 - bias), power(1 - bias + 23 - fraction)].map(f32::to_bits)
        }
        None => {
            let (low, high) = scheme.range();
            [low as i32 as u32, high as i32 as u32, 0]
        }
    };
    let mut words = grid.words();
    words.extend(limits);
    let Arithmetic { fuses, rounds, .. } = engine.arithmetic();
    let kernel = Quantize { code: Code::new(scheme), is_near: fuses && !rounds };
    let inputs: Vec<&CubeTensor> = [&x, &scale].into_iter().chain(&zero).collect();
    launch(kernel, &inputs, &[&out], &words, grid.packed as usize);
    out
}
