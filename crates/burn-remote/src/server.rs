use crate::client::{Client, RemoteDevice};
use crate::oneshot;
use crate::protocol::{Argument, Reply, Request, TensorId, decode, encode};
use burn_backend::{Backend, HasSpec, block_on, create};
use std::collections::HashMap;
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
    tensors: HashMap<TensorId, B::Tensor>,
}

impl<B: Backend> Server<B> {
    fn operand(&mut self, argument: Argument) -> B::Tensor {
        const KNOWN: &str = "the client sends ids it got";
        if argument.last {
            return self.tensors.remove(&argument.id).expect(KNOWN);
        }
        self.tensors.get(&argument.id).expect(KNOWN).clone()
    }

    fn handle(&mut self, request: Request, reply: Option<oneshot::Sender>) {
        let answer = match request {
            Request::Create { creation, output } => {
                self.tensors.insert(output, create::<B>(creation, &self.device));
                None
            }
            Request::Execute { op, outputs } => {
                let mut outputs = outputs.into_iter();
                let results = B::execute(op.map(|argument| self.operand(argument)));
                results.map(|value| self.tensors.insert(outputs.next().expect("one id per result"), value));
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
            Request::Read(x) => {
                let data = block_on(B::into_data(self.operand(x))).expect("a server has threads");
                Some(Reply::Data(data))
            }
            Request::ArgWhere { mask, output, index } => {
                let result = block_on(B::argwhere(self.operand(mask), index)).expect("a server has threads");
                Some(Reply::Spec(result.map(|value| {
                    let spec = value.spec().clone();
                    self.tensors.insert(output, value);
                    spec
                })))
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
}
