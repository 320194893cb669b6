//! Reductions over axes.

use crate::builder::Builder;
use crate::error::Outcome;
use crate::translate::Node;
use crate::value::{Expr, Function, Host, OnnxValue, Tensor};
use burn_ir::DType;

type ReduceCall = fn(&mut Builder, &Tensor, &[usize]) -> Outcome<Tensor>;

/// Axes, and whether they stay with size 1. None: the value passes unchanged.
fn axes(node: &Node<'_>, b: &mut Builder, rank: usize) -> Outcome<Option<(Vec<usize>, bool)>> {
    let keep = node.flag("keepdims", true)?;
    let given = node.ints_of(b, "axes", 1)?.unwrap_or_default();
    if given.is_empty() && node.flag("noop_with_empty_axes", false)? {
        return Ok(None);
    }
    let axes = if given.is_empty() { (0..rank).collect() } else { node.axes(&given, rank)? };
    Ok(Some((axes, keep)))
}

fn reduced(node: &Node<'_>, b: &mut Builder, before: Option<fn(&mut Builder, &Tensor) -> Outcome<Tensor>>, call: ReduceCall) -> Outcome<Vec<OnnxValue>> {
    let input = node.tensor(b, 0)?;
    let axes = axes(node, b, input.rank())?;
    let x = match before {
        Some(before) => before(b, &input)?,
        None => input.clone(),
    };
    let Some((axes, keep)) = axes else {
        // No axis: only what happens to each element.
        return Ok(vec![call(b, &x, &[])?.into()]);
    };
    if input.is_scalar() {
        return Ok(vec![call(b, &x, &[0])?.as_scalar(true).into()]);
    }
    let y = call(b, &x, &axes)?;
    Ok(vec![if keep { y } else { b.squeezed(&y, &axes)? }.into()])
}

/// The most numbers that are reduced on the host: of sizes that are not known each makes the expression
/// longer.
const MOST_ON_HOST: usize = 256;

/// Reductions of a list of the host, such as the product of sizes.
fn on_host(node: &Node<'_>, b: &mut Builder, function: Function) -> Outcome<Option<Vec<OnnxValue>>> {
    let Some(host) = node.as_host(0).filter(|host| host.dims.len() == 1 && (1..=MOST_ON_HOST).contains(&host.elements.len()))
    else {
        return Ok(None);
    };
    let Some((_, keep)) = axes(node, b, 1)? else { return Ok(None) };
    let is_known = host.elements.iter().all(Expr::is_known);
    let mut elements = host.elements.into_iter();
    let first = elements.next().unwrap_or(Expr::Int(0));
    let value = elements.fold(first, |sum, element| Expr::apply(function, vec![sum, element]));
    // Integers beyond 64 bits wrap around on the device.
    if is_known && !value.is_known() {
        return Ok(None);
    }
    let dims = if keep { vec![1] } else { Vec::new() };
    Ok(Some(vec![Host { dtype: host.dtype, dims, elements: vec![value] }.into()]))
}

macro_rules! plain {
    ($($name:ident on_host $function:ident => $call:ident;)*) => {$(
        pub(super) fn $name(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
            match on_host(node, b, Function::$function)? {
                Some(values) => Ok(values),
                None => reduced(node, b, None, |b, x, axes| if axes.is_empty() { Ok(x.clone()) } else { b.$call(x, axes) }),
            }
        }
    )*};
}

plain! {
    sum on_host Add => sum_dims;
    prod on_host Mul => prod_dims;
}

macro_rules! extremum {
    ($($name:ident on_host $function:ident => $call:ident, $truth:ident, $empty:ident;)*) => {$(
        pub(super) fn $name(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
            if let Some(values) = on_host(node, b, Function::$function)? {
                return Ok(values);
            }
            reduced(node, b, None, |b, x, axes| {
                if axes.is_empty() {
                    return Ok(x.clone());
                }
                if x.dtype() == DType::Bool {
                    return b.$truth(x, axes);
                }
                // The extremum of no elements is the one that every element would replace.
                if axes.iter().any(|&axis| x.held_dims()[axis].is(0)) {
                    let mut dims = x.held_dims().to_vec();
                    axes.iter().for_each(|&axis| dims[axis] = Expr::Int(1));
                    return b.full(&dims, $empty(x.dtype()), x.dtype());
                }
                b.$call(x, axes)
            })
        }
    )*};
}

extremum! {
    max on_host Max => max_dims, any_dims, lowest;
    min on_host Min => min_dims, all_dims, highest;
}

fn lowest(dtype: DType) -> Expr {
    match dtype {
        DType::I64 => Expr::Int(i64::MIN),
        DType::I32 => Expr::Int(i32::MIN.into()),
        DType::I16 => Expr::Int(i16::MIN.into()),
        DType::I8 => Expr::Int(i8::MIN.into()),
        DType::U64 | DType::U32 | DType::U16 | DType::U8 => Expr::Int(0),
        DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Bool => Expr::Float(f64::NEG_INFINITY),
    }
}

fn highest(dtype: DType) -> Expr {
    match dtype {
        DType::I64 | DType::U64 => Expr::Int(i64::MAX),
        DType::I32 => Expr::Int(i32::MAX.into()),
        DType::I16 => Expr::Int(i16::MAX.into()),
        DType::I8 => Expr::Int(i8::MAX.into()),
        DType::U32 => Expr::Int(u32::MAX.into()),
        DType::U16 => Expr::Int(u16::MAX.into()),
        DType::U8 => Expr::Int(u8::MAX.into()),
        DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Bool => Expr::Float(f64::INFINITY),
    }
}

pub(super) fn mean(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    reduced(node, b, None, |b, x, axes| {
        if axes.is_empty() {
            return Ok(x.clone());
        }
        if x.dtype().is_float() {
            return b.mean_dims(x, axes);
        }
        let count = Expr::product(axes.iter().map(|&axis| &x.held_dims()[axis]));
        let sum = b.sum_dims(x, axes)?;
        b.div_scalar(&sum, count)
    })
}

fn square(b: &mut Builder, x: &Tensor) -> Outcome<Tensor> {
    b.mul(x, x)
}

fn sum_over(b: &mut Builder, x: &Tensor, axes: &[usize]) -> Outcome<Tensor> {
    if axes.is_empty() { Ok(x.clone()) } else { b.sum_dims(x, axes) }
}

pub(super) fn l1(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    reduced(node, b, Some(|b, x| b.abs(x)), sum_over)
}

pub(super) fn l2(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    reduced(node, b, Some(square), |b, x, axes| {
        let sum = sum_over(b, x, axes)?;
        if sum.dtype().is_float() {
            return b.sqrt(&sum);
        }
        let float = b.convert(&sum, DType::F64)?;
        let root = b.sqrt(&float)?;
        b.convert(&root, sum.dtype())
    })
}

pub(super) fn sum_square(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    reduced(node, b, Some(square), sum_over)
}

pub(super) fn log_sum(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    reduced(node, b, None, |b, x, axes| {
        let sum = sum_over(b, x, axes)?;
        b.log(&sum)
    })
}

/// `log(sum of e^x)`, with the largest element taken out, so that nothing overflows.
pub(super) fn log_sum_exp(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    reduced(node, b, None, |b, x, axes| {
        let is_empty = axes.iter().any(|&axis| x.held_dims()[axis].is(0));
        if axes.is_empty() || is_empty {
            let powers = b.exp(x)?;
            let sum = sum_over(b, &powers, axes)?;
            return b.log(&sum);
        }
        let largest = b.max_dims(x, axes)?;
        let shifted = b.sub(x, &largest)?;
        let powers = b.exp(&shifted)?;
        let sum = b.sum_dims(&powers, axes)?;
        let log = b.log(&sum)?;
        b.add(&log, &largest)
    })
}

fn arg(node: &Node<'_>, b: &mut Builder, call: fn(&mut Builder, &Tensor, usize) -> Outcome<Tensor>) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let axis = node.axis(node.int("axis", 0)?, x.rank())?;
    let places = if node.flag("select_last_index", false)? {
        // The first from the end.
        let backwards = b.flip(&x, &[axis])?;
        let places = call(b, &backwards, axis)?;
        let places = b.neg(&places)?;
        b.add_scalar(&places, x.dim(axis)? - 1)?
    } else {
        call(b, &x, axis)?
    };
    let places = b.convert(&places, DType::I64)?;
    Ok(vec![if node.flag("keepdims", true)? { places } else { b.squeezed(&places, &[axis])? }.into()])
}

pub(super) fn arg_max(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    arg(node, b, |b, x, axis| b.argmax(x, axis))
}

pub(super) fn arg_min(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    arg(node, b, |b, x, axis| b.argmin(x, axis))
}
