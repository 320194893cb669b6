//! Precision settings: the element types of saved tensors.

use super::{IntoNode, KeyPath, Node, RecordError};
use crate::tensor::{DType, TensorData};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Debug;

/// Precision settings: the element types that a recorder writes. Every backend loads every precision.
///
/// Integers that do not fit are an error when saving. Floats are rounded; a tensor with a finite number
/// beyond the range of the type (65504 for half precision) keeps its own type, so that no number becomes
/// infinite.
pub trait PrecisionSettings: Clone + Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    const FLOAT: DType;
    const INT: DType;
}

macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident: $float:ident, $int:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl PrecisionSettings for $name {
            const FLOAT: DType = DType::$float;
            const INT: DType = DType::$int;
        }
    )*};
}

settings! {
    /// Floats as `f32`, integers as `i32`.
    FullPrecisionSettings: F32, I32;
    /// Floats as `f64`, integers as `i64`.
    DoublePrecisionSettings: F64, I64;
    /// Floats as `f16`, integers as `i16`: half the size, and three decimal digits.
    HalfPrecisionSettings: F16, I16;
}

/// Converts the record to a tree, with tensors in the precision of these settings.
pub(super) fn rounded<S: PrecisionSettings, R: IntoNode>(record: R) -> Result<Node, RecordError> {
    Precision { float: S::FLOAT, int: S::INT }.node(record.into_node(), &KeyPath::ROOT)
}

struct Precision {
    float: DType,
    int: DType,
}

impl Precision {
    fn node(&self, node: Node, at: &KeyPath<'_>) -> Result<Node, RecordError> {
        Ok(match node {
            Node::Tensor(data) => Node::Tensor(self.tensor(data, at)?),
            Node::List(items) => {
                let items = items.into_iter().enumerate();
                let items: Result<_, _> =
                    items.map(|(index, item)| self.node(item, &at.index(index))).collect();
                Node::List(items?)
            }
            Node::Map(fields) => {
                let convert = |(key, node): (String, Node)| {
                    let node = self.node(node, &at.key(&key))?;
                    Ok((key, node))
                };
                Node::Map(fields.into_iter().map(convert).collect::<Result<Vec<_>, RecordError>>()?)
            }
            Node::Weights(weights) => self.node(weights.read_all()?, at)?,
            leaf @ (Node::Null
            | Node::Bool(_)
            | Node::Int(_)
            | Node::UInt(_)
            | Node::Float(_)
            | Node::Text(_)
            | Node::Bytes(_)) => leaf,
        })
    }

    fn tensor(&self, data: TensorData, at: &KeyPath<'_>) -> Result<TensorData, RecordError> {
        if data.dtype == DType::Bool {
            Ok(data)
        } else if data.dtype.is_float() {
            Ok(self.float(data))
        } else {
            data.try_convert_dtype(self.int)
                .map_err(|error| RecordError::Precision { key: at.to_string(), cause: error.to_string() })
        }
    }

    fn float(&self, data: TensorData) -> TensorData {
        let limit = match self.float {
            DType::F16 => 65504.0,
            DType::F32 => f64::from(f32::MAX),
            _ => f64::MAX,
        };
        let narrower = self.float.size() < data.dtype.size();
        let overflows = |x: f64| x.is_finite() && x.abs() > limit;
        if narrower && data.iter::<f64>().any(overflows) { data } else { data.convert_dtype(self.float) }
    }
}
