//! Image datasets.
