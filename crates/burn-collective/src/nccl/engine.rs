use super::cuda::{Event, Gpu, Memory, is_over};
use super::functions::{NcclFunctions, Opaque};
use super::library::{BYTES, check};
use crate::frame::MAX_FRAME_BYTES;
use crate::{Communicator, Engine, Part, TransportError};
use burn_ir::{DType, TensorData};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Bytes of a message of agreement: its length and what it has room for.
const SLOT: usize = MAX_FRAME_BYTES + 8;
/// Color of a rank that joins no group.
const NO_COLOR: c_int = -1;
const IN_PROGRESS: c_int = 7;

/// A communicator of NCCL, with a stream of its own.
#[derive(Debug)]
pub struct Ring {
    pub nccl: &'static NcclFunctions,
    pub gpu: Gpu,
    pub comm: Opaque,
    pub stream: Opaque,
    /// Calls of several threads come one after the other.
    pub calls: Mutex<()>,
    is_aborted: AtomicBool,
}

impl Ring {
    pub fn new(nccl: &'static NcclFunctions, gpu: Gpu, comm: Opaque) -> Result<Self, TransportError> {
        Ok(Ring {
            nccl,
            gpu,
            comm,
            stream: gpu.stream()?,
            calls: Mutex::new(()),
            is_aborted: AtomicBool::new(false),
        })
    }

    pub fn check(&self, call: &str, code: c_int) -> Result<(), TransportError> {
        check(call, code, self.comm)
    }

    /// Runs calls as one, which NCCL starts together.
    pub fn group(&self, calls: impl FnOnce() -> Result<(), TransportError>) -> Result<(), TransportError> {
        // SAFETY: the group is ended on this thread, whatever the calls return.
        self.check("ncclGroupStart", unsafe { (self.nccl.group_start)() })?;
        let outcome = calls();
        // SAFETY: as above.
        let ended = self.check("ncclGroupEnd", unsafe { (self.nccl.group_end)() });
        outcome.and(ended)
    }

    /// Waits until the work that is in the stream now is done.
    fn finish(&self, from: &[usize], deadline: Instant) -> Result<(), TransportError> {
        let event = self.gpu.record(self.stream)?;
        let mut waits = 0_u32;
        while !event.is_done()? {
            let mut error = 0;
            // SAFETY: the communicator is alive.
            let code = unsafe { (self.nccl.comm_get_async_error)(self.comm, &raw mut error) };
            let state = self.check("ncclCommGetAsyncError", code);
            let failed =
                state.and_then(|()| if error == IN_PROGRESS { Ok(()) } else { self.check("NCCL", error) });
            let over = if is_over(deadline) {
                Err(TransportError::Timeout { missing: from.to_vec() })
            } else {
                Ok(())
            };
            if let Err(error) = failed.and(over) {
                self.abort();
                return Err(error);
            }
            waits += 1;
            if waits > 1000 {
                sleep(Duration::from_micros(100));
            }
        }
        Ok(())
    }

    /// Ends the work of the communicator on the GPU, which would wait for others without end.
    pub fn abort(&self) {
        if !self.is_aborted.swap(true, Ordering::SeqCst) {
            // SAFETY: the communicator is alive, and not used after.
            unsafe { (self.nccl.comm_abort)(self.comm) };
        }
    }

    fn split(&self, color: c_int, key: usize) -> Result<Option<Ring>, TransportError> {
        let mut comm = 0;
        self.gpu.bind()?;
        // SAFETY: all ranks of the communicator call this; no configuration is given.
        let code = unsafe {
            (self.nccl.comm_split)(self.comm, color, key as c_int, &raw mut comm, core::ptr::null())
        };
        self.check("ncclCommSplit", code)?;
        if color == NO_COLOR { Ok(None) } else { Ring::new(self.nccl, self.gpu, comm).map(Some) }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        if !*self.is_aborted.get_mut() && self.gpu.bind().is_ok() {
            // SAFETY: the communicator is alive, and nothing uses it after.
            unsafe { (self.nccl.comm_destroy)(self.comm) };
        }
        self.gpu.destroy_stream(self.stream);
    }
}

/// Rank with a GPU.
#[derive(Debug)]
pub struct NcclEngine {
    /// Memory of what was sent, until it is received; the first field, since it is freed on the stream of
    /// `messages`.
    sent: Mutex<Vec<(Arc<Event>, Memory)>>,
    /// Collectives of the GPU's tensors, which the thread of the device starts in the order of its stream.
    pub collectives: Arc<Ring>,
    /// Agreement and data of the host, which the calling thread moves at once. On the communicator of the
    /// tensors' collectives, their order would differ from rank to rank.
    agreement: Ring,
    /// Messages between two ranks, which may wait in their stream for a rank that is elsewhere.
    messages: Ring,
    pub rank: usize,
    world_size: usize,
    /// Communicator by which the ranks agree and move data of the host, where they have one. It is kept, as
    /// dropping it informs the others that this rank has ended.
    host: Option<Communicator>,
}

impl NcclEngine {
    pub fn new(
        collectives: Ring,
        rank: usize,
        world_size: usize,
        host: Option<Communicator>,
    ) -> Result<Self, TransportError> {
        let own = || {
            let ring = collectives.split(0, rank)?;
            ring.ok_or_else(|| TransportError::Library("ncclCommSplit gave no communicator".into()))
        };
        let (agreement, messages) = (own()?, own()?);
        let collectives = Arc::new(collectives);
        Ok(NcclEngine { collectives, agreement, messages, rank, world_size, host, sent: Mutex::default() })
    }

    fn host(&self) -> Option<&dyn Engine> {
        self.host.as_ref().map(|host| &*host.group().engine)
    }

    fn others(&self) -> Vec<usize> {
        (0..self.world_size).filter(|rank| *rank != self.rank).collect()
    }

    fn send_bytes(&self, to: usize, bytes: &[u8]) -> Result<(), TransportError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let ring = &self.messages;
        let _call = ring.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let mut memory = ring.gpu.allocate(ring.stream, bytes.len())?;
        memory.write(0, bytes)?;
        // SAFETY: `sent` keeps the memory until the stream has passed it.
        let code = unsafe {
            (ring.nccl.send)(memory.pointer, bytes.len(), BYTES, to as c_int, ring.comm, ring.stream)
        };
        ring.check("ncclSend", code)?;
        let event = ring.gpu.record(ring.stream)?;
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.retain(|(event, _)| !event.is_done().unwrap_or(false));
        sent.push((event, memory));
        Ok(())
    }

    fn receive_bytes(&self, from: usize, bytes: &mut [u8], deadline: Instant) -> Result<(), TransportError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let ring = &self.messages;
        let _call = ring.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = ring.gpu.allocate(ring.stream, bytes.len())?;
        // SAFETY: the memory lives until the stream has passed it.
        let code = unsafe {
            (ring.nccl.receive)(memory.pointer, bytes.len(), BYTES, from as c_int, ring.comm, ring.stream)
        };
        ring.check("ncclRecv", code)?;
        ring.finish(&[from], deadline)?;
        memory.read(0, bytes)
    }
}

/// Puts a message into a slot of fixed size.
fn slot(frame: &[u8]) -> Vec<u8> {
    let mut slot = vec![0; SLOT];
    slot[..8].copy_from_slice(&(frame.len() as u64).to_le_bytes());
    slot[8..8 + frame.len()].copy_from_slice(frame);
    slot
}

fn frame_of(slot: &[u8]) -> Result<Vec<u8>, TransportError> {
    let (length, bytes) = slot.split_first_chunk().unwrap_or((&[0; 8], &[]));
    let length = usize::try_from(u64::from_le_bytes(*length)).ok();
    let frame = length.and_then(|length| bytes.get(..length));
    frame
        .map(<[u8]>::to_vec)
        .ok_or_else(|| TransportError::Library("a message is longer than its slot".into()))
}

impl Engine for NcclEngine {
    fn rank(&self) -> usize {
        self.rank
    }

    fn world_size(&self) -> usize {
        self.world_size
    }

    fn exchange_frames(&self, frame: Vec<u8>, deadline: Instant) -> Result<Vec<Vec<u8>>, TransportError> {
        if let Some(host) = self.host() {
            return host.exchange_frames(frame, deadline);
        }
        let ring = &self.agreement;
        let _call = ring.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let mut memory = ring.gpu.allocate(ring.stream, SLOT * (self.world_size + 1))?;
        memory.write(0, &slot(&frame))?;
        let (own, all) = (memory.pointer, memory.pointer + SLOT as u64);
        // SAFETY: the memory has a slot for this rank, and one of each rank after it.
        let code = unsafe { (ring.nccl.all_gather)(own, all, SLOT, BYTES, ring.comm, ring.stream) };
        ring.check("ncclAllGather", code)?;
        ring.finish(&self.others(), deadline)?;
        let mut slots = vec![0; SLOT * self.world_size];
        memory.read(SLOT, &mut slots)?;
        slots.chunks_exact(SLOT).map(frame_of).collect()
    }

    fn exchange(
        &self,
        parts: Vec<Part>,
        lengths: &[usize],
        deadline: Instant,
    ) -> Result<Vec<Part>, TransportError> {
        if let Some(host) = self.host() {
            return host.exchange(parts, lengths, deadline);
        }
        let ring = &self.agreement;
        let _call = ring.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let sent: usize = parts.iter().map(|part| part.as_bytes().len()).sum();
        let mut outgoing = ring.gpu.allocate(ring.stream, sent)?;
        let incoming = ring.gpu.allocate(ring.stream, lengths.iter().sum())?;
        let (mut to, mut from) = (Vec::new(), Vec::new());
        let (mut start, mut end) = (0, 0);
        for (rank, (part, length)) in parts.iter().zip(lengths).enumerate() {
            if rank != self.rank {
                outgoing.write(start, part.as_bytes())?;
                to.push((rank, start, part.as_bytes().len()));
                from.push((rank, end, *length));
                start += part.as_bytes().len();
                end += length;
            }
        }
        let calls = || {
            for (rank, start, length) in to.iter().filter(|(.., length)| *length > 0) {
                let from = outgoing.pointer + *start as u64;
                // SAFETY: the range is inside of the memory, which lives until the stream has passed it.
                let code =
                    unsafe { (ring.nccl.send)(from, *length, BYTES, *rank as c_int, ring.comm, ring.stream) };
                ring.check("ncclSend", code)?;
            }
            for (rank, start, length) in from.iter().filter(|(.., length)| *length > 0) {
                let to = incoming.pointer + *start as u64;
                // SAFETY: as above.
                let code = unsafe {
                    (ring.nccl.receive)(to, *length, BYTES, *rank as c_int, ring.comm, ring.stream)
                };
                ring.check("ncclRecv", code)?;
            }
            Ok(())
        };
        ring.group(calls)?;
        ring.finish(&self.others(), deadline)?;
        let mut received: Vec<Part> = Vec::with_capacity(parts.len());
        for (_, start, length) in &from {
            let mut data = TensorData::zeroed([*length].into(), DType::U8).map_err(TransportError::Memory)?;
            incoming.read(*start, data.as_mut_bytes())?;
            received.push(Part::whole(Arc::new(data)));
        }
        received.insert(self.rank, parts[self.rank].clone());
        Ok(received)
    }

    fn send(&self, to: usize, frame: Vec<u8>, part: Part) -> Result<(), TransportError> {
        match self.host() {
            Some(host) => host.send(to, frame, part),
            None => {
                self.send_bytes(to, &slot(&frame))?;
                self.send_bytes(to, part.as_bytes())
            }
        }
    }

    fn receive_frame(&self, from: usize, deadline: Instant) -> Result<Vec<u8>, TransportError> {
        if let Some(host) = self.host() {
            return host.receive_frame(from, deadline);
        }
        let mut slot = vec![0; SLOT];
        self.receive_bytes(from, &mut slot, deadline)?;
        frame_of(&slot)
    }

    fn receive_part(&self, from: usize, length: usize, deadline: Instant) -> Result<Part, TransportError> {
        if let Some(host) = self.host() {
            return host.receive_part(from, length, deadline);
        }
        let mut data = TensorData::zeroed([length].into(), DType::U8).map_err(TransportError::Memory)?;
        self.receive_bytes(from, data.as_mut_bytes(), deadline)?;
        Ok(Part::whole(Arc::new(data)))
    }

    fn split(&self, members: &[usize], group: usize) -> Result<Option<Arc<dyn Engine>>, TransportError> {
        let host = self.host().map(|host| host.split(members, group)).transpose()?.flatten();
        let host = host.map(Communicator::from_engine);
        let key = members.iter().position(|member| *member == self.rank);
        let ring = self.collectives.split(key.map_or(NO_COLOR, |_| group as c_int), key.unwrap_or(0))?;
        let (Some(ring), Some(rank)) = (ring, key) else { return Ok(None) };
        Ok(Some(Arc::new(NcclEngine::new(ring, rank, members.len(), host)?)))
    }

    fn abandon(&self, frame: Vec<u8>, withdraw: bool) {
        if let Some(host) = self.host() {
            host.abandon(frame, withdraw);
        }
        if withdraw {
            self.collectives.abort();
            self.agreement.abort();
            self.messages.abort();
        }
    }

    #[cfg(feature = "cuda")]
    fn device_collectives(&self) -> Option<&dyn crate::DeviceCollectives> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::{SLOT, frame_of, slot};

    #[test]
    fn messages_keep_their_length_in_slots() {
        for frame in [&b""[..], b"all_reduce", &[7; SLOT - 8]] {
            assert_eq!(frame_of(&slot(frame)).unwrap(), frame);
        }
        assert!(frame_of(&[255; SLOT]).is_err());
    }
}
