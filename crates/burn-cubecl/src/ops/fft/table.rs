//! Numbers that transforms need, computed on the host in `f64` and rounded once.

use super::chirp::{chirp, spectrum};
use super::root::root;
use super::shape::Passes;
use crate::launch::constant_cache;
use crate::launch::tensor::CubeTensor;
use crate::ops::accumulate::partial;
use crate::ops::create::from_data;
use burn_backend::{HasSpec, TensorData};

/// Part of a table: complex numbers for one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FftTablePart {
    /// Roots of the passes of a line, each in the order in which units need them.
    Passes(Passes),
    /// The first `count` roots of unity, counted backward.
    Roots {
        n: usize,
        count: usize,
    },
    /// Two lists, so that each root is a product: it may be one of very many.
    Twist {
        n: usize,
    },
    Chirp {
        n: usize,
    },
    /// Spectrum of the chirp, the factors of a convolution of `size` elements.
    Spectrum {
        n: usize,
        size: usize,
    },
}

/// Digits of the lower factor of a twist.
pub fn shift(n: usize) -> usize {
    (n.ilog2() as usize).div_ceil(2)
}

impl FftTablePart {
    /// Complex numbers.
    fn len(self) -> usize {
        match self {
            FftTablePart::Passes(passes) => passes.roots_at(passes.count()),
            FftTablePart::Roots { count, .. } => count,
            FftTablePart::Twist { n } => (1 << shift(n)) + (n >> shift(n)) + 1,
            FftTablePart::Chirp { n } => n,
            FftTablePart::Spectrum { size, .. } => size,
        }
    }

    fn numbers(self) -> Vec<(f64, f64)> {
        let backward = |k: usize, n: usize| {
            let (cosine, sine) = root(k, n);
            (cosine, -sine)
        };
        match self {
            FftTablePart::Passes(passes) => {
                let of = |pass: usize| {
                    let (before, radix) = (passes.before(pass), passes.radix(pass));
                    let of = move |r: usize| (0..before).map(move |k| backward(r * k, before * radix));
                    (1..radix).flat_map(of)
                };
                (1..passes.count()).flat_map(of).collect()
            }
            FftTablePart::Roots { n, count } => (0..count).map(|k| root(k, n)).collect(),
            FftTablePart::Twist { n } => {
                let (low, high) = (0..1 << shift(n), 0..=n >> shift(n));
                let high = high.map(|k| backward(k << shift(n), n));
                low.map(|k| backward(k, n)).chain(high).collect()
            }
            FftTablePart::Chirp { n } => (0..n).map(|j| chirp(j, n)).collect(),
            FftTablePart::Spectrum { n, size } => spectrum(n, size),
        }
    }
}

/// The parts of one table.
#[derive(Clone, Debug)]
pub struct Table(Vec<FftTablePart>);

impl Table {
    /// Roots of passes come first.
    pub fn new(passes: Passes) -> Self {
        Table(vec![FftTablePart::Passes(passes)])
    }

    pub fn of_roots(n: usize, count: usize) -> Self {
        Table(vec![FftTablePart::Roots { n, count }])
    }

    /// Adds a part, and says where it starts.
    pub fn add(&mut self, part: FftTablePart) -> usize {
        let start = self.0.iter().map(|part| part.len()).sum();
        self.0.push(part);
        start
    }

    /// On the device of `x`, in `f64` for such a one, and in `f32` otherwise.
    pub fn on(&self, x: &CubeTensor) -> CubeTensor {
        let dtype = partial(x.dtype());
        constant_cache::table(format!("fft {dtype:?} {:?}", self.0), x.engine(), || {
            let pairs = self.0.iter().flat_map(|part| part.numbers());
            let mut numbers: Vec<f64> = pairs.flat_map(|(re, im)| [re, im]).collect();
            // A line of a single pass has no roots.
            numbers.resize(numbers.len().max(4), 0.0);
            let len = numbers.len();
            from_data(TensorData::new(numbers, [len]).convert_dtype(dtype), x.engine())
        })
    }
}
