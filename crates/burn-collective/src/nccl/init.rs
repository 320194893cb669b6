use super::cuda::{Gpu, is_over, text};
use super::engine::{NcclEngine, Ring};
use super::functions::UniqueId;
use super::library::{check, nccl, unique_id};
use super::master_port::MasterPort;
use crate::launch::{LaunchVariables, Settings};
use crate::terminate_signal;
use crate::{CollectiveError, Communicator, TransportError};
use std::ffi::c_int;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

const NAME: &str = "Nccl";
/// Variable by which NCCL itself makes ranks find each other.
const ID_VARIABLE: &str = "NCCL_COMM_ID";
/// Time between looks at the launcher's signal.
const INTERVAL: Duration = Duration::from_millis(20);

/// Ranks with an NVIDIA GPU each, in one process or many, on one host or many.
///
/// NCCL (2.18.1 or newer) is loaded at run time: the library that the variable `BURN_NCCL_LIBRARY` names, or
/// the one that the system finds. Its sums depend on the number of ranks in their last bits, and those of
/// `f16` and `bf16` are rounded at each step.
///
/// ```no_run
/// use burn::collective::{CollectiveError, LaunchVariables, Nccl};
///
/// // `burn-launch -n 4 program`, or `torchrun --nproc-per-node 4 --no-python program`
/// fn main() -> Result<(), CollectiveError> {
///     let launch = LaunchVariables::from_environment()?;
///     let gpu = launch.map_or(0, |launch| launch.local_rank);
///     let communicator = Nccl::from_environment(gpu)?;
///     println!("rank {} of {} has GPU {gpu}", communicator.rank(), communicator.world_size());
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Nccl;

/// A rank that looks for others.
struct Start {
    rank: usize,
    world_size: usize,
    gpu: usize,
    timeout: Duration,
    /// Where the ranks find each other, for errors of one that waits.
    meeting_point: Option<String>,
}

impl Start {
    fn new(rank: usize, world_size: usize, gpu: usize, timeout: Duration) -> Self {
        Start { rank, world_size, gpu, timeout, meeting_point: None }
    }

    fn error(&self, message: impl Into<String>) -> CollectiveError {
        CollectiveError::Library { operation: NAME.to_string(), rank: self.rank, message: message.into() }
    }

    /// Opens GPU and library, which every rank has to do before any waits for another.
    fn open(&self) -> Result<Gpu, CollectiveError> {
        nccl().map_err(|message| self.error(message))?;
        Gpu::open(self.gpu).map_err(|message| self.error(message))
    }

    /// Meets the other ranks.
    fn ring(&self, gpu: Gpu, id: UniqueId) -> Result<Ring, CollectiveError> {
        let nccl = nccl().map_err(|message| self.error(message))?;
        let (ranks, rank) = (self.world_size as c_int, self.rank as c_int);
        let (sender, receiver) = channel();
        // The call has no timeout of its own.
        let wait = move || {
            let mut comm = 0;
            let outcome = gpu.bind().and_then(|()| {
                // SAFETY: the library writes the communicator; the id is one of its own.
                let code = unsafe { (nccl.comm_init_rank)(&raw mut comm, ranks, id, rank) };
                check("ncclCommInitRank", code, 0)
            });
            // A rank that has given up waits no more.
            let _ = sender.send(outcome.map(|()| comm));
        };
        let spawned = thread::Builder::new().name("nccl start".into()).spawn(wait);
        spawned.map_err(|cause| self.error(format!("no thread for the start: {cause}")))?;
        let deadline = Instant::now() + self.timeout;
        let comm = loop {
            match receiver.recv_timeout(INTERVAL) {
                Ok(comm) => break comm,
                Err(RecvTimeoutError::Timeout) => self.check_wait(deadline)?,
                Err(RecvTimeoutError::Disconnected) => return Err(self.error("the start has panicked")),
            }
        };
        comm.and_then(|comm| Ring::new(nccl, gpu, comm)).map_err(|error| self.error(text(&error)))
    }

    /// Checks that a rank that waits for others may go on.
    fn check_wait(&self, deadline: Instant) -> Result<(), CollectiveError> {
        let operation = || match &self.meeting_point {
            Some(place) => format!("{NAME} at {place}"),
            None => NAME.to_string(),
        };
        let rank = self.rank;
        let missing = || (0..self.world_size).filter(|other| *other != rank).collect();
        if terminate_signal::is_received() {
            return Err(CollectiveError::Terminated { operation: operation(), rank, missing: missing() });
        }
        if is_over(deadline) {
            let timeout = self.timeout;
            return Err(CollectiveError::Timeout {
                operation: operation(),
                rank,
                missing: missing(),
                timeout,
            });
        }
        Ok(())
    }

    fn communicator(&self, ring: Ring, host: Option<&Communicator>) -> Result<Communicator, CollectiveError> {
        let engine = NcclEngine::new(ring, self.rank, self.world_size, host.cloned());
        let engine = engine.map_err(|error: TransportError| self.error(text(&error)))?;
        Ok(Communicator::from_engine(Arc::new(engine)))
    }
}

impl Nccl {
    /// Returns the communicator of the ranks of `host`, of `Mpi` or `Local`, each with the GPU of that index.
    /// By `host` the ranks find each other, agree on calls and move tensors of other backends; it is used by
    /// the new communicator alone from then on.
    ///
    /// # Errors
    /// When a rank has no NCCL, a too old one, or no such GPU, two ranks have the same one, or ranks do not
    /// arrive: on every rank.
    pub fn init(host: &Communicator, gpu: usize) -> Result<Communicator, CollectiveError> {
        let timeout = host.group().timeout();
        let start = Start::new(host.rank(), host.world_size(), gpu, timeout);
        let group = host.idle_group();
        let opened = start.open();
        // An error of one rank ends the start of all.
        let fields = crate::frame::CallFields::new(NAME);
        let opened = match opened {
            Ok(gpu) => gpu,
            Err(error) => return Err(group.refuse(NAME, error)),
        };
        let bytes = group.call(NAME, Ok(fields), |call| {
            let own = if start.rank == 0 {
                unique_id().map_err(|message| start.error(message))?.0.to_vec()
            } else {
                Vec::new()
            };
            Ok(call.gather_bytes(&own)?.swap_remove(0))
        })?;
        let id = bytes.try_into().map_err(|_length| start.error("rank 0 sent no id of NCCL"))?;
        let ring = terminate_signal::handle_during(|| start.ring(opened, UniqueId(id)))?;
        start.communicator(ring, Some(host))
    }

    /// Returns the communicator of the processes that a launcher started with the variables of `torchrun`
    /// (`burn-launch`, `torchrun`, or a job of SLURM that sets them). The ranks find each other by NCCL's own
    /// start, at `MASTER_ADDR` and `MASTER_PORT`; the port after that where `torchrun` listens at it. A
    /// process without these variables is the only rank.
    ///
    /// # Errors
    /// As [`init`](Self::init); also when variables are missing or wrong, or another process has the port.
    /// The error is that of this rank alone. The others return one of their own when the launcher asks them
    /// to end (`SIGTERM`), as `burn-launch` and `torchrun` do where a process has ended in an error, else
    /// after the timeout.
    pub fn from_environment(gpu: usize) -> Result<Communicator, CollectiveError> {
        let timeout = Settings::from_environment()?.timeout;
        let Some(launch) = LaunchVariables::from_environment()? else {
            let start = Start::new(0, 1, gpu, timeout);
            let opened = start.open()?;
            let ring = start.ring(opened, unique_id().map_err(|message| start.error(message))?)?;
            return start.communicator(ring, None);
        };
        let mut start = Start::new(launch.rank, launch.world_size, gpu, timeout);
        let ring = terminate_signal::handle_during(|| find_ranks(&mut start, launch.master))?;
        start.communicator(ring, None)
    }

    /// Returns the communicator of ranks that share a file: rank 0 writes the id of NCCL to it, and removes
    /// it when all have arrived.
    ///
    /// # Errors
    /// As [`init`](Self::init), on this rank alone; also when the file cannot be written, or does not appear
    /// within the timeout.
    pub fn from_file(
        file: impl AsRef<Path>,
        rank: usize,
        world_size: usize,
        gpu: usize,
    ) -> Result<Communicator, CollectiveError> {
        let (file, timeout) = (file.as_ref(), Settings::from_environment()?.timeout);
        if rank >= world_size {
            return Err(CollectiveError::Argument {
                operation: NAME.to_string(),
                rank,
                argument: "rank",
                expected: format!("a rank below {world_size}"),
                found: rank.to_string(),
            });
        }
        let mut start = Start::new(rank, world_size, gpu, timeout);
        start.meeting_point = Some(file.display().to_string());
        let ring = terminate_signal::handle_during(|| {
            let opened = start.open()?;
            let id = if rank == 0 { write_id(&start, file)? } else { read_id(&start, file)? };
            let ring = start.ring(opened, id);
            if rank == 0 {
                // Each rank has read it, or none will.
                let _ = fs::remove_file(file);
            }
            ring
        })?;
        start.communicator(ring, None)
    }
}

/// Lets the ranks find each other by NCCL's own start.
fn find_ranks(start: &mut Start, master: Option<(String, u16)>) -> Result<Ring, CollectiveError> {
    if std::env::var_os(ID_VARIABLE).is_none() {
        let master = MasterPort::new(master)?;
        if start.rank == 0 {
            master.check()?;
        }
        // SAFETY: NCCL reads the variable in the next call; a program that starts its ranks has no thread
        // that reads variables.
        unsafe { std::env::set_var(ID_VARIABLE, master.to_string()) };
        start.meeting_point = Some(format!("{master} (MASTER_ADDR and MASTER_PORT)"));
    }
    let opened = start.open()?;
    start.ring(opened, unique_id().map_err(|message| start.error(message))?)
}

fn write_id(start: &Start, file: &Path) -> Result<UniqueId, CollectiveError> {
    let id = unique_id().map_err(|message| start.error(message))?;
    let part = file.with_extension("part");
    let written = fs::write(&part, id.0).and_then(|()| fs::rename(&part, file));
    written.map_err(|cause| {
        start.error(format!("{}: {cause}. Give a path in a folder that every rank can write", file.display()))
    })?;
    Ok(id)
}

fn read_id(start: &Start, file: &Path) -> Result<UniqueId, CollectiveError> {
    let deadline = Instant::now() + start.timeout;
    loop {
        if let Some(id) = fs::read(file).ok().and_then(|bytes| bytes.try_into().ok()) {
            return Ok(UniqueId(id));
        }
        if terminate_signal::is_received() {
            start.check_wait(deadline)?;
        }
        if is_over(deadline) {
            return Err(start.error(format!(
                "{}: rank 0 wrote no id within {:?}. Give the same path on every rank, and start rank 0",
                file.display(),
                start.timeout
            )));
        }
        sleep(Duration::from_millis(10));
    }
}
