//! Cost model of matrix products, rough: enough to choose among kernels before any measurement.

use super::call::Lie;
use super::form::{Form, Units};
use super::plain::Block;
use crate::device::engine::Engine;
use crate::launch::kernel::UNITS;

/// Costs of a device, in multiplications of a unit.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Number of cubes that run at the same time.
    pub processors: usize,
    /// Load from shared memory.
    shared: f64,
    /// Load from global memory shared by all units of a cube, with the store to shared memory.
    together: f64,
    /// Load from global memory by each unit for itself, coalesced and not.
    alone: f64,
    apart: f64,
    /// Whether blocks of several elements by units alone are worth a look: tiles are never slower on GPUs.
    has_blocks: bool,
}

impl Machine {
    pub fn of(engine: &dyn Engine) -> Self {
        if engine.is_software() {
            return Machine::software(std::thread::available_parallelism().map_or(1, usize::from));
        }
        let processors = engine.hardware().num_streaming_multiprocessors;
        // Not every runtime says.
        Machine::graphics(processors.map_or(32, |count| count as usize))
    }

    /// Returns the costs of a GPU: four lanes multiply while one loads, and a cache line has 32 numbers.
    pub fn graphics(processors: usize) -> Self {
        Machine { processors, shared: 4.0, together: 8.0, alone: 8.0, apart: 64.0, has_blocks: false }
    }

    /// Returns the costs of a software driver, fitted to measurements (decision 25): shared memory is main
    /// memory, and vectors are filled by single loads.
    pub fn software(processors: usize) -> Self {
        Machine { processors, shared: 27.0, together: 30.0, alone: 11.0, apart: 14.0, has_blocks: true }
    }
}

/// A product, by sizes: batch, rows, columns and the inner dimension.
#[derive(Clone, Copy, Debug)]
pub struct Sizes(pub [usize; 4]);

impl Sizes {
    /// Returns the number of multiplications.
    pub fn work(self) -> u64 {
        self.0.iter().map(|&size| size as u64).product()
    }

    /// The time of the product by a kernel: cubes that run one after the other on a processor, times what a
    /// cube does for each place of the inner dimension.
    fn cost(self, form: Form, lie: [Lie; 2], machine: Machine) -> f64 {
        let [batch, rows, cols, depth] = self.0;
        let (cubes, cube) = match form.0 {
            Units::Alone(Block { rows: own_rows, cols: own_cols }) => {
                if own_rows * own_cols > 1 && !machine.has_blocks {
                    return f64::INFINITY;
                }
                // Neighbours have neighbouring columns, or rows where there is one column.
                let is_near = if cols == 1 { lie[0] == Lie::Columns } else { lie[1] == Lie::Rows };
                let [own_height, own_width] = [own_rows, own_cols].map(f64::from);
                let near = if is_near { machine.alone } else { machine.apart };
                let elements = own_height * own_width;
                let loads = (own_height * machine.alone + own_width * near) / elements;
                let units = batch * rows.div_ceil(own_rows as usize) * cols.div_ceil(own_cols as usize);
                (units.div_ceil(UNITS as usize), f64::from(UNITS) * elements * (1.0 + loads))
            }
            Units::Together(tile) => {
                let [height, width] = [tile.rows, tile.cols].map(f64::from);
                let [own_height, own_width] = [tile.own_rows, tile.own_cols].map(f64::from);
                // A unit loads a row and a column of its part for as many multiplications as the part has
                // elements.
                let loads = (own_height + own_width) / (own_height * own_width);
                let down = rows.div_ceil(tile.rows as usize);
                let across = cols.div_ceil(tile.cols as usize);
                let elements = height * width * (1.0 + machine.shared * loads);
                (batch * down * across, elements + machine.together * (height + width))
            }
        };
        cubes.div_ceil(machine.processors) as f64 * depth as f64 * cube
    }

    /// Returns the kernel with the lowest cost.
    pub fn advice(self, forms: &[Form], lie: [Lie; 2], machine: Machine) -> usize {
        let costs = forms.iter().map(|&form| self.cost(form, lie, machine));
        let least = costs.enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
        least.map(|(at, _)| at).expect("one of them is for all products")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advised(sizes: [usize; 4], lie: [Lie; 2], machine: Machine) -> String {
        let [_, rows, cols, _] = sizes;
        let forms: Vec<_> =
            Form::all().iter().copied().filter(|form| form.fits(rows, cols, 4, 1 << 15)).collect();
        forms[Sizes(sizes).advice(&forms, lie, machine)].to_string()
    }

    /// The fastest ones that were measured on software Vulkan with two processors, or close to them.
    #[test]
    fn in_software_units_load_for_themselves() {
        let of = |sizes| advised(sizes, [Lie::Rows, Lie::Rows], Machine::software(2));
        assert_eq!([[1, 2048, 1, 2048], [1, 1, 2048, 2048]].map(of), ["plain"; 2]);
        assert_eq!(of([1, 8, 512, 512]), "plain 4x4");
        let large = [[1, 256, 256, 256], [1, 512, 512, 512], [1, 1024, 1024, 1024], [16, 128, 128, 64]];
        assert_eq!(large.map(of), ["plain 8x8"; 4]);
    }

    #[test]
    fn on_graphics_processors_all_are_busy_and_neighbours_load_neighbours() {
        let of = |sizes| advised(sizes, [Lie::Rows, Lie::Rows], Machine::graphics(132));
        assert_eq!(of([1, 4096, 4096, 4096]), "128x128x8");
        // Sixteen cubes would leave most processors idle.
        assert_ne!(of([1, 512, 512, 512]), "128x128x8");
        assert_eq!(of([1, 1 << 16, 1, 4096]), "64x1x32");
        let columns = advised([1, 1, 1 << 16, 4096], [Lie::Rows, Lie::Columns], Machine::graphics(132));
        assert_eq!(columns, "1x64x32");
    }
}
