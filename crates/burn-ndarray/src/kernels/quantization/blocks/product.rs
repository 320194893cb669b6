use super::activations::Activations;
use super::decode::BlockRows;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use super::group_kernel::{self, GroupProblem};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use super::row_group::{LANES, RowGroup};
use super::run::{Problem, UnitKind};
use crate::gemm::matmul::matmul;
use crate::kernels::cast::cast;
use crate::kernels::copy;
use crate::kernels::create::full;
use crate::kernels::layout::permute;
use crate::memory::Room;
use crate::miri::shrink;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{BlockMatmulArgs, DType, HasSpec, Scalar, Shape, TensorSpec};

/// Rows up to which activations are quantized; the blocks are read once for each four of them. From more rows
/// on the `f32` product of the dequantized matrix is faster.
const FEW: usize = 8;
/// Rows from which on they are multiplied as a group: fewer leave most lanes empty.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
const GROUP: usize = 4;
/// Bytes of a panel of the matrix as `f32`, which stays near the cores until it is multiplied.
const PANEL: usize = shrink(8 << 20, 8 << 10);

pub fn block_matmul(args: BlockMatmulArgs<NdTensor>) -> NdTensor {
    let BlockMatmulArgs { lhs, rhs } = args;
    let (shape, dtype, columns) = (lhs.shape().clone(), lhs.dtype(), rhs.shape()[1]);
    let (rank, depth) = (shape.rank(), rhs.shape()[0]);
    let shape = shape.with(rank - 1, columns);
    let rows: usize = shape[..rank - 1].iter().product();
    // Codes of 8 bits have too few digits for `f64`.
    let computed = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
    if rows == 0 || depth == 0 || columns == 0 {
        return full(TensorSpec { shape, dtype }, Scalar::Int(0));
    }
    let lhs = cast(lhs, computed).reshaped(Shape::from([rows, depth]));
    let (transposed, rhs) = (rhs.transposed, BlockRows::new(rhs));
    let product = if !transposed || computed == DType::F64 {
        by_panels(&lhs, &rhs, transposed, computed)
    } else if let Some(product) = in_group(&lhs, &rhs) {
        product
    } else if rows <= FEW {
        few_rows(&lhs.into_contiguous(), &rhs)
    } else {
        by_panels(&lhs, &rhs, transposed, computed)
    };
    cast(product, dtype).reshaped(shape)
}

/// Multiplies a few rows with the rows of a matrix.
fn few_rows(lhs: &NdTensor, rhs: &BlockRows) -> NdTensor {
    let (rows, depth) = (lhs.shape()[0], lhs.shape()[1]);
    // Codes, and a scale, a minimum and sums for some of them.
    let _room = Room::new::<u8>(2 * lhs.len());
    let x = Activations::new(lhs.slice(), depth, rhs.format.elements());
    let mut out = NdTensor::new(TensorSpec::new([rows, rhs.rows], DType::F32));
    let problem = Problem {
        format: rhs.format,
        weights: rhs.blocks.slice(),
        row_bytes: rhs.row_bytes(),
        x: &x,
        rows,
        columns: rhs.rows,
        out: Shared(out.start_mut().cast()),
    };
    let unit = UnitKind::best();
    // Eight products take about as long as an addition.
    parallel::for_ranges(rhs.rows, (depth * rows / 8).max(1), &|columns| {
        // SAFETY: the machine has the unit, the result is new, and each column is written by one thread.
        unsafe { unit.run(&problem, columns) };
    });
    out
}

/// Multiplies a group of rows with the rows of a matrix, where there are enough of them and the machine has
/// the instructions.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
fn in_group(lhs: &NdTensor, rhs: &BlockRows) -> Option<NdTensor> {
    let rows = lhs.shape()[0];
    if !(GROUP..=LANES).contains(&rows) || UnitKind::best() != UnitKind::Vnni {
        return None;
    }
    let (lhs, depth) = (lhs.clone().into_contiguous(), lhs.shape()[1]);
    // Codes, scales and sums of the rows.
    let _room = Room::new::<u8>(2 * lhs.len());
    let x = RowGroup::new(lhs.slice(), group_kernel::layout(rhs.format, depth));
    let mut out = NdTensor::new(TensorSpec::new([rows, rhs.rows], DType::F32));
    let problem = GroupProblem {
        format: rhs.format,
        weights: rhs.blocks.slice(),
        row_bytes: rhs.row_bytes(),
        x: &x,
        columns: rhs.rows,
        out: Shared(out.start_mut().cast()),
    };
    // Two elements are decoded in about the time of an addition, and so are 32 products.
    parallel::for_pieces(rhs.rows, (depth / 2 + depth * rows / 32).max(1), &|columns| {
        // SAFETY: the machine has the unit, the result is new, and each column is written by one thread.
        unsafe { group_kernel::run(&problem, columns) };
    });
    Some(out)
}

#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
fn in_group(_: &NdTensor, _: &BlockRows) -> Option<NdTensor> {
    None
}

/// Multiplies with a panel of the dequantized columns at a time.
fn by_panels(lhs: &NdTensor, rhs: &BlockRows, transposed: bool, dtype: DType) -> NdTensor {
    let (depth, columns) = match transposed {
        true => (rhs.columns, rhs.rows),
        false => (rhs.rows, rhs.columns),
    };
    // Columns of the panel are whole blocks where blocks lie along them.
    let unit = if transposed { 1 } else { rhs.format.elements() };
    let width = (PANEL / size_of::<f32>() / depth.max(1)).max(1).next_multiple_of(unit);
    let panel = |start: usize, end: usize| {
        let panel = match transposed {
            true => permute(rhs.decode(start..end, 0..depth), &[1, 0]),
            false => rhs.decode(0..depth, start..end),
        };
        matmul(lhs.clone(), cast(panel, dtype))
    };
    if width >= columns {
        return panel(0, columns);
    }
    let rows = lhs.shape()[0];
    let mut out = NdTensor::new(TensorSpec::new([rows, columns], dtype));
    for start in (0..columns).step_by(width) {
        let part = panel(start, columns.min(start + width));
        copy::assign(&mut out, part.shape(), &[columns, 1], start, &part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_backend::{BlockFormat, PackedBlocks, f16};

    /// Blocks of every pattern of bits. Scales are powers of two if `is_exact`.
    fn blocks(format: BlockFormat, rows: usize, count: usize, is_exact: bool) -> PackedBlocks<NdTensor> {
        let spec = TensorSpec::new([rows, count * format.bytes()], DType::U8);
        let blocks = NdTensor::with(spec, |out: &mut [u8]| {
            let mixed = |i: usize| ((i as u32 + 1).wrapping_mul(0x9E37_79B9) >> 13) as u8;
            out.iter_mut().enumerate().for_each(|(i, out)| *out = mixed(i));
            for (index, block) in out.chunks_mut(format.bytes()).enumerate() {
                for (which, &at) in format.half_offsets().iter().enumerate() {
                    let size = [0.0021, -0.0133, 0.0008, 0.004][(index + which) % 4];
                    let size = if is_exact { 2_f32.powi(-3) } else { size };
                    block[at..at + 2].copy_from_slice(&f16::from_f32(size).to_le_bytes());
                }
            }
        });
        PackedBlocks { blocks, format, transposed: true, dtype: DType::F32 }
    }

    /// Whole numbers up to 127, that among them, so that each block has a scale of 1.
    fn whole(rows: usize, depth: usize) -> Vec<f32> {
        (0..rows * depth).map(|i| if i % 32 == 5 { 127.0 } else { (i * 7919 % 255) as f32 - 127.0 }).collect()
    }

    fn product_on(unit: UnitKind, x: &[f32], rows: usize, rhs: &BlockRows) -> Vec<f32> {
        let x = Activations::new(x, rhs.columns, rhs.format.elements());
        let mut out = vec![0.0; rows * rhs.rows];
        let problem = Problem {
            format: rhs.format,
            weights: rhs.blocks.slice(),
            row_bytes: rhs.row_bytes(),
            x: &x,
            rows,
            columns: rhs.rows,
            out: Shared(out.as_mut_ptr()),
        };
        // SAFETY: the units are those of the machine, and the result has room.
        unsafe { unit.run(&problem, 0..rhs.rows) };
        out
    }

    /// `x` times each row of the dequantized matrix, and the sums of magnitudes.
    fn reference(x: &[f32], rows: usize, rhs: &BlockRows) -> Vec<(f64, f64)> {
        let weights = rhs.decode(0..rhs.rows, 0..rhs.columns);
        let mut out = Vec::new();
        for row in 0..rows {
            for weights in weights.slice::<f32>().chunks(rhs.columns) {
                let terms = x[row * rhs.columns..].iter().zip(weights);
                let terms = terms.map(|(x, w)| f64::from(*x) * f64::from(*w));
                out.push(terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs())));
            }
        }
        out
    }

    #[test]
    fn every_unit_adds_the_same_whole_numbers() {
        for format in BlockFormat::ALL {
            for &count in shrink(&[1, 2, 5][..], &[1]) {
                let rhs = BlockRows::new(blocks(format, shrink(7, 2), count, true));
                for &rows in shrink(&[1, 2, 4, 7][..], &[1, 7]) {
                    let x = whole(rows, rhs.columns);
                    let portable = product_on(UnitKind::Portable, &x, rows, &rhs);
                    for (found, (exact, magnitude)) in portable.iter().zip(reference(&x, rows, &rhs)) {
                        // Sums of more than 24 bits are rounded.
                        let error = (f64::from(*found) - exact).abs();
                        assert!(error <= 1e-6 * magnitude, "{format:?}, {rows} rows: {found}, not {exact}");
                    }
                    // Scales are powers of two, so that units that add up the same whole numbers round alike.
                    for unit in UnitKind::available() {
                        let found = product_on(unit, &x, rows, &rhs);
                        assert_eq!(found, portable, "{format:?} {unit:?}, {rows} rows of {count} blocks");
                    }
                }
            }
        }
    }

    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    #[test]
    fn a_group_of_rows_adds_the_same_whole_numbers() {
        for format in BlockFormat::ALL {
            for (count, matrix_rows) in shrink([(1, 4), (5, 7)], [(1, 1), (1, 2)]) {
                let packed = blocks(format, matrix_rows, count, true);
                let rhs = BlockRows::new(packed);
                for rows in GROUP..=FEW {
                    let x = whole(rows, rhs.columns);
                    let spec = TensorSpec::new([rows, rhs.columns], DType::F32);
                    let lhs = NdTensor::with(spec, |out: &mut [f32]| out.copy_from_slice(&x));
                    let product = in_group(&lhs, &rhs);
                    assert_eq!(product.is_some(), format!("{:?}", UnitKind::best()) == "Vnni");
                    let Some(product) = product else { continue };
                    for (found, (exact, magnitude)) in
                        product.slice::<f32>().iter().zip(reference(&x, rows, &rhs))
                    {
                        let error = (f64::from(*found) - exact).abs();
                        assert!(error <= 1e-6 * magnitude, "{format:?}, {rows} rows: {found}, not {exact}");
                    }
                }
            }
        }
    }

    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    #[test]
    fn a_row_of_a_group_does_not_depend_on_the_others() {
        for format in BlockFormat::ALL {
            let rhs = BlockRows::new(blocks(format, shrink(9, 2), 2, false));
            let value = |i: usize| (i * 37 % 101) as f32 / 25.0 - 2.0;
            let group = |rows: core::ops::Range<usize>| {
                let spec = TensorSpec::new([rows.len(), rhs.columns], DType::F32);
                let lhs = NdTensor::with(spec, |out: &mut [f32]| {
                    let values = (rows.start * rhs.columns..).map(value);
                    out.iter_mut().zip(values).for_each(|(out, value)| *out = value);
                });
                in_group(&lhs, &rhs)
            };
            let Some(all) = group(0..LANES) else { return };
            for rows in [0..4, 3..8, 1..7, 4..8] {
                let part = group(rows.clone()).expect("there are enough rows");
                let expected = &all.slice::<f32>()[rows.start * rhs.rows..rows.end * rhs.rows];
                let equal = part.slice::<f32>().iter().zip(expected).all(|(x, y)| x.to_bits() == y.to_bits());
                assert!(equal, "{format:?}, rows {rows:?}");
            }
        }
    }

    #[test]
    fn products_of_few_rows_are_within_the_error_of_8_bits() {
        for format in BlockFormat::ALL {
            let packed = blocks(format, shrink(301, 2), shrink(3, 1), false);
            let rhs = BlockRows::new(packed.clone());
            let size = format.elements();
            for &rows in shrink(&[1, 3, 8, 9, 40][..], &[1, 9]) {
                let x: Vec<f32> =
                    (0..rows * rhs.columns).map(|i| (i * 37 % 101) as f32 / 25.0 - 2.0).collect();
                let spec = TensorSpec::new([rows, rhs.columns], DType::F32);
                let lhs = NdTensor::with(spec, |out: &mut [f32]| out.copy_from_slice(&x));
                let y = block_matmul(BlockMatmulArgs { lhs, rhs: packed.clone() });
                let weights = rhs.decode(0..rhs.rows, 0..rhs.columns);
                for (at, (y, (exact, magnitude))) in
                    y.slice::<f32>().iter().zip(reference(&x, rows, &rhs)).enumerate()
                {
                    let (row, column) = (at / rhs.rows, at % rhs.rows);
                    let own = x[row * rhs.columns..][..rhs.columns].chunks(size);
                    let weights = weights.slice::<f32>()[column * rhs.columns..].chunks(size);
                    let steps = own.zip(weights).map(|(x, w)| {
                        let step = x.iter().fold(0.0_f32, |most, x| most.max(x.abs())) / 254.0;
                        f64::from(step * w.iter().map(|w| w.abs()).sum::<f32>())
                    });
                    let allowed = if rows <= FEW { steps.sum::<f64>() } else { 0.0 } + 1e-5 * magnitude;
                    let error = (f64::from(*y) - exact).abs();
                    assert!(error <= allowed, "{format:?}, {rows} rows, {at}: {error} above {allowed}");
                }
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_transposed_is_multiplied_in_panels() {
        let (depth, count) = shrink((2100, 5), (5, 3));
        let columns = count * BlockFormat::Q4K.elements();
        let packed = PackedBlocks { transposed: false, ..blocks(BlockFormat::Q4K, depth, count, false) };
        let rhs = BlockRows::new(packed.clone());
        let x: Vec<f32> = (0..2 * depth).map(|i| (i % 7) as f32 - 3.0).collect();
        let spec = TensorSpec::new([2, depth], DType::F32);
        let lhs = NdTensor::with(spec, |out: &mut [f32]| out.copy_from_slice(&x));
        let y = block_matmul(BlockMatmulArgs { lhs, rhs: packed });
        let weights = rhs.decode(0..depth, 0..columns);
        for (at, y) in y.slice::<f32>().iter().enumerate() {
            let terms = (0..depth).map(|k| {
                let weight = weights.slice::<f32>()[k * columns + at % columns];
                f64::from(x[at / columns * depth + k]) * f64::from(weight)
            });
            let (exact, size) = terms.fold((0.0, 0.0), |(sum, size), x: f64| (sum + x, size + x.abs()));
            assert!((f64::from(*y) - exact).abs() <= 1e-5 * size, "{at}: {y} is not {exact}");
        }
    }
}
