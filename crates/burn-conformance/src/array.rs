use crate::number::{self, Number};
use burn_backend::{DType, Dims, HasSpec, Shape, TensorData, TensorSpec};

/// A tensor of the definitions: row-major, one [`Number`] per element, not rounded.
#[derive(Clone, Debug)]
pub struct Array {
    pub spec: TensorSpec,
    pub values: Vec<Number>,
}

impl HasSpec for Array {
    fn spec(&self) -> &TensorSpec {
        &self.spec
    }
}

impl From<&TensorData> for Array {
    fn from(data: &TensorData) -> Self {
        Array { spec: TensorSpec::new(data.shape.clone(), data.dtype), values: number::read(data) }
    }
}

impl Array {
    /// `f(index)` at each index.
    pub fn build(shape: Shape, dtype: DType, f: impl FnMut(&[usize]) -> Number) -> Self {
        let mut f = f;
        let values = indices(&shape).map(|index| f(&index)).collect();
        Array { spec: TensorSpec { shape, dtype }, values }
    }

    pub fn shape(&self) -> &Shape {
        &self.spec.shape
    }

    /// The element at `index`, whose last dimensions are those of the array; those of size 1 broadcast.
    pub fn at(&self, index: &[usize]) -> Number {
        let own = &index[index.len() - self.shape().rank()..];
        let at =
            self.shape().iter().zip(own).fold(0, |at, (&size, &i)| at * size + if size == 1 { 0 } else { i });
        self.values[at]
    }

    pub fn at_mut(&mut self, index: &[usize]) -> &mut Number {
        let at = self.spec.shape.iter().zip(index).fold(0, |at, (&size, &i)| at * size + i);
        &mut self.values[at]
    }

    /// Rounded to the dtype; integers wrap.
    pub fn to_data(&self) -> TensorData {
        number::write(&self.values, self.shape(), self.spec.dtype)
    }

    /// Every element through `f`.
    pub fn map(&self, dtype: DType, f: impl FnMut(Number) -> Number) -> Self {
        let values = self.values.iter().copied().map(f).collect();
        Array { spec: TensorSpec { shape: self.shape().clone(), dtype }, values }
    }
}

/// Every index of `shape`, in row-major order.
pub fn indices(shape: &Shape) -> impl Iterator<Item = Dims> + use<> {
    let shape = shape.clone();
    let mut next = (shape.num_elements() > 0).then(|| Dims::repeat(0, shape.rank()));
    std::iter::from_fn(move || {
        let current = next.take()?;
        let mut index = current.clone();
        for d in (0..shape.rank()).rev() {
            index[d] += 1;
            if index[d] < shape[d] {
                next = Some(index);
                break;
            }
            index[d] = 0;
        }
        Some(current)
    })
}

/// `index` with another value at `dim`.
pub fn replace(index: &[usize], dim: usize, value: usize) -> Dims {
    let mut index = Dims::from(index);
    index[dim] = value;
    index
}

/// The shape that both broadcast to.
pub fn broadcast(lhs: &Shape, rhs: &Shape) -> Shape {
    let rank = lhs.rank().max(rhs.rank());
    let size = |shape: &Shape, d: usize| (d + shape.rank()).checked_sub(rank).map_or(1, |d| shape[d]);
    (0..rank).map(|d| if size(lhs, d) == 1 { size(rhs, d) } else { size(lhs, d) }).collect()
}
