use super::input::{Grid, Input, lay_out};
use super::places::{Place, Places, Value, sources};
use super::step;
use crate::buffer::Buffer;
use crate::parallel::{self, Shared};
use crate::simd::Operand;
use crate::tensor::NdTensor;
use alloc::vec::Vec;
use burn_backend::{Block, DType, Operation, Register, TensorSpec};

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
    let steps = (0..steps.len()).filter(|k| sources[inputs.len() + k] == inputs.len() + k).map(|k| {
        Step::new(&steps[k], places.values[inputs.len() + k], |r| places.values[sources[usize::from(r)]])
    });
    let steps: Vec<Step<'_>> = steps.collect();
    Pass { grid, folded: folded > 0, inputs, starts, memory, places: &places, steps: &steps }.run();
    results
}

/// A step, and where its operands are.
struct Step<'a> {
    operation: &'a Operation<Register>,
    to: Value,
    /// Of the operand that is no mask.
    from: DType,
    operands: [Option<Value>; 3],
    /// Whether it is made of one element of each row.
    per_row: bool,
}

impl<'a> Step<'a> {
    fn new(operation: &'a Operation<Register>, to: Value, value: impl Fn(Register) -> Value) -> Self {
        let (mut operands, mut count) = ([None; 3], 0);
        operation.visit(|&r| {
            operands[count] = Some(value(r));
            count += 1;
        });
        let first = if let Operation::MaskWhere { on, .. } = operation { on } else { operation.first() };
        let per_row = to.per_row && !matches!(operation, Operation::Reduce { .. });
        Step { operation, to, from: value(*first).dtype, operands, per_row }
    }
}

/// A block and its memory.
struct Pass<'a> {
    grid: Grid,
    folded: bool,
    inputs: Vec<Input>,
    starts: Vec<Shared<u8>>,
    /// Of the results.
    memory: Vec<Shared<u8>>,
    places: &'a Places,
    steps: &'a [Step<'a>],
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
        let width = self.places.values.iter().map(|value| value.width).max().unwrap_or(WIDEST);
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
        let cost = self.steps.iter().map(|step| step::cost(step.operation)).sum::<usize>();
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
                self.steps.iter().for_each(|step| self.step(step, area, scratch));
            }
        });
    }

    fn step(&self, step: &Step<'_>, area: Area, scratch: Scratch) {
        if let Some(operands) = self.operands(step, area, area, scratch) {
            return self.part(step, operands, area, area, scratch);
        }
        for row in area.row..area.row + area.rows {
            let part = Area { row, rows: 1, ..area };
            let operands = self.operands(step, area, part, scratch).expect("a single row is a run");
            self.part(step, operands, area, part, scratch);
        }
    }

    /// The operands of a step over a part of an area, each as one run; `None` if one of them is none.
    fn operands(&self, step: &Step<'_>, area: Area, part: Area, scratch: Scratch) -> Option<[Operand; 3]> {
        let mut operands = [Operand { start: core::ptr::null(), repeated: true, width: 0 }; 3];
        for (operand, value) in operands.iter_mut().zip(&step.operands) {
            if let Some(value) = value {
                *operand = self.operand(*value, step.per_row, area, part, scratch)?;
            }
        }
        Some(operands)
    }

    fn part(&self, step: &Step<'_>, operands: [Operand; 3], area: Area, part: Area, scratch: Scratch) {
        let Step { operation, to, from, operands: _, per_row } = *step;
        let out = self.address(to, area, part, scratch);
        if let Operation::Reduce { op, .. } = operation {
            // SAFETY: what is folded is not repeated along rows, and has all elements of the part.
            return unsafe { step::fold(*op, from, operands[0].start, out, part.rows, part.columns) };
        }
        let len = if per_row { part.rows } else { part.len() };
        // SAFETY: values have their place for the whole area; a step reads what steps before it have written, and
        // areas of different tiles do not overlap.
        unsafe { step::run(operation, (from, to.dtype), out, operands, len) };
    }

    /// Where a part of a value that steps write is.
    fn address(&self, value: Value, area: Area, part: Area, scratch: Scratch) -> *mut u8 {
        let width = value.width;
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
        let width = value.width;
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
