use super::Random;
use burn_backend::*;
use derive_new::new;

/// Calls of which many are almost right: operands and options fit each other more often than not.
#[derive(new)]
pub struct Calls<'a> {
    pub(crate) random: &'a mut Random,
}

impl<'a> Calls<'a> {
    pub(crate) fn flag(&mut self) -> bool {
        self.random.chance(50)
    }

    pub(crate) fn spec(&mut self) -> TensorSpec {
        TensorSpec { shape: self.random.shape(), dtype: self.random.dtype() }
    }

    /// A spec with this dtype, unless it is to be wrong.
    pub(crate) fn of(&mut self, dtype: DType) -> TensorSpec {
        let dtype = if self.random.chance(5) { self.random.dtype() } else { dtype };
        TensorSpec { shape: self.random.shape(), dtype }
    }

    /// A float tensor, unless it is to be wrong.
    pub(crate) fn float(&mut self) -> TensorSpec {
        let dtype = self.random.pick(&[DType::F64, DType::F64, DType::F32, DType::F16, DType::BF16]);
        self.of(dtype)
    }

    /// A float tensor of this rank, unless it is to be wrong.
    pub(crate) fn float_of_rank(&mut self, rank: usize) -> TensorSpec {
        let spec = self.float();
        if self.random.chance(5) { spec } else { TensorSpec { shape: self.random.shape_of(rank), ..spec } }
    }

    /// Almost the shape and the dtype of another operand.
    pub(crate) fn like(&mut self, spec: &TensorSpec) -> TensorSpec {
        let dtype = if self.random.chance(6) { self.random.dtype() } else { spec.dtype };
        TensorSpec { shape: self.shape_like(&spec.shape), dtype }
    }

    pub(crate) fn exactly(&mut self, shape: Shape, dtype: DType) -> TensorSpec {
        let spec = TensorSpec { shape, dtype };
        let fits = spec.shape.checked_num_elements().is_some_and(|count| count <= 1024);
        if fits && self.random.chance(88) { spec } else { self.like(&TensorSpec::new([2, 1], dtype)) }
    }

    pub(crate) fn shape_like(&mut self, shape: &Shape) -> Shape {
        let mut shape = shape.clone();
        match self.random.below(10) {
            0 => self.random.shape(),
            1 if shape.rank() > 0 => shape[1..].into(),
            2 if shape.rank() > 0 => {
                let dim = self.random.below(shape.rank());
                shape[dim] = 1;
                shape
            }
            3 if shape.rank() > 0 => {
                let dim = self.random.below(shape.rank());
                shape[dim] = self.random.below(4);
                shape
            }
            _ => shape,
        }
    }

    pub(crate) fn scalar(&mut self) -> Scalar {
        match self.random.below(6) {
            0 => Scalar::Int(self.random.signed(5) as i64),
            1 => Scalar::UInt(self.random.number(5) as u64),
            2 => Scalar::Bool(self.flag()),
            3 => Scalar::Float(self.random.pick(&[f64::NAN, f64::INFINITY, -0.0, 1e300, 1e-310])),
            _ => Scalar::Float(self.random.signed(3) as f64 / 2.0),
        }
    }

    pub(crate) fn index(&mut self) -> DType {
        if self.random.chance(70) { DType::I64 } else { self.random.dtype() }
    }

    pub(crate) fn dim(&mut self, x: &TensorSpec) -> usize {
        let rank = x.shape.rank();
        if rank > 0 && self.random.chance(90) { self.random.below(rank) } else { self.random.number(rank) }
    }

    pub(crate) fn dims(&mut self, x: &TensorSpec) -> Dims {
        let count = self.random.below(x.shape.rank() + 1);
        (0..count).map(|_| self.dim(x)).collect()
    }

    pub(crate) fn axes(&mut self, x: &TensorSpec) -> Dims {
        let mut axes: Vec<usize> = (0..x.shape.rank()).collect();
        for place in (1..axes.len()).rev() {
            axes.swap(place, self.random.below(place + 1));
        }
        if self.random.chance(8) {
            axes.push(self.random.number(3));
        }
        Dims::from(&axes[..])
    }

    pub(crate) fn slices(&mut self, x: &TensorSpec) -> Slices {
        let count = self.random.below(x.shape.rank() + 1) + usize::from(self.random.chance(4));
        let slice = |d: usize, random: &mut Random| {
            let size = x.shape.get(d).copied().unwrap_or(2);
            let end = if random.chance(60) { size } else { random.number(size) };
            let step = if random.chance(60) { 1 } else { random.number(3) };
            Slice { start: random.number(size), end, step }
        };
        (0..count).map(|d| slice(d, self.random)).collect()
    }
}
