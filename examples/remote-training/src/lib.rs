//! The guide's training on a server: no line of the guide knows of it.

use burn::backend::{Autodiff, RemoteBackend, RemoteDevice};
use burn::data::dataset::Dataset;
use burn::data::dataset::vision::MnistItem;
use guide::model::Model;
use guide::training::{TrainingConfig, train};
use std::error::Error;
use std::path::Path;

// ANCHOR: backend
/// Backend of the program; the server computes with a backend of its own.
pub type Backend = Autodiff<RemoteBackend>;

/// Trains the guide's model on the server at `address`.
///
/// # Errors
/// When there is no such server, or the folder cannot be written.
pub fn train_on(
    address: &str,
    artifact_dir: &Path,
    config: &TrainingConfig,
    images: impl Dataset<MnistItem> + 'static,
    test: impl Dataset<MnistItem> + 'static,
) -> Result<Model<Backend>, Box<dyn Error>> {
    let device = RemoteDevice::new(address);
    // A connection error shows here, before the first epoch.
    device.try_sync()?;
    train::<Backend>(artifact_dir, config, images, test, device)
}
// ANCHOR_END: backend
