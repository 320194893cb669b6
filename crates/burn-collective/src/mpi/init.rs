use super::engine::MpiEngine;
use super::library::{LIBRARY_VARIABLE, Library};
use super::messages::{Messages, World};
use super::monitor::Monitor;
use super::peer::Peer;
use crate::launch::Settings;
use crate::{CollectiveError, Communicator, Engine, TransportError};
use std::env;
use std::sync::Arc;
use std::time::{Duration, Instant};

const NAME: &str = "Mpi::init";
/// Time that ranks wait for each other when they start.
const START: Duration = Duration::from_secs(300);

/// Ranks that are processes which `mpirun` starts, on one host or many.
///
/// The library (Open MPI 4 or newer, or one with the ABI of MPICH: MPICH, Intel MPI, MVAPICH) is loaded at
/// run time: that which the variable `BURN_MPI_LIBRARY` names, or the one that the system finds. Tensors of
/// any backend travel through the memory of the host.
///
/// Open MPI lets the processes of a host read each other's memory. Where the system refuses that, as in many
/// containers, [`init`](Self::init) turns it off (`OMPI_MCA_btl_vader_single_copy_mechanism=none`), unless
/// that variable is set.
///
/// A process that receives `SIGTERM`, by which `mpirun` ends all others when one died, first returns an error
/// from the collective in which it waits, unless the program has a handler of its own for that signal.
///
/// ```no_run
/// use burn::backend::NdArray;
/// use burn::collective::{CollectiveError, Mpi, Reduction};
/// use burn::tensor::Tensor;
///
/// // `mpirun -n 4 program`
/// fn main() -> Result<(), CollectiveError> {
///     let communicator = Mpi::init()?;
///     let x = Tensor::<NdArray, 1>::full([1], communicator.rank() as f32, &Default::default());
///     let sum = communicator.all_reduce(x, Reduction::Sum)?;
///     println!("rank {}: {sum}", communicator.rank());
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Mpi;

impl Mpi {
    /// Initializes the MPI library, and returns the communicator of all processes. A process that no launcher
    /// started is the only rank. The library is closed when the last communicator of it is dropped. MPI:
    /// `MPI_Init_thread`.
    ///
    /// # Errors
    /// When there is no library or it is too old, it was initialized before in this process, or a launcher
    /// that is not of this library started several processes.
    pub fn init() -> Result<Communicator, CollectiveError> {
        Settings::from_environment()?;
        let rank = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "RANK"].into_iter().find_map(number).unwrap_or(0);
        let error = |message: String| CollectiveError::Library { operation: NAME.to_string(), rank, message };
        let library = Library::open().map_err(error)?;
        let engine = world(library).map_err(|cause| match cause {
            TransportError::Library(message) => error(message),
            cause => error(format!("the processes did not find each other: {cause:?}")),
        })?;
        Ok(Communicator::from_engine(Arc::new(engine)))
    }
}

fn number(variable: &str) -> Option<usize> {
    env::var(variable).ok()?.parse().ok()
}

/// Checks that processes which a launcher started together are ranks of one world.
fn check_launcher(library: &Library, world_size: usize) -> Result<(), TransportError> {
    let launchers = [
        ("OMPI_COMM_WORLD_SIZE", "`mpirun` of Open MPI"),
        ("PMI_SIZE", "`mpirun` of MPICH"),
        ("WORLD_SIZE", "`torchrun` or `burn-launch`"),
    ];
    for (variable, launcher) in launchers {
        if let Some(count) = number(variable)
            && count > 1
            && world_size == 1
        {
            return Err(TransportError::Library(format!(
                "{launcher} started {count} processes ({variable}), which are no ranks of the MPI library that was loaded, {}. Start \
                 them by its `mpirun` (or `burn-launch --mpi`), or set {LIBRARY_VARIABLE} to the library of the launcher",
                library.name()
            )));
        }
    }
    Ok(())
}

fn world(library: Library) -> Result<MpiEngine, TransportError> {
    let comm = library.world()?;
    let (rank, world_size) = library.rank_and_size(comm)?;
    check_launcher(&library, world_size)?;
    let monitor = Monitor::new(rank, world_size);
    let world = Arc::new(World { library, comm, monitor: monitor.clone() });
    let engine = MpiEngine::new(Messages::new(world, 0, rank, (0..world_size).collect())?);
    let peers = engine.exchange_frames(Peer::this().encode(), Instant::now() + START)?;
    monitor.watch(peers.iter().map(|peer| Peer::decode(peer)).collect()).map_err(|cause| {
        TransportError::Library(format!("no thread that watches the other processes: {cause}"))
    })?;
    Ok(engine)
}
