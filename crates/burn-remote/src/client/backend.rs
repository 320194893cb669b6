use super::client::Client;
use super::device::RemoteDevice;
use super::replies::{Answer, Expected};
use super::tensor::RemoteTensor;
use crate::wire::Request;
use burn_backend::dynamic::{BackendObject, object_of};
use burn_backend::*;
use std::sync::Arc;

/// Backend that computes on a server. The client contains no other backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Remote;

/// The session of all operands, and whether it is that of each. An operand of a session that has ended makes
/// it the session of the results, which then return the reason.
#[track_caller]
fn session(op: &Operation<RemoteTensor>) -> (Arc<Client>, RemoteDevice, bool) {
    let first = op.first();
    let (mut client, mut shared) = (first.client(), true);
    op.visit(|x| {
        let (one, other) = (first.device(), x.device());
        assert!(
            one == other,
            "{}: operands are on {one:?} and on {other:?}; move one with to_device",
            op.name()
        );
        if !Arc::ptr_eq(client, x.client()) {
            shared = false;
            client = if client.is_over() { client } else { x.client() };
        }
    });
    (client.clone(), first.device(), shared)
}

impl Backend for Remote {
    type Device = RemoteDevice;
    type Tensor = RemoteTensor;
    type FloatElem = f32;
    type IntElem = i64;

    fn execute(op: Operation<RemoteTensor>) -> Outputs<RemoteTensor> {
        let specs = output_specs(&op).unwrap_or_else(|error| panic!("{error}"));
        let (client, device, shared) = session(&op);
        let results = specs.map(|spec| RemoteTensor::new(spec, &client, device));
        if !shared {
            return results;
        }
        let outputs = results.map_ref(RemoteTensor::id);
        let mut kept = Vec::new();
        client.send(&Request::Execute { op: op.map(|x| x.into_argument(&mut kept)), outputs });
        drop(kept);
        results
    }
    fn run_block(block: Block<RemoteTensor>) -> Vec<RemoteTensor> {
        reference::run_block::<Self>(block)
    }
    fn create(creation: Creation, device: &RemoteDevice) -> RemoteTensor {
        let client = device.client();
        let x = RemoteTensor::new(creation.spec(), &client, *device);
        match creation {
            Creation::Data(data) => client.upload(data, x.id()),
            creation @ (Creation::Full { .. } | Creation::Range { .. } | Creation::Random { .. }) => {
                client.send(&Request::Create { creation, output: x.id() });
            }
        }
        x
    }
    async fn argwhere(mask: RemoteTensor, index: DType) -> Result<RemoteTensor, DataError> {
        let (client, device) = (mask.client().clone(), mask.device());
        let most = TensorSpec::new([mask.spec.shape.num_elements(), mask.spec.shape.rank()], index);
        let mut x = RemoteTensor::new(most.clone(), &client, device);
        let mut kept = Vec::new();
        let (mask, output) = (mask.into_argument(&mut kept), x.id());
        let answer = client.ask(Expected::Coordinates { most }, |reply| Request::ArgWhere {
            mask,
            index,
            output,
            reply,
        });
        drop(kept);
        match answer.await? {
            Answer::Spec(spec) => x.spec = spec,
            Answer::Data(_) | Answer::Done => unreachable!("answers are of the kind that was asked for"),
        }
        Ok(x)
    }
    fn into_data(x: RemoteTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        let (client, spec) = (x.client().clone(), x.spec.clone());
        let mut kept = Vec::new();
        let x = x.into_argument(&mut kept);
        let answer = client.ask(Expected::Data(spec), |reply| Request::Read { x, reply });
        drop(kept);
        async move {
            match answer.await? {
                Answer::Data(data) => Ok(data),
                Answer::Spec(_) | Answer::Done => unreachable!("answers are of the kind that was asked for"),
            }
        }
    }
    fn device(x: &RemoteTensor) -> RemoteDevice {
        x.device()
    }
    fn to_device(x: RemoteTensor, device: &RemoteDevice) -> RemoteTensor {
        if x.device() == *device {
            return x;
        }
        let data = block_on(Self::into_data(x)).expect("moving between servers needs a blocking read");
        let data = data.unwrap_or_else(|error| panic!("to_device: {error}"));
        Self::create(Creation::Data(data), device)
    }
    fn sync(device: &RemoteDevice) {
        device.try_sync().unwrap_or_else(|error| panic!("sync: {error}"));
    }
    fn seed(seed: u64) {
        RemoteDevice::seed(seed);
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<Self>()
    }
    fn launch_graphs(_device: &RemoteDevice) -> Option<Box<dyn LaunchGraphs>> {
        None
    }
    fn tracks_gradients(_device: &RemoteDevice) -> bool {
        false
    }
    fn set_require_grad(x: RemoteTensor, _require_grad: bool) -> RemoteTensor {
        x
    }
    fn is_require_grad(_x: &RemoteTensor) -> bool {
        false
    }
    fn detach(x: RemoteTensor) -> RemoteTensor {
        x
    }
    fn checkpoint(segment: Segment<RemoteTensor>, inputs: Vec<RemoteTensor>) -> Vec<RemoteTensor> {
        segment(inputs)
    }
    fn linear_map(map: LinearMapRef, x: RemoteTensor) -> Result<RemoteTensor, LinearMapError> {
        apply_linear_map::<Self>(&map, x)
    }
    fn name(_device: &RemoteDevice) -> String {
        "remote".into()
    }
    /// It is not asked: what the device of a server lacks is an error of the next read.
    fn has_dtype(_device: &RemoteDevice, _dtype: DType) -> bool {
        true
    }
}
