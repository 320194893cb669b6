//! A page with the curves of a run, in one file that needs nothing else, and one that compares runs.

mod comparison;
mod html;
mod run_data;
mod svg;
mod test_results;
mod time;
mod writer;

pub use comparison::compare_runs;
pub(crate) use test_results::add_test_results;
pub use writer::HtmlReport;
