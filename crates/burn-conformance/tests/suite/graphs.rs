//! Random graphs of calls, whose values are shared, dropped and used again: whatever is around a backend
//! gives its bits.

use burn_amp::Amp;
use burn_autodiff::Autodiff;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{Backend, HasSpec, Operation, PrecisionClass, Quantized, TensorData, block_on};
use burn_capture::{Capture, Program, Recording};
use burn_conformance::fuzz::{Graph, Random};
use burn_conformance::same_bits;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_profile::{Profile, Synced};
use burn_router::Router;

fn device<B: Backend>() -> DynamicDevice {
    DynamicDevice::new::<B>(Default::default())
}

fn read(xs: Vec<DynamicTensor>) -> Vec<TensorData> {
    let data = |x| block_on(Dynamic::into_data(x)).expect("tests may wait").expect("the device works");
    xs.into_iter().map(data).collect()
}

/// # Errors
/// The first result that differs.
fn compare(found: &[TensorData], expected: &[TensorData]) -> Result<(), String> {
    let differs = found.iter().zip(expected).position(|(found, expected)| !same_bits(found, expected));
    match differs {
        Some(at) => Err(format!("output {at}: {:?} should be {:?}", found[at], expected[at])),
        None if found.len() == expected.len() => Ok(()),
        None => Err(format!("{} outputs for {}", found.len(), expected.len())),
    }
}

/// Runs so many graphs; prints those that fail, with what it takes to repeat them.
fn sweep(count: u64, check: impl Fn(&Graph, &mut Random) -> Result<(), String>) {
    let mut failures = Vec::new();
    for seed in 0..count {
        let mut random = Random::new(seed);
        let calls = 1 + random.below(12);
        let graph = Graph::random(&mut random, calls);
        if let Err(error) = check(&graph, &mut random) {
            failures.push(format!("seed {seed}: {error}\n    {:?} of {:?}", graph.outputs, graph.calls));
        }
    }
    let shown = failures.len().min(5);
    assert!(failures.is_empty(), "{} graphs differ\n  {}", failures.len(), failures[..shown].join("\n  "));
}

fn direct(graph: &Graph) -> Vec<TensorData> {
    read(graph.run(graph.upload(&device::<NdArray>())))
}

#[test]
fn fused_is_unfused() {
    let fused = device::<Fusion<NdArray>>();
    sweep(20_000, |graph, _| compare(&read(graph.run(graph.upload(&fused))), &direct(graph)));
}

/// Products of matrices are rounded by how their factors lie in memory, as those of BLAS are.
fn is_product(graph: &Graph) -> bool {
    let is_one = |op: &Operation<usize>| match op {
        Operation::Linalg(_) | Operation::Quantized(Quantized::IntegerMatmul(_)) => true,
        other => other.traits().precision == PrecisionClass::Product,
    };
    graph.calls.iter().any(is_one)
}

#[test]
fn views_give_what_their_copies_do_fused_or_not() {
    let (plain, fused) = (device::<NdArray>(), device::<Fusion<NdArray>>());
    sweep(5_000, |graph, random| {
        if is_product(graph) {
            return Ok(());
        }
        let mut again = random.clone();
        let (graph_of_views, leaves) = graph.clone().laid_out(random, &plain);
        let expected = direct(&graph_of_views);
        compare(&read(graph_of_views.run(leaves)), &expected)?;
        let (_, leaves) = graph.clone().laid_out(&mut again, &fused);
        compare(&read(graph_of_views.run(leaves)), &expected).map_err(|error| format!("fused: {error}"))
    });
}

#[test]
fn what_passes_calls_on_changes_nothing() {
    type Both = Router<(NdArray, NdArray)>;
    let around = [
        device::<Profile<NdArray>>(),
        device::<Profile<Fusion<NdArray>, Synced>>(),
        device::<Fusion<Profile<NdArray>>>(),
        device::<Capture<NdArray>>(),
        device::<Fusion<Both>>(),
        device::<Autodiff<Profile<Capture<Both>>>>(),
    ];
    sweep(1_000, |graph, _| {
        let expected = direct(graph);
        around.iter().try_for_each(|device| {
            compare(&read(graph.run(graph.upload(device))), &expected)
                .map_err(|error| format!("{device:?}: {error}"))
        })
    });
}

/// The graph as a program: some leaves are inputs, the others constants, some are made during the recording.
fn captured<B: Backend>(graph: &Graph, random: &mut Random) -> (Program, Vec<TensorData>) {
    type T<B> = <Capture<B> as Backend>::Tensor;
    let own = |x: &DynamicTensor| -> T<B> { x.clone().into_inner::<Capture<B>>() };
    let capture = device::<Capture<B>>();
    let early = graph.upload(&capture);
    let recording = Recording::<B>::start();
    let late = graph.upload(&capture);
    let mut inputs = Vec::new();
    let mut choose = |at: usize| -> DynamicTensor {
        let leaf = if random.chance(50) { &early[at] } else { &late[at] };
        if random.chance(60) {
            recording.input(format!("leaf {at}"), &own(leaf));
            inputs.push(graph.leaves[at].clone());
        }
        leaf.clone()
    };
    let leaves: Vec<DynamicTensor> = (0..graph.leaves.len()).map(&mut choose).collect();
    let outputs: Vec<T<B>> = graph.run(leaves).iter().map(own).collect();
    let named = outputs.iter().enumerate().map(|(at, x)| (format!("output {at}"), x));
    (recording.finish(named).expect("constants can be read"), inputs)
}

#[test]
fn a_captured_program_gives_what_was_computed_on_every_backend() {
    let backends = [device::<NdArray>(), device::<Fusion<NdArray>>(), device::<Autodiff<NdArray>>()];
    sweep(10_000, |graph, random| {
        let expected = direct(graph);
        let (program, inputs) = match random.below(2) {
            0 => captured::<NdArray>(graph, random),
            _ => captured::<Fusion<NdArray>>(graph, random),
        };
        let loaded = program.to_bytes().map_err(|error| error.to_string())?;
        let loaded = Program::from_bytes(&loaded).map_err(|error| error.to_string())?;
        // Equality would miss that NaN is NaN.
        if loaded.to_bytes().ok() != program.to_bytes().ok() {
            return Err("the program changed when it was saved".into());
        }
        let (bare, constants) = program.clone().with_constants_as_inputs();
        let all = [&inputs[..], &constants].concat();
        for device in &backends {
            let replay = |program: &Program, inputs: &[TensorData]| {
                let inputs = inputs.iter().map(|data| Dynamic::from_data(data.clone(), device)).collect();
                program.replay_on(inputs, device).map(read).map_err(|error| error.to_string())
            };
            compare(&replay(&loaded, &inputs)?, &expected).map_err(|error| format!("{device:?}: {error}"))?;
            compare(&replay(&bare, &all)?, &expected)
                .map_err(|error| format!("constants as inputs: {error}"))?;
        }
        Ok(())
    });
}

#[test]
fn mixed_precision_keeps_every_shape_and_element_type() {
    let (plain, mixed) = (device::<NdArray>(), device::<Amp<NdArray>>());
    sweep(2_000, |graph, _| {
        let expected = graph.run(graph.upload(&plain));
        let found = graph.run(graph.upload(&mixed));
        let differs =
            found.iter().zip(&expected).position(|(found, expected)| found.spec() != expected.spec());
        if let Some(at) = differs {
            return Err(format!("output {at}: {:?} should be {:?}", found[at].spec(), expected[at].spec()));
        }
        Ok(())
    });
}
