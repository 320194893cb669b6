//! Models that run, from `tests/operators`, with changes: deeper than models of random nodes get.

use super::attributes::{float, int};
use super::random::Random;
use super::values::{data, dims};
use burn_ndarray::NdArray;
use burn_onnx::graph::{Attribute, Model, ValueType};
use burn_onnx::run::read_value;
use burn_onnx::{Limits, RunValue};
use std::path::Path;
use std::sync::Arc;

/// A model and the inputs that fit it.
pub type Fixture = (Model, Vec<RunValue<NdArray>>);

/// Reads every model.
pub fn fixtures(limits: &Limits) -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/operators");
    let read = |folder: &Path| {
        let model =
            Model::from_file_within(folder.join("model.onnx"), limits.clone()).expect("it is a model");
        let value = |(place, info): (usize, &burn_onnx::graph::ValueInfo)| {
            let bytes = std::fs::read(folder.join(format!("input_{place}.pb"))).expect("it has its inputs");
            read_value(bytes, &info.value_type).expect("an input fits")
        };
        let values = model.inputs().enumerate().map(value).collect();
        (model, values)
    };
    let mut folders: Vec<_> = std::fs::read_dir(folder)
        .expect("the models are there")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()).filter(|path| path.is_dir()))
        .collect();
    folders.sort();
    folders.iter().map(|folder| read(folder)).collect()
}

/// The model with a few changes of its attributes, inputs and constants.
pub fn changed(random: &mut Random, (model, values): &Fixture) -> Fixture {
    let (mut model, mut values) = (model.clone(), values.clone());
    let mut graph = (*model.graph).clone();
    for _ in 0..=random.below(3) {
        match random.below(4) {
            0 => {
                let place = random.below(graph.nodes.len());
                let attributes: Vec<_> = graph.nodes[place].attributes.iter_mut().collect();
                let Some(last) = attributes.len().checked_sub(1) else { continue };
                let place = random.below(last + 1);
                if let Some((_, attribute)) = attributes.into_iter().nth(place) {
                    change(random, attribute);
                }
            }
            1 => {
                let node = random.below(graph.nodes.len());
                let inputs = &mut graph.nodes[node].inputs;
                if !inputs.is_empty() {
                    let (place, other) = (random.below(inputs.len()), random.below(inputs.len()));
                    inputs[place] = if random.chance(50) { String::new() } else { inputs[other].clone() };
                }
            }
            2 if !graph.initializers.is_empty() => {
                let place = random.below(graph.initializers.len());
                let constant = &mut graph.initializers[place];
                let (sizes, dtype) = (near(random, &constant.data.shape), constant.data.dtype);
                constant.data = Arc::new(data(random, 20, &sizes, dtype));
            }
            _ if !values.is_empty() => {
                let place = random.below(values.len());
                if let RunValue::Data(old) = &values[place] {
                    let (sizes, dtype) = (near(random, &old.shape), old.dtype);
                    values[place] = RunValue::Data(data(random, 20, &sizes, dtype));
                }
            }
            _ => {}
        }
    }
    // Declared shapes would refuse the inputs before an operator sees them.
    for info in &mut graph.inputs {
        if let ValueType::Tensor { dims, .. } = &mut info.value_type {
            *dims = None;
        }
    }
    model.graph = Arc::new(graph);
    (model, values)
}

/// Sizes that differ by a dimension or a little, or all of them.
fn near(random: &mut Random, sizes: &[usize]) -> Vec<usize> {
    let mut sizes = sizes.to_vec();
    match random.below(5) {
        0 => return dims(random, 50),
        1 => drop(sizes.pop()),
        2 => sizes.push(random.pick(&[0, 1, 2])),
        _ if sizes.is_empty() => {}
        _ => {
            let d = random.below(sizes.len());
            sizes[d] = random.pick(&[0, 1, sizes[d] + 1, sizes[d].saturating_sub(1)]);
        }
    }
    sizes
}

fn change(random: &mut Random, attribute: &mut Attribute) {
    match attribute {
        Attribute::Int(value) => *value = int(random, 60),
        Attribute::Float(value) => *value = float(random, 60),
        Attribute::Ints(values) if !values.is_empty() && random.chance(70) => {
            let place = random.below(values.len());
            values[place] = int(random, 60);
        }
        Attribute::Ints(values) => values.push(int(random, 60)),
        Attribute::Floats(values) => values.push(float(random, 60)),
        Attribute::Text(text) => text.clear(),
        _ => {}
    }
}
