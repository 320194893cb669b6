//! What a device's instructions for `f32` round to: standards of graphics promise less than IEEE 754.

use cubecl::prelude::*;
use cubecl::{CubeCount, CubeDim};

/// What the instructions of a device for `f32` promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arithmetic {
    /// Whether a fused multiplication and addition rounds once, as its name says.
    pub fuses: bool,
    /// Whether quotients, reciprocals and square roots are the nearest numbers.
    pub rounds: bool,
}

/// Pairs that are tried: a driver that is off is off for a tenth of them and more.
const PAIRS: u32 = 1 << 10;

/// For each pair the quotient, the reciprocal and root of its first number, and what `p` misses of the product.
#[cube(launch)]
fn sample(x: &Array<f32>, y: &Array<f32>, p: &Array<f32>, out: &mut Array<f32>) {
    let at = ABSOLUTE_POS;
    if at < x.len() {
        out[4 * at] = x[at] / y[at];
        out[4 * at + 1] = 1.0f32 / x[at];
        out[4 * at + 2] = x[at].sqrt();
        out[4 * at + 3] = fma(x[at], y[at], -p[at]);
    }
}

impl Arithmetic {
    /// As IEEE 754 has it.
    pub const EXACT: Arithmetic = Arithmetic { fuses: true, rounds: true };

    /// That of a device, which is asked for some results; `None` where nobody may wait for it.
    pub(crate) fn measure<R: Runtime>(client: &ComputeClient<R>) -> Option<Self> {
        // Digits that look random, with exponents near 0.
        let number = |k: u32| f32::from_bits((k.wrapping_mul(2_654_435_769) >> 7) + 0x3f00_0000);
        let x: Vec<f32> = (0..PAIRS).map(|k| number(2 * k + 1)).collect();
        let y: Vec<f32> = (0..PAIRS).map(|k| number(2 * k + 2)).collect();
        let p: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x * y).collect();
        let count = PAIRS as usize;
        let out = client.empty(4 * count * size_of::<f32>());
        let upload = |values: &[f32]| client.create_from_slice(bytemuck::cast_slice(values));
        // SAFETY: each buffer has as many elements as is said.
        let arg = |handle, len| unsafe { ArrayArg::from_raw_parts(handle, len) };
        sample::launch::<R>(
            client,
            CubeCount::Static(PAIRS / 256, 1, 1),
            CubeDim::new_1d(256),
            arg(upload(&x), count),
            arg(upload(&y), count),
            arg(upload(&p), count),
            arg(out.clone(), 4 * count),
        );
        let read = burn_backend::block_on(client.read_async(vec![out])).ok()?.ok()?;
        let found: Vec<f32> = bytemuck::pod_collect_to_vec(read.first()?);
        let each = || found.chunks_exact(4).zip(&x).zip(&y);
        Some(Arithmetic {
            fuses: each().zip(&p).all(|(((found, &x), &y), &p)| found[3] == x.mul_add(y, -p)),
            rounds: each().all(|((found, &x), &y)| found[..3] == [x / y, 1.0 / x, x.sqrt()]),
        })
    }
}
