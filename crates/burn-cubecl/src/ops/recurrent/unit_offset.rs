//! Offsets of a unit of a sequence in the arrays of a step.

use crate::launch::kernel::Body;
use crate::ops::block::{KernelValue, Steps};
use burn_backend::DType;
use cubecl::ir::{ManagedVariable, Scope};
use cubecl::prelude::*;

/// Units of a cube. A step has few elements, which are spread over the whole device.
pub const CUBE: u32 = 64;

#[cube]
fn row_of(at: u32, size: u32) -> u32 {
    at / size
}

#[cube]
fn unit_of(at: u32, size: u32) -> u32 {
    at % size
}

#[cube]
fn place_of(start: u32, row: u32, by_row: u32, unit: u32, size: u32, #[comptime] gate: u32) -> u32 {
    start + row * by_row + gate * size + unit
}

#[cube]
fn times(size: u32, #[comptime] count: u32) -> u32 {
    size * count
}

#[cube]
fn sum_of(x: u32, y: u32) -> u32 {
    x + y
}

/// The unit and the sequence that a unit of a cube computes.
pub struct UnitOffset {
    row: NativeExpand<u32>,
    unit: NativeExpand<u32>,
    size: NativeExpand<u32>,
    /// In row-major order of `[batch, hidden]`.
    at: NativeExpand<u32>,
}

impl UnitOffset {
    pub fn new(scope: &mut Scope, at: NativeExpand<u32>, size: NativeExpand<u32>) -> Self {
        let row = row_of::expand(scope, at.clone(), size.clone());
        let unit = unit_of::expand(scope, at.clone(), size.clone());
        UnitOffset { row, unit, size, at }
    }

    /// Element of part `gate` of a row that begins at `start`, where rows have `count` parts.
    pub fn of_part(
        &self,
        steps: &mut Steps,
        start: NativeExpand<u32>,
        gate: usize,
        count: usize,
    ) -> NativeExpand<u32> {
        let by_row = times::expand(steps.scope, self.size.clone(), count as u32);
        self.of_gate(steps, start, by_row, gate)
    }

    /// As [`UnitOffset::of_part`], where rows are `by_row` elements apart.
    pub fn of_gate(
        &self,
        steps: &mut Steps,
        start: NativeExpand<u32>,
        by_row: NativeExpand<u32>,
        gate: usize,
    ) -> NativeExpand<u32> {
        let (row, unit, size) = (self.row.clone(), self.unit.clone(), self.size.clone());
        place_of::expand(steps.scope, start, row, by_row, unit, size, gate as u32)
    }

    /// Element of a state that begins at `start`.
    pub fn of_state(&self, steps: &mut Steps, start: NativeExpand<u32>) -> NativeExpand<u32> {
        sum_of::expand(steps.scope, start, self.at.clone())
    }

    /// The first element of a state.
    pub fn first_state(&self) -> NativeExpand<u32> {
        self.at.clone()
    }

    /// Element of an array that has one number for each unit.
    pub fn unit(&self) -> NativeExpand<u32> {
        self.unit.clone()
    }

    /// Element of an array that has one number for each sequence.
    pub fn row(&self) -> NativeExpand<u32> {
        self.row.clone()
    }
}

/// An array of a kernel.
#[derive(Clone)]
pub struct List {
    variable: ManagedVariable,
    dtype: DType,
}

impl List {
    /// The arrays of a kernel, inputs first.
    pub fn all(body: &Body, count: usize) -> std::vec::IntoIter<List> {
        let lists: Vec<_> =
            (0..count).map(|at| List { variable: body.variable(at), dtype: body.dtype(at) }).collect();
        lists.into_iter()
    }

    pub fn load(&self, steps: &mut Steps, at: NativeExpand<u32>) -> KernelValue {
        steps.load(&self.variable, self.dtype, at)
    }

    pub fn store(&self, steps: &mut Steps, at: NativeExpand<u32>, value: &KernelValue) {
        steps.store(&self.variable, at, value);
    }
}
