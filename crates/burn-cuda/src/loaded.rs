use crate::{CudaDevice, CudaError};
use std::sync::OnceLock;

/// Lazily opened library of NVIDIA; a missing one is reported once.
#[derive(Debug)]
pub struct Loaded<L>(OnceLock<Option<L>>);

impl<L> Loaded<L> {
    pub const fn new() -> Self {
        Loaded(OnceLock::new())
    }

    /// Returns the library, if it is available. After a transient failure, the next call tries again.
    pub fn get(
        &self,
        device: CudaDevice,
        open: impl FnOnce() -> Result<L, CudaError>,
        warn: impl FnOnce(&str),
    ) -> Option<&L> {
        if let Some(known) = self.0.get() {
            return known.as_ref();
        }
        let opened = open();
        burn_cubecl::exit_waits_for_devices();
        match opened {
            Ok(library) => self.0.get_or_init(|| Some(library)).as_ref(),
            Err(error) if error.is_passing() => None,
            Err(error) => {
                let mut is_first = false;
                let known = self.0.get_or_init(|| {
                    is_first = true;
                    None
                });
                if is_first {
                    warn(&format!("{device}: {error}; our own kernels are used instead, which are slower"));
                }
                known.as_ref()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Loaded;
    use crate::{CudaDevice, CudaError};
    use std::cell::{Cell, RefCell};

    const DEVICE: CudaDevice = CudaDevice { index: 0 };

    #[test]
    fn a_library_that_is_not_there_is_told_of_once() {
        let (opened, told) = (Cell::new(0), RefCell::new(Vec::new()));
        let loaded = Loaded::<()>::new();
        for _ in 0..3 {
            let open = || {
                opened.set(opened.get() + 1);
                let cause = "the library (libcudnn) cannot be loaded".into();
                Err(CudaError::Library { library: "cuDNN", call: "open", cause })
            };
            assert_eq!(loaded.get(DEVICE, open, |text| told.borrow_mut().push(text.to_string())), None);
        }
        assert_eq!(opened.get(), 1);
        assert_eq!(
            told.into_inner(),
            [
                "Cuda(0): cuDNN: open: the library (libcudnn) cannot be loaded; our own kernels are used instead, which are slower"
            ]
        );
    }

    #[test]
    fn one_that_failed_for_a_passing_reason_is_asked_for_again() {
        let loaded = Loaded::new();
        let busy =
            || Err(CudaError::Passing { library: "cuDNN", call: "cudnnCreate", cause: "no memory".into() });
        let silent = |text: &str| panic!("{text}");
        assert_eq!(loaded.get(DEVICE, busy, silent), None);
        assert_eq!(loaded.get(DEVICE, || Ok(7), silent), Some(&7));
        assert_eq!(loaded.get(DEVICE, busy, silent), Some(&7));
    }
}
