//! Checks that hold for every backend. A backend's test file is one line: `burn_conformance::suite!(my: MyBackend);`.

mod cases;
mod gradients;

pub use cases::*;
pub use gradients::*;

/// All checks for one backend, as a module of tests.
#[macro_export]
macro_rules! suite {
    ($name:ident: $backend:ty) => {
        $crate::suite!($name: $backend, before = {});
    };
    ($name:ident: $backend:ty, before = $before:expr) => {
        mod $name {
            $crate::suite!(@cases $backend, $before, unary binary broadcast layout reduce index conv softmax dropped
                two_threads argwhere);
        }
    };
    (@cases $backend:ty, $before:expr, $($case:ident)*) => {
        $(#[test]
        fn $case() {
            $before;
            $crate::$case::<$backend>();
        })*
    };
}

/// Gradient checks for one autodiff backend.
#[macro_export]
macro_rules! gradient_suite {
    ($name:ident: $backend:ty) => {
        mod $name {
            #[test]
            fn unary() {
                $crate::unary_gradients::<$backend>();
            }
            #[test]
            fn composed() {
                $crate::composed_gradients::<$backend>();
            }
            #[test]
            fn conv() {
                $crate::conv_gradients::<$backend>();
            }
        }
    };
}
