use crate::fixture::*;
use burn_dataset::InMemDataset;
use burn_dataset::dataloader::DataLoaderBuilder;
use burn_optim::SgdConfig;
use burn_train::logger::InMemoryMetricLogger;
use burn_train::metric::LearningRateMetric;

fn without_dropout(model: &Model<B>) -> Model<B> {
    let mut model = model.clone();
    model.dropout.prob = 0.0;
    model
}

/// The mean of a batch is half the sum of the means of its halves, so half the rate does the same.
#[test]
fn gradients_of_two_batches_make_one_step() {
    let start = Model::<B>::new(4);
    start.bits();
    let points: Vec<(f32, f32)> = (0..20).map(|i| ((i as f32).cos(), (i as f32 * 2.0).sin())).collect();
    let train = |batch_size, accumulated, lr: f64| {
        let folder = tempfile::tempdir().unwrap();
        let loader = DataLoaderBuilder::new(batch::<B>)
            .batch_size(batch_size)
            .build(InMemDataset::new(points.clone()));
        let rates = InMemoryMetricLogger::new();
        let learner = builder(folder.path())
            .metric_train_numeric(LearningRateMetric::new())
            .metric_loggers(rates.clone(), InMemoryMetricLogger::new())
            .grads_accumulation(accumulated)
            .num_epochs(2)
            .build(without_dropout(&start), SgdConfig::new().init(), lr);
        let model = learner.fit(loader, valid_loader());
        (model.linear1.weight.val().into_data().to_f64(), rates.lines(1, "Learning Rate"))
    };
    let (expected, _) = train(10, 1, 0.2);
    let (found, rates) = train(5, 2, 0.1);
    let difference = expected.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(difference < 1e-6, "{difference}");
    assert_eq!(rates, ["NaN,0", "0.1,1", "0.1,1", "0.1,1"]);

    // Gradients that are left at the end of an epoch make a step too: one batch here.
    let (all, _) = train(20, 1, 0.2);
    let (left, rates) = train(20, 3, 0.2);
    assert_eq!(all, left);
    assert_eq!(rates, ["NaN,0"]);
}
