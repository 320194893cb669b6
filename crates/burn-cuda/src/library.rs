//! Tensors on the way to the libraries.

use crate::blas::{Activation, Blas, Matrices, Place, Product, WORKSPACE};
use crate::{CudaDevice, CudaError, Queue};
use burn_backend::{DType, HasSpec};
use burn_cubecl::{Answer, CubeTensor, Epilogue, Library};
use cubecl::server::Handle;
use std::sync::OnceLock;

/// What NVIDIA ships beside the driver. A library is loaded when it is first of use, and told of once if it is not there.
#[derive(Debug)]
pub struct Libraries {
    device: CudaDevice,
    workspace: fn(CudaDevice, usize) -> Handle,
    blas: OnceLock<Option<Blas>>,
}

impl Libraries {
    /// `workspace` gives memory of the device.
    pub fn new(device: CudaDevice, workspace: fn(CudaDevice, usize) -> Handle) -> Self {
        Libraries { device, workspace, blas: OnceLock::new() }
    }

    fn blas(&self) -> Option<&Blas> {
        let opened = || match Blas::new(self.device, (self.workspace)(self.device, WORKSPACE)) {
            Ok(blas) => Some(blas),
            Err(error) => {
                tell(self.device, &error);
                None
            }
        };
        self.blas.get_or_init(opened).as_ref()
    }
}

fn tell(device: CudaDevice, error: &CudaError) {
    burn_cubecl::warn(&format!("{device}: {error}; our own kernels are used instead, which are slower"));
}

/// Bytes from which it pays that whoever sends them waits until they are in pinned memory.
const LARGE: usize = 256 << 10;

impl Library for Libraries {
    fn create(&self, bytes: &[u8]) -> Option<Handle> {
        (bytes.len() >= LARGE).then(|| Queue::new(self.device).create(bytes))
    }

    fn product(&self, lhs: &CubeTensor, rhs: &CubeTensor, out: &CubeTensor, epilogue: Epilogue) -> Answer {
        let shape = &out.spec().shape;
        let rank = shape.rank();
        let (rows, cols) = (shape[rank - 2], shape[rank - 1]);
        let depth = lhs.spec().shape[lhs.spec().shape.rank() - 1];
        let is_known = matches!(lhs.dtype(), DType::F32 | DType::F16 | DType::BF16);
        if !is_known || shape.num_elements() == 0 || depth == 0 {
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
        if blas.run(product, &place(lhs), &place(rhs), &place(out), bias) { Answer::Done } else { Answer::No }
    }
}

fn place(x: &CubeTensor) -> Place {
    Place { handle: x.handle().clone(), offset: (x.offset() * x.dtype().size()) as u64 }
}

/// How the matrices of `x` lie, as it is repeated to this batch; nothing where one stride does not lead through it.
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
