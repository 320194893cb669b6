//! Graphs of the launches of queued calls.

use crate::FusionTensor;
use crate::queue::Queue;
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{LaunchGraph, LaunchGraphs, TensorData};
use std::sync::Arc;

/// The fused backend as far as its tensors go: nothing here is generic over it, so that programs compile none
/// of it.
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    pub wrap: fn(FusionTensor) -> DynamicTensor,
    pub unwrap: fn(DynamicTensor) -> FusionTensor,
}

/// Records what the queue of a thread launches.
#[derive(Debug)]
pub struct FusedLaunchGraphs {
    pub queue: Arc<Queue>,
    pub inner: Box<dyn LaunchGraphs>,
    pub conversion: Conversion,
}

#[derive(Debug)]
struct FusedLaunchGraph {
    queue: Arc<Queue>,
    inner: Box<dyn LaunchGraph>,
    conversion: Conversion,
}

impl Conversion {
    /// Returns the computed values of tensors.
    fn resolved(self, xs: impl IntoIterator<Item = DynamicTensor>) -> Vec<DynamicTensor> {
        xs.into_iter().map(|x| (self.unwrap)(x).resolve()).collect()
    }

    fn fused(self, queue: &Queue, value: DynamicTensor) -> DynamicTensor {
        (self.wrap)(FusionTensor::ready(queue.inner, value))
    }
}

impl FusedLaunchGraphs {
    fn one(&self, x: &DynamicTensor) -> DynamicTensor {
        (self.conversion.unwrap)(x.clone()).resolve()
    }
}

impl LaunchGraphs for FusedLaunchGraphs {
    fn owned(&self, state: Vec<DynamicTensor>) -> Vec<DynamicTensor> {
        let values = self.inner.owned(self.conversion.resolved(state));
        values.into_iter().map(|value| self.conversion.fused(&self.queue, value)).collect()
    }

    fn start(&self, state: &[DynamicTensor]) -> Result<(), String> {
        let state = self.conversion.resolved(state.iter().cloned());
        // Calls that wait are none of the graph's.
        self.queue.flush();
        self.inner.start(&state)
    }

    fn finish(&self, state: &[DynamicTensor]) -> Result<Box<dyn LaunchGraph>, String> {
        let state = self.conversion.resolved(state.iter().cloned());
        self.queue.flush();
        let inner = self.inner.finish(&state)?;
        Ok(Box::new(FusedLaunchGraph { queue: self.queue.clone(), inner, conversion: self.conversion }))
    }

    fn write(&self, x: &DynamicTensor, data: TensorData) {
        self.inner.write(&self.one(x), data);
    }

    fn copy(&self, x: &DynamicTensor) -> DynamicTensor {
        self.conversion.fused(&self.queue, self.inner.copy(&self.one(x)))
    }
}

impl LaunchGraph for FusedLaunchGraph {
    fn launch(&self, state: &[DynamicTensor]) {
        let state = self.conversion.resolved(state.iter().cloned());
        self.queue.flush();
        self.inner.launch(&state);
    }

    fn has_copied(&self) -> bool {
        self.inner.has_copied()
    }
}
