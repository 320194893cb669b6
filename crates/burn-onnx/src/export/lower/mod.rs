//! Each recorded operation as operators of ONNX, a file for each family.

mod activation;
mod attention;
mod binary;
mod convolution;
mod create;
mod fourier;
mod index;
mod interpolate;
mod layout;
mod lowering;
mod normalization;
mod pool;
mod quantize;
mod recurrent;
mod reduce;
mod slice;
mod sort;
mod step;
mod taps;
mod trace;
mod unary;

pub(super) use trace::lower;
