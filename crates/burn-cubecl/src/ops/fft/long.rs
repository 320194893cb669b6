//! Lines that fit into no cube: their elements are a matrix, or one of more dimensions. Columns are
//! transformed and multiplied by roots of unity, then rows, which are written as columns.

use super::format::{FftSource, FftTarget, Reads, Writes};
use super::line::run;
use super::shape::{Shape, capacity};
use super::table::{FftTablePart, Table, shift};
use super::words::Words;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::word;
use crate::ops::accumulate::partial;
use burn_backend::{DType, HasSpec, TensorSpec};

/// Input of the first launch.
pub struct First<'a> {
    pub x: &'a CubeTensor,
    pub from: Reads,
    /// Parts of its table.
    pub parts: Vec<FftTablePart>,
}

/// Output of the last launch.
pub struct Last<'a> {
    pub out: &'a CubeTensor,
    pub to: Writes,
    pub parts: Vec<FftTablePart>,
}

/// Factors of `size`: two, or else three, as equal as they can be.
fn digits(size: usize, largest: usize) -> Vec<usize> {
    let split = |(count, largest): (u32, usize)| {
        let (mut rest, mut digits) = (size, Vec::new());
        for left in (1..=count).rev() {
            let wanted = (rest as f64).powf(1.0 / f64::from(left));
            let distance = |digit: usize| (digit as f64 / wanted).ln().abs();
            let divisors = (1..=largest).filter(|&digit| rest.is_multiple_of(digit));
            let digit = divisors.min_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
            digits.push(digit);
            rest /= digit;
        }
        (rest == 1).then_some(digits)
    };
    // Cubes should take several lines beside each other.
    let found = [(2, largest / 4), (3, largest / 4), (2, largest), (3, largest)].into_iter().find_map(split);
    found.expect("no buffer has lines of so many elements")
}

/// Room for so many complex numbers.
pub fn pairs(count: usize, like: &CubeTensor) -> CubeTensor {
    CubeTensor::empty(TensorSpec::new([2 * count], partial(like.dtype())), like.engine())
}

/// Transforms lines of `size` elements. `ends` says what lies before the first launch and after the last.
pub fn long(size: usize, outer: usize, start: &First<'_>, stop: &Last<'_>, ends: Words) {
    let hardware = start.x.engine().hardware();
    let is_wide = start.x.dtype() == DType::F64;
    let digits = digits(size, capacity(hardware, is_wide));
    let inner = ends.inner as usize;
    let mut x = start.x.clone();
    for (at, &digit) in digits.iter().enumerate() {
        let (is_first, is_last) = (at == 0, at + 1 == digits.len());
        let rest: usize = digits[at + 1..].iter().product();
        let lines = outer * inner * (size / digit);
        let mut words = Words {
            lines: word(lines),
            from_size: if is_first { ends.from_size } else { word(digit * rest) },
            from_split: word(rest),
            to_size: if is_last { ends.to_size } else { word(digit * rest) },
            to_split: word(if is_last { size / digit } else { rest }),
            // The first digit of a result is the last of its position.
            to_turn: word(if is_last && at == 2 { digits[1] } else { 1 }),
            ..ends
        };
        let from = if is_first { start.from } else { BETWEEN };
        let from = Reads { across: inner * rest > 1, ..from };
        let to = if is_last { stop.to } else { Writes { twists: true, ..ASIDE } };
        let to = Writes { across: true, ..to };
        let shape = Shape::new(hardware, digit, lines, false, is_wide, from, to);
        let mut table = Table::new(shape.passes);
        for &part in if is_first { &start.parts[..] } else { &[] } {
            let at = word(table.add(part));
            *if matches!(part, FftTablePart::Roots { .. }) { &mut words.roots } else { &mut words.chirp } =
                at;
        }
        for &part in if is_last { &stop.parts[..] } else { &[] } {
            words.factors = word(table.add(part));
        }
        if to.twists {
            let n = digit * rest;
            (words.twist, words.shift) = (word(table.add(FftTablePart::Twist { n })), word(shift(n)));
        }
        let out = if is_last { stop.out.clone() } else { pairs(outer * size * inner, &x) };
        run(shape, &x, &table.on(&x), &out, &words);
        x = out;
    }
}

const BETWEEN: Reads = Reads { source: FftSource::Pair, across: true, swaps: false, chirps: false };
const ASIDE: Writes = Writes {
    twists: false,
    swaps: false,
    scales: false,
    swaps_last: false,
    cuts: false,
    target: FftTarget::Pair,
    across: true,
};
