use alloc::vec::Vec;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, HasSpec, Shape, TensorData, block_on};

/// State of an optimizer for one parameter: the number of steps, and tensors by name.
#[derive(Clone, Debug, Default)]
pub struct ParamState {
    pub(crate) steps: u64,
    pub(crate) tensors: Vec<(&'static str, Kept)>,
}

/// A tensor on its device, or as it was loaded: its device and element type are those of the parameter, which
/// the record does not know.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    Live(DynamicTensor),
    Loaded(TensorData),
}

impl Kept {
    pub fn shape(&self) -> Shape {
        match self {
            Kept::Live(tensor) => tensor.shape(),
            Kept::Loaded(data) => data.shape.clone(),
        }
    }

    pub fn into_data(self) -> TensorData {
        match self {
            Kept::Live(tensor) => match block_on(Dynamic::into_data(tensor)) {
                Ok(Ok(data)) => data,
                Ok(Err(error)) => panic!("the state of an optimizer cannot be read: {error}"),
                Err(_pending) => panic!("the state of an optimizer cannot be read: this thread cannot wait"),
            },
            Kept::Loaded(data) => data,
        }
    }
}

impl ParamState {
    /// Increments and returns the number of steps: 1 for the first.
    pub fn count_step(&mut self) -> u64 {
        self.steps += 1;
        self.steps
    }

    /// Removes and returns the tensor `name`, on the device of `like`, if there is one.
    ///
    /// # Panics
    /// Its shape differs from that of `like`: it was loaded from a record of another model.
    #[track_caller]
    pub fn take(&mut self, name: &str, like: &DynamicTensor) -> Option<DynamicTensor> {
        let index = self.tensors.iter().position(|(key, _)| *key == name)?;
        let (_, kept) = self.tensors.swap_remove(index);
        let (found, expected) = (kept.shape(), like.shape());
        assert!(
            found == expected,
            "the optimizer keeps {name} of shape {found:?} for a parameter of shape {expected:?}"
        );
        let device = Dynamic::device(like);
        Some(match kept {
            Kept::Live(tensor) if Dynamic::device(&tensor) == device => tensor,
            Kept::Live(tensor) => Dynamic::to_device(tensor, &device),
            Kept::Loaded(data) => Dynamic::from_data(data.convert_dtype(like.dtype()), &device),
        })
    }

    /// Stores `tensor` under `name` until the next step.
    pub fn put(&mut self, name: &'static str, tensor: DynamicTensor) {
        self.tensors.push((name, Kept::Live(tensor)));
    }
}
