use super::candidates::Candidates;
use super::random::Random;
use super::{SamplingOptions, TokenLogProbs};
use crate::LmError;
use std::collections::HashMap;

/// Chooses tokens of one sequence.
///
/// ```
/// use burn::lm::{Sampler, SamplingOptions};
///
/// let mut greedy = Sampler::new(SamplingOptions::new(), 3)?;
/// assert_eq!(greedy.sample(&[0.0, 2.0, 1.0]).0, 1);
/// let options = SamplingOptions::new().with_temperature(1.0).with_top_k(Some(2)).with_seed(7);
/// let token = Sampler::new(options, 3)?.sample(&[0.0, 2.0, 1.0]).0;
/// assert!(token == 1 || token == 2);
/// # Ok::<(), burn::lm::LmError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sampler {
    options: SamplingOptions,
    random: Random,
    /// Occurrences of generated tokens, and 0 for those of the prompt alone.
    counts: HashMap<u32, usize>,
}

impl Sampler {
    /// Creates a sampler for logits of `vocabulary_size` tokens.
    ///
    /// # Errors
    /// An option is out of its range; the error names it and its value.
    pub fn new(options: SamplingOptions, vocabulary_size: usize) -> Result<Self, LmError> {
        options.validate(vocabulary_size)?;
        let random = Random::new(options.seed);
        Ok(Sampler { options, random, counts: HashMap::new() })
    }

    /// Adds tokens of the prompt, to which the repetition penalty applies too.
    pub fn observe_prompt(&mut self, tokens: &[u32]) {
        if self.options.repetition_penalty != 1.0 {
            for token in tokens {
                self.counts.entry(*token).or_insert(0);
            }
        }
    }

    /// Chooses a token by its logits, one for each token of the vocabulary.
    pub fn sample(&mut self, logits: &[f32]) -> (u32, Option<TokenLogProbs>) {
        self.sample_allowed(logits, None)
    }

    /// Chooses a token by the logits that a constraint has left, `allowed`, if there is one.
    pub(crate) fn sample_allowed(
        &mut self,
        logits: &[f32],
        allowed: Option<Vec<f32>>,
    ) -> (u32, Option<TokenLogProbs>) {
        let changed = match self.changes_logits() {
            true => Some(allowed.unwrap_or_else(|| logits.to_vec())),
            false => allowed,
        };
        let token = match changed {
            Some(mut changed) => {
                self.change(&mut changed);
                self.choose(&changed)
            }
            None => self.choose(logits),
        };
        *self.counts.entry(token).or_insert(0) += 1;
        (token, self.options.log_probs.map(|count| TokenLogProbs::new(logits, token, count)))
    }

    /// Whether each token is the most likely one, and nothing else is asked for.
    pub(crate) fn is_greedy(&self) -> bool {
        self.options.temperature == 0.0 && self.options.log_probs.is_none() && !self.changes_logits()
    }

    fn changes_logits(&self) -> bool {
        let SamplingOptions { repetition_penalty, frequency_penalty, presence_penalty, logit_bias, .. } =
            &self.options;
        *repetition_penalty != 1.0
            || *frequency_penalty != 0.0
            || *presence_penalty != 0.0
            || !logit_bias.is_empty()
    }

    fn change(&self, logits: &mut [f32]) {
        let options = &self.options;
        for (token, bias) in &options.logit_bias {
            if let Some(logit) = logits.get_mut(*token as usize) {
                *logit += *bias as f32;
            }
        }
        for (token, count) in &self.counts {
            let Some(logit) = logits.get_mut(*token as usize) else { continue };
            let penalty = options.repetition_penalty as f32;
            *logit = if *logit > 0.0 { *logit / penalty } else { *logit * penalty };
            if *count > 0 {
                let frequency = options.frequency_penalty * *count as f64;
                *logit -= (frequency + options.presence_penalty) as f32;
            }
        }
    }

    fn choose(&mut self, logits: &[f32]) -> u32 {
        let options = &self.options;
        if options.temperature == 0.0 {
            return largest(logits);
        }
        let scale = 1.0 / options.temperature as f32;
        let scaled: Vec<f32> = logits.iter().map(|logit| logit * scale).collect();
        let mut candidates = Candidates::new(&scaled);
        if let Some(count) = options.top_k {
            candidates.keep_top_k(count);
        }
        if let Some(least) = options.top_p.filter(|least| *least < 1.0) {
            candidates.keep_top_p(least);
        }
        if let Some(part) = options.min_p.filter(|part| *part > 0.0) {
            candidates.keep_min_p(part);
        }
        if let Some(least) = options.typical_p.filter(|least| *least < 1.0) {
            candidates.keep_typical(least);
        }
        candidates.choose(self.random.uniform()).unwrap_or_else(|| largest(logits))
    }
}

/// The first of the largest logits; NaN is none.
fn largest(logits: &[f32]) -> u32 {
    let (mut best, mut at) = (f32::NEG_INFINITY, None);
    for (index, part) in logits.chunks(PART).enumerate() {
        let most = maximum(part);
        if most > best || at.is_none() {
            // A part of NaN has no largest logit.
            let found = part.iter().position(|logit| *logit == most);
            at = found.map(|found| index * PART + found).or(at);
            best = most;
        }
    }
    at.unwrap_or(logits.len().saturating_sub(1)) as u32
}

/// Logits that are read again for the position of the largest.
const PART: usize = 4096;

/// The largest logit. Lanes do not wait for each other, so that compilers use vectors.
fn maximum(logits: &[f32]) -> f32 {
    const LANES: usize = 16;
    let (parts, rest) = logits.as_chunks::<LANES>();
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for part in parts {
        for lane in 0..LANES {
            lanes[lane] = if part[lane] > lanes[lane] { part[lane] } else { lanes[lane] };
        }
    }
    lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |most, logit| if *logit > most { *logit } else { most })
}
