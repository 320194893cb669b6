use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::decode::{damaged, decode, open};
use super::item::{Pixels, SegmentationMask};
use super::png_file::{Png, Values, decode_png};
use crate::DatasetError;

/// The file of a mask, and the colors of the classes where the mask shows them by color.
#[derive(Clone, Debug)]
pub(super) struct MaskFile {
    pub(super) path: PathBuf,
    pub(super) colors: Option<Arc<ClassColors>>,
}

/// The class of each color.
#[derive(Debug)]
pub(super) struct ClassColors(HashMap<[u8; 3], usize>);

impl ClassColors {
    /// # Errors
    /// If two classes have the same color.
    pub(super) fn new(names: &[&str], colors: &[[u8; 3]]) -> Result<Self, DatasetError> {
        let mut classes = HashMap::new();
        for (class, color) in colors.iter().enumerate() {
            if let Some(other) = classes.insert(*color, class) {
                let reason = format!(
                    "ImageFolderDataset: the classes `{}` and `{}` have the same color {color:?}; expected one color for \
                     each class",
                    names[other], names[class]
                );
                return Err(DatasetError::Other(reason.into()));
            }
        }
        Ok(Self(classes))
    }
}

/// Reads the mask of an image of `height x width` pixels.
pub(super) fn decode_mask(
    file: &MaskFile,
    size: (usize, usize),
    classes: usize,
) -> Result<SegmentationMask, DatasetError> {
    let png = read(&file.path)?;
    let fail = |reason: String| damaged(&file.path, &reason);
    if (png.height, png.width) != size {
        let Png { height, width, .. } = png;
        let reason = format!("the mask has {height} x {width} pixels, its image {} x {}", size.0, size.1);
        return Err(fail(reason));
    }
    let width = png.width;
    let place = |pixel: usize| format!("the pixel in row {}, column {}", pixel / width, pixel % width);
    let mask = match (&file.colors, colors(&png)) {
        (Some(known), colors) => by_color(known, colors.unwrap_or_else(|| grey_colors(&png)), place),
        (None, Some(colors)) if png.palette.is_none() => by_equal_values(&png, colors, place),
        (None, _) => Ok(values(&png).map(|value| value as usize).collect()),
    };
    let mask: Vec<usize> = mask.map_err(fail)?;
    match mask.iter().position(|&class| class >= classes) {
        Some(pixel) => {
            Err(damaged(&file.path, &format!("{} has class {} of {classes}", place(pixel), mask[pixel])))
        }
        None => Ok(SegmentationMask { mask }),
    }
}

/// A PNG file with its values as they are; another format with its colors.
fn read(path: &Path) -> Result<Png, DatasetError> {
    let (file, size, is_png) = open(path)?;
    let png = if is_png {
        decode_png(file, size, Values::Raw).map_err(|reason| damaged(path, &reason))?
    } else {
        let image = decode(path)?;
        let (pixels, height, width) = (image.pixels, image.height, image.width);
        Png { pixels, height, width, channels: image.channels, palette: None }
    };
    match png.pixels {
        Pixels::F32(_) => Err(damaged(path, &"a mask holds integers, not floats")),
        Pixels::U8(_) | Pixels::U16(_) => Ok(png),
    }
}

/// The first value of each pixel.
fn values(png: &Png) -> Box<dyn Iterator<Item = u16> + '_> {
    match &png.pixels {
        Pixels::U8(values) => Box::new(values.iter().step_by(png.channels).map(|&value| value.into())),
        Pixels::U16(values) => Box::new(values.iter().step_by(png.channels).copied()),
        Pixels::F32(_) => Box::new(std::iter::empty()),
    }
}

type Colors<'a> = Box<dyn Iterator<Item = [u16; 3]> + 'a>;

/// The colors of the pixels, of a palette too; none where they are grey. Alpha is passed over.
fn colors(png: &Png) -> Option<Colors<'_>> {
    if let Some(palette) = &png.palette {
        let color =
            |value: u16| palette.get(usize::from(value)).map_or([u16::MAX; 3], |color| color.map(u16::from));
        return Some(Box::new(values(png).map(color)));
    }
    if png.channels < 3 {
        return None;
    }
    Some(match &png.pixels {
        Pixels::U8(values) => Box::new(
            values.chunks_exact(png.channels).map(|pixel| [pixel[0], pixel[1], pixel[2]].map(u16::from)),
        ),
        Pixels::U16(values) => {
            Box::new(values.chunks_exact(png.channels).map(|pixel| [pixel[0], pixel[1], pixel[2]]))
        }
        Pixels::F32(_) => Box::new(std::iter::empty()),
    })
}

fn grey_colors(png: &Png) -> Colors<'_> {
    Box::new(values(png).map(|value| [value; 3]))
}

fn by_color(
    known: &ClassColors,
    colors: Colors<'_>,
    place: impl Fn(usize) -> String,
) -> Result<Vec<usize>, String> {
    let class = |(pixel, color): (usize, [u16; 3])| {
        let eight_bit = color.map(u8::try_from);
        let class = match eight_bit {
            [Ok(red), Ok(green), Ok(blue)] => known.0.get(&[red, green, blue]).copied(),
            _ => None,
        };
        class.ok_or_else(|| format!("{} has the color {color:?}, which is not that of a class", place(pixel)))
    };
    colors.enumerate().map(class).collect()
}

/// The classes of a mask of three channels that are equal.
fn by_equal_values(
    png: &Png,
    colors: Colors<'_>,
    place: impl Fn(usize) -> String,
) -> Result<Vec<usize>, String> {
    let class = |(pixel, color): (usize, [u16; 3])| match color {
        [red, green, blue] if red == green && green == blue => Ok(usize::from(red)),
        _ => Err(format!(
            "a mask of {} channels has equal values for red, green and blue, which are the class; {} has {color:?}. Name \
             the color of each class with `new_segmentation_with_colors`",
            png.channels,
            place(pixel)
        )),
    };
    colors.enumerate().map(class).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use image::RgbImage;
    use png::{BitDepth, ColorType, Encoder};

    use super::super::dataset::ImageFolderDataset;
    use super::super::item::Annotation;
    use super::*;
    use crate::Dataset;

    const CLASSES: [&str; 4] = ["a", "b", "c", "d"];

    /// A file of 3 x 2 pixels with this content.
    fn write(path: &Path, color: ColorType, depth: BitDepth, content: &[u8]) {
        let mut encoder = Encoder::new(File::create(path).unwrap(), 3, 2);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == ColorType::Indexed {
            encoder.set_palette(vec![0, 0, 0, 128, 0, 0, 0, 128, 0, 9, 9, 9]);
        }
        encoder.write_header().unwrap().write_image_data(content).unwrap();
    }

    fn mask(item: Annotation) -> Vec<usize> {
        match item {
            Annotation::SegmentationMask(mask) => mask.mask,
            other => panic!("{other:?}"),
        }
    }

    /// Expected values, as Pillow reads such files: `numpy.array(Image.open(path))` of the modes P, L, RGB
    /// and I;16.
    #[test]
    fn masks_of_every_kind_of_png_have_the_same_classes() {
        let folder = tempfile::tempdir().unwrap();
        let (image, path) = (folder.path().join("image.png"), folder.path().join("mask.png"));
        RgbImage::new(3, 2).save(&image).unwrap();
        let classes = [0_u8, 1, 2, 3, 2, 1];
        let each =
            |channels: &dyn Fn(u8) -> Vec<u8>| classes.into_iter().flat_map(channels).collect::<Vec<u8>>();
        // Two rows of three values in the highest bits of a byte, or of two.
        let (two, four) = (vec![0b0001_1000, 0b1110_0100], vec![0x01, 0x20, 0x32, 0x10]);
        for (color, depth, content) in [
            (ColorType::Indexed, BitDepth::Eight, each(&|value| vec![value])),
            (ColorType::Indexed, BitDepth::Four, four.clone()),
            (ColorType::Indexed, BitDepth::Two, two.clone()),
            (ColorType::Grayscale, BitDepth::Eight, each(&|value| vec![value])),
            (ColorType::Grayscale, BitDepth::Sixteen, each(&|value| vec![0, value])),
            (ColorType::Grayscale, BitDepth::Four, four),
            (ColorType::Grayscale, BitDepth::Two, two),
            (ColorType::GrayscaleAlpha, BitDepth::Eight, each(&|value| vec![value, 255])),
            (ColorType::Rgb, BitDepth::Eight, each(&|value| vec![value; 3])),
            (ColorType::Rgba, BitDepth::Eight, each(&|value| vec![value, value, value, 255])),
            (ColorType::Rgb, BitDepth::Sixteen, each(&|value| [0, value].repeat(3))),
        ] {
            write(&path, color, depth, &content);
            let dataset =
                ImageFolderDataset::new_segmentation_with_items(vec![(&image, &path)], &CLASSES).unwrap();
            let found = mask(dataset.try_get(0).unwrap().unwrap().annotation);
            assert_eq!(found, classes.map(usize::from), "{color:?} {depth:?}");
        }
    }

    #[test]
    fn colors_of_classes_are_found_in_rgb_and_palettes() {
        let folder = tempfile::tempdir().unwrap();
        let (image, path) = (folder.path().join("image.png"), folder.path().join("mask.png"));
        RgbImage::new(3, 2).save(&image).unwrap();
        let classes = [("ground", [0, 128, 0]), ("tree", [128, 0, 0]), ("none", [0, 0, 0])];
        let dataset =
            ImageFolderDataset::new_segmentation_with_colors(vec![(&image, &path)], &classes).unwrap();
        let rgb = [[0, 0, 0], [128, 0, 0], [0, 128, 0], [0, 0, 0], [0, 128, 0], [128, 0, 0]].concat();
        for (color, content) in [(ColorType::Rgb, rgb), (ColorType::Indexed, vec![0, 1, 2, 0, 2, 1])] {
            write(&path, color, BitDepth::Eight, &content);
            let found = mask(dataset.try_get(0).unwrap().unwrap().annotation);
            assert_eq!(found, [2, 1, 0, 2, 0, 1], "{color:?}");
        }
        write(&path, ColorType::Indexed, BitDepth::Eight, &[0, 0, 0, 0, 3, 0]);
        let error = dataset.try_get(0).unwrap_err().to_string();
        assert!(error.contains("row 1, column 1 has the color [9, 9, 9]"), "{error}");

        let twice = [("a", [1, 2, 3]), ("b", [1, 2, 3])];
        let error = ImageFolderDataset::new_segmentation_with_colors(vec![(&image, &path)], &twice);
        assert!(error.unwrap_err().to_string().contains("`a` and `b` have the same color [1, 2, 3]"));
    }
}
