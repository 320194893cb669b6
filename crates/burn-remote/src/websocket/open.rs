use super::connect::connect;
use super::connect_error::ConnectError;
use super::options::RemoteOptions;
use super::pump::{Cut, Pace, Receive, converse, send_fault};
use super::socket::Socket;
use crate::client::{Client, RemoteError};
use crate::wire::{Fault, Frame, Resume, SessionId, Welcome};
use bytes::Bytes;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// Longest interval between messages.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// First and longest pause between two attempts to connect.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// Opens a session with a server, whose connections are kept by a thread of its own.
pub fn open(options: RemoteOptions) -> Arc<Client> {
    let client = Client::new(options.address().into());
    let kept = client.clone();
    let spawned = thread::Builder::new().name("burn-remote".into()).spawn(move || run(&options, &kept));
    if let Err(error) = spawned {
        client.fail(RemoteError::Connect { address: client.address().into(), cause: error.to_string() });
    }
    client
}

fn run(options: &RemoteOptions, client: &Client) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
    let error = match runtime {
        Ok(runtime) => runtime.block_on(keep_connected(options, client)),
        Err(error) => RemoteError::Connect { address: options.address().into(), cause: error.to_string() },
    };
    client.fail(error);
}

/// Connects, again and again, until the session ends. Why it does.
async fn keep_connected(options: &RemoteOptions, client: &Client) -> RemoteError {
    let address = || options.address().to_owned();
    let mut session = None;
    let mut lost = String::new();
    loop {
        let (socket, welcome) = match connected(options, client, session).await {
            Ok(connected) => connected,
            Err(ConnectError::For(error)) => return error,
            Err(ConnectError::Now(cause)) if session.is_none() => {
                return RemoteError::Connect { address: address(), cause };
            }
            Err(ConnectError::Now(cause)) => {
                return RemoteError::Lost { address: address(), cause: format!("{lost}, then {cause}") };
            }
        };
        session = Some(welcome.session);
        client.limit_frames(welcome.frame_bytes);
        match talk(options, client, socket, &welcome).await {
            Cut::Over => return RemoteError::Closed { address: address() },
            Cut::Lost(cause) => lost = cause,
            Cut::Reported(fault) => return RemoteError::Ended { address: address(), fault },
            Cut::Broken(fault) => {
                return RemoteError::Protocol { address: address(), cause: fault.to_string() };
            }
        }
    }
}

/// Tries to connect until it is too late.
async fn connected(
    options: &RemoteOptions,
    client: &Client,
    session: Option<SessionId>,
) -> Result<(Socket, Welcome), ConnectError> {
    let patience = if session.is_some() { options.resume_timeout() } else { options.connect_timeout() };
    let late = Instant::now() + patience;
    let mut pause = PAUSES.0;
    loop {
        let resume = session.map(|session| Resume { session, expects: client.channel().expects() });
        let trouble = match timeout_at(late, connect(options, resume)).await {
            Ok(Ok(connected)) => return Ok(connected),
            Ok(Err(ConnectError::Now(cause))) => cause,
            Ok(Err(trouble @ ConnectError::For(_))) => return Err(trouble),
            Err(_elapsed) => format!("no answer for {patience:?}"),
        };
        if Instant::now() + pause >= late {
            return Err(ConnectError::Now(trouble));
        }
        sleep(pause).await;
        pause = (pause * 2).min(PAUSES.1);
    }
}

async fn talk(options: &RemoteOptions, client: &Client, socket: Socket, welcome: &Welcome) -> Cut {
    let attached = match client.channel().attach(welcome.expects) {
        Ok(attached) => attached,
        Err(fault) => return Cut::Broken(fault),
    };
    let pace = Pace { heartbeat: HEARTBEAT, idle: options.idle_timeout() };
    let mut receiver = Replies { client, connection: attached.connection, wrong: None };
    let (cut, mut sink) = converse(socket, client.channel(), attached, pace, &mut receiver).await;
    match &cut {
        Cut::Lost(_) => {}
        Cut::Over | Cut::Reported(_) => send_fault(&mut sink, None, HEARTBEAT).await,
        Cut::Broken(fault) => send_fault(&mut sink, Some(fault), HEARTBEAT).await,
    }
    cut
}

/// Dispatches replies to their requests.
struct Replies<'a> {
    client: &'a Client,
    connection: u64,
    wrong: Option<RemoteError>,
}

impl Receive for Replies<'_> {
    async fn receive(&mut self, bytes: Bytes) -> Result<(), Fault> {
        let frame = Frame::parse(&bytes).map_err(|malformed| Fault::Malformed(malformed.0))?;
        let Replies { client, connection, wrong } = self;
        let mut is_next = false;
        client.channel().receive(*connection, &frame, || {
            *wrong = client.receive(&frame).err();
            is_next = true;
        })?;
        if is_next {
            client.channel().handled(frame.payload.len());
        }
        wrong.take().map_or(Ok(()), |error| Err(Fault::Malformed(error.to_string())))
    }
}
