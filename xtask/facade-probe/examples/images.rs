//! The datasets of images.

use burn::data::dataset::Dataset;
use burn::data::dataset::vision::{
    ImageDatasetItem, ImageFolderDataset, MnistDataset, MnistItem, MnistSplit,
};
use std::error::Error;
use std::path::Path;

fn digit(folder: &Path) -> Result<Option<MnistItem>, Box<dyn Error>> {
    Ok(MnistDataset::from_dir(folder, MnistSplit::Train)?.get(0))
}

fn image(folder: &Path) -> Result<Option<ImageDatasetItem>, Box<dyn Error>> {
    Ok(ImageFolderDataset::new_classification(folder)?.get(0))
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("a folder with images is needed")?;
    println!("{:?} {:?}", digit(folder.as_ref())?, image(folder.as_ref())?);
    Ok(())
}
