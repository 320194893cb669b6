use crate::Memory;
use burn_backend::TensorSpec;
use std::sync::Arc;

/// A tensor `T` of a library on a device `D`, with the spec that it stands for. Clones and views share its
/// buffer.
#[derive(Debug)]
pub struct Handle<T, D> {
    view: Arc<View<T, D>>,
}

#[derive(Debug)]
struct View<T, D> {
    spec: TensorSpec,
    inner: T,
    device: D,
    memory: Memory,
    /// Whose buffer it is, if this is a view of another tensor; that one is no view.
    base: Option<Arc<View<T, D>>>,
}

impl<T, D> Clone for Handle<T, D> {
    #[inline]
    fn clone(&self) -> Self {
        Handle { view: self.view.clone() }
    }
}

impl<T, D: Copy> Handle<T, D> {
    /// Makes a tensor with a buffer of its own.
    #[inline]
    pub fn new(spec: TensorSpec, inner: T, device: D, memory: Memory) -> Self {
        Handle { view: Arc::new(View { spec, inner, device, memory, base: None }) }
    }

    /// Makes another view of the same buffer.
    pub fn viewed(&self, spec: TensorSpec, inner: T) -> Self {
        let base = Some(self.view.base.as_ref().unwrap_or(&self.view).clone());
        let (device, memory) = (self.view.device, Memory::none());
        Handle { view: Arc::new(View { spec, inner, device, memory, base }) }
    }

    #[inline]
    pub fn spec(&self) -> &TensorSpec {
        &self.view.spec
    }

    /// Returns the tensor of the library.
    #[inline]
    pub fn inner(&self) -> &T {
        &self.view.inner
    }

    #[inline]
    pub fn device(&self) -> D {
        self.view.device
    }

    /// Gives the tensor of the library away, or what `share` makes of it where others hold it here. The
    /// buffer is never unique again.
    pub fn into_inner(self, share: impl FnOnce(&T) -> T) -> T {
        self.view.base.as_ref().unwrap_or(&self.view).memory.lend();
        match Arc::try_unwrap(self.view) {
            Ok(view) => view.inner,
            Err(view) => share(&view.inner),
        }
    }

    /// Returns whether no other handle sees the elements, which may be overwritten then.
    #[inline]
    pub fn is_unique(&self) -> bool {
        Arc::strong_count(&self.view) == 1
            && match &self.view.base {
                None => !self.view.memory.is_lent(),
                // Views hold their base: with one holder, it has this view alone.
                Some(base) => Arc::strong_count(base) == 1 && !base.memory.is_lent(),
            }
    }

    /// Returns the tensor of the library to be written over, if no other handle sees the elements.
    #[inline]
    pub fn unique(&mut self) -> Option<&mut T> {
        if !self.is_unique() {
            return None;
        }
        Arc::get_mut(&mut self.view).map(|view| &mut view.inner)
    }
}
