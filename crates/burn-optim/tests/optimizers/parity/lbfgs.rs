use super::{Outcome, close, number, numbers, sweep};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn_core::config::Config;
use burn_core::module::{Module, Param};
use burn_core::record::{BinBytesRecorder, FullPrecisionSettings, Recorder};
use burn_core::tensor::{AutodiffBackend, Backend, Tensor};
use burn_optim::LbfgsConfig;
use serde_json::Value;

#[derive(Module, Debug)]
struct Point<B: Backend> {
    first: Param<Tensor<B, 2>>,
    second: Param<Tensor<B, 1>>,
}

impl<B: Backend> Point<B> {
    fn vector(&self) -> Tensor<B, 1> {
        Tensor::cat(vec![self.first.val().reshape([2]), self.second.val()], 0)
    }

    /// The Rosenbrock function of five numbers.
    fn loss(&self) -> Tensor<B, 1> {
        let x = self.vector();
        let (head, tail) = (x.clone().narrow(0, 0, 4), x.narrow(0, 1, 4));
        let curved = (tail - head.clone().square()).square() * 10.0;
        (head - 1.0).square().sum() + curved.sum()
    }
}

fn run<B: AutodiffBackend>(case: &Value) -> Outcome {
    type Bytes = BinBytesRecorder<FullPrecisionSettings>;
    let device = Default::default();
    let mut module: Point<B> = Point {
        first: Param::from_data([[-1.2], [1.0]], &device),
        second: Param::from_data([-0.5, 0.8, 0.1], &device),
    };
    let config = LbfgsConfig::from_json(&case["config"].to_string()).unwrap();
    let mut lbfgs = config.init();
    for (step, expected) in case["after"].as_array().unwrap().iter().enumerate() {
        let loss;
        (module, loss) = lbfgs.step(number(&case["lr"]), module, Point::loss);
        let what = format!("step {}", step + 1);
        close(&format!("{what} loss"), &[loss], &[number(&expected["loss"])], 1e-7)?;
        close(&what, &module.vector().into_data().to_f64(), &numbers(&expected["x"]), 1e-7)?;
        let counts = [lbfgs.iterations() as f64, lbfgs.evaluations() as f64];
        let expected = [number(&expected["iterations"]), number(&expected["evaluations"])];
        close(&format!("{what} counts"), &counts, &expected, 0.0)?;
        if step == 1 {
            let bytes = Recorder::<B>::record(&Bytes::new(), lbfgs.to_record(), ()).unwrap();
            let record = Recorder::<B>::load(&Bytes::new(), bytes, &device).unwrap();
            lbfgs = config.init().try_load_record(record, &module).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

#[test]
fn lbfgs_agrees_with_torch_step_by_step() {
    sweep(
        "lbfgs",
        &[("f64", &run::<Autodiff<NdArray<f64>>>), ("f64 fused", &run::<Autodiff<Fusion<NdArray<f64>>>>)],
    );
}
