//! Episodes without learning.

use crate::cart_pole::{ACTIONS, CartPole, State};
use burn::data::dataset::random::Generator;

/// Plays episodes with a policy, and returns the mean of their lengths.
pub fn mean_length(episodes: usize, seed: u64, mut policy: impl FnMut(State) -> usize) -> f64 {
    let mut generator = Generator::new(seed);
    let mut steps = 0;
    for _ in 0..episodes {
        let mut cart_pole = CartPole::start(&mut generator);
        loop {
            steps += 1;
            let outcome = cart_pole.step(policy(cart_pole.state()));
            if outcome.terminated || outcome.truncated {
                break;
            }
        }
    }
    f64::from(steps) / episodes as f64
}

/// Returns the mean length of episodes with random actions.
pub fn random_mean_length(episodes: usize, seed: u64) -> f64 {
    let mut generator = Generator::with_stream(seed, 1);
    mean_length(episodes, seed, |_| generator.below(ACTIONS))
}

/// Returns the mean length of episodes in which the cart follows the pole: a push in the direction in which
/// it leans.
pub fn leaning_mean_length(episodes: usize, seed: u64) -> f64 {
    mean_length(episodes, seed, |state| usize::from(state.angle > 0.0))
}
