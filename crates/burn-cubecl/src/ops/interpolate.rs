//! Interpolation: each dimension is a matrix with few numbers in a row, of which a unit takes a row of each
//! for its element.

use crate::launch::constant_cache;
use crate::launch::element::{self, stored_size};
use crate::launch::kernel::{A, Body, Kernel, launch};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::ops::accumulate::{Partial, name_partial, partial};
use crate::ops::create::from_data;
use crate::ops::layout::contiguous;
use burn_backend::*;
use cubecl::prelude::*;

/// The sizes of images, and where the lists of a matrix are in the table.
#[derive(CubeType, Clone)]
struct Plan {
    input: Sequence<u32>,
    output: Sequence<u32>,
    /// Where rows start in `places` and `weights`, one more than there are rows.
    starts: Sequence<u32>,
    places: Sequence<u32>,
    weights: Sequence<u32>,
}

/// The weight at `at`, by its bits, of one word or two.
#[cube]
fn weight<S: Numeric>(table: &Array<u32>, at: u32) -> S {
    let bytes = S::type_size();
    if comptime!(bytes == 8) {
        let (low, high) = (table[(2u32 * at) as usize], table[(2u32 * at + 1u32) as usize]);
        S::reinterpret((u64::cast_from(high) << 32u64) | u64::cast_from(low))
    } else {
        S::reinterpret(table[at as usize])
    }
}

/// Sums, in ascending order of positions.
#[cube]
fn resample<E: Float, S: Numeric>(
    x: &Array<E>,
    table: &Array<u32>,
    out: &mut Array<E>,
    count: u32,
    plan: &Plan,
) {
    let at = strides::position();
    if at < count {
        let (high, wide) = (*plan.output.index(0usize), *plan.output.index(1usize));
        let (o1, o0) = (at % wide, at / wide % high);
        let plane = at / (wide * high) * *plan.input.index(0usize);
        let (first0, first1) = (*plan.starts.index(0usize) + o0, *plan.starts.index(1usize) + o1);
        let (start0, end0) = (table[first0 as usize], table[(first0 + 1u32) as usize]);
        let (start1, end1) = (table[first1 as usize], table[(first1 + 1u32) as usize]);
        let mut sum = S::from_int(0);
        for j0 in start0..end0 {
            let place = table[(*plan.places.index(0usize) + j0) as usize];
            let row = (plane + place) * *plan.input.index(1usize);
            let mut part = S::from_int(0);
            for j1 in start1..end1 {
                let value = x[(row + table[(*plan.places.index(1usize) + j1) as usize]) as usize];
                part += S::cast_from(value) * weight::<S>(table, *plan.weights.index(1usize) + j1);
            }
            sum += part * weight::<S>(table, *plan.weights.index(0usize) + j0);
        }
        out[at as usize] = E::cast_from(sum);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Resample;

impl Kernel for Resample {
    const NAME: &'static str = "interpolate";

    fn expand(&self, body: &mut Body) {
        let (x, table, out, count) = (body.array(0), body.array(1), body.array(2), body.next_word());
        let plan = PlanExpand {
            input: body.next_words(2),
            output: body.next_words(2),
            starts: body.next_words(2),
            places: body.next_words(2),
            weights: body.next_words(2),
        };
        name_partial(body, body.dtype(0));
        resample::expand::<A, Partial>(&mut body.scope, x, table, out, count, plan);
    }
}

/// Sparse matrix in compressed rows (CSR).
struct CsrMatrix {
    starts: Vec<u32>,
    places: Vec<u32>,
    weights: Vec<f64>,
}

impl CsrMatrix {
    /// Builds a matrix of `rows` rows from entries `(row, column, weight)`, in the order of columns.
    fn new(rows: usize, entries: impl Iterator<Item = (usize, usize, f64)> + Clone) -> Self {
        let mut starts = vec![0_usize; rows + 1];
        entries.clone().for_each(|(row, ..)| starts[row + 1] += 1);
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let (mut places, mut weights) = (vec![0; starts[rows]], vec![0.0; starts[rows]]);
        let mut next = starts.clone();
        for (row, place, weight) in entries {
            (places[next[row]], weights[next[row]]) = (place as u32, weight);
            next[row] += 1;
        }
        CsrMatrix { starts: starts.into_iter().map(|start| start as u32).collect(), places, weights }
    }

    fn of(taps: &Taps) -> Self {
        let entries = taps.sources.iter().zip(&taps.weights).enumerate();
        let entry = move |(k, (&source, &weight))| (k / taps.count, source, weight);
        CsrMatrix::new(taps.sources.len() / taps.count, entries.map(entry))
    }

    /// Builds the transposed matrix, for the gradient of `inputs` elements.
    fn turned(taps: &Taps, inputs: usize) -> Self {
        let entries = taps.sources.iter().zip(&taps.weights).enumerate();
        let entry = move |(k, (&source, &weight))| (source, k / taps.count, weight);
        CsrMatrix::new(inputs, entries.map(entry))
    }

    /// Builds the 1 x 1 identity, for a missing dimension.
    fn one() -> Self {
        CsrMatrix::new(1, [(0, 0, 1.0)].into_iter())
    }
}

/// Interpolation matrices of one call, one for each spatial dimension.
struct Matrices<'a> {
    options: &'a Interpolation,
    /// Spatial sizes of the image that is resampled, and of the one that it becomes.
    from: &'a [usize],
    to: &'a [usize],
    /// Whether the call is a gradient, which goes the other way.
    turned: bool,
    /// Dtype of the weights.
    dtype: DType,
}

impl Matrices<'_> {
    fn rows(&self, d: usize) -> CsrMatrix {
        let (from, to) = (self.from[d], self.to[d]);
        if self.turned {
            CsrMatrix::turned(&self.options.taps(d, to, from), to)
        } else {
            CsrMatrix::of(&self.options.taps(d, from, to))
        }
    }

    /// Numbers that are not zero in the matrix of dimension `d`.
    fn entries(&self, d: usize) -> usize {
        self.options.mode.taps() * if self.turned { self.from[d] } else { self.to[d] }
    }

    /// Returns the number of words of a weight.
    fn words(&self) -> usize {
        stored_size(self.dtype) / 4
    }

    /// Where starts, columns and weights of each dimension begin in the table.
    fn lists(&self) -> [Vec<u32>; 3] {
        let mut sizes: Vec<_> = (0..self.to.len()).map(|d| (self.to[d], self.entries(d))).collect();
        if sizes.len() == 1 {
            sizes.insert(0, (1, 1));
        }
        let (mut begin, mut lists) = (0, <[Vec<u32>; 3]>::default());
        for (rows, entries) in sizes {
            for (list, len) in lists.iter_mut().zip([rows + 1, entries]) {
                list.push(begin as u32);
                begin += len;
            }
            // The first of two words is at an even offset.
            let first = begin.div_ceil(self.words());
            lists[2].push(first as u32);
            begin = (first + entries) * self.words();
        }
        lists
    }

    fn table(&self) -> TensorData {
        let mut rows: Vec<CsrMatrix> = (0..self.to.len()).map(|d| self.rows(d)).collect();
        if rows.len() == 1 {
            rows.insert(0, CsrMatrix::one());
        }
        let mut table: Vec<u32> = Vec::new();
        for CsrMatrix { starts, places, weights } in rows {
            table.extend(starts);
            table.extend(places);
            table.resize(table.len().next_multiple_of(self.words()), 0);
            let words =
                |weight: f64| element::words(weight.into(), self.dtype).into_iter().take(self.words());
            table.extend(weights.into_iter().flat_map(words));
        }
        let len = table.len();
        TensorData::new(table, [len])
    }

    /// Returns a name that is equal for calls with the same table.
    fn name(&self) -> String {
        let Matrices { options, from, to, turned, dtype } = self;
        format!("interpolate {from:?} to {to:?}, turned: {turned}, {options:?}, {dtype}")
    }
}

fn by_rows(x: CubeTensor, shape: Shape, options: &Interpolation, turned: bool) -> CubeTensor {
    let x = contiguous(x);
    let count = shape.num_elements();
    let out = CubeTensor::empty(TensorSpec::new(shape, x.dtype()), x.engine());
    let (from, to) = (x.shape(), out.shape());
    let dtype = partial(x.dtype());
    let matrices = Matrices { options, from: &from[2..], to: &to[2..], turned, dtype };
    // A line is an image of one row.
    let sizes = |shape: &[usize]| match *shape {
        [wide] => [1, wide as u32],
        [high, wide] => [high as u32, wide as u32],
        _ => unreachable!("one or two dimensions are resampled"),
    };
    let mut words: Vec<u32> = strides::words(&[count]).collect();
    words.extend([sizes(matrices.from), sizes(matrices.to)].into_iter().flatten());
    words.extend(matrices.lists().into_iter().flatten());
    let table =
        constant_cache::table(matrices.name(), x.engine(), || from_data(matrices.table(), x.engine()));
    launch(Resample, &[&x, &table], &[&out], &words, count);
    out
}

pub fn interpolate(x: CubeTensor, size: &Dims, options: &Interpolation) -> CubeTensor {
    let shape = x.shape()[..2].iter().chain(size.iter()).copied().collect();
    by_rows(x, shape, options, false)
}

pub fn interpolate_grad(grad: CubeTensor, target: Shape, options: &Interpolation) -> CubeTensor {
    by_rows(grad, target, options, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_begin_where_the_table_has_them() {
        for mode in InterpolateMode::ALL {
            let options = Interpolation { mode, align_corners: false, factors: vec![] };
            for (from, to) in [(&[5_usize, 3][..], &[4_usize, 9][..]), (&[7], &[2])] {
                for (turned, dtype) in [(false, DType::F32), (true, DType::F32), (true, DType::F64)] {
                    let matrices = Matrices { options: &options, from, to, turned, dtype };
                    let table = matrices.table().to_vec::<u32>().expect("they are words");
                    let [starts, places, weights] = matrices.lists();
                    let last = to.len().max(2) - 1;
                    // The last start is the number of entries, which two lists after it have each.
                    let entries = table[places[last] as usize - 1] as usize;
                    let [start, place, weight] = [starts, places, weights].map(|list| list[last] as usize);
                    assert_eq!(start + to[to.len() - 1] + 1, place);
                    assert_eq!(weight, (place + entries).div_ceil(matrices.words()));
                    assert_eq!(table.len(), (weight + entries) * matrices.words());
                }
            }
        }
    }
}
