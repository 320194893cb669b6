use std::f32::consts::{PI, TAU};

/// Turns of each spiral.
const TURNS: f32 = 1.25;

/// Returns two spirals around each other, with coordinates from -1 to 1: the points, `[2 * count, 2]`, row by
/// row, and the class of each, 0 or 1. The second spiral is the first one, turned by half a circle.
pub fn spirals(count: usize) -> (Vec<f32>, Vec<i32>) {
    let (mut points, mut classes) = (Vec::new(), Vec::new());
    for class in 0..2 {
        for index in 0..count {
            let radius = (index + 1) as f32 / count as f32;
            let angle = TAU * TURNS * radius + PI * class as f32;
            points.extend([radius * angle.cos(), radius * angle.sin()]);
            classes.push(class);
        }
    }
    (points, classes)
}

#[cfg(test)]
mod tests {
    use super::spirals;

    #[test]
    fn the_spirals_end_opposite_of_each_other_and_mirror_each_other() {
        let (points, classes) = spirals(50);
        assert_eq!((points.len(), classes.len()), (200, 100));
        // One turn and a quarter end at the top.
        assert!(points[98].abs() < 1e-5 && (points[99] - 1.0).abs() < 1e-5, "{:?}", &points[98..100]);
        for (first, second) in points[..100].iter().zip(&points[100..]) {
            assert!((first + second).abs() < 1e-5, "{first} and {second}");
        }
        assert_eq!(classes.iter().sum::<i32>(), 50);
    }
}
