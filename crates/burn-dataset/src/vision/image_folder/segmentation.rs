use std::path::{Path, PathBuf};

use super::dataset::{EXTENSIONS, ImageFolderDataset, Label};
use super::decode::{Image, damaged, decode};
use super::item::{Pixels, SegmentationMask};
use crate::DatasetError;
use crate::files::{LabelledFiles, files_in};

/// The extensions of masks: formats that keep every value.
const MASK_EXTENSIONS: [&str; 1] = ["png"];

impl ImageFolderDataset {
    /// Takes a list of images, each with the image of its mask.
    ///
    /// A mask has one channel and the size of its image; the value of a pixel is the class, a position in `classes`.
    ///
    /// # Errors
    /// None here: a mask of another size, with several channels or with a value beyond the classes is an error when it is read.
    pub fn new_segmentation_with_items<P: AsRef<Path>, M: AsRef<Path>, S: AsRef<str>>(
        items: Vec<(P, M)>,
        classes: &[S],
    ) -> Result<Self, DatasetError> {
        LabelledFiles::from_items(items, classes, |_, mask| Ok(Label::MaskFile(mask.as_ref().to_owned())))
            .map(Self)
    }

    /// Opens a folder of images and a folder of masks: the mask of `images/a/1.jpg` is `masks/a/1.png`.
    ///
    /// Images come in order of name.
    ///
    /// ```no_run
    /// use burn::data::dataset::Dataset;
    /// use burn::data::dataset::vision::{Annotation, ImageFolderDataset};
    ///
    /// let streets = ImageFolderDataset::new_segmentation("images", "masks", &["road", "car", "sky"])?;
    /// if let Some(Annotation::SegmentationMask(mask)) = streets.get(0).map(|item| item.annotation) {
    ///     println!("{} pixels of cars", mask.mask.iter().filter(|class| **class == 1).count());
    /// }
    /// # Ok::<(), burn::data::dataset::DatasetError>(())
    /// ```
    ///
    /// # Errors
    /// If a folder cannot be read, there is no image, or an image has no mask.
    pub fn new_segmentation<P: AsRef<Path>, M: AsRef<Path>, S: AsRef<str>>(
        images: P,
        masks: M,
        classes: &[S],
    ) -> Result<Self, DatasetError> {
        let (images, masks) = (images.as_ref(), masks.as_ref());
        let found = files_in(images, &EXTENSIONS)?;
        if found.is_empty() {
            return Err(missing("a PNG or JPEG image".to_owned(), images));
        }
        let with_mask = |image: PathBuf| {
            let mask = masks.join(image.strip_prefix(images).unwrap_or(&image));
            let names = MASK_EXTENSIONS.iter().map(|extension| mask.with_extension(extension));
            match names.into_iter().find(|mask| mask.is_file()) {
                Some(mask) => Ok((image, mask)),
                None => Err(missing(format!("the mask of {}", image.display()), masks)),
            }
        };
        let items = found.into_iter().map(with_mask).collect::<Result<Vec<_>, _>>()?;
        Self::new_segmentation_with_items(items, classes)
    }
}

fn missing(file: String, folder: &Path) -> DatasetError {
    DatasetError::Missing {
        file,
        searched: vec![folder.to_owned()],
        advice: "A mask is a PNG image with the name of its image".to_owned(),
    }
}

/// Reads the mask of an image of `height x width` pixels.
pub(super) fn decode_mask(
    path: &Path,
    size: (usize, usize),
    classes: usize,
) -> Result<SegmentationMask, DatasetError> {
    let Image { pixels, height, width, channels } = decode(path)?;
    if (height, width) != size {
        let reason = format!("the mask has {height} x {width} pixels, its image {} x {}", size.0, size.1);
        return Err(damaged(path, &reason));
    }
    let mask: Vec<usize> = match pixels {
        Pixels::U8(values) if channels == 1 => values.into_iter().map(usize::from).collect(),
        Pixels::U16(values) if channels == 1 => values.into_iter().map(usize::from).collect(),
        Pixels::U8(_) | Pixels::U16(_) | Pixels::F32(_) => {
            return Err(damaged(
                path,
                &format!("a mask has one channel of integers, not {channels} channels"),
            ));
        }
    };
    match mask.iter().position(|&class| class >= classes) {
        Some(pixel) => {
            let (row, column) = (pixel / width, pixel % width);
            let reason =
                format!("the pixel in row {row}, column {column} has class {} of {classes}", mask[pixel]);
            Err(damaged(path, &reason))
        }
        None => Ok(SegmentationMask { mask }),
    }
}

#[cfg(test)]
mod tests {
    use image::{GrayImage, RgbImage};

    use super::super::item::Annotation;
    use super::*;
    use crate::Dataset;

    #[test]
    fn masks_are_found_by_name_and_checked_when_they_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (images, masks) = (folder.path().join("images"), folder.path().join("masks"));
        for folder in [images.join("a"), masks.join("a")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        RgbImage::new(2, 3).save(images.join("a/1.png")).unwrap();
        let open = || ImageFolderDataset::new_segmentation(&images, &masks, &["sky", "sea"]);
        let error = open().unwrap_err().to_string();
        assert!(error.contains("the mask of") && error.contains("1.png was not found in"), "{error}");

        let mask = masks.join("a/1.png");
        GrayImage::from_raw(2, 3, vec![0, 1, 1, 0, 0, 1]).unwrap().save(&mask).unwrap();
        let item = open().unwrap().get(0).unwrap();
        assert_eq!((item.height, item.width, item.channels), (3, 2, 3));
        let expected = SegmentationMask { mask: vec![0, 1, 1, 0, 0, 1] };
        assert_eq!(item.annotation, Annotation::SegmentationMask(expected));

        let error = || open().unwrap().try_get(0).unwrap_err().to_string();
        GrayImage::from_raw(2, 3, vec![0, 1, 1, 0, 2, 1]).unwrap().save(&mask).unwrap();
        assert!(error().contains("the pixel in row 2, column 0 has class 2 of 2"), "{}", error());
        GrayImage::new(3, 2).save(&mask).unwrap();
        assert!(error().contains("2 x 3 pixels, its image 3 x 2"), "{}", error());
        RgbImage::new(2, 3).save(&mask).unwrap();
        assert!(error().contains("not 3 channels"), "{}", error());
    }
}
