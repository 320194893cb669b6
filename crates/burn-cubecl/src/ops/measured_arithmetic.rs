//! Rounding of a device's `f32` instructions, measured: graphics standards promise less than IEEE 754.

use crate::device::arithmetic::{Abilities, Arithmetic};
use crate::device::engine::Engine;
use crate::device::gpu::Gpu;
use crate::launch::kernel::{Body, Kernel, UNITS, launch_on};
use crate::launch::strides;
use crate::ops::block::{KernelValue, Steps};
use burn_backend::DType;
use cubecl::CubeDim;
use cubecl::prelude::*;
use cubecl::server::Handle;

impl<R: Runtime> Gpu<R>
where
    R::Device: Send + Sync + 'static,
{
    /// Measures the arithmetic with small kernels; where they fail, assumes that it is unfused but exact.
    pub async fn with_measured_arithmetic(self) -> Self {
        let arithmetic = Arithmetic::measure(&self).await.unwrap_or(Arithmetic::UNKNOWN);
        self.with_arithmetic(arithmetic)
    }
}

/// Pairs that are tried: a driver that is off is off for a tenth of them and more.
const PAIRS: u32 = 1 << 10;

/// Results for each pair.
const RESULTS: u32 = 4;

/// For each pair the quotient, the reciprocal and root of its first number, and what `p` misses of the
/// product.
#[cube]
fn sample(x: &Array<f32>, y: &Array<f32>, p: &Array<f32>, out: &mut Array<f32>) {
    let at = strides::position();
    if at < PAIRS {
        let (k, from) = (at as usize, (RESULTS * at) as usize);
        out[from] = x[k] / y[k];
        out[from + 1] = 1.0f32 / x[k];
        out[from + 2] = x[k].sqrt();
        out[from + 3] = fma(x[k], y[k], -p[k]);
    }
}

#[cube]
fn product(x: &Array<f32>, y: &Array<f32>) -> f32 {
    let k = (strides::position() % PAIRS) as usize;
    x[k] * y[k]
}

#[cube]
fn put(out: &mut Array<f32>, value: f32) {
    let at = strides::position();
    if at < PAIRS {
        out[at as usize] = value;
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Sample {
    F32,
    /// Products as `f16`.
    Halves,
}

impl Kernel for Sample {
    const NAME: &'static str = "sample_of_arithmetic";

    fn expand(&self, body: &mut Body) {
        let (x, y) = (body.array::<f32>(0), body.array::<f32>(1));
        match self {
            Sample::F32 => {
                let (p, out) = (body.array::<f32>(2), body.array::<f32>(3));
                sample::expand(&mut body.scope, x, y, p, out);
            }
            Sample::Halves => {
                let (out, scope) = (body.array::<f32>(2), &mut body.scope);
                let value = KernelValue::new(product::expand(scope, x, y), DType::F16);
                let abilities = Abilities { narrows: true, ..Abilities::default() };
                let rounded = Steps { scope, abilities }.rounded(value).get::<f32>();
                put::expand(scope, out, rounded);
            }
        }
    }
}

impl Arithmetic {
    /// That of a device, which is asked for some results.
    async fn measure(engine: &dyn Engine) -> Option<Self> {
        // Digits that look random, with exponents near 0.
        let number = |k: u32| f32::from_bits((k.wrapping_mul(2_654_435_769) >> 7) + 0x3f00_0000);
        let x: Vec<f32> = (0..PAIRS).map(|k| number(2 * k + 1)).collect();
        let y: Vec<f32> = (0..PAIRS).map(|k| number(2 * k + 2)).collect();
        let p: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x * y).collect();
        let [a, b, c] = [&x, &y, &p].map(|values| engine.create(bytemuck::cast_slice(values)));
        let found = results(engine, Sample::F32, &[&a, &b, &c], RESULTS).await?;
        let each = || found.chunks_exact(RESULTS as usize).zip(&x).zip(&y);
        let narrows = if engine.has(DType::F16) {
            let found = results(engine, Sample::Halves, &[&a, &b], 1).await?;
            found.iter().zip(&p).all(|(found, &p)| *found == burn_backend::f16::from_f32(p).to_f32())
        } else {
            true
        };
        Some(Arithmetic {
            fuses: each().zip(&p).all(|(((found, &x), &y), &p)| found[3] == x.mul_add(y, -p)),
            rounds: each().all(|((found, &x), &y)| found[..3] == [x / y, 1.0 / x, x.sqrt()]),
            narrows,
            has_exp: false,
        })
    }
}

/// Runs a kernel, and reads so many results for each pair.
async fn results(engine: &dyn Engine, kernel: Sample, read: &[&Handle], each: u32) -> Option<Vec<f32>> {
    let out = engine.empty((each * PAIRS) as usize * size_of::<f32>());
    let read: Vec<_> = read.iter().map(|&handle| (handle, DType::F32)).collect();
    let (widths, units) = (vec![1; read.len() + 1], CubeDim::new_1d(UNITS));
    let cubes = (PAIRS / UNITS) as usize;
    launch_on(engine, kernel, [&read, &[(&out, DType::F32)]], widths, &[], cubes, units);
    let found = engine.read(vec![out]).await.ok()?;
    Some(bytemuck::pod_collect_to_vec::<u8, f32>(found.first()?))
}
