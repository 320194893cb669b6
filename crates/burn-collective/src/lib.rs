//! Collective communication between ranks, and training of one model on many devices.
//!
//! A program runs on several ranks at once: threads of one process ([`Local`]) or processes that `mpirun`
//! starts (`Mpi`, with the feature `mpi`). A [`Communicator`] moves tensors between them; a transport of your
//! own is an [`Engine`]. PyTorch: `torch.distributed`.
//!
//! Each rank calls the same collectives in the same order. Sums are computed in the order of ranks, so the
//! result has the same bits on every rank and in every run.
//!
//! ```
//! use burn::backend::NdArray;
//! use burn::collective::{Local, Reduction};
//! use burn::tensor::Tensor;
//!
//! let sums = Local::run(4, |communicator| {
//!     let device = Default::default();
//!     let x = Tensor::<NdArray, 1>::full([2], communicator.rank() as f32, &device);
//!     communicator.all_reduce(x, Reduction::Sum).map(|sum| sum.into_data().to_f64())
//! })?;
//! for sum in sums {
//!     assert_eq!(sum?, [6.0, 6.0]);
//! }
//! # Ok::<(), burn::collective::CollectiveError>(())
//! ```
// Items carry the feature that they need, where rustdoc can do that: docs.rs and nightly.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod all_gather;
mod all_reduce;
mod broadcast;
mod collective;
mod communicator;
mod communicator_calls;
mod data_layout;
mod data_parallel;
mod device_call;
mod device_collectives;
mod differentiable;
mod engine;
mod error;
mod frame;
mod gathered_list;
mod group;
mod launch;
#[cfg(any(all(feature = "mpi", unix), feature = "nccl"))]
mod load_error;
mod local;
mod mesh;
#[cfg(all(feature = "mpi", unix))]
mod mpi;
#[cfg(feature = "nccl")]
mod nccl;
mod pipeline_parallel;
mod point_to_point;
mod reduction;
mod request;
mod sharded_optimizer;
mod split;
mod start;
mod tensor_list;
mod tensor_parallel;
#[cfg(any(all(feature = "mpi", unix), feature = "nccl"))]
mod terminate_signal;
mod transport_error;
mod worker;

pub use collective::Collective;
pub use communicator::Communicator;
pub use data_parallel::{
    AccumulatedGradients, BackwardReduction, DataParallel, DistributedSampler, ReducedGradients,
    SyncBatchNorm, UnusedParameter,
};
pub use device_collectives::{DeviceCollectives, Pending};
pub use engine::{Engine, Part, Stream};
pub use error::CollectiveError;
pub use launch::LaunchVariables;
pub use local::Local;
pub use mesh::Mesh;
#[cfg(all(feature = "mpi", unix))]
pub use mpi::Mpi;
#[cfg(feature = "nccl")]
pub use nccl::Nccl;
pub use pipeline_parallel::{Pipeline, PipelineOutput};
pub use reduction::Reduction;
pub use request::Request;
pub use sharded_optimizer::{ShardedOptimizer, Sharding, TrainingMemory};
pub use tensor_parallel::{
    ColumnParallelLinear, ParallelCrossEntropy, ParallelEmbedding, ParallelMultiHeadAttention,
    RowParallelLinear,
};
pub use transport_error::TransportError;
