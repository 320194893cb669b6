//! Every element type.

use crate::sweep::every_function_with_every_dtype;
use crate::tensors::{B, WORLD_SIZES, run};
use burn::collective::Reduction;
use burn::tensor::{Bool, DType, Int, Tensor, TensorData};

#[test]
fn x_501_every_function_has_exact_results_in_every_dtype_on_every_number_of_ranks() {
    for ranks in WORLD_SIZES {
        run(ranks, |group| {
            every_function_with_every_dtype(group);
            Ok(())
        });
    }
}

#[test]
fn all_reduce_of_every_float_dtype_rounds_once() {
    // Quarters of small numbers are exact in all of them.
    let data = |rank: usize, dtype| TensorData::from([0.25 * rank as f64, -1.5, 3.0]).convert_dtype(dtype);
    for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
        let results = run(3, |group| {
            let x = Tensor::<B, 1>::from_data(data(group.rank(), dtype), (&Default::default(), dtype));
            Ok((group.all_reduce(x.clone(), Reduction::Sum)?, group.all_reduce(x, Reduction::Max)?))
        });
        for (sum, max) in results {
            assert_eq!((sum.dtype(), max.dtype()), (dtype, dtype));
            assert_eq!(sum.into_data().to_f64(), [0.75, -4.5, 9.0]);
            assert_eq!(max.into_data().to_f64(), [0.5, -1.5, 3.0]);
        }
    }
}

#[test]
fn sums_of_halves_are_those_of_f32_rounded_once() {
    // 2048 + 1 is no f16, 2048 + 1 + 1 is.
    let results = run(3, |group| {
        let value = if group.rank() == 0 { 2048.0 } else { 1.0 };
        let data = TensorData::from([value]).convert_dtype(DType::F16);
        group.all_reduce(Tensor::<B, 1>::from_data(data, (&Default::default(), DType::F16)), Reduction::Sum)
    });
    assert!(results.into_iter().all(|x| x.into_data().to_f64() == [2050.0]));
}

#[test]
fn integers_of_every_dtype_wrap_and_their_mean_is_cut() {
    let integers = DType::ALL.into_iter().filter(|dtype| dtype.is_int());
    for dtype in integers {
        let results = run(4, |group| {
            let data = TensorData::from([100_i64, group.rank() as i64]).convert_dtype(dtype);
            let x = Tensor::<B, 1, Int>::from_data(data, (&Default::default(), dtype));
            let sum = group.all_reduce(x.clone(), Reduction::Sum)?;
            let mean = group.all_reduce(x.clone().narrow(0, 1, 1), Reduction::Mean)?;
            Ok((sum, mean, group.all_reduce(x, Reduction::Min)?))
        });
        let wrapped = match dtype {
            DType::I8 => f64::from(400_i64 as i8),
            DType::U8 => f64::from(400_i64 as u8),
            _ => 400.0,
        };
        for (sum, mean, min) in results {
            assert_eq!(sum.dtype(), dtype);
            assert_eq!(sum.into_data().to_f64(), [wrapped, 6.0]);
            assert_eq!(mean.into_data().to_f64(), [1.0]);
            assert_eq!(min.into_data().to_f64(), [100.0, 0.0]);
        }
    }
}

#[test]
fn bools_are_gathered_and_broadcast() {
    let results = run(2, |group| {
        let x = Tensor::<B, 1, Bool>::from_data([group.rank() == 1], &Default::default());
        Ok((group.all_gather(x.clone(), 0)?, group.broadcast(x, 1)?))
    });
    for (all, one) in results {
        assert_eq!(all.into_data().to_vec::<bool>().unwrap(), [false, true]);
        assert_eq!(one.into_data().to_vec::<bool>().unwrap(), [true]);
    }
}

#[test]
fn nan_of_any_rank_wins_in_minima_and_maxima() {
    for reduction in [Reduction::Min, Reduction::Max] {
        let results = run(3, |group| {
            let values = [if group.rank() == 1 { f64::NAN } else { 1.0 }, group.rank() as f64];
            group.all_reduce(Tensor::<B, 1>::from_data(values, &Default::default()), reduction)
        });
        for x in results {
            let values = x.into_data().to_f64();
            assert!(values[0].is_nan() && !values[1].is_nan(), "{values:?}");
        }
    }
}
