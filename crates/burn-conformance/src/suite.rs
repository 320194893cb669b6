//! One line in a backend's test file.

use crate::again::again;
use crate::subject::Report;
use crate::{Family, Gap, Subject, cases, special};
use burn_backend::Backend;

/// All checks of one backend, as a module of tests: `suite!(my: MyBackend)`.
///
/// `before = ..` is an expression that runs before each test, `gaps = ..` a `&'static [Gap]`.
#[macro_export]
macro_rules! suite {
    ($name:ident: $backend:ty) => {
        $crate::suite!($name: $backend, before = (), gaps = &[]);
    };
    ($name:ident: $backend:ty, before = $before:expr) => {
        $crate::suite!($name: $backend, before = $before, gaps = &[]);
    };
    ($name:ident: $backend:ty, gaps = $gaps:expr) => {
        $crate::suite!($name: $backend, before = (), gaps = $gaps);
    };
    ($name:ident: $backend:ty, before = $before:expr, gaps = $gaps:expr) => {
        mod $name {
            $crate::suite!(@tests $backend, $before, $gaps;
                unary Unary, binary Binary, binary_scalar BinaryScalar, compare Compare,
                compare_scalar CompareScalar, clamp Clamp, mask_where MaskWhere, mask_fill MaskFill, cast Cast,
                reshape Reshape, permute Permute, expand Expand, flip Flip, slice Slice,
                slice_assign SliceAssign, cat Cat, repeat_dim RepeatDim, reduce Reduce, arg_reduce ArgReduce,
                reduce_with_indices ReduceWithIndices, cumulative Cumulative, sort Sort,
                sort_with_indices SortWithIndices, topk TopK, gather Gather, scatter Scatter, select Select,
                select_assign SelectAssign, matmul Matmul, factorize Factorize, lu Lu, solve Solve,
                solve_triangular SolveTriangular, conv Conv, conv_transpose ConvTranspose,
                conv_weight_grad ConvWeightGrad, pool Pool, pool_grad PoolGrad,
                max_pool_with_indices MaxPoolWithIndices, adaptive_avg_pool AdaptiveAvgPool,
                adaptive_avg_pool_grad AdaptiveAvgPoolGrad, fft Fft, softmax Softmax, log_softmax LogSoftmax, layer_norm LayerNorm,
                layer_norm_grad LayerNormGrad, attention Attention, attention_grad AttentionGrad,
                interpolate Interpolate, interpolate_grad InterpolateGrad, quantize Quantize, dequantize Dequantize,
                quantized_matmul QuantizedMatmul, integer_matmul IntegerMatmul,
                dtypes DTypes, creation Creation, random Random, argwhere Argwhere, dropped Dropped,
                threads Threads, calls Calls);
        }
    };
    (@tests $backend:ty, $before:expr, $gaps:expr; $($test:ident $family:ident),*) => {
        $(#[test]
        fn $test() {
            if $crate::runs_alone($crate::Family::$family, concat!(module_path!(), "::", stringify!($test))) {
                return;
            }
            $before;
            $crate::run::<$backend>($crate::Family::$family, $gaps);
        })*

        #[test]
        fn every_family_has_a_test() {
            assert_eq!([$($crate::Family::$family),*], $crate::Family::ALL);
        }
    };
}

/// Runs the test of a family that draws from the generators of the whole process alone in a process of its own: whether it
/// did, and nothing is left to do here.
///
/// # Panics
/// When the test fails there.
#[track_caller]
pub fn runs_alone(family: Family, test: &str) -> bool {
    family == Family::Random && again(test, &[]).is_some()
}

/// The checks of one family.
///
/// # Panics
/// When something fails that is no known gap, or a known gap is none.
pub fn run<B: Backend>(family: Family, gaps: &'static [Gap]) {
    let subject = Subject::new::<B>(gaps);
    match family {
        Family::Calls => special::calls::<B>(&subject),
        family => run_family(&subject, family),
    }
}

fn run_family(subject: &Subject, family: Family) {
    let mut report = Report::new(subject, family);
    cases::each(family, &mut |case| {
        if case.is_for(subject) {
            report.check(&case.situation, || case.run(&subject.device));
        }
    });
    special::each(family, subject, &mut report);
    report.finish();
}
