//! Boxes that do not overlap others with a higher score.

use super::iota::{iota, item, part};
use crate::builder::{Builder, Iteration};
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, Function, Host, OnnxValue, Tensor};
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

/// For each class of each image, boxes in the order of their scores, less those that overlap one that was
/// chosen: rows of image, class and box. Since version 10. The choice is made on the host when the model
/// runs, and by loops where it is recorded.
pub(super) fn non_max_suppression(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    if !b.is_executing() {
        return recorded(node, b);
    }
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
        fail!("boxes and scores must be known")
    };
    let (&[images, count, 4], &[_, classes, _]) = (&boxes.dims[..], &scores.dims[..]) else {
        fail!("expected boxes [batch, count, 4] and scores [batch, classes, count], got {:?} and {:?}", boxes.dims, scores.dims)
    };
    require!(scores.dims == [images, classes, count], "scores {:?} do not fit boxes {:?}", scores.dims, boxes.dims);
    let is_centred = node.int("center_point_box", 0)? == 1;
    let rectangles: Vec<Rectangle> = corners.chunks_exact(4).map(|numbers| Rectangle::new(numbers, is_centred)).collect();
    let (mut elements, mut compared) = (Vec::new(), 0);
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
                // A comparison is far less than an iteration.
                compared += chosen.len();
                if compared >= COMPARISONS {
                    b.budget.trip()?;
                    compared = 0;
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

/// Comparisons of boxes that count as an iteration.
const COMPARISONS: usize = 4096;

/// Numbers that end the choice.
struct Limits {
    /// The most boxes of a class.
    most: Expr,
    /// The largest overlap with a box that was chosen.
    overlap: Expr,
    /// Score threshold: only higher scores are selected.
    least: Expr,
}

fn limit(node: &Node<'_>, b: &mut Builder, place: usize, default: Expr) -> Outcome<Expr> {
    let Some(value) = node.optional(place) else { return Ok(default) };
    match &b.host(value)?.elements[..] {
        [limit] => Ok(limit.clone()),
        other => fail!("input {place} must be one number, found {}", other.len()),
    }
}

/// The choice as loops of the recorded program.
fn recorded(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (boxes, scores) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    require!(boxes.rank() == 3 && scores.rank() == 3, "expected tensors of rank 3, got {boxes:?} and {scores:?}");
    let limits = Limits {
        most: limit(node, b, 2, Expr::Int(0))?,
        overlap: limit(node, b, 3, Expr::Float(0.0))?,
        least: limit(node, b, 4, Expr::Float(f64::NEG_INFINITY))?,
    };
    let (first, second) = (part(b, &boxes, 2, 0, 2)?, part(b, &boxes, 2, 2, 4)?);
    let (low, high) = if node.int("center_point_box", 0)? == 1 {
        let half = b.div_scalar(&second, 2.0.into())?;
        (b.sub(&first, &half)?, b.add(&first, &half)?)
    } else {
        (b.min_pair(&first, &second)?, b.max_pair(&first, &second)?)
    };
    let corners = b.cat(&[low, high], 2)?;
    let (images, classes) = (scores.dim(0)?, scores.dim(1)?);
    let chosen = b.repeat(Some(images * classes.clone()), &[], &[Some(vec![3])], &mut |b, pair, _| {
        let image = pair.clone() / classes.clone();
        let class = pair - image.clone() * classes.clone();
        let boxes = item(b, &corners, 0, image.clone())?;
        let of_image = item(b, &scores, 0, image.clone())?;
        let own = item(b, &of_image, 0, class.clone())?;
        let chosen = choose(b, &boxes, &own, &[image, class], &limits)?;
        Ok(Iteration { condition: Expr::Bool(true), next: Vec::new(), parts: vec![(chosen, 0)] })
    })?;
    Ok(chosen.into_iter().map(OnnxValue::Tensor).collect())
}

/// The box with the highest score again and again, until none is left that overlaps no chosen one: rows of
/// `names` and its index.
fn choose(b: &mut Builder, boxes: &Tensor, scores: &Tensor, names: &[Expr], limits: &Limits) -> Outcome<Tensor> {
    let count = scores.dim(0)?;
    let (areas, places) = (area(b, boxes)?, iota(b, &count, 0, 1, DType::I64)?);
    let names = b.ints(names, DType::I64)?;
    let low = b.lower_equal_elem(scores, limits.least.clone())?;
    let scores = b.mask_fill(scores, &low, f64::NEG_INFINITY.into())?;
    let any = is_any_left(b, &scores)?;
    let most = Expr::apply(Function::Where, vec![any, limits.most.clone().min(count), Expr::Int(0)]);
    let mut results = b.repeat(Some(most), &[scores], &[Some(vec![3])], &mut |b, _, variables| {
        let scores = &variables[0];
        let best = b.argmax(scores, 0)?;
        let best = b.convert(&best, DType::I64)?;
        let own = b.select(boxes, 0, &best)?;
        let near = overlap(b, boxes, &areas, &own)?;
        let near = b.greater_elem(&near, limits.overlap.clone())?;
        let near = b.squeeze_dims(&near, &[1])?;
        let is_best = b.equal(&places, &best)?;
        let gone = b.bool_or(&near, &is_best)?;
        let scores = b.mask_fill(scores, &gone, f64::NEG_INFINITY.into())?;
        let row = b.cat(&[names.clone(), best], 0)?;
        let row = b.unsqueeze_dims(&row, &[0])?;
        let condition = is_any_left(b, &scores)?;
        Ok(Iteration { condition, next: vec![scores.into()], parts: vec![(row, 0)] })
    })?;
    Ok(results.remove(1))
}

/// Whether a score is left.
fn is_any_left(b: &mut Builder, scores: &Tensor) -> Outcome<Expr> {
    let highest = b.max_dims(scores, &[0])?;
    let is_left = b.greater_elem(&highest, f64::NEG_INFINITY.into())?;
    Ok(b.host(&is_left.into())?.elements[0].clone())
}

/// Areas of boxes, `[count, 1]`.
fn area(b: &mut Builder, boxes: &Tensor) -> Outcome<Tensor> {
    let (low, high) = (part(b, boxes, 1, 0, 2)?, part(b, boxes, 1, 2, 4)?);
    let sides = b.sub(&high, &low)?;
    b.prod_dims(&sides, &[1])
}

/// The area that each box has in common with one, over the area that at least one of both has.
fn overlap(b: &mut Builder, boxes: &Tensor, areas: &Tensor, one: &Tensor) -> Outcome<Tensor> {
    let (low, own_low) = (part(b, boxes, 1, 0, 2)?, part(b, one, 1, 0, 2)?);
    let (high, own_high) = (part(b, boxes, 1, 2, 4)?, part(b, one, 1, 2, 4)?);
    let (low, high) = (b.max_pair(&low, &own_low)?, b.min_pair(&high, &own_high)?);
    let sides = b.sub(&high, &low)?;
    let sides = b.clamp_min(&sides, 0.0.into())?;
    let both = b.prod_dims(&sides, &[1])?;
    let own = area(b, one)?;
    let sum = b.add(areas, &own)?;
    let whole = b.sub(&sum, &both)?;
    b.div(&both, &whole)
}
