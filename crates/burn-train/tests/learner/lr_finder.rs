use crate::fixture::*;
use burn_optim::SgdConfig;
use burn_train::LrFinderConfig;

#[test]
fn x_310_the_finder_suggests_a_rate_and_leaves_the_learner_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::new(16);
    let before = model.bits();
    let learner = builder(folder.path()).build(model, SgdConfig::new().init(), 0.0);
    let config = LrFinderConfig { lowest: 1e-4, highest: 100.0, steps: 40, ..Default::default() };
    let report = learner.find_lr(&train_loader(), &config).unwrap();
    // Steps go over the six batches of an epoch, until the loss diverges or all are done.
    assert!((10..=40).contains(&report.losses.len()), "{report}");
    let (first, last) = (report.losses[0].0, report.losses[report.losses.len() - 1].0);
    assert!(first == 1e-4 && last > 1e-3, "{report}");
    // With a rate of zero the run changes nothing: the finder trained a clone.
    assert_eq!(learner.fit(train_loader(), valid_loader()).bits(), before);
}

#[test]
fn options_out_of_their_range_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let learner = builder(folder.path()).build(Model::new(4), SgdConfig::new().init(), 0.0);
    let config = LrFinderConfig { lowest: 1.0, highest: 0.1, ..Default::default() };
    let error = learner.find_lr(&train_loader(), &config).unwrap_err().to_string();
    assert!(error.contains("expected 0 < lowest < highest, got 1 and 0.1"), "{error}");
}
