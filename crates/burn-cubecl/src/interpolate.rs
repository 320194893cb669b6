//! Interpolation: each dimension is a matrix with few numbers in a row, of which a unit takes a row of each for its element.

use crate::accumulate::{Partial, name_partial, partial};
use crate::create;
use crate::element::{self, stored_size};
use crate::kernel::{A, Body, Kernel, launch};
use crate::layout::contiguous;
use crate::strides;
use crate::tensor::CubeTensor;
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

/// Sums, in ascending order of places.
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
        let (x, table, out, count) = (body.array(0), body.array(1), body.array(2), body.word(0));
        let [input, output, starts, places, weights] = [0, 1, 2, 3, 4].map(|k| body.words(1 + 2 * k, 2));
        let plan = PlanExpand { input, output, starts, places, weights };
        name_partial(body, body.dtype(0));
        resample::expand::<A, Partial>(&mut body.scope, x, table, out, count, plan);
    }
}

/// A matrix by the numbers of its rows.
struct Rows {
    starts: Vec<u32>,
    places: Vec<u32>,
    weights: Vec<f64>,
}

impl Rows {
    /// Of `rows` rows, from `(row, place, weight)` in the order of places.
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
        Rows { starts: starts.into_iter().map(|start| start as u32).collect(), places, weights }
    }

    fn of(taps: &Taps) -> Self {
        let entries = taps.sources.iter().zip(&taps.weights).enumerate();
        let entry = move |(k, (&source, &weight))| (k / taps.count, source, weight);
        Rows::new(taps.sources.len() / taps.count, entries.map(entry))
    }

    /// Of the matrix turned over, for the gradient of `inputs` elements.
    fn turned(taps: &Taps, inputs: usize) -> Self {
        let entries = taps.sources.iter().zip(&taps.weights).enumerate();
        let entry = move |(k, (&source, &weight))| (source, k / taps.count, weight);
        Rows::new(inputs, entries.map(entry))
    }

    /// Of a dimension that is not there.
    fn one() -> Self {
        Rows::new(1, [(0, 0, 1.0)].into_iter())
    }
}

fn by_rows(x: CubeTensor, shape: Shape, mut rows: Vec<Rows>) -> CubeTensor {
    if rows.len() == 1 {
        rows.insert(0, Rows::one());
    }
    let x = contiguous(x);
    let count = shape.num_elements();
    let out = CubeTensor::empty(TensorSpec::new(shape, x.dtype()), x.engine());
    let (mut table, mut lists): (Vec<u32>, [Vec<u32>; 3]) = Default::default();
    for Rows { starts, places, weights } in &rows {
        for (list, begins) in [starts, places].into_iter().zip(&mut lists) {
            begins.push(table.len() as u32);
            table.extend(list);
        }
        let (dtype, weights) = (partial(x.dtype()), weights.iter().map(|&weight| weight.into()));
        let words = stored_size(dtype) / 4;
        // The first of two words is at an even place.
        table.resize(table.len().next_multiple_of(words), 0);
        lists[2].push((table.len() / words) as u32);
        table.extend(weights.flat_map(|weight| element::words(weight, dtype).into_iter().take(words)));
    }
    // A line is an image of one row.
    let sizes = |shape: &Shape| match shape[2..] {
        [wide] => [1, wide as u32],
        [high, wide] => [high as u32, wide as u32],
        _ => unreachable!("one or two dimensions are resampled"),
    };
    let mut words: Vec<u32> = strides::words(&[count]).collect();
    words.extend([sizes(&x.shape()), sizes(&out.shape())].into_iter().flatten());
    words.extend(lists.into_iter().flatten());
    let len = table.len();
    let table = create::from_data(TensorData::new(table, [len]), x.engine());
    launch(Resample, &[&x, &table], &[&out], &words, count);
    out
}

pub fn interpolate(x: CubeTensor, size: &Dims, options: &Interpolation) -> CubeTensor {
    let from = x.shape();
    let of = |(d, &output)| Rows::of(&options.taps(d, from[d + 2], output));
    let rows = size.iter().enumerate().map(of).collect();
    by_rows(x, from[..2].iter().chain(size.iter()).copied().collect(), rows)
}

pub fn interpolate_grad(grad: CubeTensor, target: Shape, options: &Interpolation) -> CubeTensor {
    let from = grad.shape();
    let of = |(d, &input)| Rows::turned(&options.taps(d, input, from[d + 2]), input);
    let rows = target[2..].iter().enumerate().map(of).collect();
    by_rows(grad, target, rows)
}
