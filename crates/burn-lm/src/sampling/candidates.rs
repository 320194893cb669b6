//! The tokens to choose from.

/// Sorted tokens are looked at in parts of this size, because a nucleus is mostly small.
const PART: usize = 256;

/// Tokens with their logits; probabilities are those of a softmax over them.
pub struct Candidates {
    tokens: Vec<(u32, f32)>,
    /// Number of tokens at the front that are sorted by logit and above all others.
    sorted: usize,
}

impl Candidates {
    pub fn new(logits: &[f32]) -> Self {
        // A token that is forbidden, or NaN, is no candidate.
        let allowed = logits.iter().enumerate().filter(|(_, logit)| **logit > f32::NEG_INFINITY);
        let tokens = allowed.map(|(token, logit)| (token as u32, *logit)).collect();
        Candidates { tokens, sorted: 0 }
    }

    /// Sorts at least `count` tokens by their logits, the largest first, equal ones by their numbers.
    fn sort(&mut self, count: usize) {
        let count = count.min(self.tokens.len());
        if count <= self.sorted {
            return;
        }
        let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if count < self.tokens.len() {
            self.tokens.select_nth_unstable_by(count - 1, order);
        }
        self.tokens[..count].sort_unstable_by(order);
        self.sorted = count;
    }

    pub fn keep_top_k(&mut self, count: usize) {
        self.sort(count);
        self.tokens.truncate(count);
    }

    pub fn keep_top_p(&mut self, least: f64) {
        let (largest, total) = self.normalizer();
        let mut sum = 0.0;
        let mut count = 0;
        while sum < least && count < self.tokens.len() {
            if count == self.sorted {
                self.sort((count * 4).max(PART));
            }
            sum += f64::from(self.tokens[count].1 - largest).exp() / total;
            count += 1;
        }
        self.tokens.truncate(count.max(1));
        self.sorted = self.sorted.min(self.tokens.len());
    }

    pub fn keep_min_p(&mut self, part: f64) {
        let (largest, _) = self.normalizer();
        let least = part.ln();
        self.tokens.retain(|(_, logit)| f64::from(logit - largest) >= least);
        self.sorted = 0;
    }

    pub fn keep_typical(&mut self, least: f64) {
        let (largest, total) = self.normalizer();
        let log_prob = |logit: f32| f64::from(logit - largest) - total.ln();
        let entropy: f64 =
            self.tokens.iter().map(|(_, logit)| -log_prob(*logit) * log_prob(*logit).exp()).sum();
        let distance = |logit: f32| (-log_prob(logit) - entropy).abs();
        self.tokens.sort_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
        let mut sum = 0.0;
        let mut count = 0;
        while sum < least && count < self.tokens.len() {
            sum += log_prob(self.tokens[count].1).exp();
            count += 1;
        }
        self.tokens.truncate(count.max(1));
        self.sorted = 0;
    }

    /// The largest logit, and the sum of the exponentials of their differences from it.
    fn normalizer(&self) -> (f32, f64) {
        let largest = self.tokens.iter().fold(f32::NEG_INFINITY, |most, (_, logit)| most.max(*logit));
        (largest, self.tokens.iter().map(|(_, logit)| f64::from(logit - largest).exp()).sum())
    }

    /// The token at `position` of the distribution function, from 0 to 1; none if there are no candidates.
    pub fn choose(&self, position: f64) -> Option<u32> {
        let (largest, total) = self.normalizer();
        let mut left = position * total;
        for (token, logit) in &self.tokens {
            left -= f64::from(logit - largest).exp();
            if left < 0.0 {
                return Some(*token);
            }
        }
        self.tokens.last().map(|(token, _)| *token)
    }
}
