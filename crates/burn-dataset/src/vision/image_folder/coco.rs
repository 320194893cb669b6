use std::collections::HashMap;
use std::path::{Component, Path};

use serde::Deserialize;

use super::dataset::{ImageFolderDataset, Label};
use super::item::{Annotation, BoundingBox};
use crate::DatasetError;
use crate::files::LabelledFiles;

/// The parts of a file of COCO annotations that are about boxes: <https://cocodataset.org/#format-data>.
#[derive(Deserialize)]
struct Coco {
    images: Vec<CocoImage>,
    #[serde(default)]
    annotations: Vec<CocoAnnotation>,
    categories: Vec<CocoCategory>,
}

#[derive(Deserialize)]
struct CocoImage {
    id: u64,
    file_name: String,
}

#[derive(Deserialize)]
struct CocoAnnotation {
    image_id: u64,
    category_id: u64,
    /// Left, top, width, height.
    bbox: [f32; 4],
}

#[derive(Deserialize)]
struct CocoCategory {
    id: u64,
    name: String,
}

impl ImageFolderDataset {
    /// Opens the images of a file of COCO annotations, with the boxes of the objects in them.
    ///
    /// Images come in the order of the file, those without an object too; classes are the categories in order
    /// of their ids.
    ///
    /// ```no_run
    /// use burn::data::dataset::Dataset;
    /// use burn::data::dataset::vision::{Annotation, ImageFolderDataset};
    ///
    /// let coco = ImageFolderDataset::new_coco_detection("instances_val2017.json", "val2017")?;
    /// if let Some(Annotation::BoundingBoxes(boxes)) = coco.get(0).map(|item| item.annotation) {
    ///     println!("{} objects, the first a {}", boxes.len(), coco.classes()[boxes[0].label]);
    /// }
    /// # Ok::<(), burn::data::dataset::DatasetError>(())
    /// ```
    ///
    /// # Errors
    /// If the file cannot be read, is not of this format, names an image or a category that it does not list,
    /// a box that is not finite or has a negative size, or a file outside of `images`.
    pub fn new_coco_detection<A: AsRef<Path>, P: AsRef<Path>>(
        annotations: A,
        images: P,
    ) -> Result<Self, DatasetError> {
        let path = annotations.as_ref();
        let damaged = |reason| DatasetError::Damaged {
            path: path.to_owned(),
            reason,
            advice: "It should be the JSON of COCO for object detection".to_owned(),
        };
        let text =
            burn_io::read_file(path).map_err(|source| DatasetError::Io { path: path.to_owned(), source })?;
        let coco: Coco = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        open(coco, images.as_ref()).map_err(damaged)
    }
}

fn open(mut coco: Coco, folder: &Path) -> Result<ImageFolderDataset, String> {
    coco.categories.sort_by_key(|category| category.id);
    let labels: HashMap<u64, usize> =
        coco.categories.iter().enumerate().map(|(label, category)| (category.id, label)).collect();
    let places: HashMap<u64, usize> =
        coco.images.iter().enumerate().map(|(place, image)| (image.id, place)).collect();
    if labels.len() != coco.categories.len() || places.len() != coco.images.len() {
        return Err("an id of an image or a category comes twice".to_owned());
    }
    let mut boxes = vec![Vec::new(); coco.images.len()];
    for annotation in coco.annotations {
        let CocoAnnotation { image_id, category_id, bbox: [x, y, width, height] } = annotation;
        let place = places.get(&image_id).ok_or_else(|| format!("it has no image with the id {image_id}"))?;
        let label = labels.get(&category_id);
        let label = *label.ok_or_else(|| format!("it has no category with the id {category_id}"))?;
        let is_box =
            [x, y, width, height].iter().all(|edge| edge.is_finite()) && width >= 0.0 && height >= 0.0;
        if !is_box {
            return Err(format!("image {image_id} has the box {:?}", [x, y, width, height]));
        }
        boxes[*place].push(BoundingBox { x, y, width, height, label });
    }
    let items = coco.images.into_iter().zip(boxes).map(|(image, boxes)| {
        let name = Path::new(&image.file_name);
        // A name that leads out of the folder is not one of an image in it.
        if !name.components().all(|part| matches!(part, Component::Normal(_))) || image.file_name.is_empty() {
            return Err(format!("`{}` is not the name of a file in the folder of images", image.file_name));
        }
        Ok((folder.join(name), Label::Known(Annotation::BoundingBoxes(boxes))))
    });
    Ok(ImageFolderDataset(LabelledFiles {
        items: items.collect::<Result<_, _>>()?,
        classes: coco.categories.into_iter().map(|category| category.name).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dataset;

    fn open_text(text: &str) -> Result<ImageFolderDataset, DatasetError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("boxes.json");
        std::fs::write(&path, text).unwrap();
        ImageFolderDataset::new_coco_detection(path, "images")
    }

    #[test]
    fn boxes_belong_to_their_image_and_category() {
        let text = r#"{"info": {"year": 2017}, "images": [
            {"id": 5, "file_name": "b.png", "width": 4, "height": 3}, {"id": 3, "file_name": "deep/a.png"}],
            "annotations": [
                {"id": 1, "image_id": 3, "category_id": 18, "bbox": [1, 2.5, 3, 4], "area": 12.0, "iscrowd": 0},
                {"id": 2, "image_id": 3, "category_id": 1, "bbox": [0, 0, 1, 1]}],
            "categories": [{"id": 18, "name": "dog", "supercategory": "animal"}, {"id": 1, "name": "person"}]}"#;
        let dataset = open_text(text).unwrap();
        assert_eq!((dataset.len(), dataset.classes()), (2, &["person".to_owned(), "dog".to_owned()][..]));
        let boxes = |index: usize| match &dataset.0.items[index].1 {
            Label::Known(Annotation::BoundingBoxes(boxes)) => boxes.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(boxes(0), []);
        let dog = BoundingBox { x: 1.0, y: 2.5, width: 3.0, height: 4.0, label: 1 };
        let person = BoundingBox { x: 0.0, y: 0.0, width: 1.0, height: 1.0, label: 0 };
        assert_eq!(boxes(1), [dog, person]);
        assert_eq!(dataset.0.items[1].0, Path::new("images/deep/a.png"));
    }

    #[test]
    fn a_file_that_contradicts_itself_is_an_error() {
        let with = |images: &str, annotations: &str| {
            let text = format!(
                r#"{{"images": [{images}], "annotations": [{annotations}], "categories": [{{"id": 1, "name": "a"}}]}}"#
            );
            open_text(&text).unwrap_err().to_string()
        };
        let image = r#"{"id": 1, "file_name": "a.png"}"#;
        for (images, annotations, expected) in [
            (image, r#"{"image_id": 2, "category_id": 1, "bbox": [0, 0, 1, 1]}"#, "no image with the id 2"),
            (
                image,
                r#"{"image_id": 1, "category_id": 7, "bbox": [0, 0, 1, 1]}"#,
                "no category with the id 7",
            ),
            (image, r#"{"image_id": 1, "category_id": 1, "bbox": [0, 0, -1, 1]}"#, "image 1 has the box"),
            (image, r#"{"image_id": 1, "category_id": 1, "bbox": [0, 0]}"#, "invalid length 2"),
            (r#"{"id": 1, "file_name": "../a.png"}"#, "", "`../a.png` is not the name"),
            (r#"{"id": 1, "file_name": "/etc/passwd"}"#, "", "`/etc/passwd` is not the name"),
            (&format!("{image}, {image}"), "", "comes twice"),
        ] {
            let error = with(images, annotations);
            assert!(error.contains("boxes.json is damaged") && error.contains(expected), "{error}");
        }
        assert!(open_text("[").is_err());
    }
}
