//! Backend that notes the operations it passes on: what a run of a model comes down to for inputs of some
//! shapes.
#![deny(clippy::wildcard_enum_match_arm)]

use super::notes::{IndexUse, Notes};
use burn_backend::dynamic::{BackendObject, Dynamic, DynamicDevice, DynamicTensor, object_of};
use burn_backend::{
    Backend, Block, Creation, DType, DataError, HasSpec, Index, LaunchGraphs, Layout, Operation, Outputs,
    Pending, Segment, TensorData, TensorSpec, block_on, reference,
};
use derive_new::new;

/// Decorator around the backend that tensors belong to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recorder;

/// Tensor of the backend below, and its number in the notes.
#[derive(Clone, Debug, new)]
#[new(visibility = "pub(super)")]
pub(super) struct RecordedTensor {
    pub(super) tensor: DynamicTensor,
    pub(super) number: usize,
    notes: Notes,
}

impl RecordedTensor {
    /// The tensor in a run that cannot be repeated, since what it does may depend on values.
    fn unrepeatable(self) -> DynamicTensor {
        self.notes.refuse();
        self.tensor
    }

    fn map(self, f: impl FnOnce(DynamicTensor) -> DynamicTensor) -> Self {
        let RecordedTensor { tensor, number, notes } = self;
        notes.refuse();
        RecordedTensor { tensor: f(tensor), number, notes }
    }
}

/// Reads elements that the run depends on: a recorded run notes them.
pub(crate) fn read_value(x: &DynamicTensor) -> Result<Result<TensorData, DataError>, Pending> {
    let Some(recorded) = x.downcast_ref::<RecordedTensor>() else {
        return block_on(Dynamic::into_data(x.clone()));
    };
    let data = block_on(Dynamic::into_data(recorded.tensor.clone()));
    match &data {
        Ok(Ok(data)) => recorded.notes.read(recorded.number, data),
        Ok(Err(_)) | Err(_) => recorded.notes.refuse(),
    }
    data
}

/// How an operation relates to indices that may have been read before it.
fn index_use(op: &Operation<RecordedTensor>) -> IndexUse {
    match op {
        Operation::Index(
            Index::Gather { x, dim, indices }
            | Index::Scatter { x, dim, indices, .. }
            | Index::Select { x, dim, indices }
            | Index::SelectAssign { x, dim, indices, .. },
        ) => IndexUse::Indices { number: indices.number, size: x.spec().shape[*dim] },
        Operation::Layout(Layout::Reshape { x, .. }) => IndexUse::Reshape { number: x.number },
        Operation::Layout(_)
        | Operation::Elementwise(_)
        | Operation::Reduction(_)
        | Operation::Order(_)
        | Operation::Linalg(_)
        | Operation::Convolution(_)
        | Operation::Pooling(_)
        | Operation::Resize(_)
        | Operation::Spectral(_)
        | Operation::Normalization(_)
        | Operation::Attention(_)
        | Operation::Quantized(_)
        | Operation::Recurrent(_) => IndexUse::None,
    }
}

impl HasSpec for RecordedTensor {
    fn spec(&self) -> &TensorSpec {
        self.tensor.spec()
    }
}

/// Device of the backend below, on which tensors are created in the notes.
#[derive(Clone, Debug, Default)]
pub(super) struct RecorderDevice {
    pub(super) device: DynamicDevice,
    pub(super) notes: Notes,
}

impl PartialEq for RecorderDevice {
    fn eq(&self, other: &Self) -> bool {
        self.device == other.device
    }
}

impl burn_backend::Backend for Recorder {
    type Device = RecorderDevice;
    type Tensor = RecordedTensor;
    type FloatElem = f32;
    type IntElem = i64;

    fn execute(op: Operation<RecordedTensor>) -> Outputs<RecordedTensor> {
        let notes = op.first().notes.clone();
        let (call, index_use) = (op.map_ref(|x| x.number), index_use(&op));
        let outputs = Dynamic::execute(op.map(|x| x.tensor));
        let outputs = notes.call(call, index_use, outputs);
        outputs.map(|(tensor, number)| RecordedTensor::new(tensor, number, notes.clone()))
    }
    fn run_block(block: Block<RecordedTensor>) -> Vec<RecordedTensor> {
        reference::run_block::<Self>(block)
    }
    fn create(creation: Creation, device: &RecorderDevice) -> RecordedTensor {
        let tensor = Dynamic::create(creation.clone(), &device.device);
        let number = device.notes.creation(creation, &tensor);
        RecordedTensor::new(tensor, number, device.notes.clone())
    }
    async fn argwhere(mask: RecordedTensor, index: DType) -> Result<RecordedTensor, DataError> {
        let (number, notes) = (mask.number, mask.notes.clone());
        let found = <Dynamic as Backend>::argwhere(mask.unrepeatable(), index).await?;
        Ok(RecordedTensor::new(found, number, notes))
    }
    fn into_data(x: RecordedTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        x.notes.read_for_check(x.number);
        Dynamic::into_data(x.tensor)
    }
    fn device(x: &RecordedTensor) -> RecorderDevice {
        RecorderDevice { device: <Dynamic as Backend>::device(&x.tensor), notes: x.notes.clone() }
    }
    fn to_device(x: RecordedTensor, device: &RecorderDevice) -> RecordedTensor {
        x.map(|tensor| <Dynamic as Backend>::to_device(tensor, &device.device))
    }
    fn sync(device: &RecorderDevice) {
        <Dynamic as Backend>::sync(&device.device);
    }
    fn seed(seed: u64) {
        <Dynamic as Backend>::seed(seed);
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<Self>()
    }
    fn launch_graphs(_device: &RecorderDevice) -> Option<Box<dyn LaunchGraphs>> {
        None
    }
    fn tracks_gradients(device: &RecorderDevice) -> bool {
        <Dynamic as Backend>::tracks_gradients(&device.device)
    }
    fn set_require_grad(x: RecordedTensor, require_grad: bool) -> RecordedTensor {
        x.map(|tensor| <Dynamic as Backend>::set_require_grad(tensor, require_grad))
    }
    fn is_require_grad(x: &RecordedTensor) -> bool {
        <Dynamic as Backend>::is_require_grad(&x.tensor)
    }
    fn detach(x: RecordedTensor) -> RecordedTensor {
        x.map(<Dynamic as Backend>::detach)
    }
    fn checkpoint(segment: Segment<RecordedTensor>, inputs: Vec<RecordedTensor>) -> Vec<RecordedTensor> {
        segment(inputs)
    }
    fn linear_map(
        map: burn_backend::LinearMapRef,
        x: RecordedTensor,
    ) -> Result<RecordedTensor, burn_backend::LinearMapError> {
        let (number, notes) = (x.number, x.notes.clone());
        let mapped = <Dynamic as Backend>::linear_map(map, x.unrepeatable())?;
        Ok(RecordedTensor::new(mapped, number, notes))
    }
    fn name(device: &RecorderDevice) -> String {
        <Dynamic as Backend>::name(&device.device)
    }
    fn has_dtype(device: &RecorderDevice, dtype: DType) -> bool {
        <Dynamic as Backend>::has_dtype(&device.device, dtype)
    }
}
