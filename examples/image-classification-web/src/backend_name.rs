/// Backends that the page offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendName {
    /// The CPU backend.
    NdArray,
    /// Candle, on the CPU.
    #[cfg(feature = "candle")]
    Candle,
    /// GPUs, through WebGPU.
    #[cfg(feature = "wgpu")]
    Wgpu,
}

impl BackendName {
    /// Those that the page was built with.
    pub const ALL: &[BackendName] = &[
        BackendName::NdArray,
        #[cfg(feature = "candle")]
        BackendName::Candle,
        #[cfg(feature = "wgpu")]
        BackendName::Wgpu,
    ];

    /// Returns the name on the page.
    pub fn as_str(self) -> &'static str {
        match self {
            BackendName::NdArray => "NdArray",
            #[cfg(feature = "candle")]
            BackendName::Candle => "Candle",
            #[cfg(feature = "wgpu")]
            BackendName::Wgpu => "Wgpu",
        }
    }

    /// Returns the backend of a name.
    pub fn parse(name: &str) -> Option<Self> {
        BackendName::ALL.iter().copied().find(|backend| backend.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::BackendName;

    #[test]
    fn names_are_those_of_the_types() {
        for &backend in BackendName::ALL {
            assert_eq!(BackendName::parse(backend.as_str()), Some(backend));
            assert_eq!(backend.as_str(), format!("{backend:?}"));
        }
        assert_eq!(BackendName::parse("ndarray"), None);
    }
}
