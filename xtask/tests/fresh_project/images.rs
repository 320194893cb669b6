use burn::data::dataset::vision::{ImageFolderDataset, MnistDataset, MnistItem};
use burn::data::dataset::Dataset;

fn digits(folder: &std::path::Path) -> Option<MnistItem> {
    let split = burn::data::dataset::vision::MnistSplit::Train;
    MnistDataset::from_dir(folder, split).ok()?.get(0)
}

fn main() {
    let folder = std::env::args().nth(1).expect("a folder");
    let images = ImageFolderDataset::new_classification(&folder).expect("a folder of images");
    println!("{} {}", images.len(), digits(folder.as_ref()).is_some());
}
