use super::engine::MpiEngine;
use super::library::{self, Library};
use crate::{CollectiveError, Communicator, TransportError};
use mpi::environment::{Threading, initialize_with_threading};
use mpi::ffi;
use std::sync::Arc;

const NAME: &str = "Mpi::init";

/// Ranks that are processes which `mpirun` starts, on one host or many.
///
/// Tensors of any backend travel by the host's memory.
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
    /// Opens the MPI library, and returns the communicator of all processes. A process that `mpirun` did not start is the only
    /// rank. The library is closed when the last communicator of it is dropped. MPI: `MPI_Init_thread`.
    ///
    /// # Errors
    /// When the library was opened before in this process, or cannot be called from several threads.
    pub fn init() -> Result<Communicator, CollectiveError> {
        let error = |rank, message: &str| CollectiveError::Library {
            operation: NAME.to_string(),
            rank,
            message: message.to_string(),
        };
        let Some((universe, threading)) = initialize_with_threading(Threading::Serialized) else {
            return Err(error(
                0,
                "the MPI library was opened before. Open it once, and clone the communicator",
            ));
        };
        let library = Arc::new(Library::new(universe));
        if threading < Threading::Serialized {
            let message = "the MPI library does not let several threads call it. Use one built with MPI_THREAD_SERIALIZED";
            return Err(error(0, message));
        }
        let world = || {
            let comm = {
                let _call = library.lock();
                // SAFETY: the communicator of all processes, which is open.
                library::duplicate(unsafe { ffi::RSMPI_COMM_WORLD })?
            };
            MpiEngine::new(library.clone(), comm)
        };
        let engine = world().map_err(|cause| match cause {
            TransportError::Library(message) => error(0, &message),
            cause => error(0, &format!("{cause:?}")),
        })?;
        Ok(Communicator::from_engine(Arc::new(engine)))
    }
}
