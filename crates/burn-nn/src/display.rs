use burn_core::module::DisplaySettings;

/// Returns settings that print a layer on one line: `Linear {d_input: 4, d_output: 2, bias: true, params:
/// 10}`.
pub fn one_line() -> Option<DisplaySettings> {
    DisplaySettings::new().with_new_line_after_attribute(false).optional()
}
