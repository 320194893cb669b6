//! Classes of values that kernels go wrong at.

use crate::number::{Number, highest, lowest};
use crate::tolerance;
use burn_backend::DType;

/// A name, and values of one dtype.
#[derive(Clone, Debug)]
pub struct Class {
    pub name: &'static str,
    pub values: Vec<Number>,
}

/// The classes of `dtype`. Ordinary values are not among them.
pub fn classes(dtype: DType) -> Vec<Class> {
    if dtype == DType::Bool {
        return vec![Class { name: "both values", values: vec![Number::Bool(false), Number::Bool(true)] }];
    }
    if dtype.is_int() { ints(dtype) } else { floats(dtype) }
}

fn floats(dtype: DType) -> Vec<Class> {
    let (smallest, largest) = tolerance::range(dtype);
    let denormal = smallest * tolerance::epsilon(dtype);
    let class = |name, values: &[f64]| {
        // Both signs, and ones and twos between, as neighbours of the rare values.
        let both = values.iter().flat_map(|&x| [x, 1.0, -x, 2.5]);
        Class { name, values: both.map(Number::Float).collect() }
    };
    vec![
        class("signed zero", &[0.0, 0.5]),
        class("infinities", &[f64::INFINITY]),
        class("NaN", &[f64::NAN, 0.0]),
        class("denormals", &[denormal, 3.0 * denormal, smallest / 2.0, smallest]),
        class("extremes", &[largest, largest / 2.0, smallest, tolerance::epsilon(dtype)]),
        class("around zero and one", &[1e-7, 1e-3, 0.1, 0.9, 0.999, 1.001, 1.5, 2.5, 3.5]),
        class("tens", &[4.0, 7.0, 10.0, 15.0, 22.0, 33.0, 60.0, 90.0]),
        class("large", &[100.0, 355.0, 1000.0, 12_345.678, 60_000.0]),
    ]
}

fn ints(dtype: DType) -> Vec<Class> {
    let class =
        |name, values: Vec<i128>| Class { name, values: values.into_iter().map(Number::Int).collect() };
    let (low, high) = (lowest(dtype), highest(dtype));
    let small = if dtype.is_signed() { vec![-7, -3, -2, -1, 0, 1, 2, 3, 7] } else { vec![0, 1, 2, 3, 7, 9] };
    vec![
        class("small", small),
        class("extremes", vec![low, low + 1, high / 2, high / 2 + 1, high - 1, high, 1, 3]),
        class("widths", vec![5, 8, 15, 16, 31, 32, 63, 64, 65, 100]),
    ]
}
