use super::geometry::gather;
use crate::vision::{ImageDatasetItem, Pixels};

/// Returns how many of the channels are colours: grey and colour images may have alpha after them.
fn colours(channels: usize) -> usize {
    if channels == 2 || channels == 4 { channels - 1 } else { channels }
}

/// Changes every colour value, which lies in `0..=1`, knowing the mean of all; the depth of the image is
/// kept.
pub(super) fn adjust(item: ImageDatasetItem, change: impl Fn(f32, f32) -> f32) -> ImageDatasetItem {
    let (depth, channels, colours) = (item.image.depth(), item.channels.max(1), colours(item.channels));
    let mut values = item.image.to_unit_range();
    let (mut sum, mut count) = (0.0_f64, 0_u64);
    for pixel in values.chunks_exact(channels) {
        sum += pixel[..colours].iter().map(|value| f64::from(*value)).sum::<f64>();
        count += colours as u64;
    }
    let mean = (sum / count.max(1) as f64) as f32;
    for pixel in values.chunks_exact_mut(channels) {
        pixel[..colours].iter_mut().for_each(|value| *value = change(*value, mean).clamp(0.0, 1.0));
    }
    ImageDatasetItem { image: Pixels::F32(values).to_depth(depth), ..item }
}

/// Sets the colours and the alpha of a rectangle to zero; the annotation stays.
pub(super) fn erase(
    item: ImageDatasetItem,
    [top, left]: [usize; 2],
    [rows, columns]: [usize; 2],
) -> ImageDatasetItem {
    let (size, width, channels) = ([item.height, item.width], item.width, item.channels);
    let is_erased = |[row, column]: [usize; 2]| {
        (top..top + rows).contains(&row) && (left..left + columns).contains(&column)
    };
    let source = |place| (!is_erased(place)).then_some(place);
    let image = match &item.image {
        Pixels::U8(values) => Pixels::U8(gather(values, size, width, channels, &source)),
        Pixels::U16(values) => Pixels::U16(gather(values, size, width, channels, &source)),
        Pixels::F32(values) => Pixels::F32(gather(values, size, width, channels, &source)),
    };
    ImageDatasetItem { image, ..item }
}
