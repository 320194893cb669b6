//! Launches that a device repeats without the host.

use crate::dynamic::DynamicTensor;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use burn_ir::TensorData;
use core::fmt::Debug;

/// Records the kernels that a thread launches on a device, as a graph that the device runs again in one call.
///
/// [`RepeatedStep`](crate::RepeatedStep) is the simple form. Tensors are those of the backend whose
/// [`launch_graphs`](crate::Backend::launch_graphs) returned this. PyTorch: `torch.cuda.CUDAGraph`.
pub trait LaunchGraphs: Debug + Send {
    /// Returns tensors that a step may update in place: copies of those that have other owners or are views.
    fn owned(&self, state: Vec<DynamicTensor>) -> Vec<DynamicTensor>;

    /// Begins a graph. Until [`finish`](Self::finish), launches of this thread are recorded and do not run;
    /// those of others run as always. `state` are the tensors that the graph updates.
    ///
    /// # Errors
    /// With the cause, where a tensor of the state is a view of another one, or the driver refuses.
    fn start(&self, state: &[DynamicTensor]) -> Result<(), String>;

    /// Ends the graph. `state` are the results for the tensors that `start` got, in the same order: they have
    /// the values of those, as no launch has run yet.
    ///
    /// # Errors
    /// With the cause, where `state` was not updated in place, a launch failed or the driver refuses.
    fn finish(&self, state: &[DynamicTensor]) -> Result<Box<dyn LaunchGraph>, String>;

    /// Writes `data` to the place of a tensor that is contiguous, in the order of launches.
    fn write(&self, x: &DynamicTensor, data: TensorData);

    /// Returns a copy of a contiguous tensor at another place.
    fn copy(&self, x: &DynamicTensor) -> DynamicTensor;
}

/// A recorded graph of launches.
pub trait LaunchGraph: Debug + Send {
    /// Runs the launches on `state`, which is [owned](LaunchGraphs::owned), after all that this thread asked
    /// the device for before. Tensors that are no longer where they were recorded are copied there and back,
    /// and what is there now stays.
    fn launch(&self, state: &[DynamicTensor]);

    /// Returns whether a launch so far had to copy tensors: recording again is faster then.
    fn has_copied(&self) -> bool;
}
