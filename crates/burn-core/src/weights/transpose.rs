use crate::tensor::TensorData;

/// Returns the transpose of a matrix; other tensors are returned as they are. PyTorch: `x.T`.
pub fn transpose(data: &TensorData) -> TensorData {
    let [rows, columns] = data.shape[..] else { return data.clone() };
    let mut out = TensorData::zeroed([columns, rows].into(), data.dtype)
        .expect("there is memory for a tensor of this size");
    let (source, target) = (data.as_bytes(), out.as_mut_bytes());
    match data.dtype.size() {
        1 => transpose_bytes::<1>(source, target, rows, columns),
        2 => transpose_bytes::<2>(source, target, rows, columns),
        4 => transpose_bytes::<4>(source, target, rows, columns),
        _ => transpose_bytes::<8>(source, target, rows, columns),
    }
    out
}

/// Side of the squares that are copied at a time. Microcontrollers have no caches, and 32 KB of a stack are
/// much there.
const SIDE: usize = if cfg!(feature = "std") { 64 } else { 8 };

fn transpose_bytes<const SIZE: usize>(source: &[u8], target: &mut [u8], rows: usize, columns: usize) {
    let ((source, _), (target, _)) = (source.as_chunks::<SIZE>(), target.as_chunks_mut::<SIZE>());
    let threads = threads(target.len() * SIZE);
    if threads < 2 {
        return transpose_columns(source, target, rows, columns, 0);
    }
    // Columns of the source are rows of the target, so that each thread writes to a part of its own.
    #[cfg(feature = "std")]
    std::thread::scope(|scope| {
        let width = columns.div_ceil(threads).next_multiple_of(SIDE);
        for (index, part) in target.chunks_mut(width * rows).enumerate() {
            scope.spawn(move || transpose_columns(source, part, rows, columns, index * width));
        }
    });
}

/// Returns the number of threads worth starting for this many bytes.
#[cfg(feature = "std")]
fn threads(bytes: usize) -> usize {
    /// Bytes of a thread, which take some hundred microseconds.
    const SHARE: usize = 1 << 20;
    const MOST: usize = 8;
    if bytes < 2 * SHARE {
        return 1;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.min(MOST).min(bytes / SHARE)
}

#[cfg(not(feature = "std"))]
fn threads(_bytes: usize) -> usize {
    1
}

/// Transposes the columns from `first` on, as many as `target` has rows.
///
/// Goes through squares that are copied to a place of their own first: the rows of matrices whose sides are
/// powers of two share few sets of the cache, so that elements read one below the other would push each other
/// out.
fn transpose_columns<const SIZE: usize>(
    source: &[[u8; SIZE]],
    target: &mut [[u8; SIZE]],
    rows: usize,
    columns: usize,
    first: usize,
) {
    let count = target.len().checked_div(rows).unwrap_or(0);
    let mut square = [[[0_u8; SIZE]; SIDE]; SIDE];
    for column in (0..count).step_by(SIDE) {
        let width = SIDE.min(count - column);
        for row in (0..rows).step_by(SIDE) {
            let height = SIDE.min(rows - row);
            for (i, line) in square[..height].iter_mut().enumerate() {
                line[..width].copy_from_slice(&source[(row + i) * columns + first + column..][..width]);
            }
            for j in 0..width {
                let out = &mut target[(column + j) * rows + row..][..height];
                out.iter_mut().zip(&square).for_each(|(out, line)| *out = line[j]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transpose_moves_every_element() {
        for (rows, columns) in [(1, 1), (3, 5), (64, 64), (65, 130), (0, 4), (4, 0), (1000, 1500)] {
            let at = |i: usize, j: usize| ((100 * i + j) % 30_000) as i32;
            let values: Vec<i32> = (0..rows * columns).map(|k| at(k / columns, k % columns)).collect();
            let expected: Vec<i32> = (0..rows * columns).map(|k| at(k % rows, k / rows)).collect();
            let found = transpose(&TensorData::new(&values[..], [rows, columns]));
            assert_eq!(found, TensorData::new(&expected[..], [columns, rows]), "{rows} x {columns}");
            let narrow = transpose(&TensorData::new(&values[..], [rows, columns]).convert::<i16>());
            assert_eq!(narrow.convert::<i32>(), found);
        }
    }
}
