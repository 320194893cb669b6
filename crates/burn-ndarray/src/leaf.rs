use core::marker::PhantomData;

/// The CPU leaf. `F` and `I` are the default element types; tensors may have others.
#[derive(Clone, Copy, Debug, Default)]
pub struct NdArray<F = f32, I = i64>(PhantomData<(F, I)>);

/// Device of [`NdArray`] tensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NdArrayDevice {
    /// The memory of the host.
    #[default]
    Cpu,
}

impl core::fmt::Display for NdArrayDevice {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Cpu")
    }
}
