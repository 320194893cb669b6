//! Layers and losses.

mod attention;
mod initializers;
mod layer_configs;
mod layers;
mod lora;
mod losses;
mod modules;
mod norm;
mod recurrent;
mod spatial;
