//! The run on half of the digits, and folders with something wrong in them.

use std::path::Path;

use burn::backend::{Autodiff, NdArray};
use burn::data::dataset::Dataset;
use burn::optim::AdamConfig;
use custom_image_dataset::images::ImagesDataset;
use custom_image_dataset::sample::write_digits;
use custom_image_dataset::training::{self, TrainingConfig};
use image::GrayImage;

fn train(root: &Path, epochs: usize) -> Result<training::Evaluation, String> {
    let artifacts = tempfile::tempdir().expect("a folder");
    let images = ImagesDataset::open(root).map_err(|error| error.to_string())?;
    let config = TrainingConfig::new(AdamConfig::new()).with_num_epochs(epochs).with_batch_size(16);
    training::run::<Autodiff<NdArray>>(images, &config, artifacts.path(), Default::default())
        .map_err(|error| error.to_string())
}

#[test]
fn ex_007_images_of_a_folder_are_read_and_told_apart() {
    let root = tempfile::tempdir().expect("a folder");
    write_digits(root.path(), 900).expect("it can be written");
    let images = ImagesDataset::open(root.path()).expect("it has images");
    assert_eq!((images.len(), images.classes().len(), images.size()), (900, 10, [1, 8, 8]));
    let evaluation = train(root.path(), 3).expect("the run succeeds");
    assert_eq!(evaluation.images, 180);
    // The threshold of the README.
    assert!(evaluation.accuracy > 60.0 && evaluation.most_frequent < 20.0, "{evaluation:?}");
}

#[test]
fn what_is_wrong_with_a_folder_is_named() {
    let root = tempfile::tempdir().expect("a folder");
    assert!(
        train(root.path(), 1).unwrap_err().contains("a subfolder with a PNG or JPEG image was not found")
    );
    write_digits(root.path(), 40).expect("it can be written");

    let odd = root.path().join("zero/9999.png");
    GrayImage::new(8, 9).save(&odd).expect("it can be written");
    let error = train(root.path(), 1).unwrap_err();
    assert!(error.contains("9999.png") && error.contains("[1, 9, 8]"), "{error}");
    std::fs::write(&odd, "no image").expect("it can be written");
    let error = train(root.path(), 1).unwrap_err();
    assert!(error.contains("9999.png is damaged"), "{error}");
    std::fs::remove_file(&odd).expect("it is there");

    std::fs::create_dir(root.path().join("ten")).expect("it can be made");
    let error = train(root.path(), 1).unwrap_err();
    assert!(error.contains("ten"), "{error}");
}
