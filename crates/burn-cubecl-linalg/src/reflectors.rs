//! Householder reflections of a panel, and what they do together to other columns.

use crate::epsilon::epsilon;
use crate::identity::identity;
use crate::panel::{Crew, WIDTH, place, settle};
use crate::reflection_words::{ReflectionWords, reflected_panel, reflector_panel};
use crate::registers::{Held, reflect_held_panel};
use crate::triangular::substitute;
use crate::working::{behind_batch, part, sizes, turned};
use burn_backend::{DType, HasSpec, TensorSpec, Triangle};
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{A, Body, Kernel, LaunchWords, by_kernel, launch_cubes};
use cubecl::CubeDim;
use cubecl::prelude::*;
use std::ops::Range;

/// Reflects the panel of each matrix to a triangle, a cube for each: `H = 1 - u u^T` for each of its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ReflectPanel {
    crew: Crew,
    /// Whether elements are `f64`.
    is_wide: bool,
}

/// The sum over all units, which is for each of them.
#[cube]
fn sum_of_all<E: Float>(own: E, shared: &mut SharedMemory<E>, #[comptime] crew: Crew) -> E {
    let unit = UNIT_POS;
    sync_cube();
    shared[unit as usize] = own;
    #[unroll]
    for halving in 0..comptime!(crew.halvings()) {
        let half = comptime!(crew.units >> (halving + 1));
        sync_cube();
        if unit < half {
            shared[unit as usize] = shared[unit as usize] + shared[(unit + half) as usize];
        }
    }
    sync_cube();
    shared[0]
}

#[cube]
fn reflect_panel<E: Float>(
    x: &mut Array<E>,
    u: &mut Array<E>,
    words: &ReflectionWords,
    #[comptime] kernel: ReflectPanel,
) {
    let crew = comptime!(kernel.crew);
    let (rows, end) = (words.rows, words.end);
    let mut shared = SharedMemory::<E>::new(comptime!(crew.units as usize));
    let unit = UNIT_POS;
    let matrix = CUBE_POS as u32;
    if matrix < words.batch {
        let panel = reflected_panel(words, matrix);
        let vectors = reflector_panel(words, matrix);
        // Shorter vectors are rounding noise: the squares of their elements have no digits left.
        let nothing = epsilon::<E>(comptime!(kernel.is_wide)) * E::new(1e-6);
        for k in words.start..end {
            let mut own = E::new(0.0);
            let mut i = k + 1u32 + unit;
            while i < rows {
                let value = x[place(&panel, i, k)];
                own += value * value;
                i += comptime!(crew.units);
            }
            let below = sum_of_all::<E>(own, &mut shared, crew);
            let head = x[place(&panel, k, k)];
            let length = (head * head + below).sqrt();
            // The sign opposite to `head` avoids cancellation.
            let mut beta = length;
            if head > E::new(0.0) {
                beta = -length;
            }
            let first = head - beta;
            let mut scale = (E::new(2.0) / (first * first + below)).sqrt();
            if length <= nothing {
                scale = E::new(0.0);
                beta = head;
            }
            settle();
            let mut i = unit + 0u32;
            while i < rows {
                let at = place(&panel, i, k);
                let mut value = E::new(0.0);
                if i > k {
                    value = x[at] * scale;
                    x[at] = E::new(0.0);
                } else if i == k {
                    value = first * scale;
                    x[at] = beta;
                }
                u[place(&vectors, i, k)] = value;
                i += comptime!(crew.units);
            }
            settle();
            // The other columns, as many at a time as units are beside each other.
            let lane = unit % comptime!(crew.across);
            let down = unit / comptime!(crew.across);
            let mut left = k + 1u32;
            while left < end {
                let j = left + lane;
                let mut along = E::new(0.0);
                if j < end {
                    let mut i = k + down;
                    while i < rows {
                        along += u[place(&vectors, i, k)] * x[place(&panel, i, j)];
                        i += comptime!(crew.down());
                    }
                }
                shared[unit as usize] = along;
                sync_cube();
                let mut sum = E::new(0.0);
                #[unroll]
                for part in 0..comptime!(crew.down()) {
                    sum += shared[(lane + comptime!(part * crew.across)) as usize];
                }
                sync_cube();
                if j < end {
                    let mut i = k + down;
                    while i < rows {
                        let at = place(&panel, i, j);
                        x[at] = x[at] - sum * u[place(&vectors, i, k)];
                        i += comptime!(crew.down());
                    }
                }
                left += comptime!(crew.across);
            }
            settle();
        }
    }
}

impl Kernel for ReflectPanel {
    const NAME: &'static str = "reflect_panel";

    fn expand(&self, body: &mut Body) {
        let (x, u) = (body.array(0), body.array(1));
        let words = body.read::<ReflectionWords>();
        reflect_panel::expand::<A>(&mut body.scope, x, u, words, *self);
    }
}

/// The panel of these columns of matrices `x: [.., m, n]` to a triangle, in place; the vectors to the same
/// columns of `u`.
fn reflect_panel_of(x: &CubeTensor, u: &CubeTensor, columns: Range<usize>) {
    let words = ReflectionWords::new(x, columns);
    let crew = Crew::of(words.rows as usize);
    let kernel = ReflectPanel { crew, is_wide: x.dtype() == DType::F64 };
    launch_cubes(kernel, &[], &[x, u], &words.words(), words.batch as usize, CubeDim::new_1d(crew.units));
}

/// Reflections by some neighbouring columns of `u: [.., m, min(m, n)]`: `H_1 H_2 .. = 1 - U T U^T`, where
/// `T^-1 = 1 + ` what is above the diagonal of `U^T U`.
#[derive(Debug)]
pub struct Block {
    pub vectors: CubeTensor,
    pub columns: Range<usize>,
    /// `T`
    pub triangle: CubeTensor,
}

impl Block {
    /// Reflects columns of matrices `x: [.., m, n]` from `start` on to a triangle, in place, as many as a
    /// cube can at a time; their vectors to the same columns of `u`. Both are contiguous, and elements are
    /// neither very large nor very small.
    pub fn new(x: &CubeTensor, u: &CubeTensor, start: usize) -> Self {
        let [_, m, n] = sizes(x);
        let (left, hardware) = (m.min(n) - start, x.engine().hardware());
        let held = Held::of(hardware, x.dtype(), m, m - start, left);
        let width = held.map_or(WIDTH, |held| held.width as usize);
        let columns = start..start + width.min(left);
        let count = columns.len();
        let Some(held) = held else {
            reflect_panel_of(x, u, columns.clone());
            let vectors = part(u, start..m, columns.clone());
            let products = by_kernel(&turned(&vectors), &vectors);
            let triangle = identity(x, count, count);
            substitute(&products, &triangle, Triangle { upper: true, unit: true }, false);
            return Block { vectors: u.clone(), columns, triangle };
        };
        let spec = TensorSpec { shape: behind_batch(x, &[count, count]), dtype: x.dtype() };
        let triangle = CubeTensor::empty(spec, x.engine());
        reflect_held_panel(x, u, &triangle, columns.clone(), held);
        Block { vectors: u.clone(), columns, triangle }
    }
}
