use super::Outcome;
use super::outputs::Outputs;
use super::params::{Collect, Put};
use burn::config::Config;
use burn::module::Module;
use burn::tensor::{AutodiffBackend, Bool, Int, Tensor, TensorData};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Elements of each tensor whose gradient is compared with a central difference.
const SAMPLES: usize = 3;
/// Distance of the two points of a central difference from the middle.
const DISTANCE: f64 = 1e-5;
/// Largest relative error of a central difference.
const DIFFERENCE_TOLERANCE: f64 = 1e-5;

type ReadGradient<B> = Box<dyn Fn(&<B as AutodiffBackend>::Gradients) -> Option<TensorData>>;

/// An element of an input or a parameter that is moved.
struct Moved {
    section: &'static str,
    name: String,
    index: usize,
    by: f64,
}

/// One case of a fixture, computed on a backend.
pub struct Case<'a, B: AutodiffBackend> {
    json: &'a Value,
    tolerance: f64,
    differences: bool,
    /// How the gradients of the inputs that `forward` asked for are read.
    inputs: RefCell<BTreeMap<String, ReadGradient<B>>>,
    moved: RefCell<Option<Moved>>,
}

impl<'a, B: AutodiffBackend> Case<'a, B> {
    /// A case that is right up to a relative error; with `differences`, gradients are compared with central
    /// differences too.
    pub fn new(json: &'a Value, tolerance: f64, differences: bool) -> Self {
        Case { json, tolerance, differences, inputs: Default::default(), moved: Default::default() }
    }

    pub fn layer(&self) -> &'a str {
        self.json["layer"].as_str().expect("a case names its layer")
    }

    pub fn device(&self) -> B::Device {
        B::Device::default()
    }

    /// The config of the layer.
    #[track_caller]
    pub fn config<C: Config>(&self) -> C {
        let text = self.json["config"].to_string();
        C::from_json(&text).unwrap_or_else(|error| panic!("config of {}: {error}", self.json["name"]))
    }

    /// A value of the config, for layers and functions without one of Burn's.
    pub fn option(&self, name: &str) -> &'a Value {
        &self.json["config"][name]
    }

    /// A size of the config, or a list of them.
    #[track_caller]
    pub fn sizes<const N: usize>(&self, name: &str) -> [usize; N] {
        let option = self.option(name);
        let size = |value: &Value| value.as_u64().expect("a size") as usize;
        std::array::from_fn(|d| option.as_array().map_or_else(|| size(option), |list| size(&list[d])))
    }

    pub fn has_input(&self, name: &str) -> bool {
        !self.json["inputs"][name].is_null()
    }

    /// Sets a mask of `to` where the case has an input of this name.
    pub fn mask<I, T>(
        &self,
        to: I,
        name: &str,
        read: impl Fn(&Self, &str) -> T,
        set: impl Fn(I, T) -> I,
    ) -> I {
        if self.has_input(name) { set(to, read(self, name)) } else { to }
    }

    /// The rank of an input.
    #[track_caller]
    pub fn rank(&self, name: &str) -> usize {
        self.json["inputs"][name]["shape"].as_array().expect("an input has a shape").len()
    }

    /// An input of floats, which asks for a gradient.
    #[track_caller]
    pub fn float<const D: usize>(&self, name: &str) -> Tensor<B, D> {
        let tensor = Tensor::<B, D>::from_data(self.read("inputs", name), &self.device()).require_grad();
        let kept = tensor.clone();
        let read: ReadGradient<B> = Box::new(move |gradients| kept.grad(gradients).map(Tensor::into_data));
        self.inputs.borrow_mut().insert(name.to_string(), read);
        tensor
    }

    /// An input of integers.
    #[track_caller]
    pub fn int<const D: usize>(&self, name: &str) -> Tensor<B, D, Int> {
        Tensor::from_data(data(&self.json["inputs"][name]), &self.device())
    }

    /// An input of booleans.
    #[track_caller]
    pub fn bool<const D: usize>(&self, name: &str) -> Tensor<B, D, Bool> {
        Tensor::from_data(data(&self.json["inputs"][name]), &self.device())
    }

    /// Puts the parameters of the case into `module`, and compares outputs and gradients of `forward`.
    pub fn check<M: Module<B>, O: Outputs<B>>(&self, module: M, forward: impl Fn(&M) -> O) -> Outcome {
        let placed = self.place(module.clone());
        let outputs = forward(&placed).outputs();
        let expected = self.json["outputs"].as_array().expect("outputs");
        if outputs.len() != expected.len() {
            return Err(format!("{} outputs, PyTorch has {}", outputs.len(), expected.len()));
        }
        for (index, (found, expected)) in outputs.iter().zip(expected).enumerate() {
            self.close(&format!("output {index}"), &found.data, &data(expected))?;
        }
        let Some(objective) = outputs.into_iter().filter_map(|output| output.objective).reduce(|a, b| a + b)
        else {
            return Ok(());
        };
        if self.section("input_grads").next().is_none() && self.section("param_grads").next().is_none() {
            return Ok(());
        }
        let gradients = objective.backward();
        // Before `forward` runs again for differences, which asks for the inputs anew.
        let inputs: BTreeMap<String, Option<TensorData>> =
            self.inputs.borrow().iter().map(|(name, read)| (name.clone(), read(&gradients))).collect();
        let mut collect = Collect::<B>::new(&gradients);
        placed.visit(&mut collect);
        for (name, expected) in self.section("param_grads") {
            let found = collect.found.get(name).cloned().flatten();
            let found = found.ok_or_else(|| format!("parameter {name} has no gradient"))?;
            self.close(&format!("gradient of parameter {name}"), &found, &data(expected))?;
            self.compare_difference("params", name, &found, || self.objective(&module, &forward))?;
        }
        for (name, expected) in self.section("input_grads") {
            let found = inputs.get(name).cloned().flatten();
            let found = found.ok_or_else(|| format!("input {name} has no gradient"))?;
            self.close(&format!("gradient of input {name}"), &found, &data(expected))?;
            self.compare_difference("inputs", name, &found, || self.objective(&module, &forward))?;
        }
        Ok(())
    }

    fn section(&self, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a, B> {
        self.json[name].as_object().expect("a section of a case is an object").iter()
    }

    fn place<M: Module<B>>(&self, module: M) -> M {
        let values = |path: &str| {
            let known = !self.json["params"][path].is_null();
            known.then(|| self.read("params", path))
        };
        let mut put = Put::new(&values);
        let module = module.map(&mut put);
        for (name, _) in self.section("params") {
            assert!(put.met.contains(name), "the module has no parameter {name}, only {:?}", put.met);
        }
        module
    }

    /// The scalar whose gradients are compared.
    fn objective<M: Module<B>, O: Outputs<B>>(&self, module: &M, forward: impl Fn(&M) -> O) -> f64 {
        let outputs = forward(&self.place(module.clone())).outputs().into_iter();
        outputs.filter_map(|output| output.objective).map(|part| part.into_data().to_f64()[0]).sum()
    }

    /// Values of an input or a parameter, with the element that is moved.
    #[track_caller]
    fn read(&self, section: &'static str, name: &str) -> TensorData {
        let data = data(&self.json[section][name]);
        match &*self.moved.borrow() {
            Some(moved) if moved.section == section && moved.name == name => {
                let mut values = data.to_f64();
                values[moved.index] += moved.by;
                TensorData::new(values, data.shape)
            }
            Some(_) | None => data,
        }
    }

    fn compare_difference(
        &self,
        section: &'static str,
        name: &str,
        gradient: &TensorData,
        objective: impl Fn() -> f64,
    ) -> Outcome {
        if !self.differences || self.json["differences"] == false {
            return Ok(());
        }
        let gradient = gradient.to_f64();
        for sample in 0..SAMPLES.min(gradient.len()) {
            let index = sample * gradient.len() / SAMPLES.min(gradient.len());
            let [above, below] = [DISTANCE, -DISTANCE].map(|by| {
                *self.moved.borrow_mut() = Some(Moved { section, name: name.to_string(), index, by });
                let objective = objective();
                *self.moved.borrow_mut() = None;
                objective
            });
            let (expected, found) = ((above - below) / (2.0 * DISTANCE), gradient[index]);
            if (expected - found).abs() > DIFFERENCE_TOLERANCE * expected.abs().max(1.0) {
                return Err(format!(
                    "gradient of {name}[{index}]: {found}, a central difference has {expected}"
                ));
            }
        }
        Ok(())
    }

    fn close(&self, place: &str, found: &TensorData, expected: &TensorData) -> Outcome {
        if found.shape != expected.shape {
            return Err(format!("{place}: shape {:?}, PyTorch has {:?}", found.shape, expected.shape));
        }
        let (found, expected) = (found.to_f64(), expected.to_f64());
        let scale = expected
            .iter()
            .filter(|value| value.is_finite())
            .fold(1.0f64, |scale, value| scale.max(value.abs()));
        let mut largest = 0.0f64;
        for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let same = found == expected || found.is_nan() && expected.is_nan();
            let error = if same { 0.0 } else { (found - expected).abs() / scale };
            if error.is_nan() || error > self.tolerance {
                return Err(format!("{place}[{index}]: {found}, PyTorch has {expected}"));
            }
            largest = largest.max(error);
        }
        println!("  {place}: largest error {largest:.1e}");
        Ok(())
    }
}

/// A tensor of a fixture. JSON has no infinities: they are the texts `inf`, `-inf` and `nan`.
#[track_caller]
fn data(json: &Value) -> TensorData {
    let field = |name: &str| json[name].as_array().unwrap_or_else(|| panic!("no tensor in {json}"));
    let shape: Vec<usize> =
        field("shape").iter().map(|size| size.as_u64().expect("a size") as usize).collect();
    let values = field("values").iter();
    match json["kind"].as_str() {
        Some("float") => TensorData::new(values.map(float).collect::<Vec<f64>>(), shape),
        Some("int") => {
            TensorData::new(values.map(|x| x.as_i64().expect("an integer")).collect::<Vec<i64>>(), shape)
        }
        Some("bool") => {
            TensorData::new(values.map(|x| x.as_bool().expect("a bool")).collect::<Vec<bool>>(), shape)
        }
        kind => panic!("a tensor of kind {kind:?}"),
    }
}

fn float(json: &Value) -> f64 {
    match json.as_str() {
        Some(text) => text.parse().expect("a number"),
        None => json.as_f64().expect("a number"),
    }
}
