use crate::client::{Client, RemoteDevice};
use crate::oneshot;
use crate::protocol::{Argument, Reply, Request, TensorId, decode, encode};
use burn_backend::{
    Backend, DType, DataError, HasSpec, Operation, Outputs, TensorData, TensorSpec, block_on, create,
};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

/// Starts a server that computes on `device` of `B`, in a thread.
pub fn start<B: Backend>(device: B::Device) -> RemoteDevice {
    let (sender, receiver) = mpsc::channel::<Message>();
    std::thread::spawn(move || {
        let mut server = Server::<B> { device, tensors: HashMap::new() };
        for (bytes, reply) in receiver {
            server.handle(decode(&bytes), reply);
        }
    });
    RemoteDevice::register(Client::new(sender))
}

pub type Message = (Vec<u8>, Option<oneshot::Sender>);

struct Server<B: Backend> {
    device: B::Device,
    tensors: HashMap<TensorId, Outcome<B::Tensor>>,
}

/// A value, or why there is none: a call that panics costs its own results, not the server.
type Outcome<T> = Result<T, String>;

/// What `call` returns, or what it panicked with.
fn caught<T>(call: impl FnOnce() -> T) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a call panicked").to_string()
    })
}

impl<B: Backend> Server<B> {
    fn operand(&mut self, argument: Argument) -> Outcome<B::Tensor> {
        let found = match argument.last {
            true => self.tensors.remove(&argument.id),
            false => self.tensors.get(&argument.id).cloned(),
        };
        found.unwrap_or_else(|| Err(format!("the server has no tensor {}", argument.id)))
    }

    fn execute(&mut self, op: Operation<Argument>) -> Outcome<Outputs<B::Tensor>> {
        let mut missing = None;
        let op = op.map(|argument| self.operand(argument).map_err(|error| missing = Some(error)).ok());
        match missing {
            Some(error) => Err(error),
            None => caught(|| B::execute(op.map(|operand| operand.expect("none is missing")))),
        }
    }

    fn handle(&mut self, request: Request, reply: Option<oneshot::Sender>) {
        let answer = match request {
            Request::Create { creation, output } => {
                let created = caught(|| create::<B>(creation, &self.device));
                self.tensors.insert(output, created);
                None
            }
            Request::Execute { op, outputs } => {
                let mut ids = outputs.into_iter();
                match self.execute(op) {
                    Ok(results) => {
                        results.map(|value| {
                            self.tensors.insert(ids.next().expect("one id per result"), Ok(value))
                        });
                    }
                    Err(error) => ids.for_each(|id| {
                        self.tensors.insert(id, Err(error.clone()));
                    }),
                }
                None
            }
            Request::Drop(id) => {
                self.tensors.remove(&id);
                None
            }
            Request::Seed(seed) => {
                B::seed(seed);
                None
            }
            Request::Read(x) => Some(Reply::Data(self.read(x))),
            Request::ArgWhere { mask, output, index } => {
                Some(Reply::Spec(self.argwhere(mask, output, index)))
            }
            Request::Sync => {
                B::sync(&self.device);
                Some(Reply::Done)
            }
        };
        if let (Some(answer), Some(reply)) = (answer, reply) {
            reply.send(encode(&answer));
        }
    }

    fn read(&mut self, x: Argument) -> Result<TensorData, DataError> {
        let x = self.operand(x).map_err(DataError::Device)?;
        caught(|| block_on(B::into_data(x)).expect("a server has threads")).map_err(DataError::Device)?
    }

    fn argwhere(&mut self, mask: Argument, output: TensorId, index: DType) -> Result<TensorSpec, DataError> {
        let mask = self.operand(mask).map_err(DataError::Device)?;
        let found = caught(|| block_on(B::argwhere(mask, index)).expect("a server has threads"));
        let found = found.map_err(DataError::Device)??;
        let spec = found.spec().clone();
        self.tensors.insert(output, Ok(found));
        Ok(spec)
    }
}
