use super::direct::direct;
use super::finish::finish;
use super::format::{FftSource, FftTarget, Reads, Writes};
use super::line::run;
use super::long::{First, Last, long, pairs};
use super::shape::{self, capacity, is_smooth, least_work};
use super::table::{FftTablePart, Table};
use super::words::Words;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::word;
use crate::ops::layout::contiguous;
use burn_backend::*;

/// Lengths up to which a sum of products is as fast as a kernel of their own, or waits less for a compiler
/// that is slow.
const SHORT: usize = 16;
const SHORT_IN_SOFTWARE: usize = 128;

/// A call, in terms of complex lines.
struct FftCall {
    op: FftOp,
    /// Requested length of the transform.
    n: usize,
    outer: usize,
    inner: usize,
    source: FftSource,
    target: FftTarget,
    /// Elements of the complex lines.
    size: usize,
    /// Size of the transformed dimension, in elements of the source and of the target.
    from_size: usize,
    to_size: usize,
}

impl FftCall {
    fn new(op: FftOp, from: &Shape, to: &Shape, dim: usize) -> Self {
        let n = if op == FftOp::Real { from[dim] } else { to[dim] };
        let behind = if op == FftOp::Real { from.rank() } else { from.rank() - 1 };
        let [outer, inner] =
            [&from[..dim], &from[dim + 1..behind]].map(|dims| dims.iter().product::<usize>());
        let is_even = n.is_multiple_of(2);
        // Real numbers beside each other are the parts of a complex one.
        let beside = inner == 1;
        let (source, target) = match op {
            FftOp::Forward | FftOp::Backward => (FftSource::Pair, FftTarget::Pair),
            FftOp::Real if !is_even => (FftSource::Real, FftTarget::Pair),
            FftOp::Real => (if beside { FftSource::Pair } else { FftSource::Evens }, FftTarget::Spectrum),
            FftOp::Half { .. } if !is_even => (FftSource::Half, FftTarget::Real),
            FftOp::Half { .. } => {
                (FftSource::Spectrum, if beside { FftTarget::Pair } else { FftTarget::Evens })
            }
        };
        let halves = is_even && matches!(op, FftOp::Real | FftOp::Half { .. });
        let size = if halves { n / 2 } else { n };
        let from_size = if halves && source == FftSource::Pair { size } else { from[dim] };
        let to_size = if halves && target == FftTarget::Pair { size } else { to[dim] };
        FftCall { op, n, outer, inner, source, target, size, from_size, to_size }
    }

    fn is_backward(&self) -> bool {
        matches!(self.op, FftOp::Backward | FftOp::Half { .. })
    }

    fn from(&self, chirps: bool) -> Reads {
        Reads { source: self.source, across: self.inner > 1, swaps: self.is_backward(), chirps }
    }

    fn to(&self, chirps: bool) -> Writes {
        let backward = self.is_backward();
        Writes {
            twists: false,
            // The way back from the spectrum of a convolution.
            swaps: if chirps { true } else { backward },
            scales: chirps,
            swaps_last: chirps && backward,
            cuts: chirps || self.to_size < self.size,
            target: self.target,
            across: self.inner > 1,
        }
    }

    fn words(&self) -> Words {
        Words {
            lines: word(self.outer * self.inner),
            inner: word(self.inner),
            n: word(self.n),
            from_size: word(self.from_size),
            from_split: 1,
            terms: word(self.size),
            to_size: word(self.to_size),
            to_split: 1,
            to_turn: 1,
            results: word(self.to_size.min(self.size)),
            ..Words::default()
        }
    }

    /// Lines of `size` elements in a cube each.
    fn short(&self, size: usize, x: &CubeTensor, out: &CubeTensor) {
        let convolves = size != self.size;
        let mut words = self.words();
        let hardware = x.engine().hardware();
        let (from, to) = (self.from(convolves), self.to(convolves));
        let shape =
            shape::Shape::new(hardware, size, self.outer * self.inner, convolves, is_wide(x), from, to);
        let mut table = Table::new(shape.passes);
        if self.source == FftSource::Spectrum || self.target == FftTarget::Spectrum {
            words.roots = word(table.add(FftTablePart::Roots { n: self.n, count: self.size + 1 }));
        }
        if convolves {
            words.chirp = word(table.add(FftTablePart::Chirp { n: self.size }));
            words.factors = words.chirp;
            // After the chirp, which may be read beyond its end.
            words.spectrum = word(table.add(FftTablePart::Spectrum { n: self.size, size }));
        }
        run(shape, x, &table.on(x), out, &words);
    }

    /// Lines of `size` elements in several launches.
    fn long(&self, size: usize, x: &CubeTensor, out: &CubeTensor) {
        if self.target != FftTarget::Spectrum {
            return self.lines(size, x, out, self.to(size != self.size), self.words());
        }
        // The spectrum of the pairs first.
        let between = pairs(self.outer * self.size * self.inner, x);
        let words = Words { to_size: word(self.size), results: word(self.size), ..self.words() };
        let chirps = size != self.size;
        let to = Writes { target: FftTarget::Pair, cuts: chirps, ..self.to(chirps) };
        self.lines(size, x, &between, to, words);
        let table = Table::of_roots(self.n, self.size + 1).on(x);
        finish(&between, &table, out, self.size, self.inner);
    }

    fn lines(&self, size: usize, x: &CubeTensor, out: &CubeTensor, to: Writes, words: Words) {
        let chirps = size != self.size;
        let mut first = First { x, from: self.from(chirps), parts: vec![] };
        if self.source == FftSource::Spectrum {
            first.parts.push(FftTablePart::Roots { n: self.n, count: self.size + 1 });
        }
        if !chirps {
            return long(size, self.outer, &first, &Last { out, to, parts: vec![] }, words);
        }
        let chirp = FftTablePart::Chirp { n: self.size };
        first.parts.push(chirp);
        let between = pairs(self.outer * size * self.inner, x);
        let there = Writes { swaps: false, swaps_last: false, cuts: false, target: FftTarget::Pair, ..to };
        let last =
            Last { out: &between, to: there, parts: vec![FftTablePart::Spectrum { n: self.size, size }] };
        long(size, self.outer, &first, &last, Words { to_size: word(size), ..words });
        let back = Reads { source: FftSource::Pair, swaps: true, chirps: false, ..first.from };
        let first = First { x: &between, from: back, parts: vec![] };
        let last = Last { out, to, parts: vec![chirp] };
        long(size, self.outer, &first, &last, Words { from_size: word(size), ..words });
    }
}

fn is_wide(x: &CubeTensor) -> bool {
    x.dtype() == DType::F64
}

pub fn fft(op: FftOp, x: CubeTensor, dim: usize) -> CubeTensor {
    let spec = output_specs(&Operation::Spectral(Spectral::Fft { op, x: &x, dim }))
        .unwrap_or_else(|error| panic!("{error}"))
        .one();
    let out = CubeTensor::empty(spec, x.engine());
    if out.spec().shape.num_elements() == 0 {
        return out;
    }
    let x = contiguous(x);
    let (from, to) = (x.shape(), out.shape());
    let call = FftCall::new(op, &from, &to, dim);
    if call.n <= if x.engine().is_software() { SHORT_IN_SOFTWARE } else { SHORT } {
        direct(op, &x, &out, call.n, [call.outer, from[dim], to[dim], call.inner]);
        return out;
    }
    let capacity = capacity(x.engine().hardware(), is_wide(&x));
    // Bluestein's convolution has that many elements, or any more.
    let size = if is_smooth(call.size) { call.size } else { least_work(2 * call.size - 1, capacity) };
    if size <= capacity {
        call.short(size, &x, &out);
    } else {
        call.long(size, &x, &out);
    }
    out
}
