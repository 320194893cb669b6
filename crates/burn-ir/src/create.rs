use crate::{DType, OpError, OpErrorKind, Scalar, TensorData, TensorSpec, UnaryOp};
use alloc::boxed::Box;
use alloc::format;
use serde::{Deserialize, Serialize};

/// Creation of a tensor, on a device and without operands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Creation {
    /// Host values.
    Data(TensorData),
    /// One value everywhere.
    Full { spec: TensorSpec, value: Scalar },
    /// `start, start + step, ..`, rank 1, of an int or float dtype.
    Range { spec: TensorSpec, start: Scalar, step: Scalar },
    /// Independent draws.
    Random { spec: TensorSpec, distribution: Distribution },
}

impl Creation {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Creation::Data(_) => "from_data",
            Creation::Full { .. } => "full",
            Creation::Range { .. } => "range",
            Creation::Random { .. } => "random",
        }
    }

    /// Returns the shape and dtype of the new tensor.
    pub fn spec(&self) -> TensorSpec {
        match self {
            Creation::Data(data) => TensorSpec::new(data.shape.clone(), data.dtype),
            Creation::Full { spec, .. } | Creation::Range { spec, .. } | Creation::Random { spec, .. } => {
                spec.clone()
            }
        }
    }
}

/// Distribution of the elements of a random tensor.
///
/// On int tensors, `Uniform(low, high)` draws the whole numbers in `[low, high)`, and `Default` those in `[0,
/// 255)`, or of `i8` those in `[0, 127)`. Bounds are rounded to the element type, and no element is `high`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Distribution {
    /// Uniform in `[0, 1)`.
    #[default]
    Default,
    /// Uniform in `[low, high)`.
    Uniform(f64, f64),
    /// Mean and standard deviation.
    Normal(f64, f64),
    /// 1 with this probability, else 0.
    Bernoulli(f64),
}

impl Distribution {
    /// Converts a bound of a uniform distribution to `dtype`: the nearest float, or the next whole number.
    pub fn bound(x: f64, dtype: DType) -> f64 {
        let x = if dtype.is_int() { UnaryOp::Ceil.eval_f64(x) } else { x };
        if dtype.is_float() { TensorData::from([x]).convert_dtype(dtype).to_f64()[0] } else { x }
    }

    /// Checks that elements of `dtype` can be drawn.
    ///
    /// # Errors
    /// When the parameters are invalid: NaN, a negative standard deviation, `low` above `high`, a probability
    /// outside of `[0, 1]`, a range that the dtype cannot hold, or one that contains no whole number.
    pub fn check(self, dtype: DType) -> Result<(), OpError> {
        let refuse = |ok: bool, why: &str| {
            let what = || OpErrorKind::Argument(format!("{self:?} of {dtype}: {why}").into());
            if ok { Ok(()) } else { Err(OpError { op: "random", kind: Box::new(what()) }) }
        };
        match self {
            Distribution::Default => Ok(()),
            Distribution::Bernoulli(p) => {
                refuse((0.0..=1.0).contains(&p), "the probability is not from 0 to 1")
            }
            Distribution::Normal(mean, deviation) => {
                refuse(
                    mean.is_finite() && deviation.is_finite(),
                    "mean and standard deviation are not finite",
                )?;
                refuse(deviation >= 0.0, "the standard deviation is negative")
            }
            Distribution::Uniform(low, high) => {
                refuse(low.is_finite() && high.is_finite(), "the bounds are not finite")?;
                refuse(low <= high, "low is above high")?;
                let (first, end) = (Self::bound(low, dtype), Self::bound(high, dtype));
                if !dtype.is_int() {
                    let width = Self::bound(end - first, dtype);
                    return refuse(width.is_finite(), "the range is wider than the element type");
                }
                refuse(first < end, "there is no whole number in it")?;
                let (lowest, highest) = dtype.int_range();
                refuse(first >= lowest && end - 1.0 <= highest, "the range is wider than the element type")
            }
        }
    }
}
