//! Every function, dtype and layout, against references on the host.

use crate::B;
use burn::backend::{Autodiff, NdArray};
use burn::collective::{CollectiveError, Communicator, DataParallel, Reduction};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{GradientsParams, Optimizer, SgdConfig};
use burn::tensor::{DType, Float, Int, Tensor, TensorData};
use burn_cuda::CudaDevice;

type Outcome = Result<(), CollectiveError>;

/// Numbers whose sums and products are exact in every float type.
fn numbers(rank: usize, count: usize) -> Vec<f64> {
    (0..count).map(|at| ((rank * 3 + at * 7) % 5) as f64 - 1.0).collect()
}

fn tensor(values: &[f64], dtype: DType, device: &CudaDevice) -> Tensor<B, 1> {
    Tensor::from_data(TensorData::new(values, [values.len()]).convert_dtype(dtype), (device, dtype))
}

fn values<const D: usize>(x: Tensor<B, D>) -> Vec<f64> {
    x.into_data().to_f64()
}

fn reduced(reduction: Reduction, ranks: usize, count: usize) -> Vec<f64> {
    let lists: Vec<Vec<f64>> = (0..ranks).map(|rank| numbers(rank, count)).collect();
    let step = |x: f64, y: f64| match reduction {
        Reduction::Sum | Reduction::Mean => x + y,
        Reduction::Min => x.min(y),
        Reduction::Max => x.max(y),
        Reduction::Product => x * y,
    };
    let value = |at: usize| lists[1..].iter().fold(lists[0][at], |x, list| step(x, list[at]));
    let last = |x: f64| if reduction == Reduction::Mean { x / ranks as f64 } else { x };
    (0..count).map(|at| last(value(at))).collect()
}

pub fn all(group: &Communicator, device: &CudaDevice) -> Outcome {
    reductions(group, device)?;
    parts(group, device)?;
    integers(group, device)?;
    messages(group, device)?;
    requests(group, device)?;
    groups(group, device)?;
    gradients(group, device)?;
    if group.rank() == 0 {
        println!("every function of {} GPUs has the values of the host", group.world_size());
    }
    group.barrier()
}

fn reductions(group: &Communicator, device: &CudaDevice) -> Outcome {
    let (rank, ranks) = (group.rank(), group.world_size());
    for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
        for reduction in [Reduction::Sum, Reduction::Mean, Reduction::Min, Reduction::Max, Reduction::Product]
        {
            for count in [0, 1, 1000, 1_000_000] {
                let x = tensor(&numbers(rank, count), dtype, device);
                let result = group.all_reduce(x, reduction)?;
                assert_eq!(result.dtype(), dtype);
                // A mean of three is rounded, to the bits of the type.
                let least = if dtype == DType::BF16 { 1e-2 } else { 1e-3 };
                let close =
                    |(x, y): (&f64, &f64)| x == y || reduction == Reduction::Mean && (x - y).abs() < least;
                let (found, expected) = (values(result), reduced(reduction, ranks, count));
                assert_eq!(found.len(), expected.len());
                assert!(found.iter().zip(&expected).all(close), "{reduction} of {count} {dtype}");
            }
        }
    }
    // Views, and sums that other work follows and comes before.
    let x =
        tensor(&numbers(rank, 12), DType::F32, device).reshape([3, 4]).transpose().slice([1..3, 0..2]) * 2.0;
    let view = |rank: usize| {
        Tensor::<NdArray, 1>::from_data(TensorData::new(numbers(rank, 12), [12]), &Default::default())
            .reshape([3, 4])
            .transpose()
            .slice([1..3, 0..2])
            * 2.0
    };
    let expected = (0..ranks).map(view).reduce(|x, y| x + y).expect("there is a rank") + 1.0;
    let found = group.all_reduce(x, Reduction::Sum)? + 1.0;
    assert_eq!(values(found), expected.into_data().to_f64());
    Ok(())
}

fn parts(group: &Communicator, device: &CudaDevice) -> Outcome {
    let (rank, ranks) = (group.rank(), group.world_size());
    let shape = [2 * ranks, ranks, 3 * ranks];
    let count = shape.iter().product();
    let of = |rank: usize| tensor(&numbers(rank, count), DType::F32, device).reshape(shape);
    for dim in 0..3 {
        let all = values(Tensor::cat((0..ranks).map(of).collect(), dim));
        assert_eq!(values(group.all_gather(of(rank), dim)?), all, "all_gather along {dim}");
        let sum = (0..ranks).map(of).reduce(|x, y| x + y).expect("there is a rank");
        let size = shape[dim] / ranks;
        for (reduction, expected) in [(Reduction::Sum, sum.clone()), (Reduction::Mean, sum / ranks as f32)] {
            let found = values(group.reduce_scatter(of(rank), dim, reduction)?);
            let expected = values(expected.narrow(dim, rank * size, size));
            let close = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-6;
            assert!(found.iter().zip(&expected).all(close), "reduce_scatter along {dim}");
        }
    }
    for root in 0..ranks {
        assert_eq!(values(group.broadcast(of(rank), root)?), values(of(root)));
    }
    Ok(())
}

fn integers(group: &Communicator, device: &CudaDevice) -> Outcome {
    let (rank, ranks) = (group.rank(), group.world_size());
    for dtype in
        [DType::I64, DType::I32, DType::I16, DType::I8, DType::U64, DType::U32, DType::U16, DType::U8]
    {
        let data = TensorData::from([rank as i64, 1]).convert_dtype(dtype);
        let x = Tensor::<B, 1, Int>::from_data(data, (device, dtype));
        let sum = group.all_reduce(x, Reduction::Sum)?.into_data();
        let expected = (0..ranks).sum::<usize>() as f64;
        assert_eq!((sum.dtype, sum.to_f64()), (dtype, vec![expected, ranks as f64]));
    }
    Ok(())
}

fn messages(group: &Communicator, device: &CudaDevice) -> Outcome {
    let (rank, ranks) = (group.rank(), group.world_size());
    let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    // With NCCL alone, a send is done when it is received: even ranks send first.
    let send = || group.send(tensor(&numbers(rank, 5000), DType::F32, device), next);
    let receive = || group.receive::<B, 1, Float>(previous, device).map(values);
    let received = if rank.is_multiple_of(2) {
        send()?;
        receive()?
    } else {
        let received = receive()?;
        send()?;
        received
    };
    assert_eq!(received, numbers(previous, 5000));
    let list = vec![tensor(&[1.0], DType::F32, device), tensor(&[2.0; 3], DType::F32, device)];
    let sums = group.all_reduce_list(list, Reduction::Sum)?;
    assert_eq!(values(sums[1].clone()), [2.0 * ranks as f64; 3]);
    Ok(())
}

fn requests(group: &Communicator, device: &CudaDevice) -> Outcome {
    let (rank, ranks) = (group.rank(), group.world_size());
    let x = || tensor(&numbers(rank, 300_000), DType::F32, device);
    let sum = group.start_all_reduce(x(), Reduction::Sum)?;
    let all = group.start_all_gather(x(), 0)?;
    // Work that runs beside them, and reuses memory.
    let mut other = x();
    for _ in 0..20 {
        other = other.clone() + other.clone() * 0.5 - other.clone() * 0.5;
    }
    assert_eq!(values(sum.wait()?), reduced(Reduction::Sum, ranks, 300_000));
    let expected: Vec<f64> = (0..ranks).flat_map(|rank| numbers(rank, 300_000)).collect();
    assert_eq!(values(all.wait()?), expected);
    assert_eq!(values(other).len(), 300_000);
    // A request that is dropped takes part.
    drop(group.start_all_reduce(x(), Reduction::Sum)?);
    Ok(())
}

fn groups(group: &Communicator, device: &CudaDevice) -> Outcome {
    let (rank, ranks) = (group.rank(), group.world_size());
    // All ranks in reverse; and each alone.
    let reverse = group.split(Some(0), -(rank as i64))?.expect("a color was given");
    assert_eq!((reverse.rank(), reverse.world_size()), (ranks - 1 - rank, ranks));
    let first = values(reverse.broadcast(tensor(&[rank as f64], DType::F32, device), 0)?);
    assert_eq!(first, [(ranks - 1) as f64]);
    let alone = group.split(Some(rank as u64), 0)?.expect("a color was given");
    assert_eq!(values(alone.all_reduce(tensor(&[7.0], DType::F32, device), Reduction::Sum)?), [7.0]);
    Ok(())
}

/// Gradients that travel from GPU to GPU during the backward pass, against those that the host reduces after
/// it.
fn gradients(group: &Communicator, device: &CudaDevice) -> Outcome {
    type A = Autodiff<B>;
    let parallel = DataParallel::new(group.clone()).with_bucket_bytes(20_000);
    let layers: Vec<Linear<A>> = (0..5).map(|_| LinearConfig::new(64, 64).init(device)).collect();
    let mut layers = parallel.synchronize::<A, _>(layers)?;
    let mut optimizer = SgdConfig::new().init();
    for step in 0..4 {
        // Unequal numbers of items: weighted sums. Equal ones: means.
        let items = if step % 2 == 0 { 8 } else { 4 + group.rank() };
        let x = tensor(&numbers(group.rank() + step, items * 64), DType::F32, device).reshape([items, 64]);
        let loss = || {
            let x = Tensor::<A, 2>::from_inner(x.clone());
            layers.iter().fold(x, |x, layer| layer.forward(x).tanh()).square().mean()
        };
        let after = GradientsParams::from_grads(loss().backward(), &layers);
        let after = parallel.reduce_gradients::<A, _>(after, &layers, items)?.grads;
        let beside = parallel.backward(loss(), &layers, items)?.grads;
        for layer in &layers {
            let grad =
                |grads: &GradientsParams| values(grads.get::<B, 2>(layer.weight.id()).expect("it is used"));
            let (found, expected) = (grad(&beside), grad(&after));
            let close = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-6 * y.abs().max(1e-3);
            assert!(found.iter().zip(&expected).all(close), "gradients in step {step}");
        }
        layers = optimizer.step(0.1, layers, beside);
    }
    Ok(())
}
