/// Makes the tests of factorizations on one backend, beside those of `reference`, which computes in `f64`;
/// `before` runs before each.
///
/// ```ignore
/// burn_conformance::factorization_suite!(Wgpu, reference = NdArray<f64, i64>, before = device::require());
/// ```
#[macro_export]
macro_rules! factorization_suite {
    (@tests $before:expr; $($test:ident::<$($backend:ty),+>;)+) => {
        $(#[test]
        fn $test() {
            $before;
            $crate::factorizations::$test::<$($backend),+>();
        })+
    };
    ($backend:ty, reference = $reference:ty, before = $before:expr) => {
        $crate::factorization_suite!(@tests $before;
            systems_of_several_panels::<$backend, $reference>;
            pivots_of_low_and_high_panels::<$backend, $reference>;
            of_equal_pivots_the_first_is_taken::<$backend, $reference>;
            factors_of_several_panels::<$backend, $reference>;
            values_of_many_rounds::<$backend, $reference>;
            values_of_all_sizes::<$backend>;
            values_that_are_far_apart_or_the_same::<$backend>;
            values_beside_what_has_none::<$backend>;
            rotations_keep_lengths::<$backend>;
            reflections_of_all_sizes::<$backend>;
            reflections_of_fewer_directions::<$backend>;
        );
    };
}
