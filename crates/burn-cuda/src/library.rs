//! Tensors on the way to the libraries.

use crate::blas::{self, Activation, Blas, DeviceRange, Matrices, Product, WORKSPACE};
use crate::dnn::{self, Dnn, DnnCall, Operand};
use crate::launch_graph::{self, CudaLaunchGraphs};
use crate::loaded::Loaded;
use crate::{CudaDevice, Queue};
use burn_backend::{DType, HasSpec, LaunchGraphs};
use burn_cubecl::{Answer, AttentionCall, AttentionResults, ConvolutionCall, CubeTensor, Epilogue, Library};
use cubecl::server::Handle;
use std::sync::Arc;

/// NVIDIA's libraries (cuBLASLt, cuDNN) for one device.
#[derive(Debug)]
pub struct Libraries {
    device: CudaDevice,
    queue: Queue,
    workspace: fn(CudaDevice, usize) -> Handle,
    blas: Loaded<Blas>,
    dnn: Loaded<Dnn>,
}

impl Libraries {
    /// Opens the libraries lazily; `workspace` allocates device memory.
    pub fn new(device: CudaDevice, workspace: fn(CudaDevice, usize) -> Handle) -> Self {
        Libraries { device, queue: Queue::new(device), workspace, blas: Loaded::new(), dnn: Loaded::new() }
    }

    fn blas(&self) -> Option<&Blas> {
        let open = || Blas::new(self.device, (self.workspace)(self.device, WORKSPACE));
        self.blas.get(self.device, open, burn_cubecl::warn)
    }

    fn dnn(&self) -> Option<&Dnn> {
        self.dnn.get(self.device, || Dnn::new(self.device, self.workspace), burn_cubecl::warn)
    }

    /// A call of which all operands have contiguous rows.
    fn by_rows(&self, operands: &[&CubeTensor], call: impl FnOnce() -> DnnCall) -> Answer {
        if operands.iter().any(|x| x.spec().shape.num_elements() == 0) {
            return Answer::No;
        }
        let Some(library) = self.dnn() else { return Answer::No };
        if !operands.iter().all(|x| has_rows(x)) {
            return Answer::IfContiguous;
        }
        let places: Vec<_> = operands.iter().map(|x| place(x)).collect();
        match library.run(call(), &places) {
            Ok(()) => Answer::Done,
            Err(cause) => failed(cause, operands),
        }
    }
}

/// Bytes from which it pays that whoever sends them waits until they are in pinned memory.
const LARGE: usize = 256 << 10;

impl Library for Libraries {
    fn launch_graphs(&self) -> Option<Box<dyn LaunchGraphs>> {
        Some(Box::new(CudaLaunchGraphs::new(self.device)))
    }

    fn has_dependent_launches(&self) -> bool {
        true
    }

    fn is_untouched(&self, buffer: &Handle) -> bool {
        if !launch_graph::is_recording(self.device) {
            return true;
        }
        let binding = buffer.clone().binding();
        self.queue.wait(move |server| server.is_untouched(&binding))
    }

    fn create(&self, bytes: &[u8]) -> Option<Handle> {
        (bytes.len() >= LARGE).then(|| self.queue.create(bytes))
    }

    fn empty(&self, bytes: usize) -> Option<Handle> {
        Some(self.queue.empty(bytes))
    }

    fn product(&self, lhs: &CubeTensor, rhs: &CubeTensor, out: &CubeTensor, epilogue: Epilogue) -> Answer {
        let shape = &out.spec().shape;
        let rank = shape.rank();
        let (rows, cols) = (shape[rank - 2], shape[rank - 1]);
        let depth = lhs.spec().shape[lhs.spec().shape.rank() - 1];
        let has_epilogue = epilogue.bias.is_some() || epilogue.relu;
        let is_taken = is_float(lhs) || lhs.dtype() == DType::F64 && !has_epilogue;
        if !is_taken || shape.num_elements() == 0 || depth == 0 {
            return Answer::No;
        }
        let Some(blas) = self.blas() else { return Answer::No };
        let batch = &shape[..rank - 2];
        let (Some(left), Some(right)) = (matrices(lhs, batch), matrices(rhs, batch)) else {
            return Answer::IfContiguous;
        };
        let product = Product {
            dtype: lhs.dtype(),
            batch: batch.iter().product(),
            rows,
            cols,
            depth,
            lhs: left,
            rhs: right,
            alpha: 1.0,
            beta: 0.0,
            activation: if epilogue.relu { Activation::Relu } else { Activation::None },
        };
        let bias = epilogue.bias.map(CubeTensor::handle);
        let places = [place(lhs), place(rhs), place(out)];
        match blas.run_chosen(product, places.each_ref(), bias, Some(out.engine().tuner())) {
            Ok(()) => Answer::Done,
            Err(cause) => failed(cause, &[lhs, rhs]),
        }
    }

    fn convolution(&self, call: ConvolutionCall) -> Answer {
        let ConvolutionCall { wanted, x, weight, y, bias, options } = call;
        if !is_float(x) || [x, weight, y].iter().any(|x| x.spec().shape.num_elements() == 0) {
            return Answer::No;
        }
        // Padding that differs between the sides was not tried with all of its engines.
        if !options.is_symmetric() {
            return Answer::No;
        }
        let Some(library) = self.dnn() else { return Answer::No };
        let operands = [x, weight, y].map(Operand::dense);
        let [Some(image), Some(kernel), Some(result)] = operands else { return Answer::IfContiguous };
        // Lines are images of one row.
        let numbers = |list: &[usize], of_row: i64| {
            let row = (list.len() == 1).then_some(of_row);
            row.into_iter().chain(list.iter().map(|&number| number as i64)).collect()
        };
        let call = dnn::Convolution {
            wanted,
            tf32: x.dtype() == DType::F32 && blas::is_tf32_allowed(),
            bias: bias.map(|bias| Operand::of_channels(bias, image.sizes.len())),
            x: image,
            weight: kernel,
            y: result,
            stride: numbers(&options.stride, 1),
            padding: numbers(options.padding_before(), 0),
            dilation: numbers(&options.dilation, 1),
        };
        let places: Vec<_> = [x, weight, y].into_iter().chain(bias).map(place).collect();
        match library.run(DnnCall::Convolution(Box::new(call)), &places) {
            Ok(()) => Answer::Done,
            Err(cause) => failed(cause, &[x, weight, y]),
        }
    }

    fn has_attention(&self, dtype: DType) -> bool {
        matches!(dtype, DType::F16 | DType::BF16) && self.dnn().is_some_and(Dnn::has_attention)
    }

    fn attention(&self, call: AttentionCall, out: &CubeTensor, log_sums: &CubeTensor) -> Answer {
        let AttentionCall { query, key, value, mask, .. } = call;
        let operands = [query, key, value].into_iter().chain(mask).chain([out, log_sums]);
        let operands: Vec<_> = operands.collect();
        self.by_rows(&operands, || DnnCall::Attention(Box::new(described(&call, out, log_sums))))
    }

    fn attention_grad(&self, call: AttentionCall, of: AttentionResults, grads: [&CubeTensor; 3]) -> Answer {
        let AttentionCall { query, key, value, mask, .. } = call;
        let AttentionResults { out, log_sums, grad } = of;
        let operands = [query, key, value].into_iter().chain(mask).chain([out, log_sums, grad]).chain(grads);
        let operands: Vec<_> = operands.collect();
        let [query_grad, key_grad, value_grad] = grads.map(Operand::strided);
        self.by_rows(&operands, || {
            let attention = described(&call, out, log_sums);
            DnnCall::AttentionGrad(Box::new(dnn::AttentionGrad {
                attention: dnn::Attention { value: attention.value.transposed(), ..attention },
                grad: Operand::strided(grad),
                query_grad,
                key_grad,
                value_grad,
            }))
        })
    }
}

/// Describes an attention and its results to the library.
fn described(call: &AttentionCall, out: &CubeTensor, log_sums: &CubeTensor) -> dnn::Attention {
    let mask = call.mask.map(Operand::strided);
    dnn::Attention {
        query: Operand::strided(call.query),
        key: Operand::strided(call.key).transposed(),
        value: Operand::strided(call.value),
        scores: dnn::Scores { scale: (call.scale as f32).to_bits(), mask, causal: call.causal },
        out: Operand::strided(out),
        log_sums: Operand::column(log_sums),
    }
}

/// There may be an engine or an algorithm for operands in row-major order.
fn failed(cause: Arc<str>, operands: &[&CubeTensor]) -> Answer {
    if operands.iter().all(|x| x.is_contiguous()) { Answer::Failed(cause) } else { Answer::IfContiguous }
}

fn is_float(x: &CubeTensor) -> bool {
    matches!(x.dtype(), DType::F32 | DType::F16 | DType::BF16)
}

/// Whether the rows are contiguous, and no two of them, nor two matrices, are the same or in reverse order.
fn has_rows(x: &CubeTensor) -> bool {
    let (shape, strides) = (&x.spec().shape, x.strides());
    let last = shape.rank() - 1;
    let forward = |d: usize| shape[d] == 1 || (shape[last]..isize::MAX as usize).contains(&strides[d]);
    (shape[last] == 1 || strides[last] == 1) && (0..last).all(forward)
}

fn place(x: &CubeTensor) -> DeviceRange {
    DeviceRange { handle: x.handle().clone(), offset: (x.offset() * x.dtype().size()) as u64 }
}

/// How the matrices of `x` lie, as it is repeated to this batch; nothing where one stride does not lead
/// through it.
fn matrices(x: &CubeTensor, batch: &[usize]) -> Option<Matrices> {
    let (shape, strides) = (&x.spec().shape, x.strides());
    let own = shape.rank() - 2;
    let extra = batch.len() - own;
    let stride = |d: usize| if d < extra || shape[d - extra] == 1 { 0 } else { strides[d - extra] };
    let sizes: Vec<usize> = (0..batch.len()).filter(|&d| batch[d] != 1).collect();
    let through =
        sizes.windows(2).all(|pair| stride(pair[0]) == stride(pair[1]).wrapping_mul(batch[pair[1]]));
    let innermost = sizes.last().map_or(0, |&d| stride(d));
    let found = Matrices::new(shape[own], shape[own + 1], strides[own], strides[own + 1], innermost);
    found.filter(|_| through)
}
