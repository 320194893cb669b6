//! A Wasserstein GAN on handwritten digits.
//!
//! [`images`] has the data, [`generator`] and [`critic`] the two networks, [`gradient_penalty`] and
//! [`weight_clipping`] the two ways to keep a critic Lipschitz, [`training`] the run, [`frechet_distance`] a
//! measure of the images that knows nothing of the critic, and [`grid`] the pictures.

pub mod critic;
pub mod frechet_distance;
pub mod generator;
pub mod gradient_penalty;
pub mod grid;
pub mod images;
pub mod training;
pub mod weight_clipping;
