use crate::Layout;

/// Formats of files with tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFormat {
    /// Files of `torch.save`.
    PyTorch,
    /// Safetensors in PyTorch's layout, which is what nearly all of them are in, or an index of several
    /// files.
    Safetensors,
    /// Safetensors that a recorder of this crate wrote.
    BurnSafetensors,
    Gguf,
    /// NumPy's arrays.
    Npz,
}

impl FileFormat {
    /// Returns the layout convention of such files.
    pub fn layout(self) -> Layout {
        match self {
            FileFormat::BurnSafetensors => Layout::Burn,
            FileFormat::PyTorch | FileFormat::Safetensors | FileFormat::Gguf | FileFormat::Npz => {
                Layout::PyTorch
            }
        }
    }
}
