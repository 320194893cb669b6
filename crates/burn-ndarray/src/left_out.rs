//! Parts of this crate that a build may leave out, for programs whose size counts: families of operations and
//! arithmetic of some element types, each a feature. Decision 63.

use burn_backend::{OpError, OpErrorKind, kernel_error};

/// Calls a kernel if its feature is on, or ends the call with an error that names the feature. A kernel that
/// nothing calls is not compiled, unless it is a method of a trait: those of families and of element types
/// have the attribute `cfg`.
macro_rules! with_feature {
    ($feature:literal, $op:expr, $kernel:expr) => {{
        #[cfg(feature = $feature)]
        {
            // The name is that of the error.
            let _ = || $op;
            $kernel
        }
        #[cfg(not(feature = $feature))]
        {
            $crate::left_out::left_out($op, $feature)
        }
    }};
}
pub(crate) use with_feature;

/// Ends the call of an operation whose kernels this build leaves out.
#[cold]
#[cfg_attr(feature = "complete", allow(dead_code, reason = "nothing is left out"))]
#[track_caller]
pub fn left_out(op: &'static str, feature: &str) -> ! {
    let text = alloc::format!(
        "this build of the CPU backend leaves its kernels out; expected the feature `ndarray-{feature}` of burn, \
         or `ndarray`, which has all kernels"
    );
    kernel_error::raise(OpError { op, kind: OpErrorKind::Argument(text.into()).into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_the_operation_and_the_feature() {
        let error = kernel_error::catch(&mut || left_out("fft", "fourier")).expect_err("no kernel");
        let error = error.downcast::<OpError>().expect("an error of an operation");
        assert_eq!(error.op, "fft");
        let text = alloc::string::ToString::to_string(&error);
        assert!(text.starts_with("fft: ") && text.contains("`ndarray-fourier` of burn"), "{text}");
    }
}
