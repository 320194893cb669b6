use crate::fixture::*;
use burn_core::record::CompactRecorder;
use burn_optim::SgdConfig;
use burn_train::checkpoint::CheckpointStore;

#[test]
fn tr_029_a_run_that_is_stopped_saves_its_step_and_returns_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let learner = builder(folder.path())
        .with_file_checkpointer(CompactRecorder::new())
        .num_epochs(1_000_000)
        .build(Model::new(4), SgdConfig::new().init(), 0.1);
    let interrupter = learner.interrupter();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        interrupter.stop("enough");
    });
    learner.try_fit(train_loader(), valid_loader()).unwrap();
    stopper.join().unwrap();
    let store = CheckpointStore::open(folder.path().join("checkpoint")).unwrap();
    assert!(store.newest().unwrap().is_some());
}

#[test]
fn a_learner_can_be_sent_to_a_thread() {
    let folder = tempfile::tempdir().unwrap();
    let learner = builder(folder.path()).build(Model::new(4), SgdConfig::new().init(), 0.1);
    std::thread::spawn(move || learner.fit(train_loader(), valid_loader())).join().unwrap();
}
