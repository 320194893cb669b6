use crate::device::arithmetic::Abilities;
use crate::launch::kernel::{A, B, Body, C, Kernel, launch};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use crate::ops::block::{KernelValue, Steps};
use crate::ops::layout::{contiguous, writable};
use crate::ops::segment_sum;
use burn_backend::*;
use cubecl::prelude::*;

/// An index as an offset: one below zero is out of bounds, also of a type of fewer bits.
#[cube]
pub fn place_of<I: Int>(index: I) -> u32 {
    u32::reinterpret(i32::cast_from(index))
}

/// `out[o, k, i] = x[o, indices[o, k, i], i]`: elements before, along and after the dimension.
#[cube]
fn gather<E: Numeric, I: Int>(
    x: &Array<E>,
    indices: &Array<I>,
    out: &mut Array<E>,
    count: u32,
    sizes: &Sequence<u32>,
    strides: &Sequence<u32>,
    step: u32,
) {
    let at = strides::position();
    if at < count {
        let place = strides::place(at, sizes, strides, 0u32);
        let index = place_of::<I>(indices[at as usize]);
        out[at as usize] = x[(place + index * step) as usize];
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Gather {
    rank: usize,
}

impl Kernel for Gather {
    const NAME: &'static str = "gather";

    fn expand(&self, body: &mut Body) {
        let (x, indices, out) = (body.array(0), body.array(1), body.array(2));
        let (count, step) = (body.next_word(), body.next_word());
        let (sizes, strides) = (body.next_words(self.rank), body.next_words(self.rank));
        gather::expand::<A, B>(&mut body.scope, x, indices, out, count, sizes, strides, step);
    }
}

/// The words of sizes and strides, the innermost first.
fn reversed(list: &[usize]) -> Vec<u32> {
    list.iter().rev().map(|&number| number as u32).collect()
}

pub fn gather_(x: CubeTensor, dim: usize, indices: CubeTensor) -> CubeTensor {
    let (x, indices) = (contiguous(x), contiguous(indices));
    let shape = indices.shape();
    let out = CubeTensor::empty(TensorSpec::new(shape.clone(), x.dtype()), x.engine());
    let mut strides = x.strides().clone();
    let step = strides[dim];
    strides[dim] = 0;
    let mut words: Vec<u32> = strides::words(&[shape.num_elements(), step]).collect();
    words.extend(reversed(&shape));
    words.extend(reversed(&strides));
    launch(Gather { rank: shape.rank() }, &[&x, &indices], &[&out], &words, shape.num_elements());
    out
}

launch_words! {
    struct SelectWords {
        count: u32,
        /// Sizes of the dimension, before and after, and elements after it.
        size: u32,
        picked: u32,
        inner: u32,
    }
}

/// `out[o, k, i] = x[o, indices[k], i]`.
#[cube]
fn select_lines<E: Numeric, I: Int>(
    x: &Array<E>,
    indices: &Array<I>,
    out: &mut Array<E>,
    words: &SelectWords,
) {
    let at = strides::position();
    if at < words.count {
        let i = at % words.inner;
        let k = (at / words.inner) % words.picked;
        let o = at / (words.inner * words.picked);
        let index = place_of::<I>(indices[k as usize]);
        out[at as usize] = x[((o * words.size + index) * words.inner + i) as usize];
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Select;

impl Kernel for Select {
    const NAME: &'static str = "select";

    fn expand(&self, body: &mut Body) {
        let (x, indices, out) = (body.array(0), body.array(1), body.array(2));
        let words = body.read::<SelectWords>();
        select_lines::expand::<A, B>(&mut body.scope, x, indices, out, words);
    }
}

pub fn select_(x: CubeTensor, dim: usize, indices: CubeTensor) -> CubeTensor {
    let (x, indices) = (contiguous(x), contiguous(indices));
    let (size, picked) = (x.spec().shape[dim], indices.spec().shape[0]);
    let inner: usize = x.spec().shape[dim + 1..].iter().product();
    let out = CubeTensor::empty(TensorSpec::new(x.shape().with(dim, picked), x.dtype()), x.engine());
    let count = out.spec().shape.num_elements();
    let words =
        SelectWords { count: word(count), size: word(size), picked: word(picked), inner: word(inner) };
    launch(Select, &[&x, &indices], &[&out], &words.words(), count);
    out
}

/// Writes values to indices along a dimension, one line after the other, so that the order of writes is that
/// of the indices. A unit has a line: no two of them write to one element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Write {
    update: IndexUpdate,
    rank: usize,
    /// Whether each element of `value` has an index of its own, or each of its slices.
    by_element: bool,
    abilities: Abilities,
}

#[cube]
fn index_of<I: Int>(indices: &Array<I>, at: u32) -> u32 {
    place_of::<I>(indices[at as usize])
}

#[cube]
fn along(start: u32, index: u32, step: u32) -> u32 {
    start + index * step
}

launch_words! {
    struct WriteWords {
        /// Lines.
        count: u32,
        /// Elements of a line of the value.
        terms: u32,
        /// Strides along a line of the result and of the value.
        step: u32,
        value_step: u32,
        /// Elements of a line of the result.
        size: u32,
    }
}

impl Kernel for Write {
    const NAME: &'static str = "indexed_write";

    fn expand(&self, body: &mut Body) {
        let rank = self.rank;
        let WriteWordsExpand { count, terms, step, value_step, size } = body.read::<WriteWords>();
        let (sizes, out_strides, value_strides) =
            (body.next_words(rank), body.next_words(rank), body.next_words(rank));
        let (indices, value, out) = (body.array::<A>(0), body.variable(1), body.variable(2));
        let (dtype, update, by_element) = (body.dtype(1), self.update, self.by_element);
        let at = strides::position::expand(&mut body.scope);
        let inside = strides::is_below::expand(&mut body.scope, at.clone(), count);
        Steps { scope: &mut body.scope, abilities: self.abilities }.when(inside, |steps| {
            let line =
                strides::place::expand(steps.scope, at.clone(), sizes.clone(), out_strides, 0_u32.into());
            let from = strides::place::expand(steps.scope, at, sizes, value_strides, 0_u32.into());
            steps.repeat(0_u32.into(), terms, |steps, k| {
                let source = along::expand(steps.scope, from.clone(), k.clone(), value_step.clone());
                let which = if by_element { source.clone() } else { k };
                let index = index_of::expand::<A>(steps.scope, indices.clone(), which);
                let valid = strides::is_below::expand(steps.scope, index.clone(), size.clone());
                steps.when(valid, |steps| {
                    let to = along::expand(steps.scope, line.clone(), index, step.clone());
                    let mut new = steps.load(&value, dtype, source);
                    if let Some(op) = update.function() {
                        let old: KernelValue = steps.load(&out, dtype, to.clone());
                        new = steps.binary(op, &old, &new);
                    }
                    steps.store(&out, to, &new);
                });
            });
        });
    }
}

fn write(
    x: CubeTensor,
    dim: usize,
    indices: CubeTensor,
    value: CubeTensor,
    update: IndexUpdate,
    by_element: bool,
) -> CubeTensor {
    let (out, indices, value) = (writable(x), contiguous(indices), contiguous(value));
    if update == IndexUpdate::Add && !by_element && segment_sum::are_many(&value, dim) {
        segment_sum::add_segments(&out, &indices, &value);
        return out;
    }
    let shape = value.shape();
    let without =
        |list: &Dims| -> Vec<usize> { (0..list.len()).filter(|&d| d != dim).map(|d| list[d]).collect() };
    let lines = without(&shape.dims);
    let count: usize = lines.iter().product();
    let mut words = WriteWords {
        count: word(count),
        terms: word(shape[dim]),
        step: word(out.strides()[dim]),
        value_step: word(value.strides()[dim]),
        size: word(out.spec().shape[dim]),
    }
    .words();
    words.extend(reversed(&lines));
    words.extend(reversed(&without(out.strides())));
    words.extend(reversed(&without(value.strides())));
    let abilities = Abilities::of(out.engine());
    let kernel = Write { update, rank: lines.len(), by_element, abilities };
    launch(kernel, &[&indices, &value], &[&out], &words, count);
    out
}

pub fn scatter(
    x: CubeTensor,
    dim: usize,
    indices: CubeTensor,
    value: CubeTensor,
    update: IndexUpdate,
) -> CubeTensor {
    write(x, dim, indices, value, update, true)
}

pub fn select_assign(
    x: CubeTensor,
    dim: usize,
    indices: CubeTensor,
    value: CubeTensor,
    update: IndexUpdate,
) -> CubeTensor {
    write(x, dim, indices, value, update, false)
}

/// Writes the coordinates of each true element to its row; `ranks` counts the true elements up to each.
#[cube]
fn coordinates<M: Numeric, R: Int, I: Int>(
    mask: &Array<M>,
    ranks: &Array<R>,
    out: &mut Array<I>,
    count: u32,
    sizes: &Sequence<u32>,
) {
    let at = strides::position();
    if at < count && mask[at as usize] != M::from_int(0) {
        let row = u32::cast_from(ranks[at as usize]) - 1u32;
        let mut rest = at + 0u32;
        let rank = comptime!(sizes.len() as u32);
        #[unroll]
        for d in 0..sizes.len() {
            let size = *sizes.index(d);
            out[(row * rank + comptime!(rank - 1 - d as u32)) as usize] = I::cast_from(rest % size);
            rest = rest / size;
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Coordinates {
    rank: usize,
}

impl Kernel for Coordinates {
    const NAME: &'static str = "argwhere";

    fn expand(&self, body: &mut Body) {
        let (mask, ranks, out) = (body.array(0), body.array(1), body.array(2));
        let (count, sizes) = (body.next_word(), body.next_words(self.rank));
        coordinates::expand::<A, B, C>(&mut body.scope, mask, ranks, out, count, sizes);
    }
}

/// Coordinates of the true elements. Their number is the shape of the result, and so it is read.
///
/// # Errors
/// When the device failed.
pub async fn argwhere(mask: CubeTensor, index: DType) -> Result<CubeTensor, DataError> {
    let (shape, engine) = (mask.shape(), mask.engine());
    let count = shape.num_elements();
    let none = || CubeTensor::empty(TensorSpec::new([0, shape.rank()], index), engine);
    if count == 0 {
        return Ok(none());
    }
    let mask = contiguous(mask);
    let flags =
        crate::ops::elementwise::elementwise(Elementwise::Cast { x: mask.clone(), dtype: DType::I32 });
    let ranks =
        crate::ops::cumulative::cumulative(CumulativeOp::Sum, flags.reshaped(Shape::from([count])), 0);
    let total = crate::ops::layout::slice(
        ranks.clone(),
        &Slices::from_slice(&[burn_backend::Slice::from(count - 1..count)]),
    );
    let total = crate::ops::create::into_data(total).await?.as_slice::<i32>()?[0] as usize;
    if total == 0 {
        return Ok(none());
    }
    let out = CubeTensor::empty(TensorSpec::new([total, shape.rank()], index), engine);
    let mut words: Vec<u32> = strides::words(&[count]).collect();
    words.extend(reversed(&shape));
    launch(Coordinates { rank: shape.rank() }, &[&mask, &contiguous(ranks)], &[&out], &words, count);
    Ok(out)
}
