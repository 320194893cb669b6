use super::models::{data, load, values};
use burn_autodiff::Autodiff;
use burn_ndarray::NdArray;
use burn_onnx::RunValue;
use burn_tensor::{Tensor, TensorData};

type B = Autodiff<NdArray>;

fn sum(input: TensorData) -> f64 {
    let outputs = load("convnet").run::<NdArray>(vec![RunValue::Data(input)], &Default::default()).unwrap();
    let output = outputs.into_iter().next().unwrap();
    data(output).iter::<f64>().enumerate().map(|(place, value)| value * (place % 7) as f64).sum()
}

/// The gradient of a weighted sum of the outputs, against central differences.
#[test]
fn x_406_gradients_flow_through_a_graph_to_its_inputs() {
    let (graph, device) = (load("convnet"), Default::default());
    let input = data(values::<NdArray>("convnet", "input", graph.inputs()).remove(0));
    let x = Tensor::<B, 4>::from_data(input.clone(), &device).require_grad();
    let outputs = graph.run::<B>(vec![x.clone().into()], &device).unwrap();
    let RunValue::Tensor(output) = outputs.into_iter().next().unwrap() else { panic!("expected a tensor") };
    let output = Tensor::<B, 2>::from_handle(output);
    let weights: Vec<f32> = (0..output.shape().num_elements()).map(|place| (place % 7) as f32).collect();
    let weights = Tensor::<B, 2>::from_data(TensorData::new(weights, output.shape()), &device);
    let gradients = (output * weights).sum().backward();
    let gradient = x.grad(&gradients).unwrap().into_data();
    let values = input.to_vec::<f32>().unwrap();
    for place in [0, 17, 98, 195, 300, 587] {
        let moved = |step: f32| {
            let mut values = values.clone();
            values[place] += step;
            sum(TensorData::new(values, input.shape.clone()))
        };
        let expected = (moved(1e-2) - moved(-1e-2)) / 2e-2;
        let found = gradient.iter::<f64>().nth(place).unwrap();
        assert!(
            (found - expected).abs() < 0.02 * expected.abs().max(1.0),
            "{place}: {found}, expected {expected}"
        );
    }
}
