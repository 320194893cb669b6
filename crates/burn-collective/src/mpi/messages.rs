//! Messages between processes, whose waits end at a deadline.

use super::library::{self, Handle, Library};
use crate::frame::MAX_FRAME_BYTES;
use crate::{Part, Stream, TransportError};
use burn_ir::{DType, TensorData};
use mpi::ffi::{MPI_Comm, MPI_Request};
use std::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

/// Bytes of one message: counts of the library are 32 bits wide.
const MAX_MESSAGE_BYTES: usize = 1 << 30;
/// Time that bytes of a rank may take which told that it ended.
const GRACE: Duration = Duration::from_secs(2);
/// Time that the messages of a rank which ends may take to be received.
const FLUSH: Duration = Duration::from_secs(30);

/// Tag of a last message, apart from the streams.
const ABANDON: c_int = 1;

fn frame_tag(stream: Stream) -> c_int {
    match stream {
        Stream::Collective => 2,
        Stream::PointToPoint => 3,
    }
}

fn part_tag(stream: Stream) -> c_int {
    match stream {
        Stream::Collective => 4,
        Stream::PointToPoint => 5,
    }
}

/// Bytes that the library reads until the request is complete.
#[derive(Debug)]
enum Sent {
    Frame(Vec<u8>),
    Part(Part),
}

/// Messages of one communicator of the library.
#[derive(Debug)]
pub struct Messages {
    pub library: Arc<Library>,
    pub comm: Handle<MPI_Comm>,
    pub rank: usize,
    pub world_size: usize,
    outgoing: Mutex<Vec<(Handle<MPI_Request>, Sent)>>,
    /// Last messages of ranks that ended.
    ended: Mutex<Vec<Option<Vec<u8>>>>,
}

impl Messages {
    pub fn new(library: Arc<Library>, comm: MPI_Comm) -> Result<Self, TransportError> {
        library::return_errors(comm)?;
        let (rank, world_size) = library::rank_and_size(comm)?;
        Ok(Messages {
            library,
            comm: Handle(comm),
            rank,
            world_size,
            outgoing: Mutex::default(),
            ended: Mutex::new(vec![None; world_size]),
        })
    }

    pub fn others(&self) -> impl Iterator<Item = usize> {
        let own = self.rank;
        (0..self.world_size).filter(move |rank| *rank != own)
    }

    pub fn send_frame(&self, to: usize, stream: Stream, frame: Vec<u8>) -> Result<(), TransportError> {
        self.start_send(to, frame_tag(stream), Sent::Frame(frame))
    }

    pub fn send_part(&self, to: usize, stream: Stream, part: &Part) -> Result<(), TransportError> {
        let length = part.as_bytes().len();
        for start in (0..length).step_by(MAX_MESSAGE_BYTES) {
            let piece = part.slice(start..(start + MAX_MESSAGE_BYTES).min(length));
            self.start_send(to, part_tag(stream), Sent::Part(piece))?;
        }
        Ok(())
    }

    fn start_send(&self, to: usize, tag: c_int, sent: Sent) -> Result<(), TransportError> {
        let _call = self.library.lock();
        let bytes = match &sent {
            Sent::Frame(frame) => frame.as_slice(),
            Sent::Part(part) => part.as_bytes(),
        };
        // SAFETY: `outgoing` keeps the bytes, which do not move with their owner, until the request is complete.
        let request = unsafe { library::send(self.comm.0, bytes, to, tag)? };
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner).push((request, sent));
        Ok(())
    }

    /// Drops what was sent, and keeps the last messages of ranks that ended.
    fn progress(&self) -> Result<(), TransportError> {
        let _call = self.library.lock();
        let mut outgoing = self.outgoing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut index = 0;
        while index < outgoing.len() {
            if library::is_complete(&mut outgoing[index].0)? {
                outgoing.swap_remove(index);
            } else {
                index += 1;
            }
        }
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        for from in self.others() {
            if ended[from].is_none() {
                ended[from] = library::arrived(self.comm.0, from, ABANDON, MAX_FRAME_BYTES)?;
            }
        }
        Ok(())
    }

    fn ended(&self, from: usize) -> Option<TransportError> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended[from].clone().map(|frame| TransportError::Ended { rank: from, frame })
    }

    fn frame_arrived(&self, from: usize, stream: Stream) -> Result<Option<Vec<u8>>, TransportError> {
        let _call = self.library.lock();
        library::arrived(self.comm.0, from, frame_tag(stream), MAX_FRAME_BYTES)
    }

    /// Waits for a message of each rank of `from`.
    pub fn receive_frames(
        &self,
        from: &[usize],
        stream: Stream,
        deadline: Instant,
    ) -> Result<Vec<Vec<u8>>, TransportError> {
        let mut frames: Vec<Option<Vec<u8>>> = vec![None; from.len()];
        let mut wait = Wait::default();
        loop {
            self.progress()?;
            for (frame, rank) in frames.iter_mut().zip(from) {
                if frame.is_none() {
                    // Asked before the messages are looked for, which were sent before the last one.
                    let ended = self.ended(*rank);
                    *frame = self.frame_arrived(*rank, stream)?;
                    if let (None, Some(error)) = (&frame, ended) {
                        return Err(error);
                    }
                }
            }
            if frames.iter().all(Option::is_some) {
                return Ok(frames.into_iter().flatten().collect());
            }
            if Instant::now() >= deadline {
                let missing = frames.iter().zip(from).filter(|(frame, _)| frame.is_none());
                return Err(TransportError::Timeout { missing: missing.map(|(_, rank)| *rank).collect() });
            }
            wait.pause();
        }
    }

    /// Waits for bytes of each rank of `from`, of these lengths.
    pub fn receive_parts(
        &self,
        from: &[(usize, usize)],
        stream: Stream,
        deadline: Instant,
    ) -> Result<Vec<Part>, TransportError> {
        let mut incoming: Vec<Incoming> = Vec::with_capacity(from.len());
        for (rank, length) in from {
            let data = TensorData::zeroed([*length].into(), DType::U8).map_err(TransportError::Memory)?;
            incoming.push(Incoming { rank: *rank, data, requests: Vec::new() });
        }
        let outcome = self.fill(&mut incoming, stream, deadline);
        if outcome.is_err() {
            // The library may still write: these bytes are never given back.
            for lost in incoming {
                if !lost.requests.is_empty() {
                    core::mem::forget(lost.data);
                    self.library.set_stuck();
                }
            }
            return outcome.map(|()| Vec::new());
        }
        Ok(incoming.into_iter().map(|incoming| Part::whole(Arc::new(incoming.data))).collect())
    }

    fn fill(
        &self,
        incoming: &mut [Incoming],
        stream: Stream,
        deadline: Instant,
    ) -> Result<(), TransportError> {
        for part in incoming.iter_mut() {
            let _call = self.library.lock();
            for bytes in part.data.as_mut_bytes().chunks_mut(MAX_MESSAGE_BYTES) {
                // SAFETY: the data are read when no request is left, and else forgotten.
                part.requests
                    .push(unsafe { library::receive(self.comm.0, bytes, part.rank, part_tag(stream))? });
            }
        }
        let (mut wait, mut last) = (Wait::default(), None);
        loop {
            self.progress()?;
            let mut error = None;
            for part in incoming.iter_mut() {
                let _call = self.library.lock();
                while let Some(request) = part.requests.first_mut() {
                    if !library::is_complete(request)? {
                        break;
                    }
                    part.requests.remove(0);
                }
                if !part.requests.is_empty() {
                    error = error.or(self.ended(part.rank));
                }
            }
            let missing: Vec<usize> =
                incoming.iter().filter(|part| !part.requests.is_empty()).map(|part| part.rank).collect();
            if missing.is_empty() {
                return Ok(());
            }
            if let Some(error) = error {
                // Bytes that were sent before the last message may come after it.
                if *last.get_or_insert_with(Instant::now) + GRACE < Instant::now() {
                    return Err(error);
                }
            }
            if Instant::now() >= deadline {
                return Err(TransportError::Timeout { missing });
            }
            wait.pause();
        }
    }

    /// Sends a last message to all ranks.
    pub fn abandon(&self, frame: &[u8]) {
        for to in self.others() {
            // A rank that cannot be reached has ended by itself.
            let _ = self.start_send(to, ABANDON, Sent::Frame(frame.to_vec()));
        }
        let _ = self.progress();
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        let (mut wait, deadline) = (Wait::default(), Instant::now() + FLUSH);
        loop {
            let is_open = self.progress().is_ok();
            let outgoing = self.outgoing.get_mut().unwrap_or_else(PoisonError::into_inner);
            if outgoing.is_empty() {
                return;
            }
            if !is_open || Instant::now() > deadline {
                // The library may still read them.
                outgoing.drain(..).for_each(core::mem::forget);
                self.library.set_stuck();
                return;
            }
            wait.pause();
        }
    }
}

struct Incoming {
    rank: usize,
    data: TensorData,
    /// Requests that are not complete, in the order of the bytes.
    requests: Vec<Handle<MPI_Request>>,
}

/// Waits that grow, so that ranks which share a processor let each other run.
#[derive(Default)]
struct Wait(u32);

impl Wait {
    fn pause(&mut self) {
        self.0 = self.0.saturating_add(1);
        if self.0 < 50 { yield_now() } else { sleep(Duration::from_micros(u64::from(self.0.min(500)))) }
    }
}
