use super::variables::environment;
use super::{LaunchVariables, Settings};
use crate::{CollectiveError, Communicator, Local};

/// Variables that `mpirun` sets: Open MPI's, and those of the process managers PMI and PMIx.
const MPI_VARIABLES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"];

impl Communicator {
    /// Returns the communicator of all processes that a launcher started together: `mpirun`, or `burn-launch
    /// --mpi`. A process that no launcher started is the only rank, so that a program runs with and without
    /// one.
    ///
    /// ```
    /// use burn::collective::Communicator;
    ///
    /// let communicator = Communicator::from_environment()?;
    /// assert_eq!((communicator.rank(), communicator.world_size()), (0, 1));
    /// # Ok::<(), burn::collective::CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// When variables of the launcher are wrong, the program is built without the engine for it, or a
    /// launcher that gives no MPI (`torchrun`, `burn-launch` without `--mpi`) started several processes,
    /// which exchange tensors of GPUs alone, by NCCL.
    pub fn from_environment() -> Result<Self, CollectiveError> {
        Settings::from_environment()?;
        if MPI_VARIABLES.into_iter().any(|variable| environment(variable).is_some()) {
            return by_mpi();
        }
        match LaunchVariables::from_environment()? {
            Some(launch) if launch.world_size > 1 => Err(CollectiveError::Environment {
                variable: "WORLD_SIZE",
                expected: "1 without an MPI library: start the program by `mpirun` or `burn-launch --mpi`, or move tensors of \
                           GPUs by `Nccl` (feature `collective-nccl`)"
                    .to_string(),
                found: Some(format!("{}, on rank {}", launch.world_size, launch.rank)),
            }),
            Some(_) | None => Ok(Local::new(1)?.remove(0)),
        }
    }
}

#[cfg(all(feature = "mpi", unix))]
fn by_mpi() -> Result<Communicator, CollectiveError> {
    crate::Mpi::init()
}

#[cfg(not(all(feature = "mpi", unix)))]
fn by_mpi() -> Result<Communicator, CollectiveError> {
    let found = MPI_VARIABLES.into_iter().find_map(|variable| Some((variable, environment(variable)?)));
    let (variable, found) = found.unwrap_or((MPI_VARIABLES[0], String::new()));
    Err(CollectiveError::Environment {
        variable,
        expected:
            "no variable of `mpirun` in a program without the feature `collective-mpi`: build it with that"
                .to_string(),
        found: Some(found),
    })
}
