//! Boxes that do not overlap others with a higher score.

use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, Host, Value};
use burn_ir::DType;

/// A box by its corners.
#[derive(Clone, Copy, Debug)]
struct Rectangle {
    low: [f64; 2],
    high: [f64; 2],
}

impl Rectangle {
    fn new(numbers: &[f64], is_centred: bool) -> Self {
        let [a, b, c, d] = [numbers[0], numbers[1], numbers[2], numbers[3]];
        if is_centred {
            // Centre and size, horizontal before vertical.
            return Rectangle { low: [b - d / 2.0, a - c / 2.0], high: [b + d / 2.0, a + c / 2.0] };
        }
        Rectangle { low: [a.min(c), b.min(d)], high: [a.max(c), b.max(d)] }
    }

    fn area(&self) -> f64 {
        (self.high[0] - self.low[0]) * (self.high[1] - self.low[1])
    }

    /// The area that both have over the area that at least one has.
    fn overlap(&self, other: &Self) -> f64 {
        let side = |d: usize| (self.high[d].min(other.high[d]) - self.low[d].max(other.low[d])).max(0.0);
        let both = side(0) * side(1);
        let whole = self.area() + other.area() - both;
        if whole > 0.0 { both / whole } else { 0.0 }
    }
}

/// For each class of each image, boxes in the order of their scores, less those that overlap one that was chosen: rows of image,
/// class and box. Since version 10. The choice is made on the host, so boxes and scores have to be there: when the model runs, not
/// when it is recorded.
pub(super) fn non_max_suppression(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<Value>> {
    let (boxes, scores) = (node.host(b, 0)?, node.host(b, 1)?);
    let number = |b: &mut Builder, place: usize, default: f64| -> Outcome<Option<f64>> {
        match node.optional(place) {
            Some(value) => Ok(b.host(value)?.elements.first().and_then(Expr::to_f64)),
            None => Ok(Some(default)),
        }
    };
    let limits = (number(b, 2, 0.0)?, number(b, 3, 0.0)?, number(b, 4, f64::NEG_INFINITY)?);
    let (Some(most), Some(overlap), Some(least)) = limits else {
        fail!("the limits must be known")
    };
    let known = |host: &Host| host.elements.iter().map(Expr::to_f64).collect::<Option<Vec<f64>>>();
    let (Some(corners), Some(numbers)) = (known(&boxes), known(&scores)) else {
        fail!("boxes are chosen by their values, which are not known when the model is recorded")
    };
    let (&[images, count, 4], &[_, classes, _]) = (&boxes.dims[..], &scores.dims[..]) else {
        fail!("expected boxes [batch, count, 4] and scores [batch, classes, count], got {:?} and {:?}", boxes.dims, scores.dims)
    };
    require!(scores.dims == [images, classes, count], "scores {:?} do not fit boxes {:?}", scores.dims, boxes.dims);
    let is_centred = node.int("center_point_box", 0)? == 1;
    let rectangles: Vec<Rectangle> = corners.chunks_exact(4).map(|numbers| Rectangle::new(numbers, is_centred)).collect();
    let mut elements = Vec::new();
    for image in 0..images {
        for class in 0..classes {
            let own = &numbers[(image * classes + class) * count..][..count];
            let mut order: Vec<usize> = (0..count).filter(|&place| own[place] > least || least == f64::NEG_INFINITY).collect();
            order.sort_by(|&a, &c| own[c].total_cmp(&own[a]));
            let mut chosen: Vec<usize> = Vec::new();
            for place in order {
                if chosen.len() as f64 >= most {
                    break;
                }
                let rectangle = rectangles[image * count + place];
                if chosen.iter().all(|&other| rectangle.overlap(&rectangles[image * count + other]) <= overlap) {
                    chosen.push(place);
                }
            }
            elements.extend(chosen.into_iter().flat_map(|place| [image, class, place].map(Expr::from)));
        }
    }
    Ok(vec![Host { dtype: DType::I64, dims: vec![elements.len() / 3, 3], elements }.into()])
}
