/// Log probability of a token, and the most likely ones in its stead, by the logits of the model without any
/// option.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenLogProbs {
    /// Natural logarithm of the probability of the token.
    pub log_prob: f32,
    /// The most likely tokens with theirs, the first most likely.
    pub top: Vec<(u32, f32)>,
}

impl TokenLogProbs {
    pub(crate) fn new(logits: &[f32], token: u32, count: usize) -> Self {
        let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = logits.iter().map(|logit| f64::from(logit - largest).exp()).sum();
        let log_prob = |logit: f32| (f64::from(logit - largest) - sum.ln()) as f32;
        let mut order: Vec<(u32, f32)> =
            logits.iter().enumerate().map(|(token, logit)| (token as u32, *logit)).collect();
        let count = count.min(order.len());
        let compare = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if count > 0 && count < order.len() {
            order.select_nth_unstable_by(count - 1, compare);
        }
        order.truncate(count);
        order.sort_unstable_by(compare);
        let top = order.into_iter().map(|(token, logit)| (token, log_prob(logit))).collect();
        TokenLogProbs { log_prob: log_prob(logits[token as usize]), top }
    }
}
