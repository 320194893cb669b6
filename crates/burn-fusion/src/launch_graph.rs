//! Graphs of the launches of queued calls.

use crate::FusionTensor;
use crate::queue::Queue;
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{Backend, LaunchGraph, LaunchGraphs, TensorData};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// Records what the queue of a thread launches. `F` is the fused backend.
pub struct FusedLaunchGraphs<F> {
    queue: Arc<Queue>,
    inner: Box<dyn LaunchGraphs>,
    backend: PhantomData<fn() -> F>,
}

struct FusedLaunchGraph<F> {
    queue: Arc<Queue>,
    inner: Box<dyn LaunchGraph>,
    backend: PhantomData<fn() -> F>,
}

impl<F> fmt::Debug for FusedLaunchGraphs<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FusedLaunchGraphs({:?})", self.inner)
    }
}

impl<F> fmt::Debug for FusedLaunchGraph<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FusedLaunchGraph({:?})", self.inner)
    }
}

impl<F> FusedLaunchGraphs<F> {
    pub fn new(queue: Arc<Queue>, inner: Box<dyn LaunchGraphs>) -> Self {
        FusedLaunchGraphs { queue, inner, backend: PhantomData }
    }
}

/// Returns the computed value of a tensor.
fn resolved<F: Backend<Tensor = FusionTensor>>(x: DynamicTensor) -> DynamicTensor {
    x.into_inner::<F>().resolve()
}

fn fused<F: Backend<Tensor = FusionTensor>>(queue: &Queue, value: DynamicTensor) -> DynamicTensor {
    DynamicTensor::new::<F>(FusionTensor::ready(queue.inner, value))
}

impl<F: Backend<Tensor = FusionTensor>> LaunchGraphs for FusedLaunchGraphs<F> {
    fn owned(&self, state: Vec<DynamicTensor>) -> Vec<DynamicTensor> {
        let state = state.into_iter().map(resolved::<F>).collect();
        self.inner.owned(state).into_iter().map(|value| fused::<F>(&self.queue, value)).collect()
    }

    fn start(&self, state: &[DynamicTensor]) -> Result<(), String> {
        let state: Vec<_> = state.iter().cloned().map(resolved::<F>).collect();
        // Calls that wait are none of the graph's.
        self.queue.flush();
        self.inner.start(&state)
    }

    fn finish(&self, state: &[DynamicTensor]) -> Result<Box<dyn LaunchGraph>, String> {
        let state: Vec<_> = state.iter().cloned().map(resolved::<F>).collect();
        self.queue.flush();
        let inner = self.inner.finish(&state)?;
        Ok(Box::new(FusedLaunchGraph::<F> { queue: self.queue.clone(), inner, backend: PhantomData }))
    }

    fn write(&self, x: &DynamicTensor, data: TensorData) {
        self.inner.write(&resolved::<F>(x.clone()), data);
    }

    fn copy(&self, x: &DynamicTensor) -> DynamicTensor {
        fused::<F>(&self.queue, self.inner.copy(&resolved::<F>(x.clone())))
    }
}

impl<F: Backend<Tensor = FusionTensor>> LaunchGraph for FusedLaunchGraph<F> {
    fn launch(&self, state: &[DynamicTensor]) {
        let state: Vec<_> = state.iter().cloned().map(resolved::<F>).collect();
        self.queue.flush();
        self.inner.launch(&state);
    }

    fn has_copied(&self) -> bool {
        self.inner.has_copied()
    }
}
