//! Steps with gradients of another model, or with none.

use burn_autodiff::Autodiff;
use burn_core::module::Param;
use burn_core::tensor::Tensor;
use burn_ndarray::NdArray;
use burn_optim::{AdamConfig, GradientsParams, Optimizer, ParameterGroups, SgdConfig};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use tracing_subscriber::fmt::MakeWriter;

type B = Autodiff<NdArray>;
type Model = Param<Tensor<B, 1>>;

fn model() -> Model {
    Param::from_data([1.0, 2.0], &Default::default())
}

fn gradients_of(model: &Model) -> GradientsParams {
    GradientsParams::from_grads(model.val().sum().backward(), model)
}

/// Text of a log, kept in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Log;
    fn make_writer(&'a self) -> Log {
        self.clone()
    }
}

/// Returns what `steps` logs.
fn logged(steps: impl FnOnce()) -> String {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).finish();
    tracing::subscriber::with_default(subscriber, steps);
    String::from_utf8(log.0.lock().unwrap().clone()).unwrap()
}

#[test]
fn step_with_gradients_of_another_model_is_an_error() {
    let (stepped, other) = (model(), model());
    let message = |step: &mut dyn FnMut(Model, GradientsParams)| {
        let grads = gradients_of(&other);
        let error = catch_unwind(AssertUnwindSafe(|| step(stepped.clone(), grads))).unwrap_err();
        error.downcast::<String>().map_or_else(|_| String::new(), |text| *text)
    };
    let mut adam = AdamConfig::new().init();
    let mut groups = ParameterGroups::new(SgdConfig::new().init());
    for text in [
        message(&mut |model, grads| drop(adam.step(0.1, model, grads))),
        message(&mut |model, grads| drop(groups.step(0.1, model, grads))),
    ] {
        assert!(text.starts_with("optimizer step: the gradients are of another model"), "{text}");
        assert!(text.contains("1 parameters, got 1 of others"), "{text}");
    }
}

#[test]
fn steps_without_gradients_are_logged_once() {
    let mut sgd = SgdConfig::new().init();
    let mut groups = ParameterGroups::new(SgdConfig::new().init());
    for steps in [
        logged(|| {
            (0..3).fold(model(), |model, _| sgd.step(0.1, model, GradientsParams::new()));
        }),
        logged(|| {
            (0..3).fold(model(), |model, _| groups.step(0.1, model, GradientsParams::new()));
        }),
    ] {
        assert_eq!(steps.matches("0 gradients for the 1 parameters").count(), 1, "{steps}");
    }
}

#[test]
fn steps_of_a_part_and_of_a_frozen_model_are_silent() {
    let text = logged(|| {
        let (first, second) = (model(), model());
        let both = vec![first.clone(), second];
        let both = SgdConfig::new().init().step(0.5, both, gradients_of(&first));
        assert_eq!(both[0].val().into_data().to_f64(), [0.5, 1.5]);
        assert_eq!(both[1].val().into_data().to_f64(), [1.0, 2.0]);
        let grads = gradients_of(&first);
        let frozen = first.set_require_grad(false);
        let frozen = SgdConfig::new().init().step(0.5, frozen, grads);
        assert_eq!(frozen.val().into_data().to_f64(), [1.0, 2.0]);
    });
    assert_eq!(text, "");
}
