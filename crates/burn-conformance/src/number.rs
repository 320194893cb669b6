//! Numbers in which the suite defines what operations mean: wide enough that nothing is lost on the way.

use burn_backend::{BinaryOp, CompareOp, DType, Scalar, TensorData, UnaryOp};

/// An element of a float, int or bool tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Float(f64),
    /// Holds every `u64` and `i64`.
    Int(i128),
    Bool(bool),
}

impl Number {
    pub fn zero(dtype: DType) -> Self {
        Number::of(0, dtype)
    }

    pub fn of(value: i128, dtype: DType) -> Self {
        if dtype.is_float() {
            Number::Float(value as f64)
        } else if dtype.is_int() {
            Number::Int(value)
        } else {
            Number::Bool(value != 0)
        }
    }

    /// A scalar in the dtype of the tensor that it meets.
    pub fn from_scalar(scalar: Scalar, dtype: DType) -> Self {
        let data = match scalar {
            Scalar::Float(x) => TensorData::from([x]),
            Scalar::Int(x) => TensorData::from([x]),
            Scalar::UInt(x) => TensorData::from([x]),
            Scalar::Bool(x) => TensorData::from([x]),
        };
        read(&data.convert_dtype(dtype))[0]
    }

    pub fn to_f64(self) -> f64 {
        match self {
            Number::Float(x) => x,
            Number::Int(x) => x as f64,
            Number::Bool(x) => f64::from(u8::from(x)),
        }
    }

    pub fn is_nan(self) -> bool {
        matches!(self, Number::Float(x) if x.is_nan())
    }

    pub fn is_true(self) -> bool {
        self == Number::Bool(true)
    }

    /// An index into a dimension.
    pub fn index(self) -> usize {
        let Number::Int(index) = self else { panic!("an index is an integer, not {self:?}") };
        usize::try_from(index).expect("an index is not negative")
    }

    pub(crate) fn add(self, other: Number) -> Number {
        binary(BinaryOp::Add, self, other)
    }

    pub(crate) fn mul(self, other: Number) -> Number {
        binary(BinaryOp::Mul, self, other)
    }

    /// The order of sorting: NaN is larger than everything.
    pub fn order(self, other: Number) -> std::cmp::Ordering {
        match (self, other) {
            (Number::Int(x), Number::Int(y)) => x.cmp(&y),
            _ => {
                let (x, y) = (self.to_f64(), other.to_f64());
                x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan()))
            }
        }
    }
}

/// [`UnaryOp::eval_f64`] of floats and bools, [`UnaryOp::eval_int`] of integers.
pub fn unary(op: UnaryOp, x: Number) -> Number {
    match x {
        Number::Float(x) => Number::Float(op.eval_f64(x)),
        Number::Bool(x) => Number::Bool(op.eval_f64(f64::from(u8::from(x))) != 0.0),
        Number::Int(x) => Number::Int(op.eval_int(x)),
    }
}

/// [`BinaryOp::eval_f64`] of floats and bools, [`BinaryOp::eval_int`] of integers.
pub fn binary(op: BinaryOp, x: Number, y: Number) -> Number {
    match (x, y) {
        (Number::Float(x), Number::Float(y)) => Number::Float(op.eval_f64(x, y)),
        (Number::Bool(_), Number::Bool(_)) => Number::Bool(op.eval_f64(x.to_f64(), y.to_f64()) != 0.0),
        (Number::Int(x), Number::Int(y)) => Number::Int(op.eval_int(x, y)),
        (x, y) => panic!("{} of {x:?} and {y:?}", op.name()),
    }
}

pub fn compare(op: CompareOp, x: Number, y: Number) -> bool {
    match (x, y) {
        (Number::Int(x), Number::Int(y)) => op.eval(x, y),
        (x, y) => op.eval(x.to_f64(), y.to_f64()),
    }
}

/// A conversion, before the result is rounded or wrapped.
pub fn cast(x: Number, dtype: DType) -> Number {
    match x {
        Number::Float(x) if dtype.is_int() => Number::Int((x as i128).clamp(lowest(dtype), highest(dtype))),
        Number::Float(x) if dtype == DType::Bool => Number::Bool(x != 0.0),
        Number::Int(x) if !dtype.is_float() => Number::of(x, dtype),
        Number::Bool(x) => Number::of(i128::from(x), dtype),
        Number::Int(_) | Number::Float(_) => Number::Float(x.to_f64()),
    }
}

/// The smallest integer of `dtype`.
pub fn lowest(dtype: DType) -> i128 {
    if dtype.is_signed() { -1 << (8 * dtype.size() - 1) } else { 0 }
}

/// The largest integer of `dtype`.
pub fn highest(dtype: DType) -> i128 {
    if dtype.is_signed() { !lowest(dtype) } else { (1 << (8 * dtype.size())) - 1 }
}

/// The elements of `data`.
pub fn read(data: &TensorData) -> Vec<Number> {
    if data.dtype.is_float() {
        data.iter::<f64>().map(Number::Float).collect()
    } else if data.dtype == DType::Bool {
        data.iter::<bool>().map(Number::Bool).collect()
    } else if data.dtype.is_signed() {
        data.iter::<i64>().map(|x| Number::Int(x.into())).collect()
    } else {
        data.iter::<u64>().map(|x| Number::Int(x.into())).collect()
    }
}

/// A tensor of `dtype`: floats are rounded, integers wrap.
pub fn write(values: &[Number], shape: &burn_backend::Shape, dtype: DType) -> TensorData {
    if dtype.is_float() {
        let values: Vec<f64> = values.iter().map(|x| x.to_f64()).collect();
        return TensorData::new(values, shape).convert_dtype(dtype);
    }
    let low = values.iter().map(|&x| match x {
        Number::Int(x) => x as u64,
        Number::Float(_) | Number::Bool(_) => x.to_f64() as u64,
    });
    TensorData::new(low.collect::<Vec<u64>>(), shape).convert_dtype(dtype)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_rust() {
        assert_eq!((lowest(DType::I64), highest(DType::I64)), (i64::MIN.into(), i64::MAX.into()));
        assert_eq!((lowest(DType::U8), highest(DType::U8)), (0, 255));
    }

    #[test]
    fn values_survive_a_round_trip() {
        let data = TensorData::from([u64::MAX, 0, 1]);
        assert_eq!(write(&read(&data), &data.shape, DType::U64), data);
        let data = TensorData::from([i64::MIN, -1, i64::MAX]);
        assert_eq!(write(&read(&data), &data.shape, DType::I64), data);
    }
}
