use std::path::Path;

use super::decode::{Image, decode};
use super::item::{Annotation, ImageDatasetItem};
use super::mask::{MaskFile, decode_mask};
use crate::files::{Classes, LabelledFiles};
use crate::{Dataset, DatasetError};

/// The extensions of the formats that are decoded.
pub(super) const EXTENSIONS: [&str; 3] = ["jpg", "jpeg", "png"];

/// Images in files, decoded when they are read: PNG and JPEG.
///
/// An image has a class, several classes, objects in boxes, or a class for each pixel; the constructor says
/// which.
///
/// ```no_run
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::vision::{Annotation, ImageFolderDataset};
///
/// // flowers/rose/1.png, flowers/rose/2.jpg, flowers/tulip/1.png
/// let flowers = ImageFolderDataset::new_classification("flowers")?;
/// assert_eq!(flowers.classes(), ["rose", "tulip"]);
/// assert_eq!(flowers.get(2).unwrap().annotation, Annotation::Label(1));
/// # Ok::<(), burn::data::dataset::DatasetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ImageFolderDataset(pub(super) LabelledFiles<Label>);

/// Where the annotation of an image is.
#[derive(Clone, Debug)]
pub(super) enum Label {
    /// In memory.
    Known(Annotation),
    /// In an image of the same size, whose values are classes.
    MaskFile(MaskFile),
}

impl ImageFolderDataset {
    /// Opens a folder with one subfolder for each class, named after it.
    ///
    /// Classes, and images within a class, come in order of name. Folders within the folder of a
    /// class are searched too.
    ///
    /// # Errors
    /// If a folder cannot be read, a class has no image, or there is no class.
    pub fn new_classification<P: AsRef<Path>>(root: P) -> Result<Self, DatasetError> {
        Self::new_classification_with(root, &EXTENSIONS)
    }

    /// Opens a folder as [`new_classification`](Self::new_classification) does, but takes only files with one
    /// of these extensions, written without a dot.
    ///
    /// # Errors
    /// As [`new_classification`](Self::new_classification).
    pub fn new_classification_with<P: AsRef<Path>>(
        root: P,
        extensions: &[&str],
    ) -> Result<Self, DatasetError> {
        let kind =
            if extensions == EXTENSIONS { "a PNG or JPEG image" } else { "an image with a given extension" };
        let label = |class| Label::Known(Annotation::Label(class));
        LabelledFiles::in_class_folders(root.as_ref(), extensions, kind, label).map(Self)
    }

    /// Opens the images in a folder and the folders within, in order of name, without classes: what a model
    /// predicts.
    ///
    /// # Errors
    /// If a folder cannot be read or there is no image.
    pub fn new_unlabelled<P: AsRef<Path>>(root: P) -> Result<Self, DatasetError> {
        let advice = "Choose a folder with images in it or in folders within";
        let files =
            LabelledFiles::unlabelled(root.as_ref(), &EXTENSIONS, "a PNG or JPEG image".to_owned(), advice)?;
        let items = files.items.into_iter().map(|(path, _)| (path, Label::Known(Annotation::Unlabelled)));
        Ok(Self(LabelledFiles { items: items.collect(), classes: Vec::new() }))
    }

    /// Takes a list of files, each with the name of its class.
    ///
    /// # Errors
    /// If an item has a class that is not in `classes`.
    pub fn new_classification_with_items<P: AsRef<Path>, S: AsRef<str>>(
        items: Vec<(P, String)>,
        classes: &[S],
    ) -> Result<Self, DatasetError> {
        let label = |classes: &Classes<'_>, class: String| {
            classes.position(&class).map(|class| Label::Known(Annotation::Label(class)))
        };
        LabelledFiles::from_items(items, classes, label).map(Self)
    }

    /// Takes a list of files, each with the names of all its classes.
    ///
    /// # Errors
    /// If an item has a class that is not in `classes`.
    ///
    /// ```
    /// use burn::data::dataset::vision::ImageFolderDataset;
    ///
    /// let items = vec![("1.png", vec!["dog".to_string(), "ball".to_string()])];
    /// let classes = ["ball", "cat"];
    /// let error = ImageFolderDataset::new_multilabel_classification_with_items(items, &classes);
    /// assert_eq!(
    ///     error.unwrap_err().to_string(),
    ///     "1.png: the class `dog` is not among the classes [\"ball\", \"cat\"]"
    /// );
    /// ```
    pub fn new_multilabel_classification_with_items<P: AsRef<Path>, S: AsRef<str>>(
        items: Vec<(P, Vec<String>)>,
        classes: &[S],
    ) -> Result<Self, DatasetError> {
        let label = |classes: &Classes<'_>, labels: Vec<String>| {
            let labels = labels.iter().map(|label| classes.position(label)).collect::<Result<_, _>>()?;
            Ok(Label::Known(Annotation::MultiLabel(labels)))
        };
        LabelledFiles::from_items(items, classes, label).map(Self)
    }

    /// Returns the paths of the images, in the order of the items.
    ///
    /// PyTorch: the first elements of `torchvision.datasets.ImageFolder.samples`.
    pub fn image_paths(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.0.items.iter().map(|(path, _)| path.as_path())
    }

    /// Returns the class of each image without reading it, for weights of a sampler or a split by classes;
    /// `None` for an image that has no class, or not one alone.
    ///
    /// PyTorch: `torchvision.datasets.ImageFolder.targets`.
    ///
    /// ```no_run
    /// use burn::data::dataset::transform::SamplerDataset;
    /// use burn::data::dataset::vision::ImageFolderDataset;
    ///
    /// // As many of each class, however many files it has.
    /// let flowers = ImageFolderDataset::new_classification("flowers")?;
    /// let labels: Vec<usize> = flowers.labels().map(|label| label.unwrap_or_default()).collect();
    /// let balanced = SamplerDataset::balanced(flowers, &labels, 1_000)?;
    /// # Ok::<(), burn::data::dataset::DatasetError>(())
    /// ```
    pub fn labels(&self) -> impl ExactSizeIterator<Item = Option<usize>> {
        self.0.items.iter().map(|(_, label)| match label {
            Label::Known(Annotation::Label(class)) => Some(*class),
            Label::Known(_) | Label::MaskFile(_) => None,
        })
    }

    /// Returns the names of the classes; a label is a position in this list.
    pub fn classes(&self) -> &[String] {
        &self.0.classes
    }
}

impl Dataset<ImageDatasetItem> for ImageFolderDataset {
    fn get(&self, index: usize) -> Option<ImageDatasetItem> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<ImageDatasetItem>, DatasetError> {
        let Some((path, label)) = self.0.get(index) else { return Ok(None) };
        let Image { pixels, height, width, channels } = decode(path)?;
        let annotation = match label {
            Label::Known(annotation) => annotation.clone(),
            Label::MaskFile(mask) => {
                Annotation::SegmentationMask(decode_mask(mask, (height, width), self.0.classes.len())?)
            }
        };
        let image_path = path.to_owned();
        Ok(Some(ImageDatasetItem { image: pixels, height, width, channels, annotation, image_path }))
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use image::{ImageBuffer, Luma, Rgb};

    use super::super::item::Pixels;
    use super::*;

    fn label(dataset: &ImageFolderDataset, index: usize) -> Annotation {
        match &dataset.0.items[index].1 {
            Label::Known(annotation) => annotation.clone(),
            Label::MaskFile(mask) => panic!("{mask:?} is a mask"),
        }
    }

    #[test]
    fn depth_and_channels_are_those_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let class = folder.path().join("only");
        fs::create_dir(&class).unwrap();
        ImageBuffer::<Luma<u16>, _>::from_raw(3, 1, vec![1_u16, 2, 65_535])
            .unwrap()
            .save(class.join("a.png"))
            .unwrap();
        ImageBuffer::<Rgb<u8>, _>::from_raw(1, 2, vec![1_u8, 2, 3, 4, 5, 6])
            .unwrap()
            .save(class.join("b.PNG"))
            .unwrap();
        fs::write(class.join("notes.txt"), "not an image").unwrap();

        let dataset = ImageFolderDataset::new_classification(folder.path()).unwrap();
        assert_eq!(dataset.len(), 2);
        let grey = dataset.get(0).unwrap();
        assert_eq!((grey.height, grey.width, grey.channels), (1, 3, 1));
        assert_eq!(grey.image, Pixels::U16(vec![1, 2, 65_535]));
        let colour = dataset.get(1).unwrap();
        assert_eq!((colour.height, colour.width, colour.channels), (2, 1, 3));
        assert_eq!(colour.image, Pixels::U8(vec![1, 2, 3, 4, 5, 6]));
        assert!(dataset.get(2).is_none());
    }

    #[test]
    fn folders_within_a_class_are_searched() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["cat/deep/er/1.png", "cat/2.jpeg", "ant/3.JPG", "ant/4.gif", "5.png"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let dataset = ImageFolderDataset::new_classification(folder.path()).unwrap();
        assert_eq!(dataset.classes(), ["ant", "cat"]);
        let names = dataset.0.items.iter().map(|(path, _)| path.file_name().unwrap().to_str().unwrap());
        assert_eq!(names.collect::<Vec<_>>(), ["3.JPG", "2.jpeg", "1.png"]);
        assert_eq!(label(&dataset, 0), Annotation::Label(0));
        assert_eq!(label(&dataset, 2), Annotation::Label(1));

        let png =
            ImageFolderDataset::new_classification_with(folder.path(), &["png"]).unwrap_err().to_string();
        assert!(png.contains("ant") && png.contains("was not found"), "ant has no PNG image: {png}");
        let jpeg = ImageFolderDataset::new_classification_with(folder.path(), &["jpg", "jpeg"]).unwrap();
        assert_eq!(jpeg.len(), 2);
    }

    #[test]
    fn missing_and_damaged_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = ImageFolderDataset::new_classification(folder.path()).unwrap_err().to_string();
        assert!(error.contains("a subfolder with a PNG or JPEG image was not found in"), "{error}");
        let nowhere = folder.path().join("nowhere");
        let error = ImageFolderDataset::new_classification(nowhere).unwrap_err().to_string();
        assert!(error.contains("nowhere: "), "{error}");

        let broken = folder.path().join("broken.png");
        fs::write(&broken, b"\x89PNG\r\n\x1a\nand no more").unwrap();
        let items = vec![(broken, "a".to_owned()), (folder.path().join("gone.png"), "a".to_owned())];
        let dataset = ImageFolderDataset::new_classification_with_items(items, &["a"]).unwrap();
        let error = |index| dataset.try_get(index).unwrap_err().to_string();
        assert!(error(0).contains("broken.png is damaged"), "{}", error(0));
        assert!(error(1).contains("gone.png: "), "{}", error(1));
    }

    /// A chunk of a PNG file: its length, name, content and checksum, as in section 5.3 of the format.
    fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let named = [&name[..], content].concat();
        let checksum = flate2_crc(&named);
        [&(content.len() as u32).to_be_bytes()[..], &named, &checksum.to_be_bytes()].concat()
    }

    fn flate2_crc(bytes: &[u8]) -> u32 {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        crc.sum()
    }

    /// A PNG file whose head says that it is large, and whose content is a few bytes.
    fn empty_png(width: u32, height: u32) -> Vec<u8> {
        let head = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
        let mut zip = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut zip, &[0; 1000]).unwrap();
        let content = zip.finish().unwrap();
        let chunks = [chunk(b"IHDR", &head), chunk(b"IDAT", &content), chunk(b"IEND", &[])];
        [b"\x89PNG\r\n\x1a\n".to_vec(), chunks.concat()].concat()
    }

    #[test]
    fn an_image_that_says_it_is_larger_than_its_file_can_hold_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.png");
        let dataset =
            ImageFolderDataset::new_classification_with_items(vec![(&path, "a".to_owned())], &["a"]).unwrap();
        for (width, height) in [(60_000, 60_000), (1 << 30, 1), (1 << 30, 1 << 30)] {
            fs::write(&path, empty_png(width, height)).unwrap();
            let error = dataset.try_get(0).unwrap_err();
            assert!(matches!(error, DatasetError::Damaged { .. }), "{error}");
        }
        fs::write(&path, empty_png(600, 600)).unwrap();
        assert!(matches!(dataset.try_get(0), Err(DatasetError::Damaged { .. })));
    }

    #[test]
    fn a_folder_whose_first_image_is_broken_has_all_others() {
        let folder = tempfile::tempdir().unwrap();
        let class = folder.path().join("only");
        fs::create_dir(&class).unwrap();
        fs::write(class.join("a.png"), "no image").unwrap();
        for name in ["b.png", "c.png"] {
            ImageBuffer::<Luma<u8>, _>::from_raw(1, 1, vec![9_u8]).unwrap().save(class.join(name)).unwrap();
        }
        let dataset = ImageFolderDataset::new_classification(folder.path()).unwrap();
        let read: Vec<bool> = dataset.try_iter().map(|item| item.is_ok()).collect();
        assert_eq!(read, [false, true, true]);
        let panicked = std::panic::catch_unwind(|| dataset.iter().count()).unwrap_err();
        let message = panicked.downcast_ref::<String>().unwrap();
        assert!(message.contains("index 0") && message.contains("a.png is damaged"), "{message}");
    }

    #[test]
    fn damaged_images_are_read_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image.png");
        let mut random = crate::random::Generator::new(3);
        let dataset =
            ImageFolderDataset::new_classification_with_items(vec![(&path, "a".to_owned())], &["a"]).unwrap();
        for name in ["image.png", "image.jpg"] {
            let whole = folder.path().join(name);
            let pixels: Vec<u8> = (0..16 * 16 * 3).map(|value| (value * 7 % 256) as u8).collect();
            ImageBuffer::<Rgb<u8>, _>::from_raw(16, 16, pixels).unwrap().save(&whole).unwrap();
            let bytes = fs::read(&whole).unwrap();
            for _ in 0..2_000 {
                let mut damaged = bytes.clone();
                for _ in 0..=random.below(3) {
                    let at = random.below(damaged.len());
                    match random.below(4) {
                        0 => damaged[at] ^= 1 << random.below(8),
                        1 => damaged[at] = 0xff,
                        2 => damaged.truncate(at.max(1)),
                        _ => drop(damaged.splice(at..at, [0xff; 4])),
                    }
                }
                fs::write(&path, &damaged).unwrap();
                if let Ok(item) = dataset.try_get(0) {
                    assert!(item.is_some());
                }
            }
        }
    }
}
