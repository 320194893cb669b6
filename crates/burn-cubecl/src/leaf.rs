use crate::device::engine::Engine;

/// The backend without its type parameters, which no kernel knows: what programs call is compiled here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaf;

/// A device of any runtime.
#[derive(Clone, Debug)]
pub struct LeafDevice(pub &'static dyn Engine);

impl PartialEq for LeafDevice {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(self.0, other.0)
    }
}

impl Default for LeafDevice {
    /// # Panics
    /// Always: the devices of runtimes have defaults, and no other is made.
    fn default() -> Self {
        unreachable!("a device belongs to a runtime")
    }
}
