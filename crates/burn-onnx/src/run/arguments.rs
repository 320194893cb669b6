//! Arguments of a call as its body takes them, by the sorts of its parameters.

use super::erased::AnyRank;
use crate::calls::{
    Axes, Count, Counts, DimsList, Erased, ErasedMask, Fixed, FixedIndex, Flag, Index, IntData, Integer,
    Many, ManyErased, Mask, Maybe, Number, Operand, Pairs, Ranges, Real, Same, Size, Sizes, Type, Whole,
};
use crate::error::{Outcome, fail};
use crate::value::Expr;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_ir::{DType, Dims, HasSpec, Scalar, TensorData};
use burn_tensor::{Bool, Int, Slice, Tensor, TensorKind};

/// Arguments of a call that is made.
#[derive(Debug)]
pub struct Arguments {
    operands: std::vec::IntoIter<Operand>,
    pub(crate) device: DynamicDevice,
    /// Element type and rank of the first tensor.
    first: Option<(DType, usize)>,
}

impl Arguments {
    pub(crate) fn new(operands: Vec<Operand>, device: DynamicDevice) -> Self {
        let first = operands.iter().find_map(|operand| {
            let tensors = operand.tensors().ok()?;
            let handle = tensors.first()?.handle.as_ref()?;
            Some((handle.dtype(), handle.shape().rank()))
        });
        Arguments { operands: operands.into_iter(), device, first }
    }

    pub(crate) fn dtype(&self) -> DType {
        self.first.map_or(DType::F32, |(dtype, _)| dtype)
    }

    pub(crate) fn rank(&self) -> usize {
        self.first.map_or(1, |(_, rank)| rank)
    }

    /// The next argument.
    pub(crate) fn take<S: RunSort, K: TensorKind, const D: usize>(&mut self) -> Outcome<S::Run<K, D>> {
        match self.operands.next() {
            Some(operand) => S::take::<K, D>(operand),
            None => fail!("an argument is missing"),
        }
    }
}

/// Sort of a parameter when the call is made.
pub(crate) trait RunSort {
    /// Type of the parameter in the body of the call.
    type Run<K: TensorKind, const D: usize>;
    fn take<K: TensorKind, const D: usize>(operand: Operand) -> Outcome<Self::Run<K, D>>;
}

fn handle(operand: Operand) -> Outcome<DynamicTensor> {
    match operand {
        Operand::Tensor(tensor) => match tensor.handle {
            Some(handle) => Ok(handle),
            None => fail!("{tensor:?} has no elements: it is from a recording"),
        },
        other => fail!("expected a tensor, found {other:?}"),
    }
}

fn handles(operand: Operand) -> Outcome<Vec<DynamicTensor>> {
    match operand {
        Operand::Tensors(tensors) => {
            tensors.into_iter().map(|tensor| handle(Operand::Tensor(tensor))).collect()
        }
        other => Ok(vec![handle(other)?]),
    }
}

/// A handle as a tensor of a rank and a kind.
fn ranked<K: TensorKind, const D: usize>(handle: DynamicTensor) -> Outcome<Tensor<Dynamic, D, K>> {
    let spec = handle.spec();
    if spec.shape.rank() != D || !K::holds(spec.dtype) {
        fail!("expected a {} tensor of rank {D}, got {} {:?}", K::NAME, spec.dtype, spec.shape);
    }
    Ok(Tensor::from_handle(handle))
}

fn integer(number: &Expr) -> Outcome<i64> {
    match number {
        Expr::Int(value) => Ok(*value),
        Expr::Float(value) if value.fract() == 0.0 => Ok(*value as i64),
        other => fail!("expected an integer, found {other:?}"),
    }
}

fn size(number: &Expr) -> Outcome<usize> {
    let value = integer(number)?;
    usize::try_from(value).map_err(|_| format!("expected a size, found {value}").into())
}

fn list<T>(operand: &Operand, item: impl Fn(&Expr) -> Outcome<T>) -> Outcome<Vec<T>> {
    operand.numbers()?.iter().map(item).collect()
}

macro_rules! run_sorts {
    ($($name:ident $(<const $n:ident>)? => $run:ty, $operand:ident => $value:expr;)*) => {$(
        impl$(<const $n: usize>)? RunSort for $name$(<$n>)? {
            type Run<K: TensorKind, const D: usize> = $run;
            fn take<K: TensorKind, const D: usize>($operand: Operand) -> Outcome<$run> {
                $value
            }
        }
    )*};
}

run_sorts! {
    Same => Tensor<Dynamic, D, K>, operand => ranked(handle(operand)?);
    Mask => Tensor<Dynamic, D, Bool>, operand => ranked(handle(operand)?);
    Index => Tensor<Dynamic, D, Int>, operand => ranked(handle(operand)?);
    Fixed<const N> => Tensor<Dynamic, N, K>, operand => ranked(handle(operand)?);
    FixedIndex<const N> => Tensor<Dynamic, N, Int>, operand => ranked(handle(operand)?);
    Erased => AnyRank<K>, operand => AnyRank::new(handle(operand)?);
    ErasedMask => AnyRank<Bool>, operand => AnyRank::new(handle(operand)?);
    Many => Vec<Tensor<Dynamic, D, K>>, operand => handles(operand)?.into_iter().map(ranked).collect();
    ManyErased => Vec<AnyRank<K>>, operand => handles(operand)?.into_iter().map(AnyRank::new).collect();
    Count => usize, operand => size(operand.number()?);
    Size => usize, operand => size(operand.number()?);
    Whole => i64, operand => integer(operand.number()?);
    Integer => i64, operand => integer(operand.number()?);
    Number => Scalar, operand => match operand.number()? {
        Expr::Int(value) => Ok(Scalar::Int(*value)),
        Expr::Float(value) => Ok(Scalar::Float(*value)),
        Expr::Bool(value) => Ok(Scalar::Bool(*value)),
        other => fail!("expected a number, found {other:?}"),
    };
    Real => f64, operand => operand.number()?.to_f64().ok_or_else(|| "expected a number that is known".into());
    Flag => bool, operand => match operand {
        Operand::Flag(value) => Ok(value),
        other => fail!("expected a boolean, found {other:?}"),
    };
    Type => DType, operand => operand.dtype();
    Sizes => Vec<isize>, operand => list(&operand, |number| integer(number).map(|value| value as isize));
    Counts => Vec<usize>, operand => list(&operand, size);
    IntData => TensorData, operand => numbers(&operand);
    Axes => Vec<isize>, operand => list(&operand, |number| size(number).map(|value| value as isize));
    DimsList => Dims, operand => list(&operand, size).map(|sizes| Dims::from(&sizes[..]));
    Ranges => Vec<Slice>, operand => match operand {
        Operand::Ranges(ranges) => ranges.iter().map(|range| {
            let end = range.end.as_ref().map(|end| size(end).map(|end| end as isize)).transpose()?;
            Ok(Slice::new(size(&range.start)? as isize, end, range.step as isize))
        }).collect(),
        other => fail!("expected ranges, found {other:?}"),
    };
    Pairs => Vec<(usize, usize)>, operand => match operand {
        Operand::Pairs(pairs) => pairs.iter().map(|(before, after)| Ok((size(before)?, size(after)?))).collect(),
        other => fail!("expected pairs, found {other:?}"),
    };
}

impl<S: RunSort> RunSort for Maybe<S> {
    type Run<K: TensorKind, const D: usize> = Option<S::Run<K, D>>;
    fn take<K: TensorKind, const D: usize>(operand: Operand) -> Outcome<Self::Run<K, D>> {
        match operand {
            Operand::Absent => Ok(None),
            operand => S::take::<K, D>(operand).map(Some),
        }
    }
}

fn numbers(operand: &Operand) -> Outcome<TensorData> {
    let numbers = operand.numbers()?;
    if numbers.iter().any(|number| matches!(number, Expr::Float(_))) {
        let floats: Option<Vec<f64>> = numbers.iter().map(Expr::to_f64).collect();
        return match floats {
            Some(floats) => Ok(floats.into()),
            None => fail!("expected numbers, found {numbers:?}"),
        };
    }
    Ok(list(operand, integer)?.into())
}
