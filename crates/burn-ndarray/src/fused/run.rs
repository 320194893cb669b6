use super::input::{Grid, Input, lay_out};
use super::places::{Place, Places, Value, sources};
use super::step;
use crate::buffer::Buffer;
use crate::parallel::{self, Shared};
use crate::simd::Operand;
use crate::tensor::NdTensor;
use alloc::vec::Vec;
use burn_backend::{Block, Operation, Register, TensorSpec};

/// Bytes of the tiles of a block, which stay in the first cache.
const CACHED: usize = 24 << 10;

/// The outputs of a block.
pub fn run(block: Block<NdTensor>) -> Vec<NdTensor> {
    let Block { shape, folded, inputs, steps, specs, outputs } = block;
    let sources = sources(inputs.len(), &steps, &outputs);
    let mut whole: Vec<bool> = inputs.iter().map(|_| false).collect();
    for step in &steps {
        if let Operation::Reduce { x, .. } = step
            && let Some(whole) = whole.get_mut(sources[usize::from(*x)])
        {
            *whole = true;
        }
    }
    let (grid, mut inputs) = lay_out(&shape, folded, inputs, &whole);
    let places = Places::new(&shape, &inputs, &steps, &specs, &outputs, &sources);
    let starts: Vec<Shared<u8>> = inputs.iter().map(|input| Shared(input.x.start().cast_mut())).collect();
    let spec = |output: Register| &specs[usize::from(output) - inputs.len()];
    let fresh: Vec<TensorSpec> = outputs.iter().map(|&output| spec(output).clone()).collect();
    let mut results: Vec<NdTensor> = Vec::with_capacity(outputs.len());
    for (over, spec) in places.over.iter().zip(fresh) {
        results.push(match over {
            Some(input) => {
                let none = NdTensor::new(TensorSpec::new([0], spec.dtype));
                core::mem::replace(&mut inputs[*input].x, none)
            }
            None => NdTensor::new(spec),
        });
    }
    let memory = results.iter_mut().map(|x| Shared(x.start_mut())).collect();
    Pass { grid, folded: folded > 0, inputs, starts, memory, places, steps: &steps, sources: &sources }.run();
    results
}

/// A block and its memory.
struct Pass<'a> {
    grid: Grid,
    folded: bool,
    inputs: Vec<Input>,
    starts: Vec<Shared<u8>>,
    /// Of the results.
    memory: Vec<Shared<u8>>,
    places: Places,
    steps: &'a [Operation<Register>],
    sources: &'a [usize],
}

/// A part of the grid.
#[derive(Clone, Copy, Debug)]
struct Area {
    row: usize,
    rows: usize,
    column: usize,
    columns: usize,
}

impl Area {
    fn len(self) -> usize {
        self.rows * self.columns
    }
}

/// Memory for the values of one tile.
#[derive(Clone, Copy, Debug)]
struct Scratch {
    tile: *mut u8,
    /// Bytes of a tile.
    size: usize,
    column: *mut u8,
    /// Elements of a column.
    rows: usize,
}

/// Bytes of the widest element.
const WIDEST: usize = 8;

impl Pass<'_> {
    fn run(&self) {
        let Grid { rows, columns } = self.grid;
        if rows * columns == 0 {
            return;
        }
        let width = self.places.values.iter().map(|value| value.dtype.size()).max().unwrap_or(WIDEST);
        let elements = (CACHED / (width * (self.places.tiles + 1))).clamp(256, 4096) / 64 * 64;
        let (tile_rows, tile_columns) = if self.folded {
            ((elements / columns).max(1), columns)
        } else if columns >= elements {
            (1, elements)
        } else {
            (elements / columns, columns)
        };
        let tile_rows = tile_rows.min(rows);
        let across = columns.div_ceil(tile_columns);
        let cost = self.steps.iter().map(step::cost).sum::<usize>();
        let size = (tile_rows * tile_columns * width).next_multiple_of(64);
        let tiles = rows.div_ceil(tile_rows) * across;
        parallel::for_ranges(tiles, cost * tile_rows * tile_columns, &|range| {
            let bytes = self.places.tiles * size + self.places.columns * tile_rows * WIDEST;
            let mut scratch = Buffer::new(bytes);
            let scratch: &mut [u8] = scratch.as_mut_slice().expect("a new buffer is unique");
            let tile = scratch.as_mut_ptr();
            let column = tile.wrapping_add(self.places.tiles * size);
            let scratch = Scratch { tile, size, column, rows: tile_rows };
            for index in range {
                let (row, column) = (index / across * tile_rows, index % across * tile_columns);
                let area = Area {
                    row,
                    rows: tile_rows.min(rows - row),
                    column,
                    columns: tile_columns.min(columns - column),
                };
                self.steps.iter().enumerate().for_each(|(k, step)| self.step(k, step, area, scratch));
            }
        });
    }

    fn value(&self, register: Register) -> Value {
        self.places.values[self.sources[usize::from(register)]]
    }

    fn step(&self, k: usize, step: &Operation<Register>, area: Area, scratch: Scratch) {
        let register = self.inputs.len() + k;
        if self.sources[register] != register {
            return;
        }
        let to = self.places.values[register];
        let per_row = to.per_row && !matches!(step, Operation::Reduce { .. });
        let mut is_run = true;
        step.visit(|&r| is_run &= self.operand(self.value(r), per_row, area, area, scratch).is_some());
        if is_run {
            return self.part(step, to, area, area, scratch);
        }
        for row in area.row..area.row + area.rows {
            self.part(step, to, area, Area { row, rows: 1, ..area }, scratch);
        }
    }

    /// A step over a part of an area for which every operand is one run.
    fn part(&self, step: &Operation<Register>, to: Value, area: Area, part: Area, scratch: Scratch) {
        let operand = |r: Register| {
            let operand = self.operand(self.value(r), to.per_row, area, part, scratch);
            operand.expect("a single row is a run")
        };
        let out = self.address(to, area, part, scratch);
        if let Operation::Reduce { op, x, .. } = step {
            let from = self.value(*x);
            let x = self.operand(from, false, area, part, scratch).expect("rows follow each other");
            // SAFETY: what is folded is not repeated along rows, and has all elements of the part.
            return unsafe { step::fold(*op, from.dtype, x.start, out, part.rows, part.columns) };
        }
        let first = if let Operation::MaskWhere { on, .. } = step { on } else { step.first() };
        let from = self.value(*first).dtype;
        let len = if to.per_row { part.rows } else { part.len() };
        // SAFETY: values have their place for the whole area; a step reads what steps before it have written, and
        // areas of different tiles do not overlap.
        unsafe { step::run(step, (from, to.dtype), out, operand, len) };
    }

    /// Where a part of a value that steps write is.
    fn address(&self, value: Value, area: Area, part: Area, scratch: Scratch) -> *mut u8 {
        let width = value.dtype.size();
        match value.place {
            Place::Tile(tile) => {
                let at = (part.row - area.row) * area.columns + (part.column - area.column);
                scratch.tile.wrapping_add(tile * scratch.size + at * width)
            }
            Place::Column(column) => {
                scratch.column.wrapping_add(column * scratch.rows * WIDEST + (part.row - area.row) * width)
            }
            Place::Result(result) => {
                let all = part.row * self.grid.columns + part.column;
                let at = if value.per_row { part.row } else { all };
                self.memory[result].get().wrapping_add(at * width)
            }
            Place::Input(_) => unreachable!("inputs are only read"),
        }
    }

    /// A part of a value as one run: all its elements or, for a step with one element per row, one of each row. `None` if it is
    /// none.
    fn operand(
        &self,
        value: Value,
        per_row: bool,
        area: Area,
        part: Area,
        scratch: Scratch,
    ) -> Option<Operand> {
        let width = value.dtype.size();
        let Place::Input(input) = value.place else {
            let start = self.address(value, area, part, scratch).cast_const();
            let repeated = value.per_row && !per_row;
            return (!repeated || part.rows == 1).then_some(Operand { start, repeated, width });
        };
        let input = &self.inputs[input];
        let step = if part.rows == 1 { None } else { Some(input.row_step()?) };
        let (column, repeated) = if per_row {
            // One element of each row.
            (0, step == Some(0))
        } else {
            (part.column, input.repeated)
        };
        let neighbours = match (per_row, repeated) {
            (_, true) => 0,
            (true, false) => 1,
            (false, false) => self.grid.columns,
        };
        if step.is_some_and(|step| step != neighbours) {
            return None;
        }
        let column = if input.repeated { 0 } else { column };
        let at = input.row(part.row).wrapping_add(column).wrapping_mul(width);
        let start = self.starts_of(value).wrapping_add(at).cast_const();
        Some(Operand { start, repeated, width })
    }

    fn starts_of(&self, value: Value) -> *mut u8 {
        let Place::Input(input) = value.place else { unreachable!("a place outside of the block") };
        self.starts[input].get()
    }
}
