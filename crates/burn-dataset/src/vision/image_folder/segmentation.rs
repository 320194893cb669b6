use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::dataset::{EXTENSIONS, ImageFolderDataset, Label};
use super::mask::{ClassColors, MaskFile};
use crate::DatasetError;
use crate::files::{LabelledFiles, files_in};

/// The extensions of masks: formats that keep every value.
const MASK_EXTENSIONS: [&str; 1] = ["png"];

impl ImageFolderDataset {
    /// Takes a list of images, each with the image of its mask.
    ///
    /// A mask has the size of its image; the class of a pixel, a position in `classes`, is its grey value,
    /// its position in the palette of the file, or its red, green and blue value where these are equal. Masks
    /// of other colors have their classes by
    /// [`new_segmentation_with_colors`](Self::new_segmentation_with_colors).
    ///
    /// # Errors
    /// None here: a mask of another size, with colors or with a value beyond the classes is an error when it
    /// is read.
    pub fn new_segmentation_with_items<P: AsRef<Path>, M: AsRef<Path>, S: AsRef<str>>(
        items: Vec<(P, M)>,
        classes: &[S],
    ) -> Result<Self, DatasetError> {
        Self::segmentation(items, classes, None)
    }

    /// Takes a list of images, each with the image of its mask, in which each class has a color: red, green
    /// and blue.
    ///
    /// ```no_run
    /// use burn::data::dataset::vision::ImageFolderDataset;
    ///
    /// let classes = [("road", [128, 64, 128]), ("car", [0, 0, 142]), ("sky", [70, 130, 180])];
    /// let streets = ImageFolderDataset::new_segmentation_with_colors(vec![("1.jpg", "1.png")], &classes)?;
    /// assert_eq!(streets.classes(), ["road", "car", "sky"]);
    /// # Ok::<(), burn::data::dataset::DatasetError>(())
    /// ```
    ///
    /// # Errors
    /// If two classes have the same color. A mask with a color that is not that of a class is an error when
    /// it is read.
    pub fn new_segmentation_with_colors<P: AsRef<Path>, M: AsRef<Path>, S: AsRef<str>>(
        items: Vec<(P, M)>,
        classes: &[(S, [u8; 3])],
    ) -> Result<Self, DatasetError> {
        let (names, colors): (Vec<&str>, Vec<_>) =
            classes.iter().map(|(name, color)| (name.as_ref(), *color)).unzip();
        Self::segmentation(items, &names, Some(Arc::new(ClassColors::new(&names, &colors)?)))
    }

    fn segmentation<P: AsRef<Path>, M: AsRef<Path>, S: AsRef<str>>(
        items: Vec<(P, M)>,
        classes: &[S],
        colors: Option<Arc<ClassColors>>,
    ) -> Result<Self, DatasetError> {
        let label =
            |path: M| Label::MaskFile(MaskFile { path: path.as_ref().to_owned(), colors: colors.clone() });
        LabelledFiles::from_items(items, classes, |_, mask| Ok(label(mask))).map(Self)
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

#[cfg(test)]
mod tests {
    use image::{GrayImage, RgbImage};

    use super::super::item::{Annotation, SegmentationMask};
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
        RgbImage::from_raw(2, 3, [[0_u8; 3], [1; 3], [1; 3], [0; 3], [9, 0, 0], [1; 3]].concat())
            .unwrap()
            .save(&mask)
            .unwrap();
        let text = error();
        assert!(text.contains("row 2, column 0") && text.contains("[9, 0, 0]"), "{text}");
        assert!(text.contains("new_segmentation_with_colors"), "{text}");
    }
}
