//! Errors of files reach the user of a loader with the item and the file, from any number of workers.

use burn::data::dataloader::{DataLoaderBuilder, DataLoaderError};
use burn::data::dataset::vision::{ImageDatasetItem, ImageFolderDataset};
use image::{GrayImage, RgbImage};

#[test]
fn a_mask_that_cannot_be_read_ends_the_epoch_with_item_and_file() {
    let folder = tempfile::tempdir().unwrap();
    let (images, masks) = (folder.path().join("images"), folder.path().join("masks"));
    for folder in [&images, &masks] {
        std::fs::create_dir(folder).unwrap();
    }
    for name in ["0.png", "1.png", "2.png"] {
        RgbImage::new(2, 2).save(images.join(name)).unwrap();
        GrayImage::new(2, 2).save(masks.join(name)).unwrap();
    }
    RgbImage::from_raw(2, 2, [9, 0, 0].repeat(4)).unwrap().save(masks.join("1.png")).unwrap();
    for workers in [0, 1, 4] {
        let dataset = ImageFolderDataset::new_segmentation(&images, &masks, &["sky", "sea"]).unwrap();
        let loader = DataLoaderBuilder::new(|items: Vec<ImageDatasetItem>| items.len())
            .num_workers(workers)
            .build(dataset);
        let mut batches = loader.iter();
        assert_eq!(batches.try_next(), Ok(Some(1)));
        let error = batches.try_next().unwrap_err();
        assert!(matches!(error, DataLoaderError::UnreadableItem { index: 1, .. }), "{workers}: {error:?}");
        let text = error.to_string();
        assert!(text.contains("index 1") && text.contains("masks") && text.contains("1.png"), "{text}");
        assert!(text.contains("[9, 0, 0]"), "{text}");
    }
}

/// Paths to the sources beside `InMemDataset`, as programs write them.
#[test]
fn sources_are_beside_the_dataset_in_memory() {
    use burn::data::dataset::{Dataset, InMemDataset, JsonLinesDataset, SqliteDataset, SqliteDatasetWriter};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("items.db");
    let mut writer = SqliteDatasetWriter::new(&path).unwrap();
    writer.write("train", &3_i64).unwrap();
    writer.finish().unwrap();
    assert_eq!(SqliteDataset::<i64>::open(&path, "train").unwrap().get(0), Some(3));
    std::fs::write(folder.path().join("items.jsonl"), "3\n").unwrap();
    assert_eq!(JsonLinesDataset::<i64>::open(folder.path().join("items.jsonl")).unwrap().get(0), Some(3));
    std::fs::write(folder.path().join("items.csv"), "a,b\n3,x\n").unwrap();
    let rows = InMemDataset::<(i64, String)>::from_csv_file(folder.path().join("items.csv")).unwrap();
    assert_eq!(rows.get(0), Some((3, "x".to_owned())));
}

#[cfg(unix)]
#[test]
fn a_fifo_in_place_of_a_file_is_refused_at_once() {
    use burn::data::dataset::audio::AudioFolderDataset;
    use burn::data::dataset::{Dataset, InMemDataset, JsonLinesDataset, SqliteDataset};
    let folder = tempfile::tempdir().unwrap();
    let fifo = |name: &str| {
        let path = folder.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    };
    let classes = ["a"];
    let image = vec![(fifo("a.png"), "a".to_owned())];
    let sound = vec![(fifo("a.wav"), "a".to_owned())];
    for error in [
        InMemDataset::<i64>::from_csv_file(fifo("a.csv")).map(drop),
        JsonLinesDataset::<i64>::open(fifo("a.jsonl")).map(drop),
        SqliteDataset::<i64>::open(fifo("a.db"), "train").map(drop),
        ImageFolderDataset::new_coco_detection(fifo("a.json"), folder.path()).map(drop),
        ImageFolderDataset::new_classification_with_items(image, &classes).unwrap().try_get(0).map(drop),
        AudioFolderDataset::new_classification_with_items(sound, &classes).unwrap().try_get(0).map(drop),
    ] {
        let text = error.unwrap_err().to_string();
        assert!(
            text.contains("a FIFO (named pipe)") && text.contains(folder.path().to_str().unwrap()),
            "{text}"
        );
    }
}
