use burn_core::module::{Content, DisplaySettings};
use core::fmt::Debug;

/// Returns settings that print a layer on one line: `Linear {d_input: 4, d_output: 2, bias: true, params:
/// 10}`.
pub fn one_line() -> Option<DisplaySettings> {
    DisplaySettings::new().with_new_line_after_attribute(false).optional()
}

/// Adds the sizes of a convolution's windows.
pub fn with_windows<S: Debug>(content: Content, stride: &S, kernel_size: &S, dilation: &S) -> Content {
    content.add_debug("stride", stride).add_debug("kernel_size", kernel_size).add_debug("dilation", dilation)
}
