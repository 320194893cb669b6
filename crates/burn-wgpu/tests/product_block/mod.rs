//! Blocks that begin with a product.

use burn_backend::{
    BinaryOp, Block, BlockHead, BlockStep, DType, Distribution, Elementwise, Linalg, Operation, Product,
    Register, Shape, TensorSpec, TypedCalls, output_specs,
};
use burn_wgpu::{CubeTensor, Wgpu, WgpuDevice};

type Leaf = Wgpu<f32, i32>;

pub fn random(shape: impl Into<Shape>, dtype: DType) -> CubeTensor {
    let spec = TensorSpec::new(shape, DType::F32);
    let floats = Leaf::random(spec, Distribution::Uniform(-2.0, 2.0), &WgpuDevice::default());
    Leaf::cast(floats, dtype)
}

/// A block that begins with a product, while it is written.
pub struct Writing(pub Block<CubeTensor>);

impl Writing {
    pub fn new(lhs: CubeTensor, rhs: CubeTensor, inputs: Vec<CubeTensor>) -> Self {
        let shape =
            output_specs(&Operation::Linalg(Linalg::Matmul { lhs: &lhs, rhs: &rhs })).unwrap().one().shape;
        let head = Some(BlockHead::Product(Product { lhs, rhs }));
        let (steps, specs, outputs) = Default::default();
        Writing(Block { shape, folded: 0, head, inputs, steps, specs, outputs })
    }

    pub fn product(&self) -> Register {
        self.0.inputs.len() as Register
    }

    pub fn step(&mut self, op: BlockStep<Register>, dtype: DType) -> Register {
        self.0.steps.push(op);
        self.0.specs.push(TensorSpec::new(self.0.shape.clone(), dtype));
        (self.0.first_step() + self.0.steps.len() - 1) as Register
    }

    pub fn binary(&mut self, op: BinaryOp, lhs: Register, rhs: Register, dtype: DType) -> Register {
        self.step(BlockStep::Elementwise(Elementwise::Binary { op, lhs, rhs }), dtype)
    }
}
