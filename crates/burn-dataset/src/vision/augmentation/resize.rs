use super::geometry::rearrange;
use crate::vision::{BoundingBox, ImageDatasetItem, Pixels};

/// Resizes an image: pixels by bilinear interpolation, masks by the nearest pixel, boxes in proportion.
pub(super) fn resize(item: ImageDatasetItem, size: [usize; 2]) -> ImageDatasetItem {
    let from @ [height, width] = [item.height, item.width];
    if height == 0 || width == 0 {
        return item;
    }
    let image = interpolate(&item.image, from, size, item.channels);
    let nearest = |to: usize, from: usize, place: usize| ((2 * place + 1) * from / (2 * to)).min(from - 1);
    let source =
        |[row, column]: [usize; 2]| Some([nearest(size[0], height, row), nearest(size[1], width, column)]);
    let (down, across) = (size[0] as f32 / height as f32, size[1] as f32 / width as f32);
    let scale = |boxed: BoundingBox| {
        Some(BoundingBox {
            x: boxed.x * across,
            y: boxed.y * down,
            width: boxed.width * across,
            height: boxed.height * down,
            label: boxed.label,
        })
    };
    ImageDatasetItem { image, ..rearrange(item, size, source, scale) }
}

/// Two neighbouring positions, and the weight of the second.
fn neighbours(to: usize, from: usize, place: usize) -> (usize, usize, f32) {
    let position = ((place as f32 + 0.5) * from as f32 / to as f32 - 0.5).clamp(0.0, (from - 1) as f32);
    let before = position as usize;
    (before, (before + 1).min(from - 1), position - before as f32)
}

fn interpolate(image: &Pixels, from: [usize; 2], to: [usize; 2], channels: usize) -> Pixels {
    let values = image.to_unit_range();
    let value =
        |row: usize, column: usize, channel: usize| values[(row * from[1] + column) * channels + channel];
    let mut resized = Vec::with_capacity(to[0] * to[1] * channels);
    for row in 0..to[0] {
        let (top, bottom, down) = neighbours(to[0], from[0], row);
        for column in 0..to[1] {
            let (left, right, across) = neighbours(to[1], from[1], column);
            for channel in 0..channels {
                let line =
                    |row| value(row, left, channel) * (1.0 - across) + value(row, right, channel) * across;
                resized.push(line(top) * (1.0 - down) + line(bottom) * down);
            }
        }
    }
    Pixels::F32(resized).to_depth(image.depth())
}
