//! Each module has the snippets of one page. The pages include the text between the anchors; the
//! tests around it run it. `programs` has the whole programs, whose output is compared with the page.
// One range for one dim is what slices are written with.
#![allow(clippy::single_range_in_vec_init)]

#[cfg(test)]
mod attention;
#[cfg(test)]
mod autodiff;
#[cfg(test)]
mod config;
#[cfg(test)]
mod cpu;
#[cfg(test)]
mod data_loader;
#[cfg(test)]
mod dataset;
#[cfg(test)]
mod decorators;
#[cfg(test)]
mod dynamic;
#[cfg(test)]
mod getting_started;
#[cfg(test)]
mod import;
#[cfg(test)]
mod language_model;
#[cfg(test)]
mod language_model_files;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod linalg;
#[cfg(test)]
mod losses;
#[cfg(test)]
mod lr_schedulers;
#[cfg(test)]
mod many_devices;
#[cfg(test)]
mod metrics;
#[cfg(test)]
mod module;
#[cfg(test)]
mod onnx_export;
#[cfg(test)]
mod optimizers;
#[cfg(test)]
mod own_data;
#[cfg(test)]
mod own_optimizer;
#[cfg(test)]
mod page_output;
#[cfg(test)]
mod program_features;
#[cfg(test)]
mod programs;
#[cfg(test)]
mod pytorch;
#[cfg(test)]
mod quantization;
#[cfg(test)]
mod record;
#[cfg(test)]
mod recurrent;
#[cfg(test)]
mod remote;
#[cfg(test)]
mod rust_notes;
#[cfg(test)]
mod semantics;
#[cfg(test)]
mod signal;
#[cfg(test)]
mod tensor;
#[cfg(test)]
mod training_loop;
#[cfg(test)]
mod training_step;

/// The Rust blocks of the README are tests too.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}
