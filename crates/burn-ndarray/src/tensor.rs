use crate::memory::{Buffer, out_of_memory};
use burn_backend::{Dims, HasSpec, Shape, SharedBytes, TensorSpec};
use bytemuck::Pod;
use core::ops::Range;
#[cfg(feature = "view")]
use ndarray::{ArrayViewD, Axis, IxDyn, ShapeBuilder};

/// A tensor of the CPU backend: a view over a shared buffer, with a dtype known at run time.
///
/// Bools are bytes, 0 or 1.
#[derive(Clone, Debug)]
pub struct NdTensor {
    spec: TensorSpec,
    buffer: Buffer,
    /// Offset and strides, in elements; strides below zero are their two's complement. `None` means that the
    /// buffer begins with the elements in row-major order. In a buffer, since a clone of that is free.
    view: Option<Buffer>,
}

impl HasSpec for NdTensor {
    #[inline]
    fn spec(&self) -> &TensorSpec {
        &self.spec
    }
}

impl NdTensor {
    /// A tensor of any content: the caller writes all of it.
    ///
    /// Where there is no memory for it, this ends the call: see [`out_of_memory`].
    #[inline]
    pub(crate) fn new(spec: TensorSpec) -> Self {
        let bytes = spec.shape.checked_num_elements().and_then(|count| count.checked_mul(spec.dtype.size()));
        match bytes.and_then(Buffer::try_new) {
            Some(buffer) => NdTensor { spec, buffer, view: None },
            None => out_of_memory(Some(spec), bytes),
        }
    }

    /// A tensor of bytes of another owner, which are never written; see [`Buffer::try_foreign`].
    pub(crate) fn foreign(spec: TensorSpec, owner: SharedBytes, range: Range<usize>) -> Option<Self> {
        Some(NdTensor { spec, buffer: Buffer::try_foreign(owner, range)?, view: None })
    }

    /// Fills a new tensor.
    pub(crate) fn with<E: Pod>(spec: TensorSpec, fill: impl FnOnce(&mut [E])) -> Self {
        let mut x = NdTensor::new(spec);
        fill(x.as_mut_slice().expect("a new tensor is unique"));
        x
    }

    #[inline]
    pub(crate) fn shape(&self) -> &Shape {
        &self.spec.shape
    }

    /// Number of elements.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.spec.shape.num_elements()
    }

    /// Address of the buffer, to see whether it was reused.
    pub fn address(&self) -> usize {
        self.buffer.as_ptr() as usize
    }

    /// Returns the buffer that holds the elements, which it may share with other tensors.
    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Steps between neighbours along each dimension, in elements; negative ones as their two's complement.
    pub(crate) fn strides(&self) -> Dims {
        match &self.view {
            None => self.spec.shape.strides(),
            Some(view) => Dims::from(&view.as_slice::<usize>()[1..]),
        }
    }

    /// Index in the buffer of the first element.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.view.as_ref().map_or(0, |view| view.as_slice::<usize>()[0])
    }

    /// Address of the first element.
    #[inline]
    pub(crate) fn start(&self) -> *const u8 {
        self.buffer.as_ptr().wrapping_add(self.offset() * self.spec.dtype.size())
    }

    /// Address of the first element, for writing in order.
    #[inline]
    pub(crate) fn start_mut(&mut self) -> *mut u8 {
        assert!(self.is_contiguous(), "elements are written in order");
        let offset = self.offset() * self.spec.dtype.size();
        let all: &mut [u8] = self.buffer.as_mut_slice().expect("a writable tensor is unique");
        all.as_mut_ptr().wrapping_add(offset)
    }

    /// Whether the elements lie in row-major order without gaps.
    #[inline]
    pub(crate) fn is_contiguous(&self) -> bool {
        let Some(view) = &self.view else { return true };
        is_row_major(&self.spec.shape, &view.as_slice::<usize>()[1..])
    }

    /// Whether the elements may be overwritten in order.
    #[inline]
    pub(crate) fn is_writable(&self) -> bool {
        self.buffer.is_unique() && self.is_contiguous()
    }

    /// Whether the elements are all of a buffer that no other tensor holds.
    #[cfg(feature = "std")]
    pub(crate) fn fills_own_buffer(&self) -> bool {
        self.is_writable() && self.buffer.as_slice::<u8>().len() == self.len() * self.spec.dtype.size()
    }

    fn check_type<E: Pod>(&self) {
        assert!(size_of::<E>() == self.spec.dtype.size(), "elements are read as what they are");
    }

    /// The elements in order, if they lie in order.
    pub(crate) fn as_slice<E: Pod>(&self) -> Option<&[E]> {
        self.check_type::<E>();
        self.is_contiguous().then(|| &self.buffer.as_slice()[self.offset()..][..self.len()])
    }

    /// The elements in order for writing, if they lie in order and no other tensor holds them.
    pub(crate) fn as_mut_slice<E: Pod>(&mut self) -> Option<&mut [E]> {
        self.check_type::<E>();
        if !self.is_contiguous() {
            return None;
        }
        let (offset, len) = (self.offset(), self.len());
        self.buffer.as_mut_slice().map(|all| &mut all[offset..][..len])
    }

    /// The elements of a contiguous tensor.
    pub(crate) fn slice<E: Pod>(&self) -> &[E] {
        self.as_slice().expect("the tensor is contiguous")
    }

    /// The bytes of the elements of a contiguous tensor.
    pub(crate) fn bytes(&self) -> &[u8] {
        assert!(self.is_contiguous(), "bytes are read in order");
        let width = self.spec.dtype.size();
        &self.buffer.as_slice()[self.offset() * width..][..self.len() * width]
    }

    /// The bytes of the elements of a writable tensor.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        assert!(self.is_contiguous(), "bytes are written in order");
        let width = self.spec.dtype.size();
        let (offset, len) = (self.offset() * width, self.len() * width);
        &mut self.buffer.as_mut_slice().expect("a writable tensor is unique")[offset..][..len]
    }

    /// Other elements of the same buffer.
    pub(crate) fn with_view(self, shape: Shape, strides: &[usize], offset: usize) -> Self {
        // No elements are nowhere: where they would start may lie beyond the buffer.
        let is_view = shape.num_elements() > 0 && (offset != 0 || !is_row_major(&shape, strides));
        let view = is_view.then(|| {
            let mut view = Buffer::new((strides.len() + 1) * size_of::<usize>());
            let words = view.as_mut_slice::<usize>().expect("a new buffer is unique");
            words[0] = offset;
            words[1..].copy_from_slice(strides);
            view
        });
        NdTensor { spec: TensorSpec { shape, dtype: self.spec.dtype }, buffer: self.buffer, view }
    }

    /// The same elements in another shape; a view where the strides allow it, else of the copy in row-major
    /// order that `copy` makes.
    pub(crate) fn reshaped_by(self, shape: Shape, copy: fn(&Self) -> Self) -> Self {
        if self.spec.shape == shape {
            return self;
        }
        if self.view.is_none() {
            return NdTensor { spec: TensorSpec { shape, ..self.spec }, ..self };
        }
        let strides = self.strides();
        match self.spec.shape.reshaped_strides(&strides, &shape) {
            Some(strides) => {
                let offset = self.offset();
                self.with_view(shape, &strides, offset)
            }
            None => copy(&self).reshaped_by(shape, copy),
        }
    }

    /// The elements as a view of the `ndarray` crate, for kernels that come from outside.
    ///
    /// # Panics
    /// When `E` is not the Rust type of the dtype.
    #[cfg(feature = "view")]
    pub fn view<E: burn_backend::Element + Pod>(&self) -> ArrayViewD<'_, E> {
        assert!(
            E::DTYPE == self.spec.dtype,
            "a view of {} over {} elements",
            E::DTYPE.name(),
            self.spec.dtype.name()
        );
        let strides = self.strides();
        let mut start = self.start().cast::<E>();
        let mut steps = strides.clone();
        for (step, &size) in steps.iter_mut().zip(self.spec.shape.iter()) {
            if (*step as isize) < 0 {
                start = start.wrapping_add(step.wrapping_mul(size.saturating_sub(1)));
                *step = step.wrapping_neg();
            }
        }
        let shape = IxDyn(&self.spec.shape).strides(IxDyn(&steps));
        // SAFETY: every element of the view lies in the buffer, which is borrowed and holds elements of type
        // `E`; negative strides were turned round.
        let mut view = unsafe { ArrayViewD::from_shape_ptr(shape, start) };
        for (axis, &step) in strides.iter().enumerate() {
            if (step as isize) < 0 {
                view.invert_axis(Axis(axis));
            }
        }
        view
    }
}

/// Whether these are the strides of row-major order; dimensions of one element may have any.
fn is_row_major(shape: &[usize], strides: &[usize]) -> bool {
    let mut step = 1;
    for (&size, &stride) in shape.iter().zip(strides).rev() {
        if size == 0 {
            return true;
        }
        if size != 1 && stride != step {
            return false;
        }
        step *= size;
    }
    true
}
