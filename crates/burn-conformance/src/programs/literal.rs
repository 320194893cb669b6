use crate::array::Array;
use crate::number::Number;
use burn_backend::{DType, HasSpec, Shape, TensorSpec};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

/// Elements of one tensor; a file cannot ask for more.
pub const MOST_ELEMENTS: usize = 1 << 16;

/// A tensor as `["F64", [2, 1], [0.5, "nan"]]`.
#[derive(Clone, Debug)]
pub struct Literal(pub Array);

impl<'de> Deserialize<'de> for Literal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (dtype, shape, values) = <(DType, Shape, Vec<Element>)>::deserialize(deserializer)?;
        let wanted = shape.checked_num_elements().filter(|&count| count <= MOST_ELEMENTS);
        if wanted != Some(values.len()) {
            return Err(D::Error::custom(format!(
                "{} values are not a tensor of shape {shape:?}",
                values.len()
            )));
        }
        let values: Option<Vec<Number>> = values.iter().map(|element| element.of(dtype)).collect();
        let values = values.ok_or_else(|| D::Error::custom(format!("a value is no {dtype}")))?;
        // Rounded to the dtype, as what a backend is given.
        let array = Array { spec: TensorSpec { shape, dtype }, values };
        Ok(Literal(Array::from(&array.to_data())))
    }
}

/// The float values of a tensor whose shape is known.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Floats(Vec<Element>);

impl Floats {
    pub fn values(&self) -> Option<Vec<f64>> {
        self.0.iter().map(|element| element.of(DType::F64).map(Number::to_f64)).collect()
    }
}

/// A number, or the name of one that JSON has not: `"nan"`, `"inf"`, `"-inf"`.
#[derive(Clone, Copy, Debug)]
enum Element {
    Int(i128),
    Float(f64),
}

impl Element {
    fn of(self, dtype: DType) -> Option<Number> {
        match self {
            Element::Int(x) if dtype != DType::Bool || x == 0 || x == 1 => Some(Number::of(x, dtype)),
            Element::Float(x) if dtype.is_float() => Some(Number::Float(x)),
            Element::Int(_) | Element::Float(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Element;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number, \"nan\", \"inf\" or \"-inf\"")
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Element, E> {
                Ok(Element::Int(value.into()))
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<Element, E> {
                Ok(Element::Int(value.into()))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Element, E> {
                Ok(Element::Float(value))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Element, E> {
                match text {
                    "nan" => Ok(Element::Float(f64::NAN)),
                    "inf" => Ok(Element::Float(f64::INFINITY)),
                    "-inf" => Ok(Element::Float(f64::NEG_INFINITY)),
                    other => Err(E::custom(format!("{other:?} is no number"))),
                }
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// How far a value may be from that of PyTorch, relative to it. Results of ints and bools are exact.
fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e-9,
        // A few units: both libraries round inner steps as they like.
        DType::F32 => 4.0 * f64::from(f32::EPSILON),
        DType::F16 => 2.0 * 2_f64.powi(-10),
        DType::BF16 => 2.0 * 2_f64.powi(-7),
        DType::I64 | DType::I32 | DType::I16 | DType::I8 => 0.0,
        DType::U64 | DType::U32 | DType::U16 | DType::U8 | DType::Bool => 0.0,
    }
}

/// Residue of numbers of about 1 that cancel: a zero in one library can be this in another.
pub const CANCELLED: f64 = 1e-14;

/// Compares with a tolerance relative to the expected value, and no smaller than `floor`.
///
/// # Errors
/// The first difference.
pub fn compare(found: &Array, expected: &Array, floor: f64) -> Result<(), String> {
    if found.spec() != expected.spec() {
        return Err(format!(
            "is {} of {:?}, PyTorch has {} of {:?}",
            found.dtype(),
            found.shape(),
            expected.dtype(),
            expected.shape()
        ));
    }
    let tolerance = tolerance(expected.dtype());
    let far = |(x, y): (&Number, &Number)| match (x, y) {
        (Number::Float(x), Number::Float(y)) => !is_near(*x, *y, tolerance, floor),
        (x, y) => x != y,
    };
    match found.values.iter().zip(&expected.values).position(far) {
        None => Ok(()),
        Some(at) => {
            let (found, expected) = (found.values[at], expected.values[at]);
            Err(format!("element {at} is {found:?}, PyTorch has {expected:?}"))
        }
    }
}

/// Whether `found` is `expected`, but for `tolerance` relative to it or `floor`; NaN is NaN.
pub fn is_near(found: f64, expected: f64, tolerance: f64, floor: f64) -> bool {
    let allowed = (tolerance * expected.abs()).max(floor);
    found == expected
        || (found.is_nan() && expected.is_nan())
        || (expected.is_finite() && (found - expected).abs() <= allowed)
}
