//! Checks of operands that several operations share.

use crate::OpErrorKind as Kind;
use crate::{DType, Dims, Outputs, Shape, TensorSpec};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

pub type Result<T> = core::result::Result<T, Box<Kind>>;

pub fn require(ok: bool, kind: impl FnOnce() -> Kind) -> Result<()> {
    if ok { Ok(()) } else { Err(Box::new(kind())) }
}

/// Checks a condition, with a message for an error without a kind of its own.
pub fn argument(ok: bool, text: impl FnOnce() -> String) -> Result<()> {
    require(ok, || Kind::Argument(text().into()))
}

/// Returns `spec`, if the operation `accepts` its dtype.
pub fn accepted(accepts: impl Fn(DType) -> bool, spec: &TensorSpec) -> Result<&TensorSpec> {
    require(accepts(spec.dtype), || Kind::DType { expected: kinds(&accepts), found: spec.dtype })?;
    Ok(spec)
}

/// The element types that an operation is defined for, in a word.
fn kinds(accepts: impl Fn(DType) -> bool) -> &'static str {
    match (accepts(DType::F32), accepts(DType::I64), accepts(DType::Bool)) {
        (true, true, true) => "numeric or bool",
        (true, true, false) => "numeric",
        (true, false, true) => "float or bool",
        (true, false, false) => "float",
        (false, true, true) => "int or bool",
        (false, true, false) => "int",
        (false, false, _) => "bool",
    }
}

pub fn numeric(spec: &TensorSpec) -> Result<&TensorSpec> {
    accepted(|dtype| dtype != DType::Bool, spec)
}

pub fn float(spec: &TensorSpec) -> Result<&TensorSpec> {
    accepted(DType::is_float, spec)
}

pub fn bools(spec: &TensorSpec) -> Result<()> {
    accepted(|dtype| dtype == DType::Bool, spec).map(|_| ())
}

pub fn ints(dtype: DType) -> Result<()> {
    require(dtype.is_int(), || Kind::DType { expected: "int", found: dtype })
}

/// Checks that indices of `size` elements fit their dtype.
pub fn indices_of(size: usize, dtype: DType) -> Result<()> {
    ints(dtype)?;
    let bits = 8 * dtype.size() - usize::from(dtype.is_signed());
    argument(size as u128 <= 1 << bits, || {
        format!("indices of up to {} do not fit {}", size.saturating_sub(1), dtype.name())
    })
}

/// Returns `dim`, if `x` has it.
pub fn dim_of(dim: usize, x: &TensorSpec) -> Result<usize> {
    require(dim < x.shape.rank(), || Kind::Dim { dim, shape: x.shape.clone() })?;
    Ok(dim)
}

/// Checks that the dimensions exist in `x`, each named once.
pub fn dims_of(dims: &Dims, x: &TensorSpec) -> Result<()> {
    for (position, &dim) in dims.iter().enumerate() {
        dim_of(dim, x)?;
        argument(!dims[..position].contains(&dim), || {
            format!("dimension {dim} of {:?} is named twice in {dims:?}", x.shape)
        })?;
    }
    Ok(())
}

pub fn same_dtype(lhs: &TensorSpec, rhs: &TensorSpec) -> Result<()> {
    require(lhs.dtype == rhs.dtype, || Kind::DTypes { lhs: lhs.dtype, rhs: rhs.dtype })
}

pub fn same_shape(what: &'static str, lhs: &Shape, rhs: &Shape) -> Result<()> {
    require(lhs == rhs, || Kind::Shapes { what, lhs: lhs.clone(), rhs: rhs.clone() })
}

pub fn broadcast(lhs: &TensorSpec, rhs: &TensorSpec) -> Result<TensorSpec> {
    same_dtype(lhs, rhs)?;
    Ok(TensorSpec { shape: broadcast_shapes(&lhs.shape, &rhs.shape)?, dtype: lhs.dtype })
}

pub fn broadcast_shapes(lhs: &Shape, rhs: &Shape) -> Result<Shape> {
    if lhs == rhs {
        return Ok(lhs.clone());
    }
    let (wide, narrow) = if lhs.rank() >= rhs.rank() { (lhs, rhs) } else { (rhs, lhs) };
    let (mut shape, extra) = (wide.clone(), wide.rank() - narrow.rank());
    for (dim, &size) in narrow.iter().enumerate() {
        match (&mut shape[dim + extra], size) {
            (a, b) if *a == b || b == 1 => {}
            (a, b) if *a == 1 => *a = b,
            _ => {
                return Err(Box::new(Kind::Broadcast {
                    lhs: lhs.clone(),
                    rhs: rhs.clone(),
                    dim: dim + extra,
                }));
            }
        }
    }
    Ok(shape)
}

/// Refuses what no memory holds: the bytes of a tensor, and the strides of one without elements, fit an
/// `isize`.
pub fn sized(spec: &TensorSpec) -> Result<()> {
    let bytes = spec.shape.iter().try_fold(spec.dtype.size(), |bytes, &size| bytes.checked_mul(size.max(1)));
    argument(bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok()), || {
        format!("the result of shape {:?} is larger than any memory", spec.shape)
    })
}

/// Returns the only result of an operation, checked by [`sized`].
pub fn one(spec: TensorSpec) -> Result<Outputs<TensorSpec>> {
    sized(&spec)?;
    Ok(Outputs::One(spec))
}
