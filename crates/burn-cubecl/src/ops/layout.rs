use crate::device::arithmetic::Abilities;
use crate::launch::kernel::{Body, Kernel, UNITS, launch_vectors};
use crate::launch::strides::{self, Merged, broadcast};
use crate::launch::tensor::CubeTensor;
use crate::ops::block::{self, Program, Steps};
use burn_backend::*;
use cubecl::CubeDim;

/// Copies the values if necessary, so that they are in row-major order from the start of a buffer.
pub fn contiguous(x: CubeTensor) -> CubeTensor {
    if x.is_contiguous() { x } else { copied(&x) }
}

/// Copies the values into a new buffer.
pub fn copied(x: &CubeTensor) -> CubeTensor {
    let mut program = Program::new(1);
    program.output(0);
    program.run(&x.shape(), &[x], vec![x.spec().clone()], x.engine()).remove(0)
}

/// Returns the values in row-major order in a buffer that may be written over: their own, if no other tensor
/// shares it.
pub fn writable(x: CubeTensor) -> CubeTensor {
    if x.is_contiguous() && x.is_sole_owner() { x } else { copied(&x) }
}

/// Returns the same elements in another shape: a view where the strides allow it, else a copy.
pub fn reshape(x: CubeTensor, shape: Shape) -> CubeTensor {
    if x.is_contiguous() {
        return x.reshaped(shape);
    }
    match x.spec().shape.reshaped_strides(x.strides(), &shape) {
        Some(strides) => {
            let offset = x.offset();
            x.view(shape, strides, offset)
        }
        None => copied(&x).reshaped(shape),
    }
}

pub fn permute(x: CubeTensor, axes: &Dims) -> CubeTensor {
    let shape = axes.iter().map(|&d| x.spec().shape[d]).collect();
    let strides = axes.iter().map(|&d| x.strides()[d]).collect();
    let offset = x.offset();
    x.view(shape, strides, offset)
}

/// Swaps the last two dimensions.
pub fn transpose(x: CubeTensor) -> CubeTensor {
    let rank = x.spec().shape.rank();
    let mut axes: Dims = (0..rank).collect();
    axes.swap(rank - 1, rank - 2);
    permute(x, &axes)
}

pub fn expand(x: CubeTensor, shape: Shape) -> CubeTensor {
    let (strides, offset) = (broadcast(&x, &shape), x.offset());
    x.view(shape, strides, offset)
}

/// Returns a view with the order of elements reversed.
pub fn flip(x: CubeTensor, axes: &Dims) -> CubeTensor {
    let (shape, mut strides, mut offset) = (x.shape(), x.strides().clone(), x.offset());
    for &d in axes.iter().filter(|&&d| shape[d] > 1) {
        offset = offset.wrapping_add(strides[d].wrapping_mul(shape[d] - 1));
        strides[d] = strides[d].wrapping_neg();
    }
    x.view(shape, strides, offset)
}

pub fn slice(x: CubeTensor, slices: &Slices) -> CubeTensor {
    let (mut shape, mut strides, mut offset) = (x.shape(), x.strides().clone(), x.offset());
    for (d, slice) in slices.iter().enumerate() {
        shape[d] = slice.len();
        offset = offset.wrapping_add(slice.start.wrapping_mul(strides[d]));
        strides[d] = strides[d].wrapping_mul(slice.step);
    }
    x.view(shape, strides, offset)
}

/// Copies elements from one view to another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CopyInto {
    rank: usize,
    width: usize,
    /// Vector width of the source.
    from: usize,
}

impl Kernel for CopyInto {
    const NAME: &'static str = "copy_into";

    fn expand(&self, body: &mut Body) {
        let (count, from, to) = (body.next_word(), body.next_word(), body.next_word());
        let sizes = body.next_words(self.rank);
        let (source, target) = (body.next_words(self.rank), body.next_words(self.rank));
        let (x, out, dtype) = (body.variable(0), body.variable(1), body.dtype(0));
        let at = strides::position::expand(&mut body.scope);
        let inside = strides::is_below::expand(&mut body.scope, at.clone(), count);
        Steps { scope: &mut body.scope, abilities: Abilities::default() }.when(inside, |steps| {
            let from = strides::place::expand(steps.scope, at.clone(), sizes.clone(), source, from);
            let to = strides::place::expand(steps.scope, at, sizes, target, to);
            let values = steps.load_vector(&x, dtype, from, self.from);
            let values: Vec<_> = values.into_iter().cycle().take(self.width).collect();
            steps.store_vector(&out, to, &values);
        });
    }
}

/// Writes `x` over the view `target`, whose buffer no other tensor may share.
pub fn copy_into(x: &CubeTensor, target: &CubeTensor) {
    let shape = &target.spec().shape;
    let count = shape.num_elements();
    if count == 0 {
        return;
    }
    let merged = Merged::new(shape, &[broadcast(x, shape), target.strides().clone()]);
    let offsets = [x.offset(), target.offset()];
    let width = block::width(target.engine(), [x.dtype()].into_iter(), &merged, &offsets);
    let from = if block::Inner::of(&merged.strides[0]) == block::Inner::Adjacent { width } else { 1 };
    let widths = [from, width];
    let views = [0, 1].map(|view| block::places(&merged.strides[view], offsets[view], widths[view]));
    let mut words: Vec<u32> = strides::words(&[count / width, views[0].1, views[1].1]).collect();
    words.extend(strides::words(&block::sizes(&merged, width)));
    views.iter().for_each(|(list, _)| words.extend(strides::words(list)));
    let kernel = CopyInto { rank: merged.rank(), width, from };
    let cubes = (count / width).div_ceil(UNITS as usize);
    launch_vectors(kernel, &[x], &[target], widths.into(), &words, cubes, CubeDim::new_1d(UNITS));
}

pub fn slice_assign(x: CubeTensor, slices: &Slices, value: &CubeTensor) -> CubeTensor {
    let out = writable(x);
    copy_into(value, &slice(out.clone(), slices));
    out
}

pub fn cat(xs: &[CubeTensor], dim: usize) -> CubeTensor {
    let spec = output_specs(&Operation::Layout(Layout::Cat { xs: xs.iter().collect(), dim }));
    let spec = spec.unwrap_or_else(|error| panic!("{error}")).one();
    let out = CubeTensor::empty(spec, xs[0].engine());
    let mut start = 0;
    for x in xs {
        let size = x.spec().shape[dim];
        let mut slices: Slices = out.spec().shape.iter().map(|&size| Slice::from(0..size)).collect();
        slices[dim] = Slice::from(start..start + size);
        copy_into(x, &slice(out.clone(), &slices));
        start += size;
    }
    out
}

pub fn repeat_dim(x: CubeTensor, dim: usize, times: usize) -> CubeTensor {
    let shape = x.shape();
    // A new dimension in front of the repeated one.
    let with = |sizes: &[usize], value: usize| -> Dims {
        sizes[..dim].iter().copied().chain([value]).chain(sizes[dim..].iter().copied()).collect()
    };
    let (wide, strides, offset) = (Shape::from(with(&shape, times)), with(x.strides(), 0), x.offset());
    contiguous(x.view(wide, strides, offset)).reshaped(shape.with(dim, shape[dim] * times))
}
