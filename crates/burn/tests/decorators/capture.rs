//! Programs that were recorded.

use burn::backend::capture::{Capture, Program, ProgramError, Recording, ReplayError, capture};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::backend::{Backend, Device};
use burn::tensor::{Bool, DType, Distribution, Int, Tensor, TensorData, activation};
use burn_backend::TypedCalls;
use burn_conformance::again::again;
use std::fs;

type C = Capture<NdArray>;

#[derive(Module, Debug)]
struct Mlp<B: Backend> {
    first: Linear<B>,
    second: Linear<B>,
}

impl<B: Backend> Mlp<B> {
    fn new(device: &Device<B>) -> Self {
        B::seed(3);
        let layer = |inputs, outputs| LinearConfig::new(inputs, outputs).init(device);
        Mlp { first: layer(3, 4), second: layer(4, 2) }
    }

    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.second.forward(activation::relu(self.first.forward(x)))
    }
}

const X: [[f32; 3]; 2] = [[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]];

/// The model as a program of its input.
fn recorded() -> (Program, TensorData) {
    let device = Default::default();
    let model = Mlp::<C>::new(&device);
    // Parameters are drawn at their first use; what is drawn in a recording is drawn again by the program.
    drop(model.forward(Tensor::zeros([1, 3], &device)));
    let recording = Recording::<NdArray>::start();
    let x = Tensor::<C, 2>::from_data(X, &device);
    recording.input("x", x.handle());
    recording.name("weight", model.first.weight.val().handle());
    let y = model.forward(x);
    let program = recording.finish([("y", y.handle())]).unwrap();
    (program, y.into_data())
}

fn replayed<B: Backend>(program: &Program, inputs: Vec<TensorData>) -> Vec<TensorData> {
    let device = Default::default();
    let inputs = inputs.into_iter().map(|data| B::from_data(data, &device)).collect();
    let outputs = program.replay::<B>(inputs, &device).unwrap();
    let read = |x| burn_backend::block_on(B::into_data(x)).unwrap().unwrap();
    outputs.into_iter().map(read).collect()
}

#[test]
fn a_model_runs_again_on_other_backends() {
    let (program, y) = recorded();
    assert_eq!((program.inputs().len(), program.inputs()[0].name.as_str()), (1, "x"));
    assert_eq!(replayed::<NdArray>(&program, vec![X.into()]), std::slice::from_ref(&y));
    assert_eq!(replayed::<Fusion<NdArray>>(&program, vec![X.into()]), std::slice::from_ref(&y));
    assert_eq!(replayed::<Autodiff<NdArray>>(&program, vec![X.into()]), std::slice::from_ref(&y));
    let zeros = replayed::<NdArray>(&program, vec![TensorData::from([[0.0_f32; 3]; 2])]);
    assert_ne!(zeros, std::slice::from_ref(&y));
    let (bare, weights) = program.with_constants_as_inputs();
    assert_eq!((bare.inputs().len(), weights.len()), (5, 4));
    assert!(bare.inputs().iter().any(|input| input.name == "weight"));
    assert_eq!(replayed::<NdArray>(&bare, [vec![X.into()], weights].concat()), [y]);
}

#[test]
fn the_listing_shows_every_value() {
    let x = Tensor::<C, 2>::from_data(X, &Default::default());
    let program = capture([("x", x.into_handle())], |inputs| {
        let [x] = inputs.try_into().expect("one input");
        let x = Tensor::<C, 2>::from_handle(x);
        let _dead = x.clone().exp();
        let (top, places) = (x.clone() * 2).topk_with_indices(1, 1);
        [("top", top.into_handle()), ("places", places.into_handle())]
    });
    let expected = "\
input %0: f32[2, 3]  x
%1: f32[2, 3] = BinaryScalar { op: Mul, lhs: %0, rhs: Int(2) }
%2: f32[2, 1], %3: i64[2, 1] = TopK { x: %1, k: 1, dim: 1, largest: true, index: I64 }
output %2  top
output %3  places
";
    assert_eq!(program.unwrap().to_string(), expected);
}

#[test]
fn a_training_step_with_its_backward_pass_is_a_program() {
    type A = Autodiff<C>;
    let device = Default::default();
    let w = Tensor::<A, 2>::from_data([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], &device).require_grad();
    let recording = Recording::<NdArray>::start();
    let x = Tensor::<A, 2>::from_data(X, &device);
    recording.input("x", x.clone().inner().handle());
    let loss = x.matmul(w.clone()).tanh().sum();
    let gradient = w.grad(&loss.backward()).unwrap();
    let program = recording.finish([("gradient", gradient.handle())]).unwrap();
    assert_eq!(replayed::<NdArray>(&program, vec![X.into()]), [gradient.into_data()]);
    assert_eq!(program.steps().iter().filter(|step| step.name() == "matmul").count(), 2);
}

#[test]
fn files_are_written_whole_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.program");
    let (program, y) = recorded();
    program.save(&path).unwrap();
    program.save(&path).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let loaded = Program::load(&path).unwrap();
    assert_eq!(loaded, program);
    assert_eq!(replayed::<NdArray>(&loaded, vec![X.into()]), [y]);
    let error = Program::load(folder.path().join("nothing")).unwrap_err();
    assert!(matches!(&error, ProgramError::File { path, .. } if path.ends_with("nothing")), "{error}");
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert!(matches!(Program::load(&path), Err(ProgramError::Checksum)));
    assert!(program.save(folder.path().join("no/folder/file")).is_err());
    let json = serde_json::to_string(&program).unwrap();
    assert_eq!(serde_json::from_str::<Program>(&json).unwrap(), program);
    let wrong = json.replace("\"value\":", "\"value\":1000");
    assert!(serde_json::from_str::<Program>(&wrong).is_err());
}

#[test]
fn draws_are_those_of_the_recording_also_where_some_are_not_needed() {
    // Seeds are of the whole process: other tests would draw in between.
    if again("draws_are_those_of_the_recording_also_where_some_are_not_needed", &[]).is_some() {
        return;
    }
    let device = Default::default();
    let random = || Tensor::<C, 1>::random([4], Distribution::Normal(0.0, 1.0), &device);
    C::seed(11);
    let recording = Recording::<NdArray>::start();
    let _dead = random();
    let y = random();
    let program = recording.finish([("y", y.handle())]).unwrap();
    NdArray::<f32>::seed(11);
    assert_eq!(replayed::<NdArray>(&program, vec![]), [y.into_data()]);
}

#[test]
fn coordinates_that_are_found_are_found_again() {
    let device = Default::default();
    let recording = Recording::<NdArray>::start();
    let mask = Tensor::<C, 1, Bool>::from_data([true, false, true], &device);
    recording.input("mask", mask.handle());
    let places: Tensor<C, 2, Int> = mask.argwhere();
    let program = recording.finish([("places", (places * 10).handle())]).unwrap();
    let found = replayed::<NdArray>(&program, vec![TensorData::from([true, true, true])]);
    assert_eq!(found, [TensorData::from([[0_i64], [10], [20]])]);
}

#[test]
fn wrong_inputs_and_failing_calls_are_errors() {
    let device = Default::default();
    let (program, _) = recorded();
    let replay = |inputs: Vec<TensorData>| {
        let inputs = inputs.into_iter().map(|data| NdArray::<f32>::from_data(data, &device)).collect();
        program.replay::<NdArray>(inputs, &device).unwrap_err()
    };
    assert_eq!(replay(vec![]), ReplayError::Inputs { expected: 1, found: 0 });
    let error = replay(vec![TensorData::from([[1.0_f32; 3]; 5])]);
    assert_eq!(error.to_string(), "replay: input `x` is f32[2, 3], and got f32[5, 3]");
    assert!(matches!(replay(vec![TensorData::from([[1.0_f64; 3]; 2])]), ReplayError::Input { .. }));
    let x = Tensor::<C, 1>::from_data([1.0, 2.0], &device);
    let at = Tensor::<C, 1, Int>::from_data([0, 1], &device);
    let program = capture([("x", x.into_handle()), ("at", at.into_handle())], |inputs| {
        let [x, at] = inputs.try_into().expect("two inputs");
        [("y", C::select(x, 0, at))]
    });
    let inputs = [TensorData::from([1.0_f32, 2.0]), TensorData::from([0_i64, 7])];
    let inputs = inputs.map(|data| NdArray::<f32>::from_data(data, &device)).into();
    let error = program.unwrap().replay::<NdArray>(inputs, &device).unwrap_err();
    assert!(matches!(&error, ReplayError::Panic { step: 0, name: "select", .. }), "{error}");
}

#[test]
fn recordings_are_of_their_thread_and_nest() {
    let device = Default::default();
    let outer = Recording::<NdArray>::start();
    let x = Tensor::<C, 1>::from_data([4.0, 9.0], &device);
    outer.input("x", x.handle());
    let elsewhere = std::thread::scope(|scope| {
        scope.spawn(|| Tensor::<C, 1>::from_data([1.0, 1.0], &Default::default()) * 3).join().unwrap()
    });
    let inner = Recording::<NdArray>::start();
    let root = x.sqrt();
    let within = inner.finish([("root", root.handle())]).unwrap();
    drop(Recording::<NdArray>::start());
    let y = root + elsewhere;
    let program = outer.finish([("y", y.handle())]).unwrap();
    // The input is older than the inner recording.
    assert_eq!(replayed::<NdArray>(&within, vec![]), [TensorData::from([2.0_f32, 3.0])]);
    let y = replayed::<NdArray>(&program, vec![TensorData::from([16.0_f32, 25.0])]);
    assert_eq!(y, [TensorData::from([7.0_f32, 8.0])]);
    let names: Vec<_> = program.steps().iter().map(|step| step.name()).collect();
    assert_eq!(names, ["sqrt", "from_data", "add"]);
    assert_eq!(program.spec(program.outputs()[0].value).unwrap().dtype, DType::F32);
}
