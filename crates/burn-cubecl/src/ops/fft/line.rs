//! Lines that fit into a cube.

use super::finish::spectrum_of;
use super::format::FftTarget;
use super::pass::{Held, Shared, gather, scatter, small, transform};
use super::shape::Shape;
use super::source::{load, start};
use super::target::store;
use super::twist::twist;
use super::words::Words;
use crate::launch::kernel::{A, B, Body, C, Kernel, launch_vectors};
use crate::launch::tensor::CubeTensor;
use crate::launch::words::LaunchWords;
use cubecl::CubeDim;
use cubecl::prelude::*;

cubecl::define_size!(pub V);
cubecl::define_size!(pub W);

#[cube]
fn lines<I: Float, N: Float, O: Float, R: Size, T: Size>(
    x: &Array<Vector<I, R>>,
    table: &Array<Vector<N, Const<2>>>,
    out: &mut Array<Vector<O, T>>,
    words: &Words,
    #[comptime] shape: Shape,
) {
    let mut shared = Shared::<N>::new(comptime!(shape.places()));
    let mut held = Held::<N> {
        re: Array::<N>::new(comptime!(shape.held())),
        im: Array::<N>::new(comptime!(shape.held())),
    };
    #[unroll]
    for round in 0..comptime!(shape.rounds()) {
        #[unroll]
        for pass in 0..comptime!(shape.passes.count()) {
            if comptime!(shape.is_first(round, pass)) {
                take::<I, N, R>(x, table, words, &mut held, shape);
            } else {
                gather::<N>(&shared, table, &mut held, round, pass, shape);
            }
            transform::<N>(&mut held, pass, shape);
            if comptime!(shape.gives(round, pass)) {
                give::<O, N, T>(out, table, words, &mut held, round, pass, shape);
            } else {
                if comptime!(!shape.is_first(round, pass)) {
                    // Other units may still read the shared memory.
                    sync_cube();
                }
                scatter::<N>(&mut shared, table, words, &held, round, pass, shape);
                sync_cube();
            }
        }
    }
    if comptime!(shape.to.target == FftTarget::Spectrum) {
        spectrum_of::<O, N, T>(out, table, words, &shared, shape);
    }
}

/// Loads the elements of the first pass.
#[cube]
fn take<E: Float, N: Float, R: Size>(
    x: &Array<Vector<E, R>>,
    table: &Array<Vector<N, Const<2>>>,
    words: &Words,
    held: &mut Held<N>,
    #[comptime] shape: Shape,
) {
    let radix = comptime!(shape.passes.radix(0));
    #[unroll]
    for t in 0..comptime!(shape.of_unit(0)) {
        let (row, j, inside) = small(t, 0usize, 0usize, shape);
        let line = CUBE_POS as u32 * comptime!(shape.rows as u32) + row;
        if inside && line < words.lines {
            let across = comptime!(shape.from.across);
            let start = start(line, words.inner, words.from_split, words.from_size, across);
            #[unroll]
            for r in 0..radix {
                let at = j + comptime!((r * shape.of_line(0)) as u32);
                let (re, im) = load::<E, N, R>(x, table, words, &start, at, comptime!(shape.from));
                held.re[comptime!(t * radix + r)] = re;
                held.im[comptime!(t * radix + r)] = im;
            }
        }
    }
}

/// The results of the last pass.
#[cube]
fn give<E: Float, N: Float, T: Size>(
    out: &mut Array<Vector<E, T>>,
    table: &Array<Vector<N, Const<2>>>,
    words: &Words,
    held: &mut Held<N>,
    #[comptime] round: usize,
    #[comptime] pass: usize,
    #[comptime] shape: Shape,
) {
    let radix = comptime!(shape.passes.radix(pass));
    #[unroll]
    for t in 0..comptime!(shape.of_unit(pass)) {
        let (row, j, inside) = small(t, round, pass, shape);
        let line = CUBE_POS as u32 * comptime!(shape.rows as u32) + row;
        if inside && line < words.lines {
            let across = comptime!(shape.to.across);
            let mut start = start(line, words.inner, words.to_split, words.to_size, across);
            if comptime!(across) {
                start.part = start.part % words.to_turn * (words.to_split / words.to_turn)
                    + start.part / words.to_turn;
            }
            if comptime!(shape.to.twists) {
                twist::<N>(held, table, words, start.part, j, t, shape);
            }
            #[unroll]
            for r in 0..radix {
                let at = j + comptime!((r * shape.of_line(pass)) as u32);
                let (re, im) = (held.re[comptime!(t * radix + r)], held.im[comptime!(t * radix + r)]);
                store::<E, N, T>(out, table, words, &start, at, (re, im), comptime!(shape.to));
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Lines {
    shape: Shape,
}

impl Kernel for Lines {
    const NAME: &'static str = "fft";
    /// Lines that are not there are neither read nor written, and of those that are there no more than they
    /// have.
    const CHECKED: bool = false;

    fn title(&self) -> String {
        let passes = self.shape.passes;
        let radices: Vec<String> = (0..passes.count()).map(|pass| passes.radix(pass).to_string()).collect();
        format!("fft {}", radices.join("x"))
    }

    fn expand(&self, body: &mut Body) {
        let (x, table, out) = (body.array(0), body.array(1), body.array(2));
        let words = body.read::<Words>();
        body.scope.register_size::<V>(self.shape.from.source.width());
        body.scope.register_size::<W>(self.shape.to.target.width());
        body.name::<B>(1);
        lines::expand::<A, B, C, V, W>(&mut body.scope, x, table, out, words, self.shape);
    }
}

/// Runs lines from one buffer to another.
pub fn run(shape: Shape, x: &CubeTensor, table: &CubeTensor, out: &CubeTensor, words: &Words) {
    let widths = vec![shape.from.source.width(), 2, shape.to.target.width()];
    let cubes = (words.lines as usize).div_ceil(shape.rows);
    let units = CubeDim::new_1d(shape.units as u32);
    launch_vectors(Lines { shape }, &[x, table], &[out], widths, &words.words(), cubes, units);
}
