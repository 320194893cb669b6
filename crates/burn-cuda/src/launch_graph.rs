//! Graphs of launches on tensors.

use crate::server::{DeviceMemory, Graph, copy};
use crate::{Cuda, CudaDevice, CudaError, Queue};
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{HasSpec, LaunchGraph, LaunchGraphs, TensorData};
use burn_cubecl::{CubeTensor, into_contiguous, stored_bytes};
use cubecl::server::Binding;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// The backend whose tensors these are; its element types are those of new tensors, and play no part.
type Leaf = Cuda;

/// Threads that record, by device, which records one step at a time: others wait for their turn.
static RECORDING: Mutex<Vec<(CudaDevice, ThreadId)>> = Mutex::new(Vec::new());
/// Wakes those that wait.
static ENDED: Condvar = Condvar::new();

fn take_turn(device: CudaDevice) -> Result<(), String> {
    let own = thread::current().id();
    let mut recording = RECORDING.lock().unwrap_or_else(PoisonError::into_inner);
    while let Some((_, thread)) = recording.iter().find(|(on, _)| *on == device) {
        if *thread == own {
            return Err("the step is a part of another one that is recorded".into());
        }
        recording = ENDED.wait(recording).unwrap_or_else(PoisonError::into_inner);
    }
    recording.push((device, own));
    Ok(())
}

fn end_turn(device: CudaDevice) {
    let own = (device, thread::current().id());
    RECORDING.lock().unwrap_or_else(PoisonError::into_inner).retain(|recording| *recording != own);
    ENDED.notify_all();
}

/// Returns whether the calling thread records on this device.
pub fn is_recording(device: CudaDevice) -> bool {
    let own = (device, thread::current().id());
    RECORDING.lock().unwrap_or_else(PoisonError::into_inner).contains(&own)
}

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
        take_turn(self.device)?;
        let started = self.queue.wait(move |server| server.start_recording(&state));
        started.map_err(|error| {
            end_turn(self.device);
            error.to_string()
        })
    }

    fn finish(&self, state: &[DynamicTensor]) -> Result<Box<dyn LaunchGraph>, String> {
        let state = self.bindings(state);
        let bindings = state.clone().unwrap_or_default();
        let finished = self.queue.wait(move |server| server.finish_recording(&bindings));
        end_turn(self.device);
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
