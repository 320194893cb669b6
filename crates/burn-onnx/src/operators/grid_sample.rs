//! Samples of images at coordinates. GridSample since version 16, of any number of spatial dimensions since
//! 20; AffineGrid since 20.

use super::iota::{iota, item};
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// The most spatial dimensions: a sample has two or four taps in each, and all their combinations.
const MOST_SPATIAL: usize = 6;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Padding {
    Zeros,
    Border,
    Reflection,
}

/// Tap of a sample along one dimension: an input element and its weight.
struct Tap {
    /// Index of the element, within the image.
    index: Tensor,
    /// Weight of the element.
    weight: Option<Tensor>,
}

/// Samples at grid points of -1 to 1, of which the last dimension has the coordinates, the last dimension of
/// the image first.
pub(super) fn grid_sample(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, grid) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    let spatial = x.rank().saturating_sub(2);
    require!((1..=MOST_SPATIAL).contains(&spatial) && grid.rank() == x.rank(), "expected an image and a grid of one rank, got {x:?} and {grid:?}");
    let align = node.flag("align_corners", false)?;
    let padding = match &node.text("padding_mode", "zeros")?[..] {
        "zeros" => Padding::Zeros,
        "border" => Padding::Border,
        "reflection" => Padding::Reflection,
        other => fail!("attribute `padding_mode` must be zeros, border or reflection, found `{other}`"),
    };
    let mode = node.text("mode", if node.opset < 20 { "bilinear" } else { "linear" })?;
    let batch = x.dim(0)?;
    let points = Expr::product(&grid.dims()[1..=spatial]);
    let mut taps = Vec::new();
    for d in 0..spatial {
        let size = x.dim(d + 2)?;
        let coordinate = item(b, &grid, spatial + 1, spatial - 1 - d)?;
        let coordinate = b.reshape(&coordinate, &[batch.clone(), 1.into(), points.clone()])?;
        let coordinate = pixels(b, &coordinate, &size, align)?;
        taps.push(match &mode[..] {
            "nearest" => {
                let nearest = b.round(&coordinate)?;
                let inside = moved(b, &nearest, &size, align, padding)?;
                vec![tap(b, &inside, None, &size, align, padding)?]
            }
            "bilinear" | "linear" => neighbours(b, &coordinate, &size, align, padding, false)?,
            "bicubic" | "cubic" => neighbours(b, &coordinate, &size, align, padding, true)?,
            other => fail!("attribute `mode` must be nearest, linear or cubic, found `{other}`"),
        });
    }
    let flat = b.reshape(&x, &[batch.clone(), x.dim(1)?, Expr::product(&x.dims()[2..])])?;
    let wide = [batch, x.dim(1)?, points];
    let mut sum: Option<Tensor> = None;
    for choice in choices(&taps) {
        let part = corner(b, &x, &flat, &wide, &choice)?;
        sum = Some(match sum {
            Some(sum) => b.add(&sum, &part)?,
            None => part,
        });
    }
    let Some(sum) = sum else { fail!("a sample has no elements") };
    let mut dims = x.dims()[..2].to_vec();
    dims.extend(grid.dims()[1..=spatial].iter().cloned());
    Ok(vec![b.reshape(&sum, &dims)?.into()])
}

/// The elements of an image at one tap of each dimension, times the product of their weights.
fn corner(b: &mut Builder, x: &Tensor, flat: &Tensor, wide: &[Expr], taps: &[&Tap]) -> Outcome<Tensor> {
    let (mut index, mut weight): (Option<Tensor>, Option<Tensor>) = (None, None);
    for (d, tap) in taps.iter().enumerate() {
        index = Some(match index {
            Some(index) => {
                let outer = b.mul_scalar(&index, x.dim(d + 2)?)?;
                b.add(&outer, &tap.index)?
            }
            None => tap.index.clone(),
        });
        weight = match (weight, &tap.weight) {
            (Some(weight), Some(own)) => Some(b.mul(&weight, own)?),
            (weight, own) => weight.or_else(|| own.clone()),
        };
    }
    let Some(index) = index else { fail!("the image has no dimension") };
    let index = b.expand(&index, wide)?;
    let part = b.gather(flat, 2, &index)?;
    let Some(weight) = weight else { return Ok(part) };
    let weight = b.convert(&weight, part.dtype())?;
    b.mul(&part, &weight)
}

/// One tap of each dimension, in every combination.
fn choices(taps: &[Vec<Tap>]) -> Vec<Vec<&Tap>> {
    let mut all: Vec<Vec<&Tap>> = vec![Vec::new()];
    for own in taps {
        all = all.iter().flat_map(|front| own.iter().map(move |tap| [&front[..], &[tap]].concat())).collect();
    }
    all
}

/// Coordinates of -1 to 1 in pixels.
fn pixels(b: &mut Builder, coordinate: &Tensor, size: &Expr, align: bool) -> Outcome<Tensor> {
    let from_zero = b.add_scalar(coordinate, 1.0.into())?;
    if align {
        let halved = b.mul_scalar(&from_zero, 0.5.into())?;
        return b.mul_scalar(&halved, size.clone() - 1);
    }
    let whole = b.mul_scalar(&from_zero, size.clone())?;
    let whole = b.sub_scalar(&whole, 1.0.into())?;
    b.mul_scalar(&whole, 0.5.into())
}

/// Half a pixel before the first and after the last one, or their centres.
fn borders(size: &Expr, align: bool) -> (Expr, Expr) {
    let last = size.clone() - 1;
    if align { (Expr::Float(0.0), last) } else { (Expr::Float(-0.5), last + 0.5) }
}

/// Coordinates moved into the image where they are beyond its border.
fn moved(b: &mut Builder, x: &Tensor, size: &Expr, align: bool, padding: Padding) -> Outcome<Tensor> {
    let (low, high) = borders(size, align);
    match padding {
        Padding::Zeros => Ok(x.clone()),
        Padding::Border => {
            let inside = b.clamp(x, 0.0.into(), size.clone() - 1)?;
            let (under, over) = (b.lower_elem(x, low)?, b.greater_elem(x, high)?);
            let beyond = b.bool_or(&under, &over)?;
            b.mask_where(x, &beyond, &inside)
        }
        Padding::Reflection => reflected(b, x, low, high),
    }
}

/// `x` reflected at both borders until it is between them.
fn reflected(b: &mut Builder, x: &Tensor, low: Expr, high: Expr) -> Outcome<Tensor> {
    let width = high - low.clone();
    if width.to_f64() == Some(0.0) {
        return b.mul_scalar(x, 0.into());
    }
    let from_low = b.sub_scalar(x, low.clone())?;
    let distance = b.abs(&from_low)?;
    let period = width.clone() * 2;
    let rest = b.remainder_scalar(&distance, period.clone())?;
    let back = b.neg(&rest)?;
    let back = b.add_scalar(&back, period)?;
    let is_back = b.greater_elem(&rest, width)?;
    let inside = b.mask_where(&rest, &is_back, &back)?;
    b.add_scalar(&inside, low)
}

/// A tap at whole coordinates.
fn tap(
    b: &mut Builder,
    place: &Tensor,
    weight: Option<Tensor>,
    size: &Expr,
    align: bool,
    padding: Padding,
) -> Outcome<Tap> {
    let last = size.clone() - 1;
    let (place, weight) = match padding {
        Padding::Zeros => {
            let (low, high) = (b.greater_equal_elem(place, 0.into())?, b.lower_equal_elem(place, last.clone())?);
            let inside = b.bool_and(&low, &high)?;
            let inside = b.convert(&inside, place.dtype())?;
            let weight = match weight {
                Some(weight) => b.mul(&weight, &inside)?,
                None => inside,
            };
            (place.clone(), Some(weight))
        }
        Padding::Border => (place.clone(), weight),
        Padding::Reflection => {
            let (low, high) = borders(size, align);
            (reflected(b, place, low, high)?, weight)
        }
    };
    let place = b.clamp(&place, 0.into(), last)?;
    Ok(Tap { index: b.convert(&place, DType::I64)?, weight })
}

/// The two or four elements around coordinates.
fn neighbours(
    b: &mut Builder,
    coordinate: &Tensor,
    size: &Expr,
    align: bool,
    padding: Padding,
    cubic: bool,
) -> Outcome<Vec<Tap>> {
    let inside = moved(b, coordinate, size, align, padding)?;
    let floor = b.floor(&inside)?;
    let ratio = b.sub(&inside, &floor)?;
    let offsets: &[i64] = if cubic { &[-1, 0, 1, 2] } else { &[0, 1] };
    let mut taps = Vec::new();
    for &offset in offsets {
        let place = b.add_scalar(&floor, offset.into())?;
        let distance = b.sub_scalar(&ratio, offset.into())?;
        let distance = b.abs(&distance)?;
        let weight = if cubic {
            cubic_weight(b, &distance, offset == 0 || offset == 1)?
        } else {
            let weight = b.neg(&distance)?;
            b.add_scalar(&weight, 1.0.into())?
        };
        taps.push(tap(b, &place, Some(weight), size, align, padding)?);
    }
    Ok(taps)
}

/// Cubic convolution (Keys, 1981) with `a = -0.75`, within a distance of 1 (`inner`) or of 1 to 2.
fn cubic_weight(b: &mut Builder, x: &Tensor, inner: bool) -> Outcome<Tensor> {
    const A: f64 = -0.75;
    // Coefficients from the cube down.
    let [first, rest @ ..] = if inner { [A + 2.0, -(A + 3.0), 0.0, 1.0] } else { [A, -5.0 * A, 8.0 * A, -4.0 * A] };
    let mut y = b.mul_scalar(x, first.into())?;
    for (place, coefficient) in rest.into_iter().enumerate() {
        y = b.add_scalar(&y, coefficient.into())?;
        if place < 2 {
            y = b.mul(&y, x)?;
        }
    }
    Ok(y)
}

/// Sampling grids of affine maps `theta` of `[batch, n, n + 1]`.
pub(super) fn affine_grid(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (theta, size) = (node.tensor(b, 0)?, node.ints(b, 1)?);
    let align = node.flag("align_corners", false)?;
    let spatial = size.len().saturating_sub(2);
    require!((1..=MOST_SPATIAL).contains(&spatial) && theta.rank() == 3, "expected maps [batch, n, n + 1], got {theta:?}");
    let sizes = &size[2..];
    let mut wide = sizes.to_vec();
    wide.push(1.into());
    let mut columns = Vec::new();
    // The last dimension of the image is the first coordinate.
    for d in (0..spatial).rev() {
        let places = iota(b, &sizes[d], d, spatial + 1, theta.dtype())?;
        let (places, width) = if align {
            (b.mul_scalar(&places, 2.0.into())?, (sizes[d].clone() - 1).max(1))
        } else {
            let twice = b.mul_scalar(&places, 2.0.into())?;
            (b.add_scalar(&twice, 1.0.into())?, sizes[d].clone())
        };
        let places = b.div_scalar(&places, width)?;
        let places = b.sub_scalar(&places, 1.0.into())?;
        columns.push(b.expand(&places, &wide)?);
    }
    columns.push(b.full(&wide, 1.0.into(), theta.dtype())?);
    let base = b.cat(&columns, spatial)?;
    let points = b.reshape(&base, &[1.into(), Expr::product(sizes), (spatial + 1).into()])?;
    let maps = b.permute(&theta, &[0, 2, 1])?;
    let grid = b.matmul(&points, &maps)?;
    let mut dims = vec![theta.dim(0)?];
    dims.extend(sizes.iter().cloned());
    dims.push(spatial.into());
    Ok(vec![b.reshape(&grid, &dims)?.into()])
}
