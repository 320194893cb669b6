//! Order of the forward and backward passes of a stage.

/// Pass of a stage over a microbatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    Forward(usize),
    Backward(usize),
}

/// Returns the passes of `stage` in the order 1F1B: as many forward passes as there are stages after this
/// one, then a forward and a backward pass in turn, then the rest of the backward passes. At most `stages -
/// stage` microbatches have activations at once.
pub fn one_forward_one_backward(stage: usize, stages: usize, microbatches: usize) -> Vec<Pass> {
    let warm_up = stages.saturating_sub(stage + 1).min(microbatches);
    let mut passes: Vec<Pass> = (0..warm_up).map(Pass::Forward).collect();
    for microbatch in warm_up..microbatches {
        passes.extend([Pass::Forward(microbatch), Pass::Backward(microbatch - warm_up)]);
    }
    passes.extend((microbatches - warm_up..microbatches).map(Pass::Backward));
    passes
}

#[cfg(test)]
mod tests {
    use super::{Pass, one_forward_one_backward};
    use Pass::{Backward as B, Forward as F};

    #[test]
    fn passes_of_two_stages_alternate() {
        // Narayanan et al. 2021, figure 4, with two stages and three microbatches.
        assert_eq!(one_forward_one_backward(0, 2, 3), [F(0), F(1), B(0), F(2), B(1), B(2)]);
        assert_eq!(one_forward_one_backward(1, 2, 3), [F(0), B(0), F(1), B(1), F(2), B(2)]);
        assert_eq!(one_forward_one_backward(0, 4, 2), [F(0), F(1), B(0), B(1)]);
    }

    #[test]
    fn stages_keep_the_activations_of_at_most_one_microbatch_for_each_stage_from_them_on() {
        for stages in 1..6 {
            for stage in 0..stages {
                for microbatches in 1..12 {
                    let (mut forward, mut backward) = (0, 0);
                    for pass in one_forward_one_backward(stage, stages, microbatches) {
                        match pass {
                            F(microbatch) => {
                                assert_eq!(microbatch, forward);
                                forward += 1;
                            }
                            B(microbatch) => {
                                assert_eq!(microbatch, backward);
                                backward += 1;
                            }
                        }
                        assert!(backward <= forward && forward - backward <= stages - stage);
                    }
                    assert_eq!((forward, backward), (microbatches, microbatches));
                }
            }
        }
    }
}
