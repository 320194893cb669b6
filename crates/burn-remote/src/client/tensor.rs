use super::client::Client;
use super::device::RemoteDevice;
use crate::wire::{Argument, Request, TensorId};
use burn_backend::{HasSpec, TensorSpec};
use std::sync::Arc;

/// Handle of a tensor on the server; dropping it drops the tensor.
#[derive(Clone, Debug)]
pub struct RemoteTensor {
    pub(super) spec: TensorSpec,
    handle: Arc<Handle>,
}

/// Identifier of a tensor, and the client that it belongs to.
#[derive(Debug)]
pub struct Handle {
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
    pub(super) fn new(spec: TensorSpec, client: &Arc<Client>, device: RemoteDevice) -> Self {
        let handle = Handle { id: client.id(), device, client: client.clone(), released: false };
        RemoteTensor { spec, handle: Arc::new(handle) }
    }

    pub(super) fn id(&self) -> TensorId {
        self.handle.id
    }

    pub(super) fn device(&self) -> RemoteDevice {
        self.handle.device
    }

    pub(super) fn client(&self) -> &Arc<Client> {
        &self.handle.client
    }

    /// The tensor as a request names it. A handle that others share goes to `kept`, to be dropped when the
    /// request is sent: before that, another thread could become the last owner and its request come first.
    pub(super) fn into_argument(self, kept: &mut Vec<Arc<Handle>>) -> Argument {
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
