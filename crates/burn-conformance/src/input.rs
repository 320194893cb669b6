use crate::array::{Array, indices, replace};
use crate::number::{self, Number};
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{DType, Dims, HasSpec, Shape, Slice, TensorData, TensorSpec, TypedCalls};

/// How the elements of an operand lie in memory, on a backend that has views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLayout {
    Contiguous,
    /// The last dimension is the slowest.
    Transposed,
    /// Every second element of the last dimension, from the second one on.
    Stepped,
    /// A window out of the middle of the first dimension.
    Offset,
    /// The first dimension repeats one row.
    Expanded,
}

impl MemoryLayout {
    pub const ALL: [MemoryLayout; 5] = [
        MemoryLayout::Contiguous,
        MemoryLayout::Transposed,
        MemoryLayout::Stepped,
        MemoryLayout::Offset,
        MemoryLayout::Expanded,
    ];
}

/// An operand of a check: values, and how they should lie in memory.
#[derive(Clone, Debug)]
pub struct Input {
    pub data: TensorData,
    pub layout: MemoryLayout,
}

impl Input {
    pub fn new(data: TensorData) -> Self {
        Input { data, layout: MemoryLayout::Contiguous }
    }

    /// The same values in another layout; [`MemoryLayout::Expanded`] changes the values to those of the first
    /// row.
    #[must_use]
    pub fn laid_out(mut self, layout: MemoryLayout) -> Self {
        if layout == MemoryLayout::Expanded && self.data.shape.rank() > 0 {
            let array = self.array();
            let row = |i: &[usize]| array.at(&replace(i, 0, 0));
            self.data = Array::build(array.shape().clone(), array.dtype(), row).to_data();
        }
        Input { layout, ..self }
    }

    pub fn array(&self) -> Array {
        Array::from(&self.data)
    }

    pub fn spec(&self) -> TensorSpec {
        TensorSpec::new(self.data.shape.clone(), self.data.dtype)
    }

    /// The operand on `device`. The only handle to it.
    pub fn upload(&self, device: &DynamicDevice) -> DynamicTensor {
        if self.layout == MemoryLayout::Contiguous {
            return Dynamic::from_data(self.data.clone(), device);
        }
        let array = self.array();
        if array.shape().rank() == 0 {
            // One element out of the middle of a list.
            let one = Number::of(1, array.dtype());
            let list = list(&[one, array.values[0], one], array.dtype());
            let middle = Dynamic::slice(list.upload(device), vec![Slice::from(1..2)].into());
            return Dynamic::reshape(middle, [].into());
        }
        let shape = array.shape();
        let upload = |array: Array| Dynamic::from_data(array.to_data(), device);
        let (rank, last) = (shape.rank(), shape.rank() - 1);
        match self.layout {
            MemoryLayout::Contiguous => upload(array),
            MemoryLayout::Transposed => {
                let reversed: Dims = (0..rank).rev().collect();
                let turned: Shape = shape.iter().rev().copied().collect();
                let at = |i: &[usize]| array.at(&i.iter().rev().copied().collect::<Dims>());
                Dynamic::permute(upload(Array::build(turned, array.dtype(), at)), reversed)
            }
            MemoryLayout::Stepped => {
                let size = shape[last];
                let wide = shape.with(last, 2 * size + 1);
                let mut padded = Array::build(wide.clone(), array.dtype(), |_| Number::of(1, array.dtype()));
                indices(shape)
                    .for_each(|i| *padded.at_mut(&replace(&i, last, 2 * i[last] + 1)) = array.at(&i));
                let mut slices: Vec<Slice> = wide.iter().map(|&size| Slice::from(0..size)).collect();
                slices[last] = Slice { start: 1, end: 2 * size + 1, step: 2 };
                Dynamic::slice(upload(padded), slices.into())
            }
            MemoryLayout::Offset => {
                let size = shape[0];
                let tall = shape.with(0, size + 3);
                let mut padded = Array::build(tall, array.dtype(), |_| Number::of(1, array.dtype()));
                indices(shape).for_each(|i| *padded.at_mut(&replace(&i, 0, i[0] + 2)) = array.at(&i));
                Dynamic::slice(upload(padded), vec![Slice::from(2..size + 2)].into())
            }
            MemoryLayout::Expanded => {
                if shape[0] == 0 {
                    return upload(array);
                }
                let row = Array::build(shape.with(0, 1), array.dtype(), |i| array.at(i));
                Dynamic::expand(upload(row), shape.clone())
            }
        }
    }
}

/// Values between -3 and 3 (integers between -20 and 20) that look random and are the same everywhere.
pub fn ordinary(shape: impl Into<Shape>, dtype: DType) -> Input {
    spread(shape, dtype, -3.0, 3.0)
}

/// Values in `[low, high)` that look random; integers between -20 and 20, or from 0.
pub fn spread(shape: impl Into<Shape>, dtype: DType, low: f64, high: f64) -> Input {
    let shape = shape.into();
    let at = |k: usize| (k as f64 * 0.618_033_988_749_895 + 0.137).fract();
    let values: Vec<Number> = (0..shape.num_elements())
        .map(|k| {
            if dtype.is_float() {
                Number::Float(low + (high - low) * at(k))
            } else if dtype == DType::Bool {
                Number::Bool(at(k) < 0.5)
            } else {
                Number::Int((at(k) * 41.0) as i128 - if dtype.is_signed() { 20 } else { 0 })
            }
        })
        .collect();
    Input::new(number::write(&values, &shape, dtype))
}

/// Few different values, so that there are many equal ones.
pub fn repetitive(shape: impl Into<Shape>, dtype: DType) -> Input {
    let shape = shape.into();
    let at = |k: usize| (k as f64 * 0.618_033_988_749_895 + 0.137).fract();
    let value = |k| Number::of((at(k) * 5.0) as i128, dtype);
    Input::new(number::write(&(0..shape.num_elements()).map(value).collect::<Vec<_>>(), &shape, dtype))
}

/// These integers, in any dtype.
pub fn given(values: &[i128], shape: impl Into<Shape>, dtype: DType) -> Input {
    let values: Vec<Number> = values.iter().map(|&x| Number::of(x, dtype)).collect();
    Input::new(number::write(&values, &shape.into(), dtype))
}

/// These numbers, in a list.
pub fn list(values: &[Number], dtype: DType) -> Input {
    Input::new(number::write(values, &Shape::from([values.len()]), dtype))
}
