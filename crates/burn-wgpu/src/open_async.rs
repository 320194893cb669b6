//! Devices opened without blocking.

use crate::{DeviceError, WgpuDevice};

impl WgpuDevice {
    /// Opens the device without blocking. In a browser, which opens devices in the background only, a program
    /// awaits this before the first tensor on the device; elsewhere it is [`open`](Self::open).
    ///
    /// ```no_run
    /// # async fn setup() -> Result<(), burn_wgpu::DeviceError> {
    /// use burn_wgpu::WgpuDevice;
    /// WgpuDevice::default().open_async().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_async(self) -> Result<(), DeviceError> {
        #[cfg(target_family = "wasm")]
        crate::browser::open(self).await?;
        self.open()
    }
}
