//! Predictors that count: what a language model has to beat.

/// The perplexity of test tokens, the first left out, by how often each occurs in the training tokens, plus
/// one.
pub fn unigram_perplexity(train: &[usize], test: &[usize], vocabulary: usize) -> f64 {
    let counts = counts(train, vocabulary);
    let total = train.len() + vocabulary;
    perplexity(test, |_, token| (counts[token] + 1) as f64 / total as f64)
}

/// The perplexity of test tokens, the first left out, by the token before each.
///
/// `p(b | a) = (n(ab) + weight p(b)) / (n(a) + weight)`, where `p(b)` is the unigram probability (MacKay and
/// Peto 1995). The weight is the one of 1, 2, 4, .. 1024 that suits the test tokens best, which favours this
/// predictor.
pub fn bigram_perplexity(train: &[usize], test: &[usize], vocabulary: usize) -> f64 {
    let unigrams = counts(train, vocabulary);
    let total = (train.len() + vocabulary) as f64;
    let mut pairs = std::collections::HashMap::<(usize, usize), usize>::new();
    let mut before = vec![0_usize; vocabulary];
    for pair in train.windows(2) {
        *pairs.entry((pair[0], pair[1])).or_default() += 1;
        before[pair[0]] += 1;
    }
    let with_weight = |weight: f64| {
        perplexity(test, |first, second| {
            let unigram = (unigrams[second] + 1) as f64 / total;
            let seen = pairs.get(&(first, second)).copied().unwrap_or(0) as f64;
            (seen + weight * unigram) / (before[first] as f64 + weight)
        })
    };
    (0..=10).map(|power| with_weight(f64::from(1 << power))).fold(f64::INFINITY, f64::min)
}

fn counts(tokens: &[usize], vocabulary: usize) -> Vec<usize> {
    let mut counts = vec![0; vocabulary];
    tokens.iter().for_each(|&token| counts[token] += 1);
    counts
}

fn perplexity(tokens: &[usize], probability: impl Fn(usize, usize) -> f64) -> f64 {
    let surprise: f64 = tokens.windows(2).map(|pair| -probability(pair[0], pair[1]).ln()).sum();
    (surprise / tokens.len().saturating_sub(1) as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coin_is_as_perplexing_as_a_coin() {
        let tokens = [0, 1, 1, 0, 0, 1, 1, 0];
        assert!((unigram_perplexity(&tokens, &tokens, 2) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn pairs_that_always_occur_are_no_surprise() {
        let tokens: Vec<usize> = (0..3000).map(|place| place % 3).collect();
        assert!((unigram_perplexity(&tokens, &tokens, 3) - 3.0).abs() < 1e-3);
        // All 1,000 pairs that begin with a token are the right ones, and a third of the one more that weight
        // 1 adds: p = (1000 + 1/3) / 1001.
        let expected: f64 = 1001.0 / (1000.0 + 1.0 / 3.0);
        let found = bigram_perplexity(&tokens, &tokens[..30], 3);
        assert!((found - expected).abs() < 1e-5, "{found} and {expected}");
    }
}
