//! Steps on the elements of a product, by the units that computed them and before anything is written.

use super::kernel_size::{LONGEST, length};
use super::program::{Program, ProgramStep, ScalarWords, read_scalars};
use super::step::Steps;
use super::value::KernelValue;
use crate::device::arithmetic::Abilities;
use crate::device::engine::Engine;
use crate::launch::kernel::{Body, D};
use crate::launch::strides::broadcast;
use crate::launch::tensor::CubeTensor;
use crate::ops::matmul::{Matrices, MatricesExpand, View, ViewExpand, first_of};
use burn_backend::*;
use cubecl::ir::ManagedVariable;
use cubecl::prelude::*;
use std::fmt;

/// Values that a unit keeps for several of its elements.
const KEPT: usize = 64;

/// How a value differs among the elements of a product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Varies {
    by_row: bool,
    by_col: bool,
}

impl Varies {
    fn by_both(self) -> bool {
        self.by_row && self.by_col
    }

    /// Which of a unit's values belongs to its element in row `row` and column `col`.
    fn at(self, row: usize, col: usize) -> usize {
        match self {
            Varies { by_row: true, by_col: false } => row,
            Varies { by_row: false, by_col: true } => col,
            Varies { .. } => 0,
        }
    }

    /// Values of a unit with so many rows and columns.
    fn count(self, [rows, cols]: [usize; 2]) -> usize {
        let side = |varies: bool, size: usize| if varies { size } else { 1 };
        side(self.by_row, rows) * side(self.by_col, cols)
    }
}

/// An input as it is read: whether each matrix has its own, and how it differs within one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Access {
    by_matrix: bool,
    within: Varies,
}

/// Epilogue of a matrix product, or of several of one shape, as it is compiled: a program whose last inputs
/// are the products.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tail {
    steps: Vec<ProgramStep>,
    accesses: Vec<Access>,
    products: usize,
    outputs: Vec<Register>,
    scalars: usize,
    abilities: Abilities,
}

impl fmt::Display for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().filter_map(ProgramStep::name).try_for_each(|name| write!(f, " + {name}"))
    }
}

impl Tail {
    /// The product is the result.
    pub fn none() -> Self {
        let (steps, accesses) = (Vec::new(), Vec::new());
        Tail { steps, accesses, products: 1, outputs: vec![0], scalars: 0, abilities: Abilities::default() }
    }

    pub fn products(&self) -> usize {
        self.products
    }

    /// The steps on products of this shape, and the words that the kernel reads.
    pub fn new(
        program: Program,
        shape: &Shape,
        inputs: &[&CubeTensor],
        engine: &dyn Engine,
    ) -> (Self, Vec<u32>) {
        let products = program.inputs - inputs.len();
        let Program { steps, outputs, scalars, .. } = program.suited_to(engine);
        let (mut words, mut accesses) = (Vec::new(), Vec::new());
        for x in inputs {
            let strides = broadcast(x, shape);
            words.extend(View::words(&strides, x.offset()));
            let moves = |d: usize| strides[d] != 0;
            let inner = strides.len() - 2;
            let within = Varies { by_row: moves(inner), by_col: moves(inner + 1) };
            accesses.push(Access { by_matrix: (0..inner).any(moves), within });
        }
        words.extend(scalars.iter().flatten());
        let (scalars, abilities) = (scalars.len(), Abilities::of(engine));
        (Tail { steps, accesses, products, outputs, scalars, abilities }, words)
    }

    /// Whether it is short enough for units that have so many rows and columns of a product.
    pub fn fits(&self, own: [usize; 2]) -> bool {
        let kept =
            self.varies().into_iter().filter(|varies| !varies.by_both()).map(|varies| varies.count(own));
        own[0] * own[1] * length(&self.steps) <= LONGEST && kept.sum::<usize>() <= KEPT
    }

    /// By register.
    fn varies(&self) -> Vec<Varies> {
        let product = Varies { by_row: true, by_col: true };
        let inputs = self.accesses.iter().map(|access| access.within);
        let products = std::iter::repeat_n(product, self.products);
        let mut varies: Vec<Varies> = inputs.chain(products).collect();
        for step in &self.steps {
            let any = |which: fn(&Varies) -> bool| step.operands().any(|r| which(&varies[r]));
            varies.push(Varies { by_row: any(|x| x.by_row), by_col: any(|x| x.by_col) });
        }
        varies
    }

    /// Reads the tail in a kernel, whose arrays begin at `first`, after the factors.
    pub fn read(&self, body: &mut Body, outer: usize, first: usize) -> Reading<'_> {
        let views = self.accesses.iter().map(|_| View::read(body, outer)).collect();
        let scalars = read_scalars(body, self.scalars);
        let count = self.accesses.len() + self.outputs.len();
        let arrays = (first..first + count).map(|at| (body.variable(at), body.dtype(at)));
        Reading { tail: self, views, scalars, arrays: arrays.collect(), dtype: body.dtype(0) }
    }
}

/// A [`Tail`] with words and arrays of a launch, in the kernel.
pub struct Reading<'a> {
    tail: &'a Tail,
    views: Vec<ViewExpand>,
    scalars: Vec<ScalarWords>,
    /// Inputs first.
    arrays: Vec<(ManagedVariable, DType)>,
    /// Dtype of the product.
    dtype: DType,
}

/// The elements of a product that are a unit's.
pub struct Own {
    pub which: NativeExpand<u32>,
    pub rows: Vec<NativeExpand<u32>>,
    pub cols: Vec<NativeExpand<u32>>,
    /// Whether all of them are there.
    pub is_whole: bool,
}

#[cube]
fn clamped(at: u32, end: u32) -> u32 {
    select(at < end, at, end - 1u32)
}

#[cube]
fn moved(place: u32, by: u32, stride: u32) -> u32 {
    place + by * stride
}

#[cube]
fn place_in(matrices: &Matrices, which: u32, row: u32, col: u32) -> u32 {
    (which * matrices.rows + row) * matrices.cols + col
}

#[cube]
fn is_there(matrices: &Matrices, row: u32, col: u32) -> bool {
    row < matrices.rows && col < matrices.cols
}

impl Reading<'_> {
    /// Writes what becomes of the elements: `sums` has for each product the function that gives an element,
    /// by its number of row and column among the unit's.
    pub fn write(
        &self,
        scope: &mut Scope,
        matrices: &MatricesExpand,
        own: &Own,
        sums: &[impl Fn(&mut Scope, usize, usize) -> NativeExpand<D>],
    ) {
        let steps = &mut Steps { scope, abilities: self.tail.abilities };
        let starts: Vec<_> = self.starts(steps, matrices, &own.which);
        let varies = self.tail.varies();
        let kept = self.kept(steps, matrices, own, &starts, &varies);
        for (i, row) in own.rows.iter().enumerate() {
            for (j, col) in own.cols.iter().enumerate() {
                let write = |steps: &mut Steps| {
                    let mut values: Vec<Option<KernelValue>> = vec![None; varies.len()];
                    let products: Vec<_> =
                        sums.iter().map(|sum| KernelValue::new(sum(steps.scope, i, j), self.dtype)).collect();
                    for (r, start) in starts.iter().enumerate().filter(|&(r, _)| varies[r].by_both()) {
                        values[r] = Some(self.load(steps, r, start, Some(row), Some(col)));
                    }
                    for (at, product) in products.into_iter().enumerate() {
                        values[starts.len() + at] = Some(steps.rounded(product));
                    }
                    for (r, step) in self.steps().filter(|&(r, _)| varies[r].by_both()) {
                        let value = step.write(steps, &self.scalars, |r| {
                            let r = usize::from(r);
                            values[r].as_ref().unwrap_or_else(|| &kept[r][varies[r].at(i, j)])
                        });
                        values[r] = Some(value);
                    }
                    let place = place_in::expand(
                        steps.scope,
                        matrices.clone(),
                        own.which.clone(),
                        row.clone(),
                        col.clone(),
                    );
                    for ((array, _), r) in self.arrays[starts.len()..].iter().zip(&self.tail.outputs) {
                        let r = usize::from(*r);
                        let value = values[r].as_ref().unwrap_or_else(|| &kept[r][varies[r].at(i, j)]);
                        steps.store(array, place.clone(), value);
                    }
                };
                if own.is_whole {
                    write(steps);
                } else {
                    let inside = is_there::expand(steps.scope, matrices.clone(), row.clone(), col.clone());
                    steps.when(inside, write);
                }
            }
        }
    }

    /// Steps with the registers of their results.
    fn steps(&self) -> impl Iterator<Item = (usize, &ProgramStep)> {
        let first = self.views.len() + self.tail.products;
        self.tail.steps.iter().enumerate().map(move |(at, step)| (first + at, step))
    }

    /// By input, the first element of this matrix.
    fn starts(
        &self,
        steps: &mut Steps,
        matrices: &MatricesExpand,
        which: &NativeExpand<u32>,
    ) -> Vec<NativeExpand<u32>> {
        let start = |(view, access): (&ViewExpand, &Access)| {
            if access.by_matrix {
                first_of::expand(steps.scope, view.clone(), which.clone(), matrices.clone())
            } else {
                view.start.clone()
            }
        };
        self.views.iter().zip(&self.tail.accesses).map(start).collect()
    }

    /// An element of input `r`, in this row and column where it differs by them.
    fn load(
        &self,
        steps: &mut Steps,
        r: usize,
        start: &NativeExpand<u32>,
        row: Option<&NativeExpand<u32>>,
        col: Option<&NativeExpand<u32>>,
    ) -> KernelValue {
        let (view, mut place) = (&self.views[r], start.clone());
        for (at, stride) in [(row, &view.by_row), (col, &view.by_col)] {
            if let Some(at) = at {
                place = moved::expand(steps.scope, place, at.clone(), stride.clone());
            }
        }
        let (array, dtype) = &self.arrays[r];
        steps.load(array, *dtype, place)
    }

    /// By register, the values that a unit has for several elements. Beyond the last row or column they are
    /// those of the last.
    fn kept(
        &self,
        steps: &mut Steps,
        matrices: &MatricesExpand,
        own: &Own,
        starts: &[NativeExpand<u32>],
        varies: &[Varies],
    ) -> Vec<Vec<KernelValue>> {
        let mut inside = |list: &[NativeExpand<u32>], end: &NativeExpand<u32>| -> Vec<NativeExpand<u32>> {
            let clamp = |at: &NativeExpand<u32>| {
                if own.is_whole { at.clone() } else { clamped::expand(steps.scope, at.clone(), end.clone()) }
            };
            list.iter().map(clamp).collect()
        };
        let (rows, cols) = (inside(&own.rows, &matrices.rows), inside(&own.cols, &matrices.cols));
        let sides = [rows.len(), cols.len()];
        let mut kept: Vec<Vec<KernelValue>> = vec![Vec::new(); varies.len()];
        for (r, start) in starts.iter().enumerate().filter(|&(r, _)| !varies[r].by_both()) {
            let Varies { by_row, by_col } = varies[r];
            let load =
                |k: usize| self.load(steps, r, start, by_row.then(|| &rows[k]), by_col.then(|| &cols[k]));
            kept[r] = (0..varies[r].count(sides)).map(load).collect();
        }
        for (r, step) in self.steps().filter(|&(r, _)| !varies[r].by_both()) {
            let value = |k: usize| {
                step.write(steps, &self.scalars, |r| {
                    let list = &kept[usize::from(r)];
                    &list[k % list.len()]
                })
            };
            let list = (0..varies[r].count(sides)).map(value).collect();
            kept[r] = list;
        }
        kept
    }
}
