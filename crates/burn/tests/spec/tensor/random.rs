//! random numbers that depend on the seed alone, and draws of categories.

use crate::given::{B, CPU, float};
use burn::backend::fusion::Fusion;
use burn::backend::{Autodiff, NdArray};
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::InMemDataset;
use burn::nn::{DropoutConfig, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{DType, Distribution, Float, Int, Numeric, Tensor, TensorData, TensorError};
use burn_conformance::again::again;

fn draw<B: Backend, K: Numeric>(count: usize, distribution: Distribution) -> TensorData {
    Tensor::<B, 1, K>::random([count], distribution, &Default::default()).into_data()
}

#[test]
fn x_020_a_seed_gives_the_same_numbers_for_any_number_of_threads() {
    // Other tests draw from the same generators, which are of the whole process.
    if again("x_020_a_seed_gives_the_same_numbers_for_any_number_of_threads", &[]).is_some() {
        return;
    }
    let draws = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a few threads");
        pool.install(|| {
            B::seed(20);
            let normal = draw::<B, Float>(300_001, Distribution::Normal(1.0, 2.0));
            (normal, draw::<B, Int>(1_001, Distribution::Uniform(-5.0, 1000.0)))
        })
    };
    let one = draws(1);
    assert_eq!(one, draws(2));
    assert_eq!(one, draws(8));
}

#[test]
fn x_020_a_seed_gives_the_same_numbers_on_every_backend() {
    if again("x_020_a_seed_gives_the_same_numbers_on_every_backend", &[]).is_some() {
        return;
    }
    fn draws<B: Backend>() -> [TensorData; 3] {
        B::seed(5);
        [
            draw::<B, Float>(1_000, Distribution::Default),
            draw::<B, Float>(77, Distribution::Normal(0.0, 1.0)),
            draw::<B, Int>(77, Distribution::Bernoulli(0.5)),
        ]
    }
    let leaf = draws::<NdArray>();
    assert_eq!(leaf, draws::<Autodiff<NdArray>>());
    assert_eq!(leaf, draws::<Autodiff<Fusion<NdArray>>>());
}

/// The first words of Random123's known answer for a counter and a key of zeros, 16 elements apart.
#[test]
fn x_020_numbers_are_those_of_philox() {
    if again("x_020_numbers_are_those_of_philox", &[]).is_some() {
        return;
    }
    let words = [0x6627_e8d5_u32, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8];
    B::seed(0);
    let found = draw::<B, Float>(64, Distribution::Default).to_f64();
    for (at, word) in words.iter().enumerate() {
        assert_eq!(found[16 * at], f64::from(word >> 8) / 16_777_216.0);
    }
    NdArray::<f64>::seed(0);
    let found = draw::<NdArray<f64>, Float>(32, Distribution::Default).to_f64();
    for at in 0..2 {
        let wide = (u64::from(words[2 * at]) << 32 | u64::from(words[2 * at + 1])) >> 11;
        assert_eq!(found[16 * at], wide as f64 / 9_007_199_254_740_992.0);
    }
}

#[test]
fn x_020_uniform_numbers_are_below_the_upper_bound() {
    B::seed(1);
    for (low, high) in [(0.0, 1.0), (-1.0, 0.5), (0.999, 1.0), (-2.0, -1.0), (7.0, 7.25)] {
        for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
            let like = Tensor::<B, 1>::zeros([100_000], CPU).cast(dtype);
            let found = like.random_like(Distribution::Uniform(low, high)).into_data().to_f64();
            let bound = |x: f64| TensorData::from([x]).convert_dtype(dtype).to_f64()[0];
            let (low, high) = (bound(low), bound(high));
            let (least, most) = found.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
            assert!(
                low <= least && (most < high || low == high),
                "{least}..={most} of [{low}, {high}) in {dtype}"
            );
        }
    }
    let whole = draw::<B, Int>(20_000, Distribution::Uniform(-1.5, 2.5));
    let mut found: Vec<i64> = whole.iter().collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, [-1, 0, 1, 2]);
}

/// Counts of the outcomes are as likely as five standard deviations.
#[track_caller]
fn likely(drawn: &[i64], probabilities: &[f64]) {
    let count = drawn.len() as f64;
    for (outcome, &p) in probabilities.iter().enumerate() {
        let found = drawn.iter().filter(|&&x| x == outcome as i64).count() as f64;
        let slack = 5.0 * (count * p * (1.0 - p)).sqrt();
        assert!((found - count * p).abs() <= slack, "{found} of outcome {outcome}, expected {}", count * p);
    }
}

#[test]
fn x_020_multinomial_draws_categories_by_their_weights() {
    B::seed(2);
    let weights = float::<2>([[1.0, 0.0, 3.0, 6.0], [0.0, 5.0, 5.0, 0.0]]);
    for count in [4_000, 9] {
        let rows = if count == 9 { 500 } else { 1 };
        let drawn = weights.clone().repeat_dim(0, rows).multinomial(count, true);
        assert_eq!(drawn.dims(), [2 * rows, count]);
        let drawn: Vec<i64> = drawn.into_data().iter().collect();
        let of_row = |row: usize| -> Vec<i64> {
            drawn.chunks(count).skip(row).step_by(2).flatten().copied().collect()
        };
        likely(&of_row(0), &[0.1, 0.0, 0.3, 0.6]);
        likely(&of_row(1), &[0.0, 0.5, 0.5, 0.0]);
    }
    // Without replacement, all of the positive ones, in an order by weight.
    let drawn = float::<2>([[1.0, 0.0, 3.0, 6.0]]).repeat_dim(0, 4_000).multinomial(3, false).into_data();
    let drawn: Vec<i64> = drawn.iter().collect();
    let first: Vec<i64> = drawn.iter().step_by(3).copied().collect();
    likely(&first, &[0.1, 0.0, 0.3, 0.6]);
    // Second after 3: what is left is 1 and 6 of 7.
    let second: Vec<i64> = drawn.chunks(3).filter(|row| row[0] == 2).map(|row| row[1]).collect();
    likely(&second, &[1.0 / 7.0, 0.0, 0.0, 6.0 / 7.0]);
    assert!(drawn.chunks(3).all(|row| row.iter().sum::<i64>() == 5), "each once");
    let single = float::<1>([0.0, 2.0]).multinomial(3, true).into_data();
    assert_eq!(single.iter::<i64>().collect::<Vec<_>>(), [1, 1, 1]);
}

#[test]
fn x_020_categorical_draws_by_logits() {
    B::seed(3);
    let logits = [0.0, f64::NEG_INFINITY, 1.0, -1.0];
    let drawn: Vec<i64> = float::<1>(logits).categorical(20_000).into_data().iter().collect();
    let total: f64 = logits.iter().map(|x| x.exp()).sum();
    likely(&drawn, &logits.map(|x| x.exp() / total));
    // Large logits are no matter: only differences count.
    let far: Vec<i64> =
        float::<1>(logits.map(|x| x + 1000.0)).categorical(20_000).into_data().iter().collect();
    likely(&far, &logits.map(|x| x.exp() / total));
}

#[test]
fn x_020_bernoulli_of_probabilities_has_no_gradient() {
    B::seed(4);
    let drawn = float::<2>([[0.0, 0.25, 1.0]]).repeat_dim(0, 10_000).bernoulli().into_data();
    let column = |at: usize| drawn.iter::<i64>().skip(at).step_by(3).collect::<Vec<_>>();
    likely(&column(0), &[1.0, 0.0]);
    likely(&column(1), &[0.75, 0.25]);
    likely(&column(2), &[0.0, 1.0]);
    let p = Tensor::<Autodiff<B>, 1>::from_floats([0.5, 0.5], CPU).require_grad();
    let gradients = (p.clone().bernoulli() + p.clone()).sum().backward();
    assert_eq!(p.grad(&gradients).expect("of the sum").into_data().to_f64(), [1.0, 1.0]);
}

#[test]
fn x_020_randperm_and_shuffle_give_every_order() {
    B::seed(5);
    let mut orders = vec![0; 27];
    for _ in 0..3_000 {
        let order: Vec<usize> =
            Tensor::<B, 1, Int>::randperm(3, CPU).into_data().iter::<i64>().map(|x| x as usize).collect();
        orders[order[0] * 9 + order[1] * 3 + order[2]] += 1;
    }
    let permutations = [5, 7, 11, 15, 19, 21];
    assert_eq!(permutations.iter().map(|&order| orders[order]).sum::<i32>(), 3_000);
    assert!(permutations.iter().all(|&order| (400..600).contains(&orders[order])), "{orders:?}");
    let mut all: Vec<i64> = Tensor::<B, 1, Int>::randperm(1_000, CPU).into_data().iter().collect();
    assert!(all.windows(2).any(|pair| pair[0] > pair[1]));
    all.sort_unstable();
    assert!(all.iter().copied().eq(0..1_000));
    // Columns go together.
    let x = Tensor::<B, 1, Int>::arange(0..200, CPU).reshape([2, 100]).shuffle(1).into_data();
    let values: Vec<i64> = x.iter().collect();
    assert!((0..100).all(|at| values[at] + 100 == values[at + 100]));
}

#[test]
fn x_020_exponential_numbers_have_the_moments_of_their_law() {
    NdArray::<f64>::seed(6);
    let x = Tensor::<NdArray<f64>, 1>::random_exponential([50_000], 4.0, CPU);
    let values = x.into_data().to_f64();
    let mean = values.iter().sum::<f64>() / 50_000.0;
    let above = values.iter().filter(|&&x| x > 0.5).count() as f64 / 50_000.0;
    assert!((mean - 0.25).abs() < 5.0 * 0.25 / 50_000_f64.sqrt(), "{mean}");
    assert!((above - (-2_f64).exp()).abs() < 0.008, "{above}");
    assert!(values.iter().all(|&x| x >= 0.0));
}

#[test]
fn x_020_misuse_is_an_error() {
    #[track_caller]
    fn says<T>(result: Result<T, TensorError>, parts: &[&str]) {
        let Err(error) = result else { panic!("this has no meaning, and was accepted") };
        let error = error.to_string();
        for part in parts {
            assert!(error.contains(part), "{error:?} does not say {part:?}");
        }
    }
    let floats = |distribution| Tensor::<B, 1>::try_random([3], distribution, CPU);
    let ints = |distribution| Tensor::<B, 1, Int>::try_random([3], distribution, CPU);
    let nan = f64::NAN;
    says(floats(Distribution::Normal(0.0, -1.0)), &["random", "Normal(0.0, -1.0)", "negative"]);
    says(floats(Distribution::Normal(nan, 1.0)), &["random", "not finite"]);
    says(floats(Distribution::Uniform(2.0, 1.0)), &["random", "Uniform(2.0, 1.0)", "low is above high"]);
    says(floats(Distribution::Uniform(0.0, f64::INFINITY)), &["random", "not finite"]);
    says(floats(Distribution::Uniform(-3e38, 3e38)), &["random", "f32", "wider"]);
    says(floats(Distribution::Bernoulli(1.5)), &["random", "Bernoulli(1.5)", "0 to 1"]);
    says(floats(Distribution::Bernoulli(nan)), &["random", "0 to 1"]);
    says(ints(Distribution::Uniform(0.2, 0.8)), &["random", "i64", "no whole number"]);
    says(ints(Distribution::Uniform(0.0, 1e19)), &["random", "i64", "wider"]);
    says(float::<1>([1.0]).try_random_like(Distribution::Bernoulli(-0.1)), &["random", "0 to 1"]);
    let multinomial =
        |weights: [f64; 3], count, replacement| float::<1>(weights).try_multinomial(count, replacement);
    says(multinomial([1.0, -1.0, 1.0], 1, true), &["multinomial", "negative"]);
    says(multinomial([1.0, nan, 1.0], 1, true), &["multinomial", "NaN"]);
    says(multinomial([0.0, 0.0, 0.0], 1, true), &["multinomial", "[3]", "1 positive"]);
    says(multinomial([1.0, 0.0, 1.0], 3, false), &["multinomial", "[3]", "3 positive"]);
    says(float::<1>([nan, 0.0]).try_categorical(1), &["categorical", "NaN"]);
    says(float::<1>([0.5, 1.1]).try_bernoulli(), &["bernoulli", "0 to 1"]);
    says(Tensor::<NdArray<f32, i8>, 1, Int>::try_randperm(129, CPU), &["randperm", "i8", "129"]);
    says(Tensor::<B, 1>::try_random_exponential([3], 0.0, CPU), &["random_exponential", "rate"]);
    assert_eq!(float::<1>([1.0, 2.0]).multinomial(0, true).dims(), [0]);
}

/// Trains a network with dropout for two epochs of batches of two threads, and returns the bits of its
/// parameters.
fn train<B: AutodiffBackend>() -> Vec<u64> {
    let device = B::Device::default();
    B::seed(42);
    let batch = |items: Vec<f32>| Tensor::<B, 1>::from_data(items.as_slice(), &Default::default());
    let items = (0..4096).map(|i| (i * 7919 % 1009) as f32 / 504.5 - 1.0).collect();
    let loader = DataLoaderBuilder::new(batch)
        .batch_size(1024)
        .shuffle(42)
        .num_workers(2)
        .build(InMemDataset::new(items));
    let mut layer = LinearConfig::new(64, 64).init::<B>(&device);
    let (dropout, mut optimizer) = (DropoutConfig::new(0.3).init(), AdamConfig::new().init());
    for _ in 0..2 {
        for items in loader.iter() {
            let x = items.reshape([16, 64]);
            let y = layer.forward(dropout.forward(x.clone())).tanh();
            let gradients = (y - x).square().mean().backward();
            let gradients = GradientsParams::from_grads(gradients, &layer);
            layer = optimizer.step(1e-2, layer, gradients);
        }
    }
    let bias = layer.bias.as_ref().expect("there is one by default").val();
    let numbers = [layer.weight.val().into_data(), bias.into_data()].map(|data| data.to_f64());
    numbers.concat().into_iter().map(f64::to_bits).collect()
}

#[test]
fn x_704_a_program_at_a_fixed_seed_gives_the_same_weights_on_every_run() {
    let name = "x_704_a_program_at_a_fixed_seed_gives_the_same_weights_on_every_run";
    let runs = ["1", "2", "3"].map(|threads| again(name, &[("RAYON_NUM_THREADS", threads)]));
    let Some(runs) = runs.into_iter().collect::<Option<Vec<String>>>() else {
        println!("weights {:?} {:?}", train::<Autodiff<NdArray>>(), train::<Autodiff<Fusion<NdArray>>>());
        return;
    };
    let weights =
        |run: &String| run.lines().find_map(|line| Some(line[line.find("weights [")?..].to_string()));
    let first = weights(&runs[0]).expect("a run prints its weights");
    // 64 x 64 weights and 64 biases, on two backends.
    assert_eq!(first.matches([',', ']']).count(), 2 * 65 * 64);
    assert!(runs.iter().all(|run| weights(run).as_ref() == Some(&first)));
}
