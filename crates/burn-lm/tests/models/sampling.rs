use burn_lm::{LmError, Sampler, SamplingOptions};

const LOGITS: [f32; 5] = [2.0, 1.0, 0.5, 0.0, -1.0];

/// How often each token is chosen, in parts of one.
fn frequencies(options: SamplingOptions, logits: &[f32]) -> Vec<f64> {
    const COUNT: usize = 20_000;
    let mut sampler = Sampler::new(options, logits.len()).unwrap();
    let mut counts = vec![0.0; logits.len()];
    (0..COUNT).for_each(|_| counts[sampler.sample(logits).0 as usize] += 1.0 / COUNT as f64);
    counts
}

/// The softmax of the kept logits, zero for the others.
fn softmax(logits: &[f32], kept: &[usize]) -> Vec<f64> {
    let sum: f64 = kept.iter().map(|token| f64::from(logits[*token]).exp()).sum();
    let part = |token: usize| if kept.contains(&token) { f64::from(logits[token]).exp() / sum } else { 0.0 };
    (0..logits.len()).map(part).collect()
}

fn check(options: SamplingOptions, expected: &[f64]) {
    let found = frequencies(options.clone(), &LOGITS);
    for (found, expected) in found.iter().zip(expected) {
        // Five standard deviations of a frequency of 20,000.
        assert!((found - expected).abs() <= 0.018, "{options}: {found} {expected}");
        assert_eq!(*expected == 0.0, *found == 0.0, "{options}");
    }
}

#[test]
fn x_604_frequencies_are_those_of_the_truncated_softmax() {
    let warm = SamplingOptions::new().with_temperature(1.0).with_seed(3);
    check(warm.clone(), &softmax(&LOGITS, &[0, 1, 2, 3, 4]));
    check(warm.clone().with_top_k(Some(2)), &softmax(&LOGITS, &[0, 1]));
    // Probabilities: 0.556, 0.205, 0.124, 0.075, 0.028.
    check(warm.clone().with_top_p(Some(0.75)), &softmax(&LOGITS, &[0, 1]));
    check(warm.clone().with_top_p(Some(0.5)), &softmax(&LOGITS, &[0]));
    check(warm.clone().with_min_p(Some(0.2)), &softmax(&LOGITS, &[0, 1, 2]));
    let halves: Vec<f32> = LOGITS.iter().map(|logit| logit / 0.5).collect();
    check(warm.with_temperature(0.5), &softmax(&halves, &[0, 1, 2, 3, 4]));
}

#[test]
fn x_604_typical_sampling_keeps_the_tokens_nearest_to_the_entropy() {
    let logits = [0.6_f64.ln() as f32, 0.2_f64.ln() as f32, 0.15_f64.ln() as f32, 0.05_f64.ln() as f32];
    // The entropy is 1.063 nats; informations are 0.511, 1.609, 1.897 and 2.996, so distances are 0.55, 0.55,
    // 0.83, 1.93.
    let options = SamplingOptions::new().with_temperature(1.0).with_typical_p(Some(0.7));
    let found = frequencies(options, &logits);
    assert!((found[0] - 0.75).abs() < 0.02 && (found[1] - 0.25).abs() < 0.02, "{found:?}");
    assert_eq!(found[2..], [0.0, 0.0]);
}

#[test]
fn x_604_greedy_takes_the_first_of_the_largest_logits() {
    let mut sampler = Sampler::new(SamplingOptions::new(), 4).unwrap();
    assert_eq!(sampler.sample(&[0.0, 3.0, 3.0, 1.0]).0, 1);
    assert_eq!(sampler.sample(&[f32::NAN, -2.0, f32::NEG_INFINITY, -1.0]).0, 3);
    // The largest is in the first, a middle and the last part of a large vocabulary; NaN is around it.
    for (first, second) in [(0, 17), (5000, 12_000), (9000, 9001), (12_345, 12_345)] {
        let mut logits: Vec<f32> = (0..12_346).map(|token| (token as f32 * 0.37).sin() - 4.0).collect();
        (logits[first], logits[second]) = (7.5, 7.5);
        for token in [first.wrapping_sub(1), second + 1] {
            if let Some(logit) = logits.get_mut(token) {
                *logit = f32::NAN;
            }
        }
        let mut sampler = Sampler::new(SamplingOptions::new(), logits.len()).unwrap();
        assert_eq!(sampler.sample(&logits).0 as usize, first);
    }
    assert_eq!(sampler.sample(&[f32::NEG_INFINITY; 4]).0, 0);
}

#[test]
fn x_604_penalties_and_bias_change_logits_by_their_formulas() {
    let greedy = |options: SamplingOptions, prompt: &[u32], logits: &[f32], count: usize| {
        let mut sampler = Sampler::new(options, logits.len()).unwrap();
        sampler.observe_prompt(prompt);
        (0..count).map(|_| sampler.sample(logits).0).collect::<Vec<_>>()
    };
    let options = SamplingOptions::new();
    // 2 / 1.5 is above 1.3, 2 / 1.6 below.
    let repeated =
        |penalty| greedy(options.clone().with_repetition_penalty(penalty), &[0], &[2.0, 1.3, -9.0], 1);
    assert_eq!((repeated(1.5), repeated(1.6)), (vec![0], vec![1]));
    // 1 - 0.4 n: 1, 0.6, 0.2 against 0.5.
    let frequency = options.clone().with_frequency_penalty(0.4);
    assert_eq!(greedy(frequency, &[], &[1.0, 0.5], 4), [0, 0, 1, 0]);
    let presence = options.clone().with_presence_penalty(0.6);
    assert_eq!(greedy(presence, &[], &[1.0, 0.5], 4), [0, 1, 0, 0]);
    let bias = options.with_logit_bias(vec![(0, f64::NEG_INFINITY), (2, 2.5)]);
    assert_eq!(greedy(bias, &[], &[9.0, 2.0, 0.0], 1), [2]);
}

#[test]
fn x_604_a_seed_gives_the_same_tokens_and_another_seed_others() {
    let tokens = |seed| {
        let options = SamplingOptions::new().with_temperature(1.0).with_seed(seed);
        let mut sampler = Sampler::new(options, 5).unwrap();
        (0..64).map(|_| sampler.sample(&LOGITS).0).collect::<Vec<_>>()
    };
    assert_eq!(tokens(5), tokens(5));
    assert_ne!(tokens(5), tokens(6));
}

#[test]
fn x_604_log_probabilities_are_those_of_the_softmax() {
    let options = SamplingOptions::new().with_log_probs(Some(3)).with_logit_bias(vec![(1, 9.0)]);
    let (token, log_probs) = Sampler::new(options, 5).unwrap().sample(&LOGITS);
    let (log_probs, expected) = (log_probs.unwrap(), softmax(&LOGITS, &[0, 1, 2, 3, 4]));
    assert_eq!(token, 1);
    assert!((f64::from(log_probs.log_prob) - expected[1].ln()).abs() < 1e-6);
    assert_eq!(log_probs.top.iter().map(|(token, _)| *token).collect::<Vec<_>>(), [0, 1, 2]);
    for (token, log_prob) in log_probs.top {
        assert!((f64::from(log_prob) - expected[token as usize].ln()).abs() < 1e-6);
    }
}

#[test]
fn wrong_options_are_named() {
    let options = SamplingOptions::new;
    let cases = [
        (options().with_temperature(-1.0), "temperature"),
        (options().with_temperature(f64::NAN), "temperature"),
        (options().with_top_k(Some(0)), "top_k"),
        (options().with_top_p(Some(1.5)), "top_p"),
        (options().with_min_p(Some(-0.1)), "min_p"),
        (options().with_typical_p(Some(0.0)), "typical_p"),
        (options().with_repetition_penalty(0.0), "repetition_penalty"),
        (options().with_frequency_penalty(f64::INFINITY), "frequency_penalty"),
        (options().with_logit_bias(vec![(5, 1.0)]), "logit_bias"),
        (options().with_log_probs(Some(1000)), "log_probs"),
    ];
    for (options, field) in cases {
        let error = Sampler::new(options, 5).unwrap_err();
        assert!(matches!(error, LmError::Argument { name, .. } if name == field), "{error}");
    }
}
