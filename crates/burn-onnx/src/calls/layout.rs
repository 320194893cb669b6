//! Elements in another arrangement.

use super::declare::calls;
use super::{Axes, Count, Erased, Integer, Many, Number, Operand, Pairs, Ranges, Same, Size, Sizes, rules};
use crate::builder::UNKNOWN;
use crate::error::{Outcome, fail, require};
use crate::value::{Expr, Spec};
#[cfg(feature = "run")]
use burn_tensor::{PadMode, Tensor};

calls! {
    /// The same elements in other sizes; one of them may be -1.
    any erased fn reshape(x: Erased, sizes: Sizes) -> one reshaped => x.try_reshape(sizes)?;
    /// Dimensions in another order.
    any erased fn permute(x: Erased, axes: Axes) -> one permuted => x.try_permute(axes)?;
    /// Dimensions backwards.
    any erased fn flip(x: Erased, axes: Axes) -> one rules::first => x.try_flip(axes)?;
    /// Dimensions of size 1 repeated to sizes.
    any erased fn expand(x: Erased, sizes: Sizes) -> one rules::resized => x.try_expand(sizes)?;
    /// Without dimensions of size 1, whose indices ascend.
    any erased fn squeeze_dims(x: Erased, dims: Axes) -> one squeezed => x.try_squeeze_dims(&dims)?;
    /// With dimensions of size 1 at indices of the result, which ascend.
    any erased fn unsqueeze_dims(x: Erased, dims: Axes) -> one unsqueezed => x.try_unsqueeze_dims(&dims)?;
    /// Ranges of the first dimensions.
    any erased fn slice(x: Erased, ranges: Ranges) -> one sliced => x.try_slice(ranges)?;
    /// `x` with values in the place of ranges of the first dimensions.
    any ranked fn slice_assign(x: Same, ranges: Ranges, values: Same) -> one rules::first
        => x.try_slice_assign(ranges, values)?;
    /// Tensors one after the other along a dimension.
    any ranked fn cat(xs: Many, dim: Count) -> one joined => Tensor::try_cat(xs, dim)?;
    /// The whole, several times along a dimension.
    any ranked fn repeat_dim(x: Same, dim: Count, times: Size) -> one repeated => x.try_repeat_dim(dim, times)?;
    /// Elements of one value around.
    num ranked fn pad_constant(x: Same, pads: Pairs, value: Number) -> one padded => x.try_pad(pads, PadMode::Constant(value.into()))?;
    /// Elements of the tensor around, reflected at its edge.
    num ranked fn pad_reflect(x: Same, pads: Pairs) -> one padded => x.try_pad(pads, PadMode::Reflect)?;
    /// The edge, repeated.
    num ranked fn pad_edge(x: Same, pads: Pairs) -> one padded => x.try_pad(pads, PadMode::Edge)?;
    /// Periodic continuation of the tensor.
    num ranked fn pad_circular(x: Same, pads: Pairs) -> one padded => x.try_pad(pads, PadMode::Circular)?;
    /// The upper triangle, from a diagonal on.
    num ranked fn triu(x: Same, diagonal: Integer) -> one rules::first => x.try_triu(diagonal)?;
    /// The lower triangle, up to a diagonal.
    num ranked fn tril(x: Same, diagonal: Integer) -> one rules::first => x.try_tril(diagonal)?;
}

fn reshaped(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (x, sizes) = (operands[0].tensor()?, operands[1].numbers()?);
    let whole = Expr::product(x.held_dims());
    let open = sizes.iter().position(|size| size.is(-1));
    let mut dims = sizes.to_vec();
    if let Some(open) = open {
        let given: Vec<Expr> =
            sizes.iter().enumerate().filter(|(d, _)| *d != open).map(|(_, size)| size.clone()).collect();
        require!(
            !given.iter().any(|size| size.is(0)),
            "sizes {sizes:?} leave a dimension open that can be anything"
        );
        dims[open] = Expr::quotient(x.held_dims(), &given);
    }
    let found = Expr::product(&dims);
    if let (Some(whole), Some(found)) = (whole.known(), found.known()) {
        require!(whole == found, "the {whole} elements of {:?} do not fill {sizes:?}", x.held_dims());
    }
    Ok(vec![Spec::new(x.dtype(), dims)])
}

fn permuted(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (x, axes) = (operands[0].tensor()?, operands[1].axes()?);
    let dims = x.held_dims();
    let mut sorted = axes.clone();
    sorted.sort_unstable();
    require!(sorted.iter().copied().eq(0..dims.len()), "{axes:?} is no order of the dimensions of {dims:?}");
    let dims: Vec<Expr> = axes.iter().map(|&axis| dims[axis].clone()).collect();
    Ok(vec![Spec::new(x.dtype(), dims)])
}

fn squeezed(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (x, axes) = (operands[0].tensor()?, operands[1].axes()?);
    let dims = x.held_dims();
    for &axis in &axes {
        let fits = axis < dims.len() && dims[axis].known().is_none_or(|size| size == 1);
        require!(fits, "dimension {axis} of {dims:?} is not of size 1");
    }
    let kept: Vec<Expr> =
        dims.iter().enumerate().filter(|(d, _)| !axes.contains(d)).map(|(_, dim)| dim.clone()).collect();
    require!(!kept.is_empty(), "no dimension would be left of {dims:?}");
    Ok(vec![Spec::new(x.dtype(), kept)])
}

fn unsqueezed(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (x, axes) = (operands[0].tensor()?, operands[1].axes()?);
    let mut dims = x.held_dims().to_vec();
    for axis in axes {
        require!(axis <= dims.len(), "dimension {axis} cannot be added to {dims:?}");
        dims.insert(axis, Expr::Int(1));
    }
    Ok(vec![Spec::new(x.dtype(), dims)])
}

fn sliced(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let x = operands[0].tensor()?;
    let Operand::Ranges(ranges) = &operands[1] else { fail!("expected ranges") };
    let mut dims = x.held_dims().to_vec();
    require!(ranges.len() <= dims.len(), "{} ranges for {dims:?}", ranges.len());
    for (range, dim) in ranges.iter().zip(&mut dims) {
        let end = range.end.clone().unwrap_or_else(|| dim.clone());
        let length = (end - range.start.clone()).max(0);
        *dim = length.div_ceil(range.step.unsigned_abs() as i64);
    }
    Ok(vec![Spec { dims, ..x.spec.clone() }])
}

/// The most sizes that are not known in the sum of those of tensors that are joined.
const MOST_UNKNOWN: usize = 256;

fn joined(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (tensors, axis) = (operands[0].tensors()?, operands[1].count()?);
    let Some(first) = tensors.first() else { fail!("there is no tensor to join") };
    let mut dims = first.held_dims().to_vec();
    require!(axis < dims.len(), "dimension {axis} does not exist in {dims:?}");
    let fits = |x: &crate::value::Tensor| x.held_dims().len() == dims.len() && x.dtype() == first.dtype();
    require!(tensors.iter().all(fits), "tensors of different ranks or element types: {tensors:?}");
    let unknown = tensors.iter().filter(|x| !x.held_dims()[axis].is_known()).count();
    dims[axis] = if unknown <= MOST_UNKNOWN {
        tensors.iter().fold(Expr::Int(0), |sum, x| sum + x.held_dims()[axis].clone())
    } else {
        UNKNOWN
    };
    Ok(vec![Spec::new(first.dtype(), dims)])
}

fn repeated(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let mut spec = operands[0].tensor()?.spec.clone();
    let (axis, times) = (operands[1].count()?, operands[2].number()?);
    require!(axis < spec.dims.len(), "dimension {axis} does not exist in {:?}", spec.dims);
    spec.dims[axis] = spec.dims[axis].clone() * times.clone();
    spec.is_scalar = false;
    Ok(vec![spec])
}

fn padded(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let mut spec = operands[0].tensor()?.spec.clone();
    let Operand::Pairs(pairs) = &operands[1] else { fail!("expected pairs") };
    require!(pairs.len() <= spec.dims.len(), "{} pairs for {:?}", pairs.len(), spec.dims);
    let first = spec.dims.len() - pairs.len();
    for ((before, after), dim) in pairs.iter().zip(&mut spec.dims[first..]) {
        *dim = dim.clone() + before.clone() + after.clone();
    }
    spec.is_scalar = false;
    Ok(vec![spec])
}
