//! A page with the curves of a run, in one file that needs nothing else.

mod html;
mod svg;
mod time;
mod writer;

pub use writer::HtmlReport;
