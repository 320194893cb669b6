use crate::{Scalar, TensorData, TensorSpec};
use serde::{Deserialize, Serialize};

/// How a tensor comes into being; needs a device instead of operands.
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
    /// Shape and dtype of the new tensor.
    pub fn spec(&self) -> TensorSpec {
        match self {
            Creation::Data(data) => TensorSpec::new(data.shape.clone(), data.dtype),
            Creation::Full { spec, .. } | Creation::Range { spec, .. } | Creation::Random { spec, .. } => {
                spec.clone()
            }
        }
    }
}

/// Law of the elements of a random tensor.
///
/// On int tensors, `Uniform(low, high)` draws from `low..high` and `Default` draws from `0..255`.
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
