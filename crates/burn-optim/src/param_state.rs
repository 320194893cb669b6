use crate::arithmetic::read;
use alloc::vec::Vec;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{Backend, DType, HasSpec, Shape, TensorData, TensorSpec};

/// State of an optimizer for one parameter: the number of steps, and tensors and numbers by name.
#[derive(Clone, Debug, Default)]
pub struct ParamState {
    pub(crate) steps: u64,
    pub(crate) tensors: Vec<(&'static str, StateTensor)>,
    pub(crate) scalars: Vec<(&'static str, f64)>,
}

/// A tensor on its device, or as it was loaded: its device and dtype are those of the parameter, which the
/// record does not know.
#[derive(Clone, Debug)]
pub(crate) enum StateTensor {
    Live(DynamicTensor),
    Loaded(TensorData),
}

impl StateTensor {
    pub fn shape(&self) -> Shape {
        match self {
            StateTensor::Live(tensor) => tensor.shape(),
            StateTensor::Loaded(data) => data.shape.clone(),
        }
    }

    pub fn into_data(self) -> TensorData {
        match self {
            StateTensor::Live(tensor) => read(tensor),
            StateTensor::Loaded(data) => data,
        }
    }

    /// Returns the tensor on `device` in `dtype`.
    pub fn on(self, device: &DynamicDevice, dtype: DType) -> DynamicTensor {
        match self {
            StateTensor::Live(tensor) => {
                let tensor = if tensor.dtype() == dtype { tensor } else { Dynamic::cast(tensor, dtype) };
                if Dynamic::device(&tensor) == *device { tensor } else { Dynamic::to_device(tensor, device) }
            }
            StateTensor::Loaded(data) => Dynamic::from_data(data.convert_dtype(dtype), device),
        }
    }
}

impl ParamState {
    /// Increments and returns the number of steps: 1 for the first.
    pub fn count_step(&mut self) -> u64 {
        self.steps += 1;
        self.steps
    }

    /// Removes and returns the tensor `name`, on the device of `like` and in its dtype, if there is one.
    ///
    /// # Panics
    /// Its shape differs from that of `like`: it was loaded from a record of another model.
    #[track_caller]
    pub fn take(&mut self, name: &str, like: &DynamicTensor) -> Option<DynamicTensor> {
        self.take_spec(name, like.spec(), &Dynamic::device(like))
    }

    /// Removes and returns the tensor `name` on `device`, in the dtype of `spec`, if there is one.
    ///
    /// # Panics
    /// Its shape differs from that of `spec`: it was loaded from a record of another model.
    #[track_caller]
    pub fn take_spec(
        &mut self,
        name: &str,
        spec: &TensorSpec,
        device: &DynamicDevice,
    ) -> Option<DynamicTensor> {
        let index = self.tensors.iter().position(|(key, _)| *key == name)?;
        let (_, tensor) = self.tensors.swap_remove(index);
        let (found, expected) = (tensor.shape(), &spec.shape);
        assert!(
            found == *expected,
            "the optimizer keeps {name} of shape {found:?} for a parameter of shape {expected:?}"
        );
        Some(tensor.on(device, spec.dtype))
    }

    /// Stores `tensor` under `name` until the next step.
    pub fn put(&mut self, name: &'static str, tensor: DynamicTensor) {
        self.tensors.push((name, StateTensor::Live(tensor)));
    }

    /// Returns the number `name`, if it was stored.
    pub fn scalar(&self, name: &str) -> Option<f64> {
        self.scalars.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    /// Stores the number `value` under `name`, replacing an earlier one.
    pub fn set_scalar(&mut self, name: &'static str, value: f64) {
        self.scalars.retain(|(key, _)| *key != name);
        self.scalars.push((name, value));
    }
}
