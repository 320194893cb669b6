//! Host values as Rust people write them: slices, vectors, nested arrays.

use crate::{Element, Shape, TensorData};
use alloc::vec::Vec;

impl<E: Element> From<&[E]> for TensorData {
    fn from(values: &[E]) -> Self {
        TensorData::new(values, [values.len()])
    }
}

impl<E: Element> From<Vec<E>> for TensorData {
    fn from(values: Vec<E>) -> Self {
        TensorData::from(&values[..])
    }
}

impl<E: Element> From<E> for TensorData {
    /// Rank 1, one element.
    fn from(value: E) -> Self {
        TensorData::new([value], [1])
    }
}

impl From<&TensorData> for TensorData {
    fn from(data: &TensorData) -> Self {
        data.clone()
    }
}

/// `[[E; B]; A]` and so on: the shape is in the type, the values lie in order.
macro_rules! nested {
    ($($array:ty, [$($size:ident),+], $values:ident => $flat:expr;)*) => {$(
        impl<E: Element, $(const $size: usize),+> From<$array> for TensorData {
            fn from($values: $array) -> Self {
                TensorData::new($flat, Shape::from([$($size),+]))
            }
        }

        impl<E: Element, $(const $size: usize),+> From<&$array> for TensorData {
            fn from($values: &$array) -> Self {
                TensorData::new($flat, Shape::from([$($size),+]))
            }
        }
    )*};
}

nested! {
    [E; A], [A], values => values;
    [[E; B]; A], [A, B], values => values.as_flattened();
    [[[E; C]; B]; A], [A, B, C], values => values.as_flattened().as_flattened();
    [[[[E; D]; C]; B]; A], [A, B, C, D], values => values.as_flattened().as_flattened().as_flattened();
    [[[[[E; F]; D]; C]; B]; A], [A, B, C, D, F],
        values => values.as_flattened().as_flattened().as_flattened().as_flattened();
}
