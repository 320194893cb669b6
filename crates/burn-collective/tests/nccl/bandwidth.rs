//! Bus bandwidth of the all-reduce, as NCCL's own tests define it.

use crate::B;
use burn::collective::{CollectiveError, Communicator, Reduction};
use burn::tensor::Tensor;
use burn::tensor::backend::Backend;
use burn_cuda::CudaDevice;
use std::time::Instant;

const MIB: usize = 1 << 20;

pub fn print(group: &Communicator, device: &CudaDevice) -> Result<(), CollectiveError> {
    for (mib, rounds) in [(1, 200), (64, 50), (1024, 20)] {
        let seconds = measure(group, device, mib * MIB, rounds)?;
        let ranks = group.world_size() as f64;
        let bandwidth = (mib * MIB) as f64 / seconds * 2.0 * (ranks - 1.0) / ranks;
        if group.rank() == 0 {
            println!(
                "all_reduce of {mib:5} MiB  {:9.1} us  {:7.1} GB/s bus bandwidth",
                seconds * 1e6,
                bandwidth / 1e9
            );
        }
    }
    Ok(())
}

/// Returns the seconds of one all-reduce of many, the least of five.
fn measure(
    group: &Communicator,
    device: &CudaDevice,
    bytes: usize,
    rounds: usize,
) -> Result<f64, CollectiveError> {
    let x = Tensor::<B, 1>::zeros([bytes / 4], device);
    let mut least = f64::INFINITY;
    for _ in 0..5 {
        group.barrier()?;
        B::sync(device);
        let start = Instant::now();
        for _ in 0..rounds {
            group.all_reduce(x.clone(), Reduction::Sum)?;
        }
        B::sync(device);
        least = least.min(start.elapsed().as_secs_f64() / rounds as f64);
    }
    Ok(least)
}
