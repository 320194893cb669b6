//! losses against their definitions, in float64.

use crate::expect::{exactly, nearly, panics};
use crate::given::{B, CPU, float, int};
use burn::backend::{Autodiff, NdArray};
use burn::nn::loss::*;
use burn::tensor::{Tensor, Tolerance, activation};

const X: [f64; 4] = [-1.5, 0.25, 0.5, 3.0];
const T: [f64; 4] = [-1.0, 2.0, 0.5, 2.25];

fn mean<const N: usize>(losses: [f64; N]) -> [f64; 1] {
    [losses.iter().sum::<f64>() / N as f64]
}

fn sum<const N: usize>(losses: [f64; N]) -> [f64; 1] {
    [losses.iter().sum()]
}

/// The three reductions of losses per element.
macro_rules! reductions {
    ($loss:expr, $expected:expr, $($argument:expr),*) => {{
        let (loss, expected) = (&$loss, $expected);
        nearly(loss.forward_no_reduction($($argument),*), expected);
        nearly(loss.forward($($argument,)* Reduction::Mean), mean(expected));
        nearly(loss.forward($($argument,)* Reduction::Sum), sum(expected));
    }};
}

fn pairs(function: impl Fn(f64, f64) -> f64) -> [f64; 4] {
    std::array::from_fn(|i| function(X[i], T[i]))
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[test]
fn x_202_l1() {
    reductions!(L1Loss::new(), pairs(|x, t| (x - t).abs()), float::<1>(X), float(T));
}

#[test]
fn x_202_smooth_l1() {
    let smooth = |beta: f64| {
        pairs(move |x, t| {
            let distance = (x - t).abs();
            if distance < beta { distance * distance / (2.0 * beta) } else { distance - beta / 2.0 }
        })
    };
    reductions!(SmoothL1LossConfig::new().init(), smooth(1.0), float::<1>(X), float(T));
    reductions!(SmoothL1LossConfig::new().with_beta(0.5).init(), smooth(0.5), float::<1>(X), float(T));
    reductions!(
        SmoothL1LossConfig::new().with_beta(0.0).init(),
        pairs(|x, t| (x - t).abs()),
        float::<1>(X),
        float(T)
    );
}

#[test]
fn x_202_binary_cross_entropy_of_logits_and_probabilities() {
    let targets = [0.0, 1.0, 0.25, 0.5];
    let entropy = |p: f64, t: f64, w: f64| -(w * t * p.ln() + (1.0 - t) * (1.0 - p).ln());
    let of = |w: f64| std::array::from_fn(|i| entropy(sigmoid(X[i]), targets[i], w));
    let config = BinaryCrossEntropyLossConfig::new().with_logits(true);
    let loss = config.clone().init::<B>(CPU);
    nearly(loss.forward_no_reduction(float::<1>(X), float(targets)), of(1.0));
    nearly(loss.forward_probabilities(float::<1>(X), float(targets), Reduction::Sum), sum::<4>(of(1.0)));
    let weighted =
        config.with_positive_weights(Some(vec![3.0; 4])).with_weights(Some(vec![0.5; 4])).init::<B>(CPU);
    let expected: [f64; 4] = of(3.0);
    nearly(weighted.forward_no_reduction(float::<1>(X), float(targets)), expected.map(|loss| loss / 2.0));
    let plain = BinaryCrossEntropyLossConfig::new().init::<B>(CPU);
    nearly(plain.forward_no_reduction(float::<1>(X.map(sigmoid)), float(targets)), of(1.0));
    nearly(plain.forward(float::<1>(X.map(sigmoid)), int([0, 1, 1, 0])), {
        mean(std::array::from_fn::<_, 4, _>(|i| entropy(sigmoid(X[i]), [0.0, 1.0, 1.0, 0.0][i], 1.0)))
    });
}

#[test]
fn x_202_kl_div() {
    let p: [[f64; 3]; 2] = [[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]];
    let q: [[f64; 3]; 2] = [[0.3, 0.3, 0.4], [0.25, 0.25, 0.5]];
    let divergence: f64 = (0..2)
        .flat_map(|i| (0..3).map(move |j| (i, j)))
        .map(|(i, j): (usize, usize)| if p[i][j] > 0.0 { p[i][j] * (p[i][j] / q[i][j]).ln() } else { 0.0 })
        .sum();
    let loss = KlDivLossConfig::new().init();
    let run = |reduction| loss.forward(float::<2>(q).log(), float(p), reduction);
    nearly(run(Reduction::Auto), [divergence / 2.0]);
    nearly(run(Reduction::BatchMean), [divergence / 2.0]);
    nearly(run(Reduction::Mean), [divergence / 6.0]);
    nearly(run(Reduction::Sum), [divergence]);
    let log = KlDivLossConfig::new().with_log_target(true).init();
    let of_logs = log.forward(float::<2>([q[0]]).log(), float::<2>([p[0]]).log(), Reduction::Sum);
    nearly(of_logs, [(0..3).map(|j| p[0][j] * (p[0][j] / q[0][j]).ln()).sum::<f64>()]);
}

#[test]
fn x_202_cosine_embedding() {
    let (x1, x2) = ([[1.0, 0.0], [1.0, 1.0], [2.0, -1.0]], [[0.0, 3.0], [2.0, 2.0], [1.0, 0.0]]);
    let cosines = [0.0, 1.0, 2.0 / 5.0_f64.sqrt()];
    let loss = CosineEmbeddingLossConfig::new().with_margin(0.25).init();
    let expected = [1.0 - cosines[0], cosines[1] - 0.25, cosines[2] - 0.25];
    reductions!(loss, expected, float::<2>(x1), float(x2), int([1, -1, -1]));
}

#[test]
fn x_202_poisson_nll() {
    let counts = [0.0, 1.0, 4.0, 2.0];
    let of = |loss: &dyn Fn(f64, f64) -> f64| -> [f64; 4] { std::array::from_fn(|i| loss(X[i], counts[i])) };
    reductions!(
        PoissonNllLossConfig::new().init(),
        of(&|x, t| x.exp() - t * x),
        float::<1>(X),
        float(counts)
    );
    let full = PoissonNllLossConfig::new().with_full(true).init();
    let stirling = |t: f64| {
        if t > 1.0 { t * t.ln() - t + (2.0 * std::f64::consts::PI * t).ln() / 2.0 } else { 0.0 }
    };
    reductions!(full, of(&|x, t| x.exp() - t * x + stirling(t)), float::<1>(X), float(counts));
    let rates = PoissonNllLossConfig::new().with_log_input(false).with_epsilon(0.01).init();
    let expected: [f64; 4] = of(&|x, t| x.abs() - t * (x.abs() + 0.01).ln());
    reductions!(rates, expected, float::<1>(X.map(f64::abs)), float(counts));
}

#[test]
fn x_202_gaussian_nll() {
    let variance = [0.5, 1.0, 2.0, 1e-9];
    let of = |constant: f64| -> [f64; 4] {
        std::array::from_fn(|i| {
            let v: f64 = f64::max(variance[i], 0.01);
            (v.ln() + (X[i] - T[i]).powi(2) / v) / 2.0 + constant
        })
    };
    let config = GaussianNllLossConfig::new().with_epsilon(0.01);
    reductions!(config.init(), of(0.0), float::<1>(X), float(T), float(variance));
    let constant = (2.0 * std::f64::consts::PI).ln() / 2.0;
    reductions!(config.with_full(true).init(), of(constant), float::<1>(X), float(T), float(variance));
}

#[test]
fn x_202_hinge_embedding() {
    let loss = HingeEmbeddingLossConfig::new().with_margin(2.0).init();
    reductions!(loss, [-1.5, 1.75, 0.5, 0.0], float::<1>(X), int([1, -1, 1, -1]));
}

#[test]
fn x_202_margin_ranking() {
    let loss = MarginRankingLossConfig::new().with_margin(0.5).init();
    let order = [1.0, -1.0, 1.0, -1.0];
    let expected: [f64; 4] = std::array::from_fn(|i| (0.5 - order[i] * (X[i] - T[i])).max(0.0));
    reductions!(loss, expected, float::<1>(X), float(T), int([1, -1, 1, -1]));
}

#[test]
fn x_202_triplet_margin() {
    let (anchor, positive, negative) =
        ([[0.0, 0.0], [1.0, 1.0]], [[3.0, 4.0], [1.0, 2.0]], [[6.0, 0.0], [9.0, 1.0]]);
    let config = || TripletMarginLossConfig::new().with_epsilon(0.0).with_margin(2.0);
    let run = || (float::<2>(anchor), float::<2>(positive), float::<2>(negative));
    let (a, p, n) = run();
    nearly(config().init().forward_no_reduction(a, p, n), [1.0, 0.0]);
    let (a, p, n) = run();
    nearly(config().with_p(1.0).init().forward_no_reduction(a, p, n), [3.0, 0.0]);
    // From the positive to the negative it is 5 in the first triplet.
    let (a, p, n) = run();
    nearly(config().with_swap(true).init().forward(a, p, n, Reduction::Sum), [2.0]);
}

#[test]
fn x_202_multi_margin() {
    let scores = [[2.0, 3.0, 0.0], [0.5, 1.0, 0.25]];
    let targets = [0, 1];
    let weights = [2.0, 0.5, 1.0];
    let of = |p: i32, margin: f64| -> [f64; 2] {
        std::array::from_fn(|row| {
            let target = targets[row];
            let others = (0..3).filter(|class| *class != target);
            let sum: f64 = others
                .map(|class: usize| (margin - scores[row][target] + scores[row][class]).max(0.0).powi(p))
                .sum();
            sum * weights[target] / 3.0
        })
    };
    let config = MultiMarginLossConfig::new().with_weights(Some(weights.to_vec()));
    reductions!(config.clone().init::<B>(CPU), of(1, 1.0), float::<2>(scores), int([0, 1]));
    let squared = config.with_p(2).with_margin(0.5).init::<B>(CPU);
    reductions!(squared, of(2, 0.5), float::<2>(scores), int([0, 1]));
}

#[test]
fn x_202_nll_of_any_rank() {
    let log_p = [[-1.0, -2.0, -0.5], [-0.25, -3.0, -4.0], [-2.0, -1.0, -1.5]];
    let weights = [1.0, 2.0, 4.0];
    let loss = NllLossConfig::new().with_weights(Some(weights.to_vec())).with_ignore_index(Some(-100));
    let loss = loss.init::<B>(CPU);
    let targets = || int::<1>([2, -100, 1]);
    nearly(loss.forward_no_reduction(float::<2>(log_p), targets()), [2.0, 0.0, 2.0]);
    nearly(loss.forward(float::<2>(log_p), targets(), Reduction::Mean), [4.0 / 6.0]);
    nearly(loss.forward(float::<2>(log_p), targets(), Reduction::Sum), [4.0]);
    nearly(loss.forward(float::<2>(log_p), targets(), Reduction::BatchMean), [4.0 / 3.0]);
    // Classes are dimension 1: one image of 1 x 3 pixels.
    let pixels = float::<2>(log_p).transpose().reshape([1, 3, 1, 3]);
    let losses = loss.forward_no_reduction(pixels, int::<3>([[[2, -100, 1]]]));
    nearly(losses, [[[2.0, 0.0, 2.0]]]);
    let message = panics(|| loss.forward(float::<2>(log_p), int::<1>([0, 1]), Reduction::Mean));
    assert!(message.starts_with("nll_loss: wrong shape of the targets for the input [3, 3]"), "{message}");
}

#[test]
fn x_202_focal() {
    let targets = [1, 0, 1, 0];
    let focal = |alpha: Option<f64>, gamma: f64| -> [f64; 4] {
        std::array::from_fn(|i| {
            let p = if targets[i] == 1 { sigmoid(X[i]) } else { 1.0 - sigmoid(X[i]) };
            let alpha = alpha.map_or(1.0, |alpha| if targets[i] == 1 { alpha } else { 1.0 - alpha });
            -alpha * (1.0 - p).powf(gamma) * p.ln()
        })
    };
    let config = FocalLossConfig::new();
    reductions!(config.init(), focal(Some(0.25), 2.0), float::<1>(X), int(targets));
    let other = config.with_alpha(None).with_gamma(0.5).init();
    reductions!(other, focal(None, 0.5), float::<1>(X), int(targets));
    // Far out neither the loss nor its gradient is NaN.
    let x = Tensor::<Autodiff<NdArray>, 1>::from_data([500.0, -500.0], CPU).require_grad();
    let losses = other.forward_no_reduction(x.clone(), Tensor::from_data([1, 1], CPU));
    nearly(losses.clone(), [0.0, 500.0]);
    nearly(x.grad(&losses.sum().backward()).unwrap(), [0.0, -1.0]);
}

/// The classes of a path without repetitions and blanks.
fn collapsed(path: &[usize], blank: usize) -> Vec<i64> {
    let starts = path.iter().enumerate().filter(|&(t, class)| t == 0 || path[t - 1] != *class);
    starts.filter(|(_, class)| **class != blank).map(|(_, &class)| class as i64).collect()
}

/// The loss as the sum over all paths.
fn by_enumeration(log_p: &[Vec<f64>], target: &[i64], blank: usize) -> f64 {
    let (frames, classes) = (log_p.len(), log_p[0].len());
    let paths = (0..classes.pow(frames as u32))
        .map(|index| (0..frames).map(|t| index / classes.pow(t as u32) % classes).collect::<Vec<usize>>());
    let matching = paths.filter(|path| collapsed(path, blank) == target);
    let probability: f64 =
        matching.map(|path| path.iter().zip(log_p).map(|(&class, row)| row[class]).sum::<f64>().exp()).sum();
    -probability.ln()
}

#[test]
fn x_202_ctc_is_the_sum_over_all_alignments() {
    type A = Autodiff<NdArray<f64>>;
    let (time, classes) = (5, 3);
    let targets = [[1, 1, 0], [2, 1, 2], [0, 0, 0], [1, 2, 0], [1, 1, 2]];
    let (input_lengths, target_lengths) = ([5, 5, 4, 3, 3], [2, 3, 0, 2, 3]);
    let logits: Vec<f64> = (0..time * 5 * classes).map(|i| (i as f64 * 0.7).sin() * 2.0).collect();
    let x = Tensor::<A, 1>::from_data(logits.as_slice(), CPU).reshape([time, 5, classes]).require_grad();
    let log_p = activation::log_softmax(x.clone(), 2);
    let given = |lengths: [i64; 5]| Tensor::from_data(lengths, CPU);
    let loss = CtcLossConfig::new().init();
    let losses = loss.forward_no_reduction(
        log_p.clone(),
        Tensor::from_data(targets, CPU),
        given(input_lengths),
        given(target_lengths),
    );
    let values: Vec<f64> = log_p.to_data().iter().collect();
    let expected: Vec<f64> = (0..5)
        .map(|sample| {
            let row = |t: usize| values[(t * 5 + sample) * classes..][..classes].to_vec();
            let rows: Vec<Vec<f64>> = (0..input_lengths[sample] as usize).map(row).collect();
            by_enumeration(&rows, &targets[sample][..target_lengths[sample] as usize], 0)
        })
        .collect();
    assert!(expected[4].is_infinite() && expected[..4].iter().all(|loss| loss.is_finite()));
    losses.to_data().assert_approx_eq::<f64>(&expected.as_slice().into(), Tolerance::rel_abs(1e-10, 1e-10));

    // With infinite losses at 0, the mean over lengths and its gradient are finite; frames after the end have
    // none.
    let loss = CtcLossConfig::new().with_zero_infinity(true).init();
    let total = loss.forward(
        log_p,
        Tensor::from_data(targets, CPU),
        given(input_lengths),
        given(target_lengths),
        Reduction::Mean,
    );
    let by_length =
        [2.0, 3.0, 1.0, 2.0].iter().zip(&expected).map(|(length, loss)| loss / length).sum::<f64>() / 5.0;
    total.to_data().assert_approx_eq::<f64>(&[by_length].into(), Tolerance::rel_abs(1e-10, 1e-10));
    let gradient = x.grad(&total.backward()).unwrap();
    let of = |t: usize, sample: usize| {
        gradient.clone().slice([t..t + 1, sample..sample + 1]).abs().sum().into_scalar()
    };
    assert!(of(2, 3) > 0.0 && of(3, 3) == 0.0 && (0..5).all(|t| of(t, 4) == 0.0));
}

#[test]
fn x_202_ctc_says_which_length_does_not_fit() {
    let loss = CtcLossConfig::new().init();
    let run = |frames: [i64; 2], labels: [i64; 2]| {
        let log_p = Tensor::<B, 3>::zeros([4, 2, 3], CPU);
        loss.try_forward(log_p, int([[1, 2], [2, 1]]), int(frames), int(labels), Reduction::Mean)
    };
    assert!(run([4, 3], [2, 1]).is_ok());
    let error = run([4, 5], [2, 1]).unwrap_err().to_string();
    assert!(
        error.contains("ctc_loss: invalid `input_lengths`; expected numbers in 0..=4, got 5 at 1"),
        "{error}"
    );
    let error = run([4, 4], [3, 1]).unwrap_err().to_string();
    assert!(
        error.contains("ctc_loss: invalid `target_lengths`; expected numbers in 0..=2, got 3 at 0"),
        "{error}"
    );
    let message = panics(|| {
        loss.forward(Tensor::<B, 3>::zeros([4, 2, 3], CPU), int([[1]]), int([4]), int([1]), Reduction::Mean)
    });
    assert!(message.starts_with("ctc_loss: wrong batch size of `targets`"), "{message}");
    exactly(
        loss.forward_no_reduction(Tensor::<B, 3>::zeros([1, 1, 2], CPU), int([[1]]), int([1]), int([1])),
        [0.0],
    );
}
