//! Starts the processes of a program on this host: `burn-launch -n 4 program`.
//!
//! Each process has the variables of `torchrun` (`RANK`, `WORLD_SIZE`, `LOCAL_RANK`, `LOCAL_WORLD_SIZE`,
//! `MASTER_ADDR`, `MASTER_PORT`). Lines that it prints come with its rank before them. When one ends in an
//! error, all others are ended. With `--mpi`, `mpirun` starts the processes, as ranks of an MPI library.

#[cfg(unix)]
mod arguments;
#[cfg(unix)]
mod log_lines;
#[cfg(unix)]
mod mpirun;
#[cfg(unix)]
mod processes;
#[cfg(unix)]
mod signals;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use arguments::{Parsed, USAGE};
    let outcome = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(Parsed::Help) => {
            println!("{USAGE}");
            return std::process::ExitCode::SUCCESS;
        }
        Ok(Parsed::Launch(launch)) if launch.mpi => mpirun::run(&launch),
        Ok(Parsed::Launch(launch)) => processes::run(&launch),
        Err(error) => Err(error),
    };
    match outcome {
        Ok(code) => std::process::ExitCode::from(code),
        Err(error) => {
            eprintln!("burn-launch: {error}");
            std::process::ExitCode::from(2)
        }
    }
}

#[cfg(not(unix))]
fn main() -> std::process::ExitCode {
    eprintln!(
        "burn-launch: this system is no Unix; expected Linux or macOS. Start the processes by `mpiexec`"
    );
    std::process::ExitCode::from(2)
}
