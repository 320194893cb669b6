//! Steps whose launches the device repeats, beside the same arithmetic on the host.

use burn_backend::IndexUpdate;
use burn_cuda::{Cuda, CudaDevice};
use burn_fusion::Fusion;
use burn_tensor::backend::{Backend, RepeatedStep};
use burn_tensor::{Int, Tensor, TensorData};

const ROWS: usize = 8;
const WIDTH: usize = 5;

/// Writes `2 x + row` to row `place` of the state, and returns the sum of the state. Nothing is in place if
/// `copies`.
fn step<B: Backend<Device = CudaDevice>>(
    state: Vec<B::Tensor>,
    inputs: Vec<B::Tensor>,
    copies: bool,
) -> (Vec<B::Tensor>, Vec<B::Tensor>) {
    let [memory] = <[B::Tensor; 1]>::try_from(state).expect("one tensor");
    let [place, x] = <[B::Tensor; 2]>::try_from(inputs).expect("two tensors");
    // Data of the host that the step makes itself, and changes.
    let ones = Tensor::<B, 2>::from_data([[1.0_f32; WIDTH]], &Default::default());
    let row = Tensor::<B, 1, Int>::from_handle(place.clone()).float().reshape([1, 1]);
    let x = Tensor::<B, 2>::from_handle(x) * 2 + ones * row;
    let memory = B::select_assign(memory, 0, place, x.into_handle(), IndexUpdate::Assign);
    let memory = Tensor::<B, 2>::from_handle(memory);
    let sum = memory.clone().sum();
    let memory = if copies { memory + 0 } else { memory };
    (vec![memory.into_handle()], vec![sum.into_handle()])
}

fn inputs(round: usize) -> (usize, Vec<f32>, Vec<TensorData>) {
    let place = round * 3 % ROWS;
    let x: Vec<f32> = (0..WIDTH).map(|i| (round * WIDTH + i) as f32).collect();
    let data = vec![TensorData::from([place as i32]), TensorData::new(x.clone(), [1, WIDTH])];
    (place, x, data)
}

fn check<B: Backend<Device = CudaDevice>>(copies: bool) {
    let device = CudaDevice::default();
    let mut repeated = RepeatedStep::<B>::new(&device);
    let mut state = vec![Tensor::<B, 2>::zeros([ROWS, WIDTH], &device).into_handle()];
    let mut expected = [[0.0_f32; WIDTH]; ROWS];
    let (mut sums, mut expected_sums) = (Vec::new(), Vec::new());
    let mut earlier: Option<(Tensor<B, 2>, Vec<f64>)> = None;
    for round in 0..7 {
        let (place, x, data) = inputs(round);
        for (i, value) in expected[place].iter_mut().enumerate() {
            *value = 2.0 * x[i] + place as f32;
        }
        expected_sums.push(f64::from(expected.iter().flatten().sum::<f32>()));
        // Another owner of the state keeps its values.
        if round == 4 {
            let values = Tensor::<B, 2>::from_handle(state[0].clone()).into_data().to_f64();
            earlier = Some((Tensor::from_handle(state[0].clone()), values));
        }
        let (next, mut outputs) = repeated.run(state, data, |state, inputs| step::<B>(state, inputs, copies));
        state = next;
        sums.push(Tensor::<B, 1>::from_handle(outputs.remove(0)));
        // A tensor that others own moves, so the step is recorded again in the next round.
        assert_eq!(repeated.is_recorded(), round > 0 && !copies, "round {round}");
    }
    // Outputs are read after all steps: a launch does not write over those before it.
    let sums: Vec<f64> = sums.into_iter().map(|sum| sum.into_data().to_f64()[0]).collect();
    assert_eq!(sums, expected_sums);
    let memory = Tensor::<B, 2>::from_handle(state.remove(0)).into_data().to_f64();
    let expected: Vec<f64> = expected.iter().flatten().map(|value| f64::from(*value)).collect();
    assert_eq!(memory, expected);
    let (tensor, values) = earlier.expect("round 4 came");
    assert_eq!(tensor.into_data().to_f64(), values);
}

#[test]
fn a_recorded_step_gives_what_the_step_gives() {
    check::<Cuda>(false);
    check::<Fusion<Cuda>>(false);
}

/// A layer as language models have it, on a state of rows: each kernel needs what the one before it wrote.
fn layers<B: Backend<Device = CudaDevice>>(
    weights: &[Tensor<B, 2>; 3],
    state: Vec<B::Tensor>,
    inputs: Vec<B::Tensor>,
) -> (Vec<B::Tensor>, Vec<B::Tensor>) {
    let [memory] = <[B::Tensor; 1]>::try_from(state).expect("one tensor");
    let [place, x] = <[B::Tensor; 2]>::try_from(inputs).expect("two tensors");
    let mut x = Tensor::<B, 2>::from_handle(x);
    let mut memory = memory;
    for _layer in 0..8 {
        let normed = x.clone() / (x.clone().powf_scalar(2.0).mean_dim(1) + 1e-5).sqrt();
        let rows = Tensor::<B, 2>::from_handle(memory.clone());
        let scores = burn_tensor::activation::softmax(normed.clone().matmul(rows.clone().transpose()), 1);
        let [gate, up, down] = weights.each_ref();
        // The step makes one of the matrices itself.
        let gate = gate.clone() * 1.5;
        let [gate, up, down] = [&gate, up, down].map(|weight| weight.clone().transpose());
        let gated = normed.clone().matmul(gate).tanh() * normed.matmul(up);
        x = x + gated.matmul(down) + scores.matmul(rows);
        memory = B::select_assign(memory, 0, place.clone(), x.clone().into_handle(), IndexUpdate::Assign);
    }
    (vec![memory], vec![x.into_handle()])
}

fn check_layers<B: Backend<Device = CudaDevice>>() {
    let device = CudaDevice::default();
    let values = |seed: usize, shape: [usize; 2]| {
        let count = shape[0] * shape[1];
        let values: Vec<f32> = (0..count).map(|i| ((i * 37 + seed) as f32 * 0.7).sin() / 20.0).collect();
        TensorData::new(values, shape).convert::<B::FloatElem>()
    };
    let weights = [[1024, 256], [1024, 256], [256, 1024]]
        .map(|shape| Tensor::from_data(values(shape[0], shape), &device));
    let mut repeated = RepeatedStep::<B>::new(&device);
    let start = || vec![Tensor::<B, 2>::from_data(values(5, [64, 256]), &device).into_handle()];
    let (mut state, mut plain) = (start(), start());
    for round in 0..100 {
        let inputs = || vec![TensorData::from([(round % 64) as i32]), values(round, [1, 256])];
        let (next, outputs) =
            repeated.run(state, inputs(), |state, inputs| layers::<B>(&weights, state, inputs));
        state = next;
        let made = inputs().into_iter().map(|data| B::from_data(data, &device)).collect();
        let (next, expected) = layers::<B>(&weights, plain, made);
        plain = next;
        let [found, expected] = [outputs, expected]
            .map(|mut outputs| Tensor::<B, 2>::from_handle(outputs.remove(0)).into_data().to_f64());
        assert_eq!(found, expected, "round {round}");
        assert_eq!(repeated.is_recorded(), round > 0, "round {round}");
    }
    let [found, expected] =
        [state, plain].map(|mut state| Tensor::<B, 2>::from_handle(state.remove(0)).into_data().to_f64());
    assert_eq!(found, expected);
    assert!(found.iter().all(|x| x.is_finite()) && found.iter().any(|x| *x != 0.0));
}

/// The kernels of a graph begin before those before them have ended; without a graph none does.
#[test]
fn kernels_of_a_graph_wait_for_what_they_read() {
    check_layers::<Cuda>();
    check_layers::<Fusion<Cuda>>();
    check_layers::<Fusion<Cuda<half::bf16>>>();
}

#[test]
fn a_step_that_moves_its_state_is_not_recorded() {
    check::<Cuda>(true);
}

#[test]
fn other_threads_compute_while_one_records() {
    let device = CudaDevice::default();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            for round in 0..200 {
                let x = Tensor::<Cuda, 1>::full([1000], round as f32, &CudaDevice::default());
                assert_eq!(x.sum().into_data().to_f64(), [1000.0 * f64::from(round)]);
            }
        });
        for _round in 0..10 {
            check::<Cuda>(false);
        }
        other.join().expect("the other thread does not panic");
    });
    Cuda::<f32, i32>::sync(&device);
}

#[test]
fn a_read_while_a_step_is_recorded_is_an_error() {
    let device = CudaDevice::default();
    let mut repeated = RepeatedStep::<Cuda>::new(&device);
    let mut reads = Vec::new();
    for round in 0..3 {
        let x = TensorData::from([round as f32]);
        let (_, outputs) = repeated.run(Vec::new(), vec![x], |state, mut inputs| {
            let x = Tensor::<Cuda, 1>::from_handle(inputs.remove(0));
            reads
                .push(x.clone().try_into_data().map(|data| data.to_f64()).map_err(|error| error.to_string()));
            (state, vec![(x + 1).into_handle()])
        });
        let output = Tensor::<Cuda, 1>::from_handle(outputs.into_iter().next().expect("one output"));
        assert_eq!(output.into_data().to_f64(), [f64::from(round) + 1.0]);
    }
    assert_eq!(reads[0], Ok(vec![0.0]));
    let error = reads[1].as_ref().expect_err("the second call records");
    assert!(error.contains("reads in a step that is recorded"), "{error}");
}
