use super::{lines, numbers};
use burn_core::module::{Module, Param};
use burn_core::tensor::{AutodiffBackend, Backend, Tensor, TensorData};
use burn_optim::GradientsParams;
use serde_json::Value;

/// Parameters of the shapes in the fixture.
#[derive(Module, Debug)]
pub struct Parameters<B: Backend> {
    pub wide: Param<Tensor<B, 2>>,
    pub tall: Param<Tensor<B, 2>>,
    pub vector: Param<Tensor<B, 1>>,
}

/// The start and the gradients that all cases share.
pub struct Problem {
    json: Value,
}

impl Problem {
    pub const STEPS: usize = 20;

    pub fn load() -> Self {
        Problem { json: lines("problem").remove(0) }
    }

    fn data(&self, key: &str, values: &Value) -> TensorData {
        let shape: Vec<usize> =
            numbers(&self.json["shapes"][key]).iter().map(|&size| size as usize).collect();
        TensorData::new(numbers(&values[key]), shape)
    }

    pub fn start<B: AutodiffBackend>(&self) -> Parameters<B> {
        let (start, device) = (&self.json["start"], Default::default());
        Parameters {
            wide: Param::from_data(self.data("wide", start), &device),
            tall: Param::from_data(self.data("tall", start), &device),
            vector: Param::from_data(self.data("vector", start), &device),
        }
    }

    /// Returns the gradients of a step, for the parameters that a case has.
    pub fn gradients<B: AutodiffBackend>(
        &self,
        module: &Parameters<B>,
        step: usize,
        has: impl Fn(&str) -> bool,
    ) -> GradientsParams {
        let (grads, device) = (&self.json["grads"][step], Default::default());
        let mut found = GradientsParams::new();
        let mut matrix = |key: &str, id| {
            if has(key) {
                found.register(id, Tensor::<B::InnerBackend, 2>::from_data(self.data(key, grads), &device));
            }
        };
        matrix("wide", module.wide.id());
        matrix("tall", module.tall.id());
        if has("vector") {
            let grad = Tensor::<B::InnerBackend, 1>::from_data(self.data("vector", grads), &device);
            found.register(module.vector.id(), grad);
        }
        found
    }

    /// Returns the values of a step's gradients, as those of parameters.
    pub fn values<B: AutodiffBackend>(&self, module: Parameters<B>, step: usize) -> Parameters<B> {
        let (grads, device) = (&self.json["grads"][step], Default::default());
        Parameters {
            wide: module.wide.map(|_| Tensor::from_data(self.data("wide", grads), &device)),
            tall: module.tall.map(|_| Tensor::from_data(self.data("tall", grads), &device)),
            vector: module.vector.map(|_| Tensor::from_data(self.data("vector", grads), &device)),
        }
    }

    pub fn lr(&self, lr: f64, step: usize) -> f64 {
        let factors = numbers(&self.json["lr_factors"]);
        lr * factors[step % factors.len()]
    }
}

impl<B: Backend> Parameters<B> {
    pub fn get(&self, key: &str) -> Vec<f64> {
        match key {
            "wide" => self.wide.val().into_data().to_f64(),
            "tall" => self.tall.val().into_data().to_f64(),
            "vector" => self.vector.val().into_data().to_f64(),
            other => panic!("{other} is no parameter"),
        }
    }

    /// Compares the parameters that `expected` has.
    pub fn compare(&self, what: &str, expected: &Value, tolerance: f64) -> super::Outcome {
        for (key, values) in expected.as_object().expect("values by parameter") {
            super::close(&format!("{what} {key}"), &self.get(key), &numbers(values), tolerance)?;
        }
        Ok(())
    }
}
