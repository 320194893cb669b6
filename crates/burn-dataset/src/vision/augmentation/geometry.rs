use crate::random::Generator;
use crate::vision::{Annotation, BoundingBox, ImageDatasetItem, Pixels, SegmentationMask};

/// The place of a pixel: row, column.
pub(super) type PixelIndex = [usize; 2];

/// Which side becomes which.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flip {
    Horizontal,
    Vertical,
}

impl Flip {
    pub(super) fn apply(self, item: ImageDatasetItem) -> ImageDatasetItem {
        let size @ [height, width] = [item.height, item.width];
        let source = |[row, column]: PixelIndex| match self {
            Self::Horizontal => Some([row, width - 1 - column]),
            Self::Vertical => Some([height - 1 - row, column]),
        };
        let turn = |boxed: BoundingBox| match self {
            Self::Horizontal => Some(BoundingBox { x: width as f32 - boxed.x - boxed.width, ..boxed }),
            Self::Vertical => Some(BoundingBox { y: height as f32 - boxed.y - boxed.height, ..boxed }),
        };
        rearrange(item, size, source, turn)
    }
}

/// A rectangle of an image, which may reach beyond it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crop {
    /// Where the rectangle begins, seen from the image.
    top: isize,
    left: isize,
    size: [usize; 2],
}

impl Crop {
    /// Draws a position for a rectangle in an image that is padded.
    pub(super) fn at_random(
        item: &ImageDatasetItem,
        size: [usize; 2],
        padding: usize,
        random: &mut Generator,
    ) -> Self {
        let mut begin = |image: usize, crop: usize| {
            let padded = image.saturating_add(padding.saturating_mul(2));
            match padded.checked_sub(crop) {
                Some(rest) => random.below(rest + 1) as isize - padding as isize,
                None => -((crop - image) as isize / 2),
            }
        };
        Self { top: begin(item.height, size[0]), left: begin(item.width, size[1]), size }
    }

    pub(super) fn apply(self, item: ImageDatasetItem) -> ImageDatasetItem {
        let [height, width] = [item.height, item.width];
        let inside = |begin: isize, place: usize, size: usize| {
            begin
                .checked_add_unsigned(place)
                .and_then(|place| usize::try_from(place).ok())
                .filter(|place| *place < size)
        };
        let source = |[row, column]: PixelIndex| {
            Some([inside(self.top, row, height)?, inside(self.left, column, width)?])
        };
        let cut = |begin: f32, length: f32, offset: isize, size: usize| {
            let begin_there = begin - offset as f32;
            let (start, end) = (begin_there.max(0.0), (begin_there + length).min(size as f32));
            (end > start).then_some((start, end - start))
        };
        let move_box = |boxed: BoundingBox| {
            let (x, width) = cut(boxed.x, boxed.width, self.left, self.size[1])?;
            let (y, height) = cut(boxed.y, boxed.height, self.top, self.size[0])?;
            Some(BoundingBox { x, y, width, height, label: boxed.label })
        };
        rearrange(item, self.size, source, move_box)
    }
}

/// Makes an image of `size` whose pixels come from the positions that `source` names, or are zero.
pub(super) fn rearrange(
    item: ImageDatasetItem,
    size: [usize; 2],
    source: impl Fn(PixelIndex) -> Option<PixelIndex>,
    move_box: impl Fn(BoundingBox) -> Option<BoundingBox>,
) -> ImageDatasetItem {
    let (width, channels) = (item.width, item.channels);
    let image = match &item.image {
        Pixels::U8(values) => Pixels::U8(gather(values, size, width, channels, &source)),
        Pixels::U16(values) => Pixels::U16(gather(values, size, width, channels, &source)),
        Pixels::F32(values) => Pixels::F32(gather(values, size, width, channels, &source)),
    };
    let annotation = match item.annotation {
        Annotation::BoundingBoxes(boxes) => {
            Annotation::BoundingBoxes(boxes.into_iter().filter_map(move_box).collect())
        }
        Annotation::SegmentationMask(SegmentationMask { mask }) => {
            Annotation::SegmentationMask(SegmentationMask { mask: gather(&mask, size, width, 1, &source) })
        }
        label @ (Annotation::Unlabelled | Annotation::Label(_) | Annotation::MultiLabel(_)) => label,
    };
    ImageDatasetItem { image, height: size[0], width: size[1], annotation, ..item }
}

/// Gathers the values of pixels, `width` of which are a row.
pub(super) fn gather<T: Copy + Default>(
    values: &[T],
    [rows, columns]: [usize; 2],
    width: usize,
    channels: usize,
    source: &impl Fn(PixelIndex) -> Option<PixelIndex>,
) -> Vec<T> {
    let mut gathered = vec![T::default(); rows * columns * channels];
    for (place, pixel) in gathered.chunks_exact_mut(channels.max(1)).enumerate() {
        if let Some([row, column]) = source([place / columns, place % columns]) {
            let start = (row * width + column) * channels;
            pixel.copy_from_slice(&values[start..start + channels]);
        }
    }
    gathered
}
