//! Transitions that are learnt from more than once.

use burn::data::dataset::random::Generator;
use burn::prelude::*;

/// A step that was taken once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    pub state: [f32; 4],
    pub action: usize,
    pub reward: f32,
    pub next_state: [f32; 4],
    /// Whether nothing can be won after it.
    pub terminated: bool,
}

/// The last transitions, of which batches are drawn (Lin 1992).
#[derive(Clone, Debug)]
pub struct ReplayBuffer {
    capacity: usize,
    transitions: Vec<Transition>,
    /// Index of the oldest transition, once all slots are taken.
    oldest: usize,
}

/// Transitions on a device.
#[derive(Clone, Debug)]
pub struct TransitionBatch<B: Backend> {
    /// `[batch, 4]`.
    pub states: Tensor<B, 2>,
    /// `[batch, 1]`.
    pub actions: Tensor<B, 2, Int>,
    /// `[batch, 1]`.
    pub rewards: Tensor<B, 2>,
    /// `[batch, 4]`.
    pub next_states: Tensor<B, 2>,
    /// 0 where nothing can be won after the step, 1 elsewhere: `[batch, 1]`.
    pub continues: Tensor<B, 2>,
}

impl ReplayBuffer {
    /// Returns an empty buffer for so many transitions.
    ///
    /// # Panics
    /// The capacity is 0.
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        assert!(capacity > 0, "replay buffer: the capacity is 0; expected at least 1");
        ReplayBuffer { capacity, transitions: Vec::new(), oldest: 0 }
    }

    /// Adds a transition, in the place of the oldest one when the buffer is full.
    pub fn push(&mut self, transition: Transition) {
        if self.transitions.len() < self.capacity {
            self.transitions.push(transition);
        } else {
            self.transitions[self.oldest] = transition;
            self.oldest = (self.oldest + 1) % self.capacity;
        }
    }

    /// Returns the number of transitions.
    pub fn len(&self) -> usize {
        self.transitions.len()
    }

    /// Returns whether there is no transition.
    pub fn is_empty(&self) -> bool {
        self.transitions.is_empty()
    }

    /// Draws transitions, each equally likely, with repetition.
    ///
    /// # Panics
    /// The buffer is empty.
    #[track_caller]
    pub fn sample<B: Backend>(
        &self,
        batch: usize,
        generator: &mut Generator,
        device: &B::Device,
    ) -> TransitionBatch<B> {
        let drawn: Vec<Transition> =
            (0..batch).map(|_| self.transitions[generator.below(self.len())]).collect();
        let rows = |row: fn(&Transition) -> [f32; 4]| {
            let values: Vec<f32> = drawn.iter().flat_map(row).collect();
            Tensor::from_data(TensorData::new(values, [batch, 4]), device)
        };
        let column = |value: fn(&Transition) -> f32| {
            let values: Vec<f32> = drawn.iter().map(value).collect();
            Tensor::from_data(TensorData::new(values, [batch, 1]), device)
        };
        let actions: Vec<i64> = drawn.iter().map(|transition| transition.action as i64).collect();
        TransitionBatch {
            states: rows(|transition| transition.state),
            actions: Tensor::from_data(TensorData::new(actions, [batch, 1]), device),
            rewards: column(|transition| transition.reward),
            next_states: rows(|transition| transition.next_state),
            continues: column(|transition| if transition.terminated { 0.0 } else { 1.0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ReplayBuffer, Transition};
    use burn::backend::NdArray;
    use burn::data::dataset::random::Generator;

    fn transition(number: usize) -> Transition {
        let state = [number as f32; 4];
        Transition { state, action: number % 2, reward: 1.0, next_state: state, terminated: number == 4 }
    }

    #[test]
    fn a_full_buffer_forgets_the_oldest_transition() {
        let mut buffer = ReplayBuffer::new(3);
        (0..5).for_each(|number| buffer.push(transition(number)));
        let mut kept: Vec<f32> = buffer.transitions.iter().map(|transition| transition.state[0]).collect();
        kept.sort_by(f32::total_cmp);
        assert_eq!(kept, [2.0, 3.0, 4.0]);
    }

    #[test]
    fn a_batch_keeps_the_parts_of_a_transition_together() {
        let mut buffer = ReplayBuffer::new(5);
        (0..5).for_each(|number| buffer.push(transition(number)));
        let batch = buffer.sample::<NdArray>(64, &mut Generator::new(1), &Default::default());
        let states = batch.states.into_data().to_f64();
        let actions = batch.actions.into_data().to_f64();
        let continues = batch.continues.into_data().to_f64();
        for row in 0..64 {
            assert_eq!(actions[row], states[4 * row] % 2.0);
            assert_eq!(continues[row] == 0.0, states[4 * row] == 4.0);
        }
    }
}
