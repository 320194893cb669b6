use crate::fixture::*;
use burn_core::record::CompactRecorder;
use burn_optim::SgdConfig;
use burn_train::history::{Aggregate, Direction};
use burn_train::metric::LossMetric;
use burn_train::{EarlyStopping, Split};

/// Without a learning rate the loss of validation stays as it is: no epoch is better than the first.
#[test]
fn x_302_a_run_without_progress_stops_after_its_patience() {
    let epochs = |warm_up: usize| {
        let folder = tempfile::tempdir().unwrap();
        let stopping = EarlyStopping::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Valid, 2);
        let learner = builder(folder.path())
            .metric_valid_numeric(LossMetric::new())
            .with_file_checkpointer(CompactRecorder::new())
            .early_stopping(stopping.with_warm_up(warm_up))
            .num_epochs(20)
            .build(Model::new(4), SgdConfig::new().init(), 0.0);
        learner.fit(train_loader(), valid_loader());
        files(folder.path()).iter().filter(|name| name.starts_with("valid/")).count()
    };
    assert_eq!(epochs(0), 3);
    assert_eq!(epochs(5), 7);
}
