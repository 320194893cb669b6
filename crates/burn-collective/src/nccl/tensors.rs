//! Tensors of the backend `Cuda`, which go from GPU to GPU.

use super::cuda::{Event, text};
use super::engine::{NcclEngine, Ring};
use super::functions::DevicePointer;
use super::library::{data_type, reduction};
use crate::{Collective, DeviceCollectives, Pending, Reduction, TransportError};
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{DType, Dims, HasSpec, Shape, TensorSpec, TypedCalls};
use burn_cuda::{CubeRuntime, CubeTensor, Cuda, CudaDevice, CudaError, CudaRuntime, Queue, into_contiguous};
use std::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError};

/// The backend whose tensors these are; its element types are those of new tensors, and play no part.
type Leaf = Cuda;

/// A call on contiguous buffers.
#[derive(Clone, Copy, Debug)]
struct NcclCall {
    kind: Kind,
    /// Elements of the input; of the output in a reduce-scatter.
    count: usize,
    dtype: c_int,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    AllReduce(c_int),
    AllGather,
    ReduceScatter(c_int),
    Broadcast(c_int),
}

/// How the result of a call becomes that of the collective.
#[derive(Clone, Debug)]
enum Layout {
    Same,
    /// `[ranks, ..]`, whose ranks go to a dimension.
    Gathered {
        dim: usize,
    },
    /// Zeros instead, on ranks that get no sum.
    Zeros,
}

/// Collective that runs on the stream of the engine.
struct Running {
    ring: Arc<Ring>,
    queue: Queue,
    /// Keeps the buffers until the stream of the backend waits for the collective.
    input: CubeTensor,
    output: CubeTensor,
    layout: Layout,
    /// Set by the thread of the device, when it has started the call.
    done: Arc<Mutex<Option<Arc<Event>>>>,
    is_finished: bool,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("layout", &self.layout).finish_non_exhaustive()
    }
}

fn cuda_error(call: &'static str, error: &TransportError) -> CudaError {
    CudaError::Library { library: "NCCL", call, cause: text(error) }
}

impl Ring {
    /// Starts a call after the work that is in `stream` now.
    ///
    /// # Safety
    /// The buffers have room for the call, and live until the event that it returns.
    unsafe fn run(
        &self,
        call: NcclCall,
        stream: usize,
        from: DevicePointer,
        to: DevicePointer,
    ) -> Result<Arc<Event>, TransportError> {
        let _call = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.gpu.record(stream)?;
        self.gpu.wait_for(self.stream, &before)?;
        let NcclCall { kind, count, dtype } = call;
        let (comm, own) = (self.comm, self.stream);
        // SAFETY: the caller keeps the buffers, which have room for the call.
        let code = unsafe {
            match kind {
                Kind::AllReduce(reduction) => {
                    (self.nccl.all_reduce)(from, to, count, dtype, reduction, comm, own)
                }
                Kind::AllGather => (self.nccl.all_gather)(from, to, count, dtype, comm, own),
                Kind::ReduceScatter(reduction) => {
                    (self.nccl.reduce_scatter)(from, to, count, dtype, reduction, comm, own)
                }
                Kind::Broadcast(root) => (self.nccl.broadcast)(from, to, count, dtype, root, comm, own),
            }
        };
        self.check("collective", code)?;
        self.gpu.record(self.stream)
    }
}

impl Running {
    /// Lets the stream of the backend wait for the collective.
    fn wait_on_stream(&mut self) {
        if !std::mem::replace(&mut self.is_finished, true) {
            let (ring, done) = (self.ring.clone(), self.done.clone());
            let buffers = vec![self.input.handle().clone().binding(), self.output.handle().clone().binding()];
            self.queue.on_stream(buffers, move |stream, _| {
                let event = done.lock().unwrap_or_else(PoisonError::into_inner).take();
                match event {
                    Some(event) => ring
                        .gpu
                        .wait_for(stream as usize, &event)
                        .map_err(|error| cuda_error("cuStreamWaitEvent", &error)),
                    // The call was not started, which is an error by itself.
                    None => Ok(()),
                }
            });
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.wait_on_stream();
    }
}

impl Pending for Running {
    fn finish(mut self: Box<Self>) -> Result<DynamicTensor, TransportError> {
        self.wait_on_stream();
        let result = self.output.clone();
        Ok(DynamicTensor::new::<Leaf>(match self.layout.clone() {
            Layout::Same => result,
            Layout::Gathered { dim } => gathered(result, dim),
            Layout::Zeros => zeros(&result),
        }))
    }
}

/// Moves the dimension of ranks, the first, to `dim`, and joins both.
fn gathered(all: CubeTensor, dim: usize) -> CubeTensor {
    let shape = all.spec().shape.clone();
    let joined = shape[1 + dim] * shape[0];
    let result = Shape::from(shape[1..].to_vec()).with(dim, joined);
    let axes: Dims = (1..=dim).chain([0]).chain(dim + 1..shape.rank()).collect();
    Leaf::reshape(Leaf::permute(all, axes), result)
}

/// Returns `[parts, ..]`: the parts along `dim` one after the other.
fn parts(x: CubeTensor, dim: usize, count: usize) -> CubeTensor {
    let shape = x.spec().shape.clone();
    let mut split = shape.to_vec();
    split[dim] /= count;
    split.insert(dim, count);
    let axes: Dims = [dim].into_iter().chain((0..=shape.rank()).filter(|axis| *axis != dim)).collect();
    Leaf::permute(Leaf::reshape(x, Shape::from(split)), axes)
}

/// Returns zeros, not products with 0, as values may be infinite.
fn zeros(like: &CubeTensor) -> CubeTensor {
    let spec = like.spec().clone();
    let bytes = burn_ir::TensorData::zeroed(spec.shape, spec.dtype).expect("as many were allocated");
    Leaf::from_data(bytes, &<CudaRuntime as CubeRuntime>::device(like.engine()))
}

impl NcclEngine {
    /// Returns the call of a collective, its input, the shape of its output and what becomes of it.
    fn call(&self, collective: Collective, x: CubeTensor) -> Option<(NcclCall, CubeTensor, Shape, Layout)> {
        let TensorSpec { shape, dtype } = x.spec().clone();
        let number = data_type(dtype)?;
        let ranks = self.world_size();
        let reduced = |mean: bool| {
            let kind = if mean { Reduction::Mean } else { Reduction::Sum };
            reduction(kind, dtype).filter(|_| dtype != DType::Bool)
        };
        let call = |kind| NcclCall { kind, count: shape.num_elements(), dtype: number };
        Some(match collective {
            Collective::AllReduce(kind) => {
                let kind = reduction(kind, dtype).filter(|_| dtype != DType::Bool)?;
                (call(Kind::AllReduce(kind)), x, shape, Layout::Same)
            }
            Collective::LeaveSplit => (call(Kind::AllReduce(reduced(false)?)), x, shape, Layout::Same),
            Collective::AllGather { dim, .. } | Collective::GatherParts { dim } => {
                if dim >= shape.rank() {
                    return None;
                }
                let all: Shape = [ranks].into_iter().chain(shape.iter().copied()).collect();
                (call(Kind::AllGather), x, all, Layout::Gathered { dim })
            }
            Collective::ReduceScatter { dim, mean } => {
                let size = shape.get(dim).copied().filter(|size| size.is_multiple_of(ranks))?;
                let part = shape.with(dim, size / ranks);
                let call =
                    NcclCall { count: part.num_elements(), ..call(Kind::ReduceScatter(reduced(mean)?)) };
                (call, parts(x, dim, ranks), part, Layout::Same)
            }
            Collective::Broadcast { root } if root < ranks => {
                (call(Kind::Broadcast(root as c_int)), x, shape, Layout::Same)
            }
            Collective::Reduce { root } if root < ranks => {
                let layout = if root == self.rank { Layout::Same } else { Layout::Zeros };
                (call(Kind::AllReduce(reduced(false)?)), x, shape, layout)
            }
            Collective::Broadcast { .. }
            | Collective::Reduce { .. }
            | Collective::EnterSplit
            | Collective::TakePart { .. } => return None,
        })
    }

    fn world_size(&self) -> usize {
        crate::Engine::world_size(self)
    }
}

impl DeviceCollectives for NcclEngine {
    fn start(
        &self,
        collective: Collective,
        x: &DynamicTensor,
    ) -> Option<Result<Box<dyn Pending>, TransportError>> {
        let x = x.downcast_ref::<CubeTensor>()?.clone();
        let device = *x.engine().device().downcast_ref::<CudaDevice>()?;
        if device.index != self.collectives.gpu.index || x.spec().shape.num_elements() == 0 {
            return None;
        }
        let (engine, dtype) = (x.engine(), x.spec().dtype);
        let (call, input, shape, layout) = self.call(collective, x)?;
        let input = into_contiguous(input);
        let output = CubeTensor::empty(TensorSpec::new(shape, dtype), engine);
        let (queue, done) = (Queue::new(device), Arc::new(Mutex::new(None)));
        let buffers = vec![input.handle().clone().binding(), output.handle().clone().binding()];
        let (ring, event, offset) =
            (self.collectives.clone(), done.clone(), (input.offset() * dtype.size()) as u64);
        queue.on_stream(buffers, move |stream, places| {
            // SAFETY: the buffers are kept by `Running` until the stream of the backend waits for the event.
            let started = unsafe { ring.run(call, stream as usize, places[0] + offset, places[1]) };
            let started = started.map_err(|error| cuda_error("collective", &error))?;
            *event.lock().unwrap_or_else(PoisonError::into_inner) = Some(started);
            Ok(())
        });
        let ring = self.collectives.clone();
        Some(Ok(Box::new(Running { ring, queue, input, output, layout, done, is_finished: false })))
    }
}
