//! Training of small models: what it reaches, what it keeps in memory, and PyTorch's losses.

use burn::backend::{Autodiff, NdArray, Profile};
use burn::collective::{DataParallel, Local};
use burn::lm::LanguageModel;
use burn::module::{AutodiffModule, Module};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;
use burn::tensor::{DType, bf16};
use gpt2::batch::{BatchNumber, BatchShape, TokenBatch, random_batch, successive_batch};
use gpt2::checkpoint;
use gpt2::corpus::{Corpus, TokenWidth, Tokens};
use gpt2::model_size::ModelSize;
use gpt2::sample::continue_tokens;
use gpt2::throughput::flops_per_token;
use gpt2::trainer::Trainer;
use gpt2::training::{Report, RunOptions, run};
use gpt2::training_config::TrainingConfig;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

const SMALL: ModelSize = ModelSize { n_layers: 2, d_model: 48, n_heads: 3 };
const OPTIONS: RunOptions = RunOptions {
    rank: 0,
    world_size: 1,
    report_every: 1,
    evaluate_every: 0,
    evaluation_batches: 2,
    checkpoints: None,
    peak_flops: None,
};

/// Random numbers of a backend are one stream for all threads of a process: tests that seed it run one by
/// one.
static RANDOM_NUMBERS: Mutex<()> = Mutex::new(());

fn random_numbers() -> MutexGuard<'static, ()> {
    RANDOM_NUMBERS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn trainer<B: AutodiffBackend>(config: TrainingConfig, dropout: f64) -> Trainer<B> {
    B::seed(7);
    let model = SMALL.config(256, config.length, dropout).init(&Default::default()).unwrap();
    Trainer::new(model, config).unwrap()
}

fn config(steps: usize) -> TrainingConfig {
    TrainingConfig::new()
        .with_steps(steps)
        .with_batch_size(6)
        .with_length(32)
        .with_learning_rate(6e-3)
        .with_final_learning_rate(6e-4)
        .with_warmup_steps(5)
        .with_loss_block_rows(50)
}

/// Entropy of the bytes of a text, in nats.
fn byte_entropy(tokens: &Tokens) -> f64 {
    let Tokens::Bytes(bytes) = tokens else { return 0.0 };
    let count = |byte: u8| bytes.iter().filter(|other| **other == byte).count() as f64 / bytes.len() as f64;
    (0..=255).map(count).filter(|share| *share > 0.0).map(|share| -share * share.ln()).sum()
}

#[test]
fn x_607_a_small_model_learns_in_bf16_with_f32_master_weights() {
    let _numbers = random_numbers();
    type B = Autodiff<NdArray<bf16>>;
    let corpus = Corpus::moby_dick().unwrap();
    let mut losses = Vec::new();
    let outcome = run::<B>(trainer(config(40), 0.0), &corpus, &OPTIONS, &Default::default(), |report| {
        losses.push(report.loss);
    })
    .unwrap();
    // A model that knows nothing is wrong by the logarithm of 256 bytes.
    assert!((losses[0] - 256_f64.ln()).abs() < 0.1, "{losses:?}");
    // In 40 steps it learns how frequent each byte is: a loss of 2.1 less, close to the entropy of single
    // bytes.
    let (valid, entropy) = (outcome.valid_loss, byte_entropy(&corpus.valid));
    assert!(valid < entropy + 0.3 && valid < losses[0] - 2.1, "{valid}, entropy {entropy}, after {losses:?}");
    let model = outcome.trainer.model.valid();
    assert_eq!(model.embedding.weight.val().dtype(), DType::BF16);
    let text = continue_tokens(&model, &[10], 20, 1).unwrap();
    assert!(text.len() == 20 && text.iter().all(|byte| *byte < 256));
}

#[test]
fn x_607_no_tensor_has_the_logits_of_all_tokens() {
    let _numbers = random_numbers();
    type P = Profile<NdArray<bf16>>;
    type B = Autodiff<P>;
    P::reset();
    let corpus = Corpus::moby_dick().unwrap();
    run::<B>(trainer(config(1), 0.0), &corpus, &OPTIONS, &Default::default(), |_| {}).unwrap();
    let report = P::report();
    let largest = |dtype: DType| {
        let specs = report.by_shape().iter().flat_map(|row| row.operands.iter().flatten());
        let logits = specs.filter(|spec| spec.dtype == dtype && spec.shape.last() == Some(&256));
        logits.map(|spec| spec.shape.num_elements() / 256).max()
    };
    // A step has 6 sequences of 32 tokens; 50 rows are in memory at once.
    assert_eq!((largest(DType::F32), largest(DType::BF16)), (Some(50), Some(50)));
}

#[test]
fn x_607_a_resumed_run_has_equal_weights() {
    let _numbers = random_numbers();
    type B = Autodiff<NdArray>;
    let (corpus, device) = (Corpus::moby_dick().unwrap(), Default::default());
    let weights = |trainer: &Trainer<B>| {
        let model = trainer.model.valid();
        let block = &model.blocks[1];
        [model.embedding.weight.val(), block.feed_forward.down.weight.val()].map(Tensor::into_data)
    };
    let whole = run(trainer::<B>(config(6), 0.1), &corpus, &OPTIONS, &device, |_| {}).unwrap().trainer;

    let folder = tempfile::tempdir().unwrap();
    let saving = RunOptions { checkpoints: Some((folder.path().into(), 3)), ..OPTIONS };
    // The run ends after step 3, which is not the last one of its schedule.
    let mut first = trainer::<B>(config(6), 0.1);
    for step in 0..3 {
        let shape = BatchShape { batch_size: 6, length: 32, vocabulary_size: 256 };
        let number = BatchNumber { seed: 42, index: step };
        let batch = random_batch(&corpus.train, shape, number, &device).unwrap();
        first = first.step(vec![batch]).unwrap().0;
    }
    checkpoint::save(&first, folder.path()).unwrap();
    // Other weights at first, which the checkpoint replaces.
    B::seed(8);
    let model = SMALL.config(256, 32, 0.1).init(&device).unwrap();
    let resumed =
        checkpoint::resume(Trainer::new(model, config(6)).unwrap(), folder.path(), &device).unwrap();
    assert_eq!(resumed.steps, 3);
    let mut steps = Vec::new();
    let resumed =
        run(resumed, &corpus, &saving, &device, |report: &Report| steps.push(report.steps)).unwrap().trainer;
    assert_eq!(steps, [4, 5, 6]);
    assert_eq!(weights(&resumed), weights(&whole));
}

#[test]
fn x_503_ranks_with_micro_batches_train_the_weights_of_one_process() {
    let _numbers = random_numbers();
    type B = Autodiff<NdArray<f64>>;
    let (corpus, device) = (Corpus::moby_dick().unwrap(), Default::default());
    let start = trainer::<B>(config(3), 0.0).model;
    // Makes 3 steps with some of the 4 batches of each.
    let train = |mut trainer: Trainer<B>, own: &[u64]| -> Vec<f64> {
        let shape = BatchShape { batch_size: 2, length: 32, vocabulary_size: 256 };
        for step in 0..3 {
            let batch = |part: &u64| {
                let number = BatchNumber { seed: 42, index: step * 4 + part };
                random_batch(&corpus.train, shape, number, &device).unwrap()
            };
            trainer = trainer.step(own.iter().map(batch).collect()).unwrap().0;
        }
        trainer.model.embedding.weight.val().into_data().to_f64()
    };
    let expected = train(Trainer::new(start.clone(), config(3)).unwrap(), &[0, 1, 2, 3]);
    let found = Local::run(2, |group| {
        let own: &[u64] = if group.rank() == 0 { &[0, 1] } else { &[2, 3] };
        let trainer = Trainer::new(start.clone(), config(3)).unwrap();
        train(trainer.with_data_parallel(DataParallel::new(group)).unwrap(), own)
    });
    let found = found.unwrap();
    assert_eq!(found[0], found[1]);
    let error = found[0].iter().zip(&expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(error < 1e-9, "{error}");
}

/// `scripts/gpt2_fixture.py` has weights, sequences and losses of PyTorch.
#[test]
fn x_607_losses_of_30_steps_equal_those_of_pytorch() {
    let _numbers = random_numbers();
    type B = Autodiff<NdArray>;
    let (folder, device) =
        (PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gpt2"), Default::default());
    let run: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("run.json")).unwrap()).unwrap();
    let number = |name: &str| run[name].as_f64().unwrap();
    let size = |name: &str| run[name].as_u64().unwrap() as usize;
    let config = TrainingConfig::new()
        .with_steps(size("steps"))
        .with_batch_size(size("batch_size"))
        .with_accumulation(size("accumulation"))
        .with_length(size("length"))
        .with_learning_rate(number("learning_rate"))
        .with_final_learning_rate(number("final_learning_rate"))
        .with_warmup_steps(size("warmup_steps"))
        .with_loss_block_rows(10);
    let mut trainer =
        Trainer::<B>::new(LanguageModel::from_folder(&folder, &device).unwrap(), config).unwrap();
    let losses: Vec<f64> =
        run["losses"].as_array().unwrap().iter().map(|loss| loss.as_f64().unwrap()).collect();
    assert_eq!(losses.len(), 30);
    assert!(losses[0] - losses[29] > 1.0, "the losses of the fixture fall");
    let rows: Vec<i64> = run["tokens"].as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
    let (length, batch_size, accumulation) = (size("length"), size("batch_size"), size("accumulation"));
    let batch = (length + 1) * batch_size;
    for (step, (rows, expected)) in rows.chunks_exact(batch * accumulation).zip(&losses).enumerate() {
        let batches = rows
            .chunks_exact(batch)
            .map(|rows| TokenBatch::from_rows(rows.to_vec(), length, &device))
            .collect();
        let (next, loss) = trainer.step(batches).unwrap();
        trainer = next;
        let loss = loss.into_data().to_f64()[0];
        assert!((loss - expected).abs() < 1e-3, "step {step}: {loss}, expected {expected}");
    }
    assert_eq!(trainer.steps, 30);
}

#[test]
fn the_model_of_124_million_parameters_is_that_of_the_paper() {
    let model =
        ModelSize::GPT2_124M.config(50_257, 1024, 0.0).init::<NdArray<bf16>>(&Default::default()).unwrap();
    assert_eq!(model.num_params(), 124_439_808);
    // Six for each of the weights that are not positions, and attention.
    let flops = 6.0 * f64::from(124_439_808 - 1024 * 768) + 12.0 * f64::from(12 * 768 * 1024);
    assert_eq!(flops_per_token(&model, 1024), flops);
}

#[test]
fn the_learning_rate_warms_up_and_falls_by_a_cosine() {
    let config = TrainingConfig::new().with_steps(110).with_warmup_steps(10);
    let config = config.with_learning_rate(1.0).with_final_learning_rate(0.2);
    let expected = [(0, 0.1), (4, 0.5), (9, 1.0), (10, 1.0), (60, 0.6), (110, 0.2), (500, 0.2)];
    for (step, rate) in expected {
        assert!((config.learning_rate_at(step) - rate).abs() < 1e-12, "{step}");
    }
}

#[test]
fn token_files_are_read_in_order_of_their_names_and_within_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, tokens: &[u16]| {
        let bytes: Vec<u8> = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
        std::fs::write(folder.path().join(name), bytes).unwrap();
    };
    write("train_1.bin", &[300, 301, 302]);
    write("train_0.bin", &[1, 2, 3, 4]);
    write("val_0.bin", &[7, 8, 9]);
    std::fs::write(folder.path().join("notes.txt"), "no tokens").unwrap();
    let corpus = Corpus::folder(folder.path(), TokenWidth::U16).unwrap();
    let read = |split: &Tokens| {
        (0..split.starts(2)).map(|start| split.read(start, 2, 400).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(read(&corpus.train), [[1, 2], [2, 3], [3, 4], [300, 301], [301, 302]]);
    assert_eq!(read(&corpus.valid), [[7, 8], [8, 9]]);
    let error = corpus.train.read(3, 2, 300).unwrap_err().to_string();
    assert!(
        error.ends_with("train_1.bin: token 0 is 300; expected one below 300, the vocabulary"),
        "{error}"
    );
    assert!(
        corpus.train.read(5, 2, 400).unwrap_err().to_string().contains("no 2 tokens begin at position 5")
    );

    let shape = BatchShape { batch_size: 2, length: 1, vocabulary_size: 400 };
    let batch = successive_batch::<NdArray>(&corpus.valid, shape, 0, &Default::default()).unwrap().unwrap();
    assert_eq!(batch.tokens.into_data().to_vec::<i64>().unwrap(), [7, 8]);
    assert_eq!(batch.next.into_data().to_vec::<i64>().unwrap(), [8, 9]);
    assert!(successive_batch::<NdArray>(&corpus.valid, shape, 1, &Default::default()).unwrap().is_none());

    std::fs::write(folder.path().join("odd.bin"), [1, 2, 3]).unwrap();
    let error = Corpus::folder(folder.path(), TokenWidth::U16).unwrap_err().to_string();
    assert!(error.ends_with("odd.bin: expected tokens of 2 bytes, found 3 bytes"), "{error}");
    let wide = Corpus::folder(folder.path(), TokenWidth::U32).unwrap_err().to_string();
    assert!(wide.contains("expected tokens of 4 bytes"), "{wide}");
}
