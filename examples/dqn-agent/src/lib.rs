//! Deep Q-learning on a cart-pole.
//!
//! [`cart_pole`] is the simulation, [`replay_buffer`] the memory of transitions, [`q_network`] the network,
//! [`agent`] acts and learns, [`training`] has the run, and [`evaluation`] plays episodes without learning.

pub mod agent;
pub mod cart_pole;
pub mod evaluation;
pub mod q_network;
pub mod replay_buffer;
pub mod training;
