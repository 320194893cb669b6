//! Collectives of GPUs, against references on the host, and their bandwidth. Needs at least two NVIDIA GPUs
//! and NCCL.
//!
//! Ranks are threads, each with the GPU of its number: as many as there are, or `--gpus N`. `--processes`
//! starts the ranks as processes with the variables of `torchrun`, which find each other by NCCL alone.

mod bandwidth;
mod checks;

use burn::collective::{CollectiveError, Communicator, LaunchVariables, Local, Nccl};
use std::env::{args, current_exe, set_var};
use std::net::TcpListener;
use std::process::{Command, ExitCode};

/// Backend of the tests.
pub type B = burn_cuda::Cuda<f32, i32>;

fn number(flag: &str) -> Option<usize> {
    let arguments: Vec<String> = args().collect();
    let at = arguments.iter().position(|argument| argument == flag)?;
    arguments.get(at + 1)?.parse().ok()
}

fn has(flag: &str) -> bool {
    args().any(|argument| argument == flag)
}

fn main() -> ExitCode {
    // SAFETY: no other thread runs yet. NVLink's multicast is left off: shared hosts do not grant it.
    unsafe { set_var("NCCL_NVLS_ENABLE", "0") };
    let outcome = match LaunchVariables::from_environment() {
        Ok(Some(launch)) => {
            Nccl::from_environment(launch.local_rank).and_then(|group| run(&group, launch.local_rank))
        }
        Ok(None) if has("--processes") => return processes(number("--gpus").unwrap_or(2)),
        Ok(None) => threads(number("--gpus").unwrap_or(2)),
        Err(error) => Err(error),
    };
    match outcome {
        Ok(()) => {
            println!("\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn threads(gpus: usize) -> Result<(), CollectiveError> {
    let outcomes = Local::run(gpus, |host| {
        let gpu = host.rank();
        run(&Nccl::init(&host, gpu)?, gpu)
    })?;
    outcomes.into_iter().collect()
}

fn run(group: &Communicator, gpu: usize) -> Result<(), CollectiveError> {
    let device = burn_cuda::CudaDevice::new(gpu);
    checks::all(group, &device)?;
    bandwidth::print(group, &device)
}

/// Starts this program as ranks, and waits for all.
fn processes(count: usize) -> ExitCode {
    let port = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a free port")
        .port();
    let start = |rank: usize| {
        Command::new(current_exe().expect("this program has a path"))
            .envs(
                [("RANK", rank), ("LOCAL_RANK", rank), ("WORLD_SIZE", count)]
                    .map(|(name, value)| (name, value.to_string())),
            )
            .envs([("MASTER_ADDR", "127.0.0.1".to_string()), ("MASTER_PORT", port.to_string())])
            .spawn()
            .expect("this program starts")
    };
    let ranks: Vec<_> = (0..count).map(start).collect();
    let succeeded = ranks.into_iter().map(|mut rank| rank.wait().is_ok_and(|status| status.success()));
    if succeeded.fold(true, |all, one| all && one) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
