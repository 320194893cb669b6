//! Calls of the library, and its algorithms as candidates.

use super::plan::{Key, Plan, WORKSPACE, set_call};
use super::product::{DeviceRange, Matrices, Product};
use super::status::check;
use crate::driver::{Context, Event};
use crate::{CudaError, Queue};
use burn_backend::DType;
use burn_cubecl::{Autotune, Key as Name, MakeTrial, Question, Trial};
use cubecl::server::Handle;
use cudarc::cublaslt::result;
use cudarc::cublaslt::sys::{self, cublasLtMatmulDescAttributes_t as Of};
use cudarc::driver::sys::{CUdeviceptr, CUstream};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

/// A handle of the library, on its way to another thread.
#[derive(Clone, Copy)]
struct Shared(sys::cublasLtHandle_t);

// SAFETY: handles of the library may be used from any thread.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    fn get(self) -> sys::cublasLtHandle_t {
        self.0
    }
}

/// Context of library calls: stream, workspace and handle.
#[derive(Clone)]
pub struct Calls {
    pub context: Context,
    handle: Shared,
    queue: Queue,
    /// One is enough: products of a device run one after the other.
    workspace: Handle,
}

impl Calls {
    pub fn new(context: Context, handle: sys::cublasLtHandle_t, queue: Queue, workspace: Handle) -> Self {
        Calls { context, handle: Shared(handle), queue, workspace }
    }

    pub fn handle(&self) -> sys::cublasLtHandle_t {
        self.handle.get()
    }

    /// Puts the product into the stream: of `places`, which are the left operand, the right one and the
    /// result.
    pub fn put(
        &self,
        plan: &Arc<Plan>,
        algorithm: usize,
        product: Product,
        places: [DeviceRange; 3],
        bias: Option<&Handle>,
    ) {
        let handles = places.iter().map(|place| &place.handle).chain([&self.workspace]).chain(bias);
        let buffers = handles.map(|handle| handle.clone().binding()).collect();
        let offsets = places.each_ref().map(|place| place.offset);
        let (plan, handle) = (plan.clone(), self.handle);
        self.queue.on_stream(buffers, move |stream, places| {
            let addresses = Addresses::of(places, offsets);
            // SAFETY: the plan describes these buffers; the workspace has as many bytes as the plan was made
            // for.
            unsafe { call(handle, &plan, algorithm, product, addresses, stream) }
        });
    }
}

/// Addresses of a call on its device.
struct Addresses {
    /// The left operand, the right one and the result.
    operands: [CUdeviceptr; 3],
    workspace: CUdeviceptr,
    bias: Option<CUdeviceptr>,
}

impl Addresses {
    /// The addresses of operands, from these offsets on, of the workspace, and of the bias if there is one.
    fn of(places: &[CUdeviceptr], offsets: [u64; 3]) -> Self {
        let operands = [0, 1, 2].map(|at| places[at] + offsets[at]);
        Addresses { operands, workspace: places[3], bias: places.get(4).copied() }
    }
}

/// # Safety
/// All addresses are of the device of the stream, and as large as the plan says.
unsafe fn call(
    handle: Shared,
    plan: &Plan,
    algorithm: usize,
    product: Product,
    Addresses { operands: [lhs, rhs, out], workspace, bias }: Addresses,
    stream: CUstream,
) -> Result<(), CudaError> {
    let (alpha, beta) = (product.alpha, product.beta);
    let wide = [alpha, beta].map(f64::from);
    // Factors have the type that is computed in.
    let [alpha, beta]: [*const c_void; 2] = if product.dtype == DType::F64 {
        [(&raw const wide[0]).cast(), (&raw const wide[1]).cast()]
    } else {
        [(&raw const alpha).cast(), (&raw const beta).cast()]
    };
    // SAFETY: the caller's; the descriptor is written by this thread only.
    let done = unsafe {
        if let Some(bias) = bias {
            set_call(plan.call, Of::CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias)?;
        }
        result::matmul(
            handle.get(),
            plan.call,
            alpha,
            beta,
            rhs as *const c_void,
            plan.first,
            lhs as *const c_void,
            plan.second,
            out as *const c_void,
            plan.out,
            out as *mut c_void,
            plan.out,
            &raw const plan.algorithms[algorithm].0,
            workspace as *mut c_void,
            WORKSPACE,
            stream.cast(),
        )
    };
    check("cublasLtMatmul", done)
}

/// A product and the algorithms that compute it. Sizes are those of the call: plans are made for them.
pub struct Candidates<'a> {
    pub key: Key,
    pub product: Product,
    pub plan: &'a Arc<Plan>,
    pub calls: &'a Calls,
}

impl Candidates<'_> {
    /// Bytes of the left operand, the right one and the result.
    fn bytes(&self) -> [u64; 3] {
        let [batch, rows, cols, depth] = self.key.sizes;
        let size = self.key.dtype.size();
        let extent = |x: Matrices, rows: usize, cols: usize| {
            let lines = if x.transposed { cols } else { rows };
            ((batch - 1) * x.stride + lines * x.leading) * size
        };
        let result = batch * rows * cols * size;
        [extent(self.key.lhs, rows, depth), extent(self.key.rhs, depth, cols), result]
            .map(|bytes| bytes as u64)
    }
}

impl Question for Candidates<'_> {
    fn key(&self, _: Autotune) -> Name {
        let Key { dtype, tf32, sizes, lhs, rhs, accumulates, activation, bias, alignments, .. } = self.key;
        let lie = |x: Matrices| format!("{}{}+{}", if x.transposed { "t" } else { "n" }, x.leading, x.stride);
        let [left, right, written] = alignments;
        let flag = |on: bool, name: &'static str| if on { name } else { "" };
        let steps = [flag(tf32, "-tf32"), flag(accumulates, "-sum"), flag(bias, "-bias")].concat();
        let layout = format!("{}-{}-a{left}.{right}.{written}{steps}-{activation:?}", lie(lhs), lie(rhs));
        Name { operation: "cublaslt", dtype, layout: layout.into(), sizes: sizes.into() }
    }

    fn candidates(&self) -> Vec<String> {
        self.plan.algorithms.iter().map(super::algorithm::Algorithm::name).collect()
    }

    fn advice(&self, _: &Name) -> usize {
        0
    }

    fn work(&self, _: &Name) -> u64 {
        self.key.sizes.iter().map(|&size| size as u64).product()
    }

    fn room(&self, _: &Name) -> u64 {
        self.bytes().iter().sum()
    }

    fn trial(&self, _: &Name) -> MakeTrial {
        let (calls, plan, product, bytes) =
            (self.calls.clone(), self.plan.clone(), self.product, self.bytes());
        let bias = self.key.bias.then_some(self.key.sizes[2] * self.key.dtype.size());
        Box::new(move || {
            let make = |bytes: u64| calls.queue.create(&vec![0; bytes as usize]);
            let operands = bytes.map(make);
            let bias = bias.map(|bytes| make(bytes as u64));
            Box::new(Products { calls, plan, product, operands, bias })
        })
    }
}

/// A product of buffers of its own.
struct Products {
    calls: Calls,
    plan: Arc<Plan>,
    product: Product,
    operands: [Handle; 3],
    bias: Option<Handle>,
}

impl Trial for Products {
    /// Between two events of the stream, with nothing of others between them.
    fn time(&mut self, candidate: usize, calls: u32) -> Result<Duration, String> {
        let handles = self.operands.iter().chain([&self.calls.workspace]).chain(&self.bias);
        let buffers = handles.map(|handle| handle.clone().binding()).collect();
        let (plan, product, handle) = (self.plan.clone(), self.product, self.calls.handle);
        let (context, (sender, receiver)) = (self.calls.context, channel());
        self.calls.queue.on_stream(buffers, move |stream, places| {
            let put = || {
                let begin = Event::record_timed(context, stream)?;
                for _ in 0..calls {
                    let addresses = Addresses::of(places, [0; 3]);
                    // SAFETY: the plan describes these buffers, and the workspace is the one that it was made
                    // for.
                    unsafe { call(handle, &plan, candidate, product, addresses, stream)? };
                }
                Ok((begin, Event::record_timed(context, stream)?))
            };
            // Only the measuring thread gets the error.
            let _ = sender.send(put());
            Ok(())
        });
        let put = receiver.recv().map_err(|error| error.to_string())?;
        let timed = put.and_then(|(begin, end): (Arc<Event>, Arc<Event>)| end.since(&begin));
        timed.map_err(|error: CudaError| error.to_string())
    }
}
