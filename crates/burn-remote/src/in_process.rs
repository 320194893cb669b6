//! A session in a thread of this process: the same bytes, without a connection.

use crate::channel::Ended;
use crate::client::{Client, RemoteError};
use crate::session::{Budget, Limits, Outlet, Session, Step};
use crate::wire::{Fault, Frame, Kind, Reply, encode};
use burn_backend::block_on;
use burn_backend::dynamic::DynamicDevice;
use std::future::poll_fn;
use std::sync::Arc;

const ADDRESS: &str = "in process";

/// Opens a session on `device`.
pub fn open(device: DynamicDevice) -> Arc<Client> {
    let client = Client::new(ADDRESS.into());
    let session = Session::new(device, Limits::default(), Budget::new(u64::MAX));
    let served = client.clone();
    std::thread::spawn(move || serve(session, &served));
    client
}

/// Outlet that passes replies directly to the client.
struct Direct<'a>(&'a Client);

impl Direct<'_> {
    fn receive(&self, kind: Kind, payload: &[u8]) -> Result<(), Ended> {
        self.0.receive(&Frame { kind, number: 0, payload }).map_err(|error| {
            self.0.fail(error);
            Ended
        })
    }
}

impl Outlet for Direct<'_> {
    fn reply(&self, reply: &Reply) -> Result<(), Ended> {
        self.receive(Kind::Messages, &encode(reply))
    }
    fn bytes(&self, bytes: &[u8]) -> Result<(), Ended> {
        self.receive(Kind::Data, bytes)
    }
}

fn serve(mut session: Session, client: &Client) {
    let error = match converse(&mut session, client) {
        Ok(()) => RemoteError::Closed { address: ADDRESS.into() },
        Err(fault) => RemoteError::Ended { address: ADDRESS.into(), fault },
    };
    client.fail(error);
}

fn converse(session: &mut Session, client: &Client) -> Result<(), Fault> {
    let channel = client.channel();
    let attached = channel.attach(0)?;
    loop {
        let next = block_on(poll_fn(|context| channel.poll_frame(attached.connection, context)));
        let Ok(Some(bytes)) = next else { return Ok(()) };
        let frame = Frame::parse(&bytes).map_err(|malformed| Fault::Malformed(malformed.0))?;
        channel.acknowledge(frame.number + 1)?;
        if session.handle(&frame, &Direct(client))? == Step::End {
            return Ok(());
        }
    }
}
