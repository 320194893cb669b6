//! Graphs of launches on tensors.

use crate::server::{DeviceMemory, Graph, copy};
use crate::{Cuda, CudaDevice, CudaError, Queue};
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{HasSpec, LaunchGraph, LaunchGraphs, TensorData};
use burn_cubecl::{CubeTensor, into_contiguous, stored_bytes};
use cubecl::server::Binding;
use std::sync::Arc;

/// The backend whose tensors these are; its element types are those of new tensors, and play no part.
type Leaf = Cuda;

/// Records the launches of a thread on a device.
#[derive(Debug)]
pub struct CudaLaunchGraphs {
    device: CudaDevice,
    queue: Queue,
}

#[derive(Debug)]
struct CudaLaunchGraph {
    queue: Queue,
    /// `None` when it is dropped.
    graph: Option<Arc<Graph>>,
}

impl CudaLaunchGraphs {
    pub fn new(device: CudaDevice) -> Self {
        CudaLaunchGraphs { device, queue: Queue::new(device) }
    }

    fn bindings(&self, state: &[DynamicTensor]) -> Result<Vec<Binding>, String> {
        let binding = |x: &DynamicTensor| {
            let x =
                x.downcast_ref::<CubeTensor>().filter(|x| x.device::<crate::CudaRuntime>() == self.device);
            let x = x.ok_or("a tensor of the state is on another device")?;
            match x.is_contiguous() {
                true => Ok(x.handle().clone().binding()),
                false => Err("a tensor of the state is a view of another one".to_string()),
            }
        };
        state.iter().map(binding).collect()
    }
}

/// Returns a copy at another place.
fn copied(queue: &Queue, x: &CubeTensor) -> CubeTensor {
    let copy = CubeTensor::empty(x.spec().clone(), x.engine());
    copy_to(queue, x, &copy);
    copy
}

fn copy_to(queue: &Queue, from: &CubeTensor, to: &CubeTensor) {
    let bytes = from.handle().size_in_used().min(to.handle().size_in_used());
    let buffers = vec![from.handle().clone().binding(), to.handle().clone().binding()];
    queue.on_stream(buffers, move |stream, places| {
        let memory = |pointer| DeviceMemory { pointer, size: bytes };
        copy(memory(places[0]), memory(places[1]), stream)
    });
}

fn cuda(x: &DynamicTensor) -> &CubeTensor {
    x.downcast_ref().expect("a tensor of the backend that records")
}

impl LaunchGraphs for CudaLaunchGraphs {
    fn owned(&self, state: Vec<DynamicTensor>) -> Vec<DynamicTensor> {
        let own = |x: DynamicTensor| {
            let x = x.into_inner::<Leaf>();
            let is_own = x.is_sole_owner() && x.is_contiguous();
            DynamicTensor::new::<Leaf>(if is_own { x } else { copied(&self.queue, &into_contiguous(x)) })
        };
        state.into_iter().map(own).collect()
    }

    fn start(&self, state: &[DynamicTensor]) -> Result<(), String> {
        let state = self.bindings(state)?;
        self.queue.wait(move |server| server.start_recording(&state)).map_err(|error| error.to_string())
    }

    fn finish(&self, state: &[DynamicTensor]) -> Result<Box<dyn LaunchGraph>, String> {
        let state = self.bindings(state);
        let bindings = state.clone().unwrap_or_default();
        let finished = self.queue.wait(move |server| server.finish_recording(&bindings));
        let graph = finished.map_err(|error: CudaError| error.to_string())?;
        let graph = CudaLaunchGraph { queue: self.queue.clone(), graph: Some(Arc::new(graph)) };
        state.map(|_| Box::new(graph) as Box<dyn LaunchGraph>)
    }

    fn write(&self, x: &DynamicTensor, data: TensorData) {
        self.queue.write(cuda(x).handle().clone(), stored_bytes(&data).into_owned());
    }

    fn copy(&self, x: &DynamicTensor) -> DynamicTensor {
        DynamicTensor::new::<Leaf>(copied(&self.queue, cuda(x)))
    }
}

impl LaunchGraph for CudaLaunchGraph {
    fn launch(&self, state: &[DynamicTensor]) {
        let bindings = state.iter().map(|x| cuda(x).handle().clone().binding()).collect();
        if let Some(graph) = self.graph.clone() {
            self.queue.launch(graph, bindings);
        }
    }

    fn has_copied(&self) -> bool {
        self.graph.as_ref().is_some_and(|graph| graph.has_copied())
    }
}

impl Drop for CudaLaunchGraph {
    /// Destroys the graph after the launches that this thread asked for.
    fn drop(&mut self) {
        self.queue.release(self.graph.take());
    }
}
