//! Content of exported files: names, types, and external weights.

use super::cases::{C, case, data, numbers};
use burn::backend::NdArray;
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Backend, Tensor, TensorData, activation};
use burn_onnx::export::OnnxExport;
use burn_onnx::graph::{Dimension, ValueType};
use burn_onnx::{Graph, Model, RunValue};
use burn_tensor::DType;

#[derive(Module, Debug)]
struct Net<B: Backend> {
    layers: Vec<Linear<B>>,
    head: Option<Linear<B>>,
}

impl<B: Backend> Net<B> {
    fn new(device: &B::Device) -> Self {
        let layer = |outputs| LinearConfig::new(4, outputs).init(device);
        Net { layers: vec![layer(4), layer(4)], head: Some(layer(2)) }
    }

    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let x = self.layers.iter().fold(x, |x, layer| activation::relu(layer.forward(x)));
        match &self.head {
            Some(head) => head.forward(x),
            None => x,
        }
    }
}

fn net() -> Net<C> {
    Net::new(&Default::default())
}

fn export() -> OnnxExport {
    OnnxExport::new().inputs(["x"]).outputs(["logits"]).dynamic("x", 0, "batch")
}

#[test]
fn x_405_parameters_keep_the_paths_of_their_fields_and_their_values() {
    let net = net();
    let model = case("net", export(), &net, vec![numbers([2, 4])], |net, x| net.forward(x)).model.unwrap();
    let graph = Model::from_bytes(model).unwrap().graph;
    let mut names: Vec<&str> = graph.initializers.iter().map(|initializer| &initializer.name[..]).collect();
    names.retain(|name| !name.starts_with("constant"));
    let expected =
        ["layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias", "head.weight", "head.bias"];
    names.sort_unstable();
    let mut sorted = expected;
    sorted.sort_unstable();
    assert_eq!(names, sorted);
    let weight = graph.initializers.iter().find(|initializer| initializer.name == "head.weight").unwrap();
    assert_eq!(*weight.data, net.head.as_ref().unwrap().weight.val().into_data());
}

#[test]
fn x_405_inputs_and_outputs_have_names_types_and_open_dimensions() {
    let model = case("net", export(), &net(), vec![numbers([2, 4])], |net, x| net.forward(x)).model.unwrap();
    let model = Model::from_bytes(model).unwrap();
    assert_eq!((model.opsets[""], model.ir_version, &model.producer[..]), (20, 9, "burn 0.1.0"));
    let [input] = &model.graph.inputs[..] else { panic!("{:?}", model.graph.inputs) };
    let [output] = &model.graph.outputs[..] else { panic!("{:?}", model.graph.outputs) };
    let tensor = |size| ValueType::Tensor {
        dtype: DType::F32,
        dims: Some(vec![Dimension::Named("batch".into()), Dimension::Known(size)]),
    };
    assert_eq!((&input.name[..], &input.value_type), ("x", &tensor(4)));
    assert_eq!((&output.name[..], &output.value_type), ("logits", &tensor(2)));
}

#[test]
fn x_405_large_weights_go_to_a_file_beside_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.onnx");
    let (net, x) = (net(), numbers([3, 4]));
    let export = export().external_data_above(64);
    export.save(&path, &net, x.clone(), |net, x| net.forward(x)).unwrap();
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let weights: usize = [16 + 4, 16 + 4, 8 + 2].iter().map(|count| count * 4).sum();
    let size = std::fs::metadata(folder.path().join("net.onnx.data")).unwrap().len();
    assert!(size >= weights as u64, "{size}");
    let graph = Graph::load(&path).unwrap();
    let [input] = &data(x.clone())[..] else { panic!("one input") };
    let outputs = graph.run::<NdArray>(vec![RunValue::Data(input.clone())], &Default::default()).unwrap();
    let [RunValue::Tensor(output)] = &outputs[..] else { panic!("a tensor") };
    let found: TensorData = Tensor::<NdArray, 2>::from_handle(output.clone()).into_data();
    let expected = net.forward(x).into_data();
    assert!(found.iter::<f64>().zip(expected.iter::<f64>()).all(|(x, y)| (x - y).abs() < 1e-6));
}

#[test]
fn x_405_outputs_may_be_inputs_constants_and_the_same_value_twice() {
    let (net, x) = (net(), numbers([2, 4]));
    let outputs = OnnxExport::new().inputs(["x"]).outputs(["same", "bias", "y", "y_again"]);
    let model = outputs.to_bytes(&net, x.clone(), |net, x| {
        let y = net.forward(x.clone());
        (x, net.layers[0].bias.as_ref().unwrap().val(), y.clone(), y)
    });
    let graph = Graph::new(Model::from_bytes(model.unwrap()).unwrap()).unwrap();
    let input = data(x.clone()).remove(0);
    let outputs = graph.run::<NdArray>(vec![RunValue::Data(input.clone())], &Default::default()).unwrap();
    let outputs: Vec<TensorData> = outputs
        .into_iter()
        .map(|output| match output {
            RunValue::Tensor(tensor) => burn_tensor::DynTensor::<NdArray>::from_handle(tensor).into_data(),
            other => panic!("expected a tensor, found {other:?}"),
        })
        .collect();
    assert_eq!(outputs[0], input);
    assert_eq!(outputs[1], net.layers[0].bias.as_ref().unwrap().val().into_data());
    assert_eq!(outputs[2], outputs[3]);
}

#[test]
fn x_405_random_numbers_are_drawn_by_the_runtime() {
    use burn::tensor::Distribution;
    let export = OnnxExport::new().inputs(["x"]).dynamic("x", 0, "batch");
    let model = export.to_bytes(&0_usize, numbers([2, 3]), |_, x: Tensor<C, 2>| {
        let draw = |distribution| Tensor::<C, 2>::random(x.dims(), distribution, &x.device());
        [
            draw(Distribution::Uniform(2.0, 3.0)) + x.clone() * 0.0,
            draw(Distribution::Normal(0.0, 1.0)),
            draw(Distribution::Bernoulli(0.5)),
        ]
    });
    let model = Model::from_bytes(model.unwrap()).unwrap();
    let operators: Vec<&str> = model.graph.nodes.iter().map(|node| &node.operator[..]).collect();
    for operator in ["RandomUniformLike", "RandomNormalLike", "Bernoulli"] {
        assert!(operators.contains(&operator), "{operators:?}");
    }
}
