//! Messages between the processes of a group, whose waits end at a deadline.

use super::abi::Handle;
use super::library::Library;
use super::monitor::Monitor;
use crate::frame::MAX_FRAME_BYTES;
use crate::{Part, Stream, TransportError};
use burn_ir::{DType, TensorData};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

/// Bytes of one message: counts of the library are 32 bits wide.
const MAX_MESSAGE_BYTES: usize = 1 << 30;
/// Time that messages of a rank may take to arrive after it has ended.
const GRACE: Duration = Duration::from_millis(500);
/// Time that messages of a rank which ends may take to be received.
const FLUSH: Duration = Duration::from_secs(30);
/// The same, after an error: others may have ended.
const FLUSH_AFTER_ERROR: Duration = Duration::from_secs(1);

/// Tags of a group: those of its streams, and that of last messages.
const TAGS: usize = 5;
const LAST_TAG: c_int = 4;

fn frame_tag(stream: Stream) -> c_int {
    match stream {
        Stream::Collective => 0,
        Stream::PointToPoint => 1,
    }
}

fn part_tag(stream: Stream) -> c_int {
    match stream {
        Stream::Collective => 2,
        Stream::PointToPoint => 3,
    }
}

/// The communicator of all processes, which every group shares.
#[derive(Debug)]
pub struct World {
    pub library: Library,
    pub comm: Handle,
    pub monitor: Arc<Monitor>,
}

/// Bytes that the library reads until the request is complete.
#[derive(Debug)]
enum Sent {
    Frame(Vec<u8>),
    Part(Part),
}

impl Sent {
    fn as_bytes(&self) -> &[u8] {
        match self {
            Sent::Frame(frame) => frame,
            Sent::Part(part) => part.as_bytes(),
        }
    }
}

/// Last message of a rank that ended, and when it was seen.
type LastMessage = (Vec<u8>, Instant);

/// Messages of one group.
#[derive(Debug)]
pub struct Messages {
    pub world: Arc<World>,
    pub rank: usize,
    /// Ranks of the members among all processes, by their rank in the group.
    pub members: Vec<usize>,
    first_tag: c_int,
    outgoing: Mutex<Vec<(Handle, Sent)>>,
    ended: Mutex<Vec<Option<LastMessage>>>,
    has_failed: AtomicBool,
}

struct Incoming {
    rank: usize,
    data: TensorData,
    /// Requests that are not complete, in the order of the bytes.
    requests: Vec<Handle>,
}

impl Messages {
    pub fn new(
        world: Arc<World>,
        group: usize,
        rank: usize,
        members: Vec<usize>,
    ) -> Result<Self, TransportError> {
        let greatest = world.library.greatest_tag(world.comm);
        let first_tag = group.checked_mul(TAGS).and_then(|tag| c_int::try_from(tag).ok());
        let first_tag = first_tag.filter(|tag| *tag < greatest - LAST_TAG).ok_or_else(|| {
            TransportError::Library(format!(
                "this is group {group} of the program, and the MPI library can tell no more apart. Make groups once, not in a loop"
            ))
        })?;
        let ended = Mutex::new(vec![None; members.len()]);
        let (outgoing, has_failed) = (Mutex::default(), AtomicBool::new(false));
        Ok(Messages { world, rank, members, first_tag, outgoing, ended, has_failed })
    }

    pub fn others(&self) -> impl Iterator<Item = usize> {
        let own = self.rank;
        (0..self.members.len()).filter(move |rank| *rank != own)
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
        let World { library, comm, .. } = &*self.world;
        let _call = library.lock();
        // SAFETY: `outgoing` keeps the bytes, which do not move with their owner, until the request is
        // complete.
        let request =
            unsafe { library.send(*comm, sent.as_bytes(), self.members[to], self.first_tag + tag)? };
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner).push((request, sent));
        Ok(())
    }

    fn arrived(&self, from: usize, tag: c_int) -> Result<Option<Vec<u8>>, TransportError> {
        let World { library, comm, .. } = &*self.world;
        library.arrived(*comm, self.members[from], self.first_tag + tag, MAX_FRAME_BYTES)
    }

    /// Drops what was sent.
    fn drop_sent(&self) -> Result<(), TransportError> {
        let _call = self.world.library.lock();
        let mut outgoing = self.outgoing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut index = 0;
        while index < outgoing.len() {
            if self.world.library.is_complete(&mut outgoing[index].0)? {
                outgoing.swap_remove(index);
            } else {
                index += 1;
            }
        }
        Ok(())
    }

    /// Looks for last messages of ranks, and for ranks whose process is gone.
    fn look_for_ends(&self) -> Result<(), TransportError> {
        let _call = self.world.library.lock();
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        for from in self.others() {
            if ended[from].is_none() {
                let is_gone = self.world.monitor.is_gone(self.members[from]);
                let last = self.arrived(from, LAST_TAG)?.or_else(|| is_gone.then(Vec::new));
                ended[from] = last.map(|last| (last, Instant::now()));
            }
        }
        Ok(())
    }

    /// Returns the error of a rank whose end was seen a while ago: what it sent before has arrived since.
    fn end_of(&self, from: usize) -> Option<TransportError> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let (frame, seen) = ended[from].as_ref()?;
        (seen.elapsed() > GRACE).then(|| TransportError::Ended { rank: from, frame: frame.clone() })
    }

    /// Keeps the process from waiting for others when the library is closed.
    fn fail(&self, error: TransportError) -> TransportError {
        self.has_failed.store(true, Ordering::SeqCst);
        let is_answered = matches!(&error, TransportError::Ended { frame, .. } if !frame.is_empty());
        if !is_answered {
            self.world.library.set_stuck();
        }
        error
    }

    /// Returns the error of a process that the launcher ends: what a rank has said of it, or the rank whose
    /// process went first.
    fn cause_of_end(&self, missing: &[usize]) -> TransportError {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let said = self.others().find_map(|rank| {
            let (frame, _) = ended[rank].as_ref()?;
            (!frame.is_empty()).then(|| (rank, frame.clone()))
        });
        let monitor = &self.world.monitor;
        let first = || {
            let gone = self.others().filter_map(|rank| Some((monitor.gone_at(self.members[rank])?, rank)));
            gone.min_by_key(|(number, rank)| (*number, !missing.contains(rank)))
                .map(|(_, rank)| (rank, Vec::new()))
        };
        match said.or_else(first) {
            Some((rank, frame)) => TransportError::Ended { rank, frame },
            None => TransportError::Terminated { missing: missing.to_vec() },
        }
    }

    /// Returns the error by which a wait for `missing` ends now, if it does.
    fn interruption(&self, missing: &[usize], deadline: Instant) -> Result<(), TransportError> {
        if let Some(error) = missing.iter().find_map(|rank| self.end_of(*rank)) {
            return Err(error);
        }
        if self.world.monitor.is_ending() {
            self.look_for_ends()?;
            return Err(self.cause_of_end(missing));
        }
        if Instant::now() >= deadline {
            return Err(TransportError::Timeout { missing: missing.to_vec() });
        }
        self.look_for_ends()
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
            self.drop_sent()?;
            for (frame, rank) in frames.iter_mut().zip(from) {
                if frame.is_none() {
                    let _call = self.world.library.lock();
                    *frame = self.arrived(*rank, frame_tag(stream))?;
                }
            }
            let missing = frames.iter().zip(from).filter(|(frame, _)| frame.is_none());
            let missing: Vec<usize> = missing.map(|(_, rank)| *rank).collect();
            if missing.is_empty() {
                return Ok(frames.into_iter().flatten().collect());
            }
            self.interruption(&missing, deadline).map_err(|error| self.fail(error))?;
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
        if let Err(error) = self.fill(&mut incoming, stream, deadline) {
            // The library may still write: these bytes are never given back.
            for part in incoming.into_iter().filter(|part| !part.requests.is_empty()) {
                core::mem::forget(part.data);
                self.world.library.set_stuck();
            }
            return Err(self.fail(error));
        }
        Ok(incoming.into_iter().map(|incoming| Part::whole(Arc::new(incoming.data))).collect())
    }

    fn fill(
        &self,
        incoming: &mut [Incoming],
        stream: Stream,
        deadline: Instant,
    ) -> Result<(), TransportError> {
        let World { library, comm, .. } = &*self.world;
        let tag = self.first_tag + part_tag(stream);
        for part in incoming.iter_mut() {
            let _call = library.lock();
            for bytes in part.data.as_mut_bytes().chunks_mut(MAX_MESSAGE_BYTES) {
                // SAFETY: the data are read when no request is left, and else forgotten.
                let request = unsafe { library.receive(*comm, bytes, self.members[part.rank], tag)? };
                part.requests.push(request);
            }
        }
        let mut wait = Wait::default();
        loop {
            self.drop_sent()?;
            for part in incoming.iter_mut() {
                let _call = library.lock();
                while let Some(request) = part.requests.first_mut() {
                    if !library.is_complete(request)? {
                        break;
                    }
                    part.requests.remove(0);
                }
            }
            let missing = incoming.iter().filter(|part| !part.requests.is_empty());
            let missing: Vec<usize> = missing.map(|part| part.rank).collect();
            if missing.is_empty() {
                return Ok(());
            }
            self.interruption(&missing, deadline)?;
            wait.pause();
        }
    }

    /// Sends a last message to all ranks.
    pub fn abandon(&self, frame: &[u8], has_failed: bool) {
        self.has_failed.fetch_or(has_failed, Ordering::SeqCst);
        for to in self.others().filter(|to| !self.world.monitor.is_gone(self.members[*to])) {
            // A rank that cannot be reached has ended by itself.
            let _ = self.start_send(to, LAST_TAG, Sent::Frame(frame.to_vec()));
        }
        let _ = self.drop_sent();
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        let time = if *self.has_failed.get_mut() { FLUSH_AFTER_ERROR } else { FLUSH };
        let (mut wait, deadline) = (Wait::default(), Instant::now() + time);
        loop {
            let is_open = self.drop_sent().is_ok();
            let outgoing = self.outgoing.get_mut().unwrap_or_else(PoisonError::into_inner);
            if outgoing.is_empty() {
                return;
            }
            if !is_open || Instant::now() > deadline || self.world.monitor.is_ending() {
                // The library may still read them.
                outgoing.drain(..).for_each(core::mem::forget);
                self.world.library.set_stuck();
                return;
            }
            wait.pause();
        }
    }
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
