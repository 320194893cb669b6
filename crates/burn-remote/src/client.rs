use crate::oneshot;
use crate::protocol::{Argument, Reply, Request, TensorId, decode, encode};
use crate::server::Message;
use burn_backend::dynamic::{BackendObject, object_of};
use burn_backend::interpreter::Interpreter;
use burn_backend::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};

/// Computes where the device is. The client knows no other backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Remote;

/// A connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RemoteDevice(usize);

static CLIENTS: Mutex<Vec<Arc<Client>>> = Mutex::new(Vec::new());

impl RemoteDevice {
    pub(crate) fn register(client: Client) -> Self {
        let mut clients = CLIENTS.lock().expect("no panic while locked");
        clients.push(Arc::new(client));
        RemoteDevice(clients.len() - 1)
    }

    fn client(self) -> Arc<Client> {
        let clients = CLIENTS.lock().expect("no panic while locked");
        clients.get(self.0).unwrap_or_else(|| panic!("no server was started for {self:?}")).clone()
    }
}

#[derive(Debug)]
pub struct Client {
    sender: mpsc::Sender<Message>,
    next: AtomicU64,
}

impl Client {
    pub(crate) fn new(sender: mpsc::Sender<Message>) -> Self {
        Client { sender, next: AtomicU64::new(0) }
    }

    fn id(&self) -> TensorId {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn send(&self, request: &Request) {
        // A server that is gone shows when somebody reads.
        let _ = self.sender.send((encode(request), None));
    }

    fn ask(&self, request: &Request) -> impl Future<Output = Result<Reply, DataError>> + Send + use<> {
        let (sender, receiver) = oneshot::channel();
        // If the server is gone, so is the sender, and the receiver says it.
        let _ = self.sender.send((encode(request), Some(sender)));
        async move {
            let bytes = receiver.await.ok_or_else(|| DataError::Device("the server is gone".into()))?;
            Ok(decode(&bytes))
        }
    }
}

/// A tensor of the server; dropping it drops the original.
#[derive(Clone, Debug)]
pub struct RemoteTensor {
    spec: TensorSpec,
    handle: Arc<Handle>,
}

#[derive(Debug)]
struct Handle {
    id: TensorId,
    device: RemoteDevice,
    client: Arc<Client>,
    /// The server already knows that the client is done with it.
    released: bool,
}

impl Drop for Handle {
    fn drop(&mut self) {
        if !self.released {
            self.client.send(&Request::Drop(self.id));
        }
    }
}

impl HasSpec for RemoteTensor {
    fn spec(&self) -> &TensorSpec {
        &self.spec
    }
}

impl RemoteTensor {
    fn new(spec: TensorSpec, client: &Arc<Client>, device: RemoteDevice) -> Self {
        let handle = Handle { id: client.id(), device, client: client.clone(), released: false };
        RemoteTensor { spec, handle: Arc::new(handle) }
    }

    /// The tensor as a request names it. A handle that others share goes to `kept`, to be dropped when the request is sent: before that,
    /// another thread could become the last owner and its request come first.
    fn into_argument(self, kept: &mut Vec<Arc<Handle>>) -> Argument {
        match Arc::try_unwrap(self.handle) {
            Ok(mut handle) => {
                handle.released = true;
                Argument { id: handle.id, last: true }
            }
            Err(shared) => {
                let id = shared.id;
                kept.push(shared);
                Argument { id, last: false }
            }
        }
    }
}

impl Interpreter for Remote {
    type Device = RemoteDevice;
    type Tensor = RemoteTensor;
    type FloatElem = f32;
    type IntElem = i64;

    fn interpret(op: Operation<RemoteTensor>) -> Outputs<RemoteTensor> {
        let specs = output_specs(&op).unwrap_or_else(|error| panic!("{error}"));
        let (client, device) = (op.first().handle.client.clone(), op.first().handle.device);
        let results = specs.map(|spec| RemoteTensor::new(spec, &client, device));
        let mut outputs = Vec::with_capacity(1);
        results.visit(|x| outputs.push(x.handle.id));
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
        client.send(&Request::Create { creation, output: x.handle.id });
        x
    }
    async fn argwhere(mask: RemoteTensor, index: DType) -> Result<RemoteTensor, DataError> {
        let (client, device) = (mask.handle.client.clone(), mask.handle.device);
        let placeholder = TensorSpec::new([0, mask.spec.shape.rank()], index);
        let mut x = RemoteTensor::new(placeholder, &client, device);
        let mut kept = Vec::new();
        let mask = mask.into_argument(&mut kept);
        let reply = client.ask(&Request::ArgWhere { mask, output: x.handle.id, index });
        drop(kept);
        match reply.await? {
            Reply::Spec(spec) => x.spec = spec?,
            Reply::Data(_) | Reply::Done => unreachable!("the answer to ArgWhere is a spec"),
        }
        Ok(x)
    }
    fn read(x: RemoteTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        let client = x.handle.client.clone();
        let mut kept = Vec::new();
        let reply = client.ask(&Request::Read(x.into_argument(&mut kept)));
        drop(kept);
        async move {
            match reply.await? {
                Reply::Data(data) => data,
                Reply::Spec(_) | Reply::Done => unreachable!("the answer to Read is data"),
            }
        }
    }
    fn device(x: &RemoteTensor) -> RemoteDevice {
        x.handle.device
    }
    fn to_device(x: RemoteTensor, device: &RemoteDevice) -> RemoteTensor {
        if x.handle.device == *device {
            return x;
        }
        let data = block_on(Self::read(x)).expect("moving between servers needs a blocking read");
        Self::create(Creation::Data(data.expect("device works")), device)
    }
    fn sync(device: &RemoteDevice) {
        let reply = block_on(device.client().ask(&Request::Sync)).expect("sync needs a blocking wait");
        reply.unwrap_or_else(|error| panic!("sync: {error}"));
    }
    fn seed(seed: u64) {
        let clients = CLIENTS.lock().expect("no panic while locked");
        clients.iter().for_each(|client| client.send(&Request::Seed(seed)));
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<Self>()
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
    fn name(_device: &RemoteDevice) -> String {
        "remote".into()
    }
}
