// ANCHOR: program
// cargo add --path ../burn/crates/burn --features collective

use burn::backend::NdArray;
use burn::collective::{CollectiveError, Local, Reduction};
use burn::tensor::Tensor;

fn main() -> Result<(), CollectiveError> {
    // Four ranks, each a thread of this process. With MPI or NCCL they are processes.
    let sums = Local::run(4, |communicator| {
        let device = Default::default();
        let x = Tensor::<NdArray, 1>::full([2], communicator.rank() as f32, &device);
        communicator.all_reduce(x, Reduction::Sum).map(|sum| sum.into_data().to_f64())
    })?;
    for (rank, sum) in sums.into_iter().enumerate() {
        println!("rank {rank}: {:?}", sum?);
    }
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_many_devices() {
    crate::page_output::page_prints!("many-devices.md");
}
