//! Products of a few rows with several matrices in one launch: alone, each of them is too small for a large
//! device.

use super::few_rows::{
    ColumnWords, Sizes, add_up, column_parts, first_vector, is_known, read_first, room_ahead, sum_at,
    team_for, writes,
};
use super::left_factor::{BYTES, LeftFactor, LeftFactorKernel, W};
use super::output::room;
use crate::launch::dependent_launch::Start;
use crate::launch::kernel::{A, Body, Kernel, UNITS, launch_vectors};
use crate::launch::row_groups::{Team, lane, row};
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use burn_backend::HasSpec;
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Matrices of a launch at most.
const MOST: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SharedLhs {
    sizes: Sizes,
    lhs: LeftFactorKernel,
    /// Matrices.
    count: usize,
}

launch_words! {
    /// Cubes that work on a matrix.
    struct CubeWords {
        first: u32,
        end: u32,
    }
}

#[cube]
fn is_own(cubes: &CubeWords) -> bool {
    CUBE_POS as u32 >= cubes.first && (CUBE_POS as u32) < cubes.end
}

/// The column of a unit in the matrix of these cubes.
#[cube]
fn column_in(cubes: &CubeWords, #[comptime] team: Team) -> u32 {
    row(team) - cubes.first * comptime!(team.rows())
}

#[cube]
fn write<E: Numeric>(sum: f32, out: &mut Array<E>, column: u32, words: &ColumnWords, #[comptime] row: u32) {
    out[(row * words.columns + column) as usize] = E::cast_from(sum);
}

impl Kernel for SharedLhs {
    const NAME: &'static str = "matmul_shared_lhs";
    // Columns are looked at, and depths are those of the factors.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let Sizes { rows, width, team, .. } = self.sizes;
        let matrices: Vec<_> =
            (0..self.count).map(|_| (body.read::<ColumnWords>(), body.read::<CubeWords>())).collect();
        let (first, end) = (self.lhs.before(), self.lhs.end(self.count));
        let arrays: Vec<_> =
            (0..self.count).map(|at| (body.variable(first + at), body.variable(end + at))).collect();
        let scope = &mut body.scope;
        scope.register_size::<W>(width as usize);
        let lane = lane::expand(scope, team);
        // A cube works on one matrix.
        let room = room_ahead::expand::<A, W>(scope, self.sizes);
        self.sizes.start.around_wait(scope, |scope| {
            for ((words, cubes), (rhs, _)) in matrices.iter().zip(&arrays) {
                let is_own = is_own::expand(scope, cubes.clone());
                branch::if_expand(scope, is_own, |scope| {
                    let column = column_in::expand(scope, cubes.clone(), team);
                    let first = first_vector::expand(scope, column, words.clone());
                    let (room, rhs) = (room.clone(), rhs.clone().into());
                    read_first::expand::<A, W>(scope, room, rhs, first, words.clone(), self.sizes);
                });
            }
        });
        let lhs = self.lhs.vectors(body, self.count);
        let scope = &mut body.scope;
        for ((words, cubes), (rhs, out)) in matrices.into_iter().zip(arrays) {
            let is_own = is_own::expand(scope, cubes.clone());
            branch::if_expand(scope, is_own, |scope| {
                let column = column_in::expand(scope, cubes, team);
                let first = first_vector::expand(scope, column.clone(), words.clone());
                let writes = writes::expand(scope, column.clone(), lane.clone(), words.clone());
                let (lhs, room, rhs) = (lhs.clone(), room.clone(), rhs.into());
                let sums =
                    column_parts::expand::<A, W>(scope, lhs, rhs, room, first, words.clone(), self.sizes);
                add_up::expand(scope, sums.clone(), self.sizes);
                branch::if_expand(scope, writes, |scope| {
                    for row in 0..rows {
                        let sum = sum_at::expand(scope, sums.clone(), row as usize);
                        let out: NativeExpand<Array<A>> = out.clone().into();
                        write::expand::<A>(scope, sum, out, column.clone(), words.clone(), row);
                    }
                });
            });
        }
    }
}

/// The products of one matrix and each of several, in one launch; `None` where they are no products of a few
/// rows with contiguous columns.
pub fn products(lhs: LeftFactor, rhs: &[CubeTensor]) -> Option<Vec<CubeTensor>> {
    if !(2..=MOST).contains(&rhs.len()) || !rhs.iter().all(|rhs| is_known(lhs.spec(), rhs)) {
        return None;
    }
    let rank = lhs.spec().shape.rank();
    let (rows, width) = (lhs.spec().shape[rank - 2], BYTES / lhs.dtype().size());
    let outputs: Vec<CubeTensor> = rhs.iter().map(|rhs| room(lhs.spec(), rhs)).collect();
    let columns = |rhs: &CubeTensor| rhs.spec().shape[rank - 1];
    let depth = lhs.spec().shape[rank - 1] / width;
    let team = team_for(rhs.iter().map(columns).sum(), depth);
    let (mut words, mut cubes) = (Vec::new(), 0);
    for rhs in rhs {
        let first = cubes;
        cubes += columns(rhs).div_ceil(team.rows() as usize);
        words.extend(ColumnWords::of(rhs, width).words());
        words.extend(CubeWords { first: word(first), end: word(cubes) }.words());
    }
    let sizes = Sizes::new(rows, width, team, depth, Start::of(rhs));
    let lhs = lhs.args();
    // Words are an argument too.
    let arguments = lhs.before.len() + lhs.after.len() + 2 * rhs.len() + 1;
    if arguments > rhs[0].engine().hardware().max_bindings as usize {
        return None;
    }
    words.extend(lhs.words);
    let kernel = SharedLhs { sizes, lhs: lhs.kernel, count: rhs.len() };
    let inputs: Vec<&CubeTensor> = lhs.before.iter().chain(rhs).chain(lhs.after).collect();
    let places: Vec<&CubeTensor> = outputs.iter().collect();
    let widths = std::iter::repeat_n(width, lhs.before.len() + rhs.len());
    let widths = widths.chain(lhs.widths).chain(std::iter::repeat_n(1, places.len())).collect();
    launch_vectors(kernel, &inputs, &places, widths, &words, cubes, CubeDim::new_1d(UNITS));
    Some(outputs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::kernel::define;
    use burn_backend::DType;

    #[test]
    fn kernels_expand() {
        for (rows, count, start) in [(1, 3, Start::BeforeWait), (4, 2, Start::AtOnce)] {
            let sizes = Sizes::new(rows, 8, Team { size: 64, across: false }, 100, start);
            let (inputs, outputs) = (vec![DType::F16; 1 + count], vec![DType::F16; count]);
            let widths: Vec<usize> =
                std::iter::repeat_n(8, 1 + count).chain(std::iter::repeat_n(1, count)).collect();
            define(
                SharedLhs { sizes, lhs: LeftFactorKernel::Matrix, count },
                [&inputs, &outputs],
                &widths,
                6 * count,
            );
        }
    }
}
