use crate::launch::kernel::{A, B, Body, Kernel, launch};
use crate::launch::lines::{LineView, LineWords, Lines, LinesKind, along, line_start};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use burn_backend::{DType, HasSpec, TensorSpec};
use cubecl::prelude::*;

/// Number format of the elements, which decides how they compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Number {
    Float,
    Signed,
    Unsigned,
}

/// Kernel that maps each element to an unsigned integer of the same order, and its index in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Keys {
    lines: LinesKind,
    number: Number,
    is_wide: bool,
    descending: bool,
}

/// Maps a float to its key: NaN above everything, zeros equal.
#[cube]
fn float_key(x: f32) -> u32 {
    let bits = u32::reinterpret(x);
    let turned = select(bits >> 31u32 == 1u32, 0xffff_ffffu32 - bits, bits | 0x8000_0000u32);
    let key = select((bits & 0x7fff_ffffu32) == 0u32, 0x8000_0000u32, turned);
    select(crate::ops::math::is_nan(x), 0xffff_ffffu32, key)
}

/// [`float_key`] of an `f64`.
#[cube]
fn wide_key(x: f64) -> u64 {
    let bits = u64::reinterpret(x);
    let (most, sign) = (0xffff_ffff_ffff_ffffu64, 0x8000_0000_0000_0000u64);
    let turned = select(bits >> 63u64 == 1u64, most - bits, bits | sign);
    let key = select((bits & 0x7fff_ffff_ffff_ffffu64) == 0u64, sign, turned);
    select(crate::ops::math::float64::is_nan(x), most, key)
}

#[cube]
fn key<E: Numeric, K: Int>(x: E, #[comptime] number: Number, #[comptime] is_wide: bool) -> K {
    if comptime!(number == Number::Float && is_wide) {
        K::cast_from(wide_key(f64::cast_from(x)))
    } else if comptime!(number == Number::Float) {
        K::cast_from(float_key(f32::cast_from(x)))
    } else if comptime!(number == Number::Unsigned) {
        K::cast_from(x)
    } else if comptime!(is_wide) {
        K::cast_from(u64::reinterpret(x) ^ (u64::cast_from(0x8000_0000u32) << 32u64))
    } else {
        K::cast_from(u32::reinterpret(i32::cast_from(x)) ^ 0x8000_0000u32)
    }
}

#[cube]
fn keys<E: Numeric, K: Int>(
    x: &Array<E>,
    keys: &mut Array<K>,
    places: &mut Array<u32>,
    lines: &LineWords,
    from: &LineView,
    #[comptime] kernel: Keys,
) {
    let at = strides::position();
    if at < lines.count * lines.terms {
        let (line, k) = (at / lines.terms, at % lines.terms);
        let value = x[along(from, line_start(lines, from, line), k)];
        let key = key::<E, K>(value, comptime!(kernel.number), comptime!(kernel.is_wide));
        keys[at as usize] = if comptime!(kernel.descending) { K::max_value() - key } else { key };
        places[at as usize] = k;
    }
}

impl Kernel for Keys {
    const NAME: &'static str = "sort_keys";

    fn expand(&self, body: &mut Body) {
        let (x, to, places) = (body.array(0), body.array(1), body.array(2));
        let (lines, [from]) = self.lines.read(body);
        keys::expand::<A, B>(&mut body.scope, x, to, places, lines, from, *self);
    }
}

/// [`Keyed`] in a kernel.
#[derive(CubeType)]
pub struct KeyedArrays<K: Int> {
    pub keys: Array<K>,
    pub places: Array<u32>,
}

/// Lines of keys, with their indices.
#[derive(Clone, Debug)]
pub struct Keyed {
    pub keys: CubeTensor,
    pub places: CubeTensor,
    pub count: usize,
    pub terms: usize,
}

impl Keyed {
    /// Allocates `count` lines of uninitialized keys and indices.
    pub fn empty(&self, count: usize, terms: usize) -> Keyed {
        let spec = |dtype| TensorSpec::new([count, terms], dtype);
        let engine = self.keys.engine();
        let keys = CubeTensor::empty(spec(self.keys.dtype()), engine);
        Keyed { keys, places: CubeTensor::empty(spec(DType::U32), engine), count, terms }
    }

    /// The lines of `x` along `dim`.
    pub fn new(x: &CubeTensor, dim: usize, descending: bool) -> Keyed {
        let dtype = x.dtype();
        let lines = Lines::new(&[x], dim);
        let is_wide = dtype.size() == 8;
        let number = match (dtype.is_float(), dtype.is_signed()) {
            (true, _) => Number::Float,
            (false, true) => Number::Signed,
            (false, false) => Number::Unsigned,
        };
        let spec = |dtype| TensorSpec::new([lines.count, lines.terms], dtype);
        let keys = CubeTensor::empty(spec(if is_wide { DType::U64 } else { DType::U32 }), x.engine());
        let places = CubeTensor::empty(spec(DType::U32), x.engine());
        let kernel = Keys { lines: lines.kind(), number, is_wide, descending };
        let (count, terms) = (lines.count, lines.terms);
        launch(kernel, &[x], &[&keys, &places], &lines.words(), count * terms);
        Keyed { keys, places, count, terms }
    }
}
