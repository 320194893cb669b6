//! Lazily initialized tensors.

use super::once::Once;
use super::parameter::Parameter;
use crate::tensor::Shape;
use crate::tensor::ops::rng_replay;
use crate::tensor::sync::Arc;
use alloc::boxed::Box;
use spin::Mutex;

type Init<T> = Box<dyn FnOnce(&<T as Parameter>::Device) -> T + Send>;

/// Lazily initialized tensor. Clones of a parameter share it, so that they have the same values and
/// gradients, whichever is used first.
pub struct Lazy<T: Parameter> {
    pub shape: Shape,
    pub device: T::Device,
    init: Mutex<Option<Init<T>>>,
    value: Once<T>,
}

impl<T: Parameter> Lazy<T> {
    pub fn new(shape: Shape, device: T::Device, init: Init<T>) -> Self {
        Lazy { shape, device, init: Mutex::new(Some(init)), value: Once::new() }
    }

    /// Returns the tensor, initializing it on the first call.
    pub fn force(&self) -> &T {
        self.value.get_or_init(|| {
            let init = self.init.lock().take();
            let init = init.expect("an initializer that panicked is not called again");
            // A segment that is replayed finds the value made.
            rng_replay::aside(|| init(&self.device)).tracked(true)
        })
    }

    /// Moves the lazy tensor to another device. If another handle needs it on the first device, both take it
    /// from there.
    pub fn moved(lazy: Arc<Self>, device: &T::Device) -> Arc<Self> {
        match Arc::try_unwrap(lazy) {
            Ok(Lazy { shape, init, value, .. }) if value.get().is_none() => {
                Arc::new(Lazy { shape, device: device.clone(), init, value })
            }
            Ok(made) => Self::copied(Arc::new(made), device),
            Err(shared) => Self::copied(shared, device),
        }
    }

    fn copied(from: Arc<Self>, device: &T::Device) -> Arc<Self> {
        let shape = from.shape.clone();
        let init = move |device: &T::Device| from.force().clone().tracked(false).to_device(device);
        Arc::new(Lazy::new(shape, device.clone(), Box::new(init)))
    }
}
