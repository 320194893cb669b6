use super::bands::Bands;
use super::blend::{blend, gather};
use crate::elements::number::Number;
use crate::memory::Buffer;
use crate::simd::dispatch;
use crate::threads::parallel::{Shared, for_ranges};
use core::ops::Range;

/// Planes that become planes of another size.
#[derive(Debug)]
pub struct InterpolationRows<E> {
    /// From rows of a plane to those of the result.
    down: Bands<E>,
    /// From elements of a row to those of the result.
    along: Bands<E>,
    runs: alloc::vec::Vec<(Range<usize>, usize)>,
    input: [usize; 2],
    /// How many rows are needed at once.
    window: usize,
}

/// An element of planes.
pub trait Resampled: Number {
    fn of_weight(weight: f64) -> Self;
    /// Some rows of the results, which are counted through all planes.
    fn some_rows(rows: &InterpolationRows<Self>, xs: &[Self], range: Range<usize>, out: &mut [Self]);
}

impl<E: Resampled> InterpolationRows<E> {
    pub fn new(down: Bands<E>, along: Bands<E>, input: [usize; 2]) -> Self {
        let (runs, window) = (along.runs(), down.width());
        InterpolationRows { down, along, runs, input, window }
    }

    /// `xs` and `out` are whole planes.
    pub fn run(&self, xs: &[E], out: &mut [E]) {
        let (width, start) = (self.along.len(), Shared(out.as_mut_ptr()));
        let cost = width * (self.window + self.along.width()) + self.input[1];
        for_ranges(out.len() / width, cost, &|range| {
            // SAFETY: ranges do not overlap, and `out` has so many rows of this width.
            let out = unsafe {
                core::slice::from_raw_parts_mut(start.get().add(range.start * width), range.len() * width)
            };
            E::some_rows(self, xs, range, out);
        });
    }

    /// Each result as it is written: down the columns first where that leaves fewer rows to gather from.
    #[inline(always)]
    fn some(&self, xs: &[E], range: Range<usize>, out: &mut [E]) {
        let ([height, columns], width) = (self.input, self.along.len());
        let results = range.zip(out.chunks_exact_mut(width)).map(|(at, out)| {
            let (plane, row) = (at / self.down.len(), at % self.down.len());
            (plane, &xs[plane * height * columns..][..height * columns], row, out)
        });
        if self.down.len() < height {
            let mut line = Buffer::new(columns * size_of::<E>());
            let line: &mut [E] = line.as_mut_slice().expect("a new buffer is unique");
            for (_, xs, row, out) in results {
                let first = self.down.columns(row).start;
                blend(self.down.weights(row), |k| &xs[(first + k) * columns..][..columns], line);
                gather(&self.along, &self.runs, line, out);
            }
            return;
        }
        // Row `i` of a plane, gathered, is line `i % window`: the rows that a result needs are neighbours.
        let mut lines = Buffer::new(self.window * width * size_of::<E>());
        let lines: &mut [E] = lines.as_mut_slice().expect("a new buffer is unique");
        let (mut known_plane, mut known) = (usize::MAX, 0..0);
        for (plane, xs, row, out) in results {
            let needed = self.down.columns(row);
            if known_plane != plane {
                (known_plane, known) = (plane, 0..0);
            }
            for i in needed.clone().filter(|i| !known.contains(i)) {
                let line = &mut lines[i % self.window * width..][..width];
                gather(&self.along, &self.runs, &xs[i * columns..][..columns], line);
            }
            known = needed.clone();
            let line = |k: usize| &lines[(needed.start + k) % self.window * width..][..width];
            blend(self.down.weights(row), line, out);
        }
    }
}

macro_rules! resampled {
    ($($ty:ident)*) => {$(
        impl Resampled for $ty {
            fn of_weight(weight: f64) -> $ty {
                weight as $ty
            }
            fn some_rows(rows: &InterpolationRows<$ty>, xs: &[$ty], range: Range<usize>, out: &mut [$ty]) {
                #[inline(always)]
                fn body<const FMA: bool>(
                    rows: &InterpolationRows<$ty>,
                    xs: &[$ty],
                    range: Range<usize>,
                    out: &mut [$ty],
                ) {
                    rows.some(xs, range, out);
                }
                dispatch! {
                    fn run(rows: &InterpolationRows<$ty>, xs: &[$ty], range: Range<usize>, out: &mut [$ty]) =
                        body
                }
                run(rows, xs, range, out);
            }
        }
    )*};
}
resampled!(f64 f32);
