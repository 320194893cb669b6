use burn_backend::{Dims, Element, HasSpec, Shape, TensorSpec};
use std::sync::Arc;

/// Runs an expression on the array inside, whatever its element type.
macro_rules! each_dtype {
    ($tensor:expr, $x:ident => $body:expr) => {
        match $tensor {
            $crate::NdTensor::F64($x) => $body,
            $crate::NdTensor::F32($x) => $body,
            $crate::NdTensor::I64($x) => $body,
            $crate::NdTensor::Bool($x) => $body,
        }
    };
}

macro_rules! wrong_dtype_unless {
    ($tensor:expr, $variant:ident) => {
        match $tensor {
            NdTensor::$variant(array) => array,
            other => panic!("expected {}, found {}", stringify!($variant), other.dtype().name()),
        }
    };
}
pub(crate) use each_dtype;

/// A view over a shared buffer. Without a `view` the buffer is exactly the tensor, row-major.
#[derive(Clone, Debug)]
pub struct Array<E> {
    spec: TensorSpec,
    data: Arc<Vec<E>>,
    view: Option<Box<View>>,
}

#[derive(Clone, Debug)]
struct View {
    strides: Dims,
    offset: usize,
}

impl<E: Element> Array<E> {
    pub fn new(shape: Shape, data: Vec<E>) -> Self {
        debug_assert_eq!(shape.num_elements(), data.len());
        Array { spec: TensorSpec { shape, dtype: E::DTYPE }, data: Arc::new(data), view: None }
    }

    pub fn full(shape: Shape, value: E) -> Self {
        let data = vec![value; shape.num_elements()];
        Array::new(shape, data)
    }

    pub fn shape(&self) -> &Shape {
        &self.spec.shape
    }

    pub fn strides(&self) -> Dims {
        self.view.as_ref().map_or_else(|| self.shape().strides(), |view| view.strides.clone())
    }

    pub fn offset(&self) -> usize {
        self.view.as_ref().map_or(0, |view| view.offset)
    }

    pub fn buffer(&self) -> &[E] {
        &self.data
    }

    /// The elements in order, if they lie in order.
    pub fn as_slice(&self) -> Option<&[E]> {
        self.view.is_none().then_some(&self.data[..])
    }

    /// The elements, if they lie in order and nobody else can see them.
    pub fn unique(&mut self) -> Option<&mut [E]> {
        if self.view.is_some() {
            return None;
        }
        Arc::get_mut(&mut self.data).map(|data| &mut data[..])
    }

    /// The elements for writing, copied unless they are unique.
    pub fn make_mut(&mut self) -> &mut [E] {
        if self.view.is_some() {
            *self = self.to_contiguous();
        }
        let data: &mut Vec<E> = Arc::make_mut(&mut self.data);
        data
    }

    pub fn with_view(self, shape: Shape, strides: Dims, offset: usize) -> Self {
        let dense = offset == 0 && shape.num_elements() == self.data.len() && shape.strides() == strides;
        let view = (!dense).then(|| Box::new(View { strides, offset }));
        Array { spec: TensorSpec { shape, dtype: E::DTYPE }, data: self.data, view }
    }

    pub fn into_contiguous(self) -> Self {
        if self.view.is_none() { self } else { self.to_contiguous() }
    }

    fn to_contiguous(&self) -> Self {
        let (shape, strides) = (self.shape().clone(), self.strides());
        let (row, step) = last(&shape, &strides);
        let mut out = Vec::with_capacity(shape.num_elements());
        for_each_row(&shape, [&strides], [self.offset()], |[at]| {
            out.extend((0..row).map(|i| self.data[at + i * step]));
        });
        Array::new(shape, out)
    }

    /// The same elements in another shape.
    pub fn reshape(self, shape: Shape) -> Self {
        let mut array = self.into_contiguous();
        array.spec.shape = shape;
        array
    }
}

/// Size and stride of the innermost dimension.
pub fn last(shape: &[usize], strides: &[usize]) -> (usize, usize) {
    (shape.last().copied().unwrap_or(1), strides.last().copied().unwrap_or(1))
}

/// Calls `f` with the offset of each row (innermost dimension) in `N` buffers.
pub fn for_each_row<const N: usize>(
    shape: &[usize],
    strides: [&[usize]; N],
    start: [usize; N],
    mut f: impl FnMut([usize; N]),
) {
    let outer = &shape[..shape.len().saturating_sub(1)];
    let mut index = Dims::repeat(0, outer.len());
    let mut at = start;
    for _ in 0..outer.iter().product() {
        f(at);
        for d in (0..outer.len()).rev() {
            index[d] += 1;
            (0..N).for_each(|n| at[n] += strides[n][d]);
            if index[d] < outer[d] {
                break;
            }
            (0..N).for_each(|n| at[n] -= strides[n][d] * outer[d]);
            index[d] = 0;
        }
    }
}

/// A tensor of the CPU leaf; the dtype is the variant.
#[derive(Clone, Debug)]
pub enum NdTensor {
    F64(Array<f64>),
    F32(Array<f32>),
    I64(Array<i64>),
    Bool(Array<bool>),
}

impl HasSpec for NdTensor {
    fn spec(&self) -> &TensorSpec {
        each_dtype!(self, x => &x.spec)
    }
}

impl NdTensor {
    /// Address of the buffer, to see whether it was reused.
    pub fn address(&self) -> usize {
        each_dtype!(self, x => x.data.as_ptr() as usize)
    }

    pub fn into_f64(self) -> Array<f64> {
        wrong_dtype_unless!(self, F64)
    }
    pub fn into_f32(self) -> Array<f32> {
        wrong_dtype_unless!(self, F32)
    }
    pub fn into_i64(self) -> Array<i64> {
        wrong_dtype_unless!(self, I64)
    }
    pub fn into_bool(self) -> Array<bool> {
        wrong_dtype_unless!(self, Bool)
    }
}

macro_rules! into_tensor {
    ($($ty:ty => $variant:ident)*) => {
        $(impl From<Array<$ty>> for NdTensor {
            fn from(array: Array<$ty>) -> Self {
                NdTensor::$variant(array)
            }
        })*
    };
}
into_tensor!(f64 => F64 f32 => F32 i64 => I64 bool => Bool);
