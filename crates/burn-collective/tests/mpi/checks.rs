//! Programs that succeed.

use crate::programs::{on_ranks, program, reference, start};
use crate::reduced::reduced;
use crate::sweep::every_function_with_every_dtype;
use crate::tensors::{B, Outcome, bits, numbers, values, vector};
use burn::collective::{Communicator, Reduction};
use burn::data::dataset::random::Generator;
use burn::tensor::{Float, Tensor, TensorData};

/// All of them: starting processes takes longer than each.
pub fn all(group: &Communicator) {
    functions(group);
    every_function_with_every_dtype(group);
    shapes(group);
    a_million_elements(group);
    random_programs(group);
    requests(group);
}

fn ok<T>(outcome: Outcome<T>) -> T {
    outcome.unwrap_or_else(|error| panic!("{error}"))
}

/// Reductions of `numbers` of all ranks.
fn reduced_of(reduction: Reduction, ranks: usize, count: usize) -> Vec<f64> {
    let lists: Vec<Vec<f64>> = (0..ranks).map(|rank| numbers(rank, count)).collect();
    reduced(reduction, &lists)
}

fn functions(group: &Communicator) {
    let (rank, ranks) = (group.rank(), group.world_size());
    for reduction in [Reduction::Sum, Reduction::Mean, Reduction::Min, Reduction::Max, Reduction::Product] {
        for count in [0, 5, 12_000] {
            let expected = bits(&reduced_of(reduction, ranks, count));
            let all = ok(group.all_reduce(vector(&numbers(rank, count)), reduction));
            assert_eq!(bits(&values(all)), expected, "{reduction} of {count}");
            let part = ok(group.reduce_scatter(vector(&numbers(rank, count / 4 * ranks)), 0, reduction));
            let expected = reduced_of(reduction, ranks, count / 4 * ranks);
            assert_eq!(values(part), expected[rank * (count / 4)..(rank + 1) * (count / 4)]);
        }
    }
    let tensor = |rank| Tensor::<B, 3>::full([2, 3, 1], rank as f64, &Default::default());
    for dim in 0..3 {
        let expected = values(Tensor::cat((0..ranks).map(tensor).collect(), dim));
        assert_eq!(values(ok(group.all_gather(tensor(rank), dim))), expected);
    }
    for root in 0..ranks {
        assert_eq!(values(ok(group.broadcast(vector(&numbers(rank, 9)), root))), numbers(root, 9));
    }
    let lists =
        ok(group.all_reduce_list(vec![vector(&[1.0]), vector(&[]), vector(&[2.0; 3])], Reduction::Sum));
    let lists: Vec<Vec<f64>> = lists.into_iter().map(values).collect();
    assert_eq!(lists, [vec![ranks as f64], vec![], vec![2.0 * ranks as f64; 3]]);
    // Views are moved as what they show.
    let view = || vector(&numbers(rank, 12)).reshape([3, 4]).transpose().slice([1..3, 0..2]);
    let plain = Tensor::<B, 2>::from_data(view().into_data(), &Default::default());
    let (view, plain) = (group.all_reduce(view(), Reduction::Sum), group.all_reduce(plain, Reduction::Sum));
    assert_eq!(values(ok(view)), values(ok(plain)));
    ok(group.barrier());
}

fn shapes(group: &Communicator) {
    let ranks = group.world_size();
    for shape in [[0, 3], [2 * ranks, 0], [0, 0]] {
        let x = Tensor::<B, 2>::zeros(shape, &Default::default());
        assert_eq!(ok(group.all_reduce(x.clone(), Reduction::Sum)).dims(), shape);
        assert_eq!(ok(group.all_gather(x.clone(), 1)).dims(), [shape[0], shape[1] * ranks]);
        assert_eq!(
            ok(group.reduce_scatter(x.clone(), 0, Reduction::Sum)).dims(),
            [shape[0] / ranks, shape[1]]
        );
        assert_eq!(ok(group.broadcast(x, 0)).dims(), shape);
    }
    let x = Tensor::<B, 0>::from_data(TensorData::new([2.5], []), &Default::default());
    assert_eq!(values(ok(group.all_reduce(x, Reduction::Sum))), [2.5 * ranks as f64]);
    // Repeated elements, and every second row from the end.
    let view = |rank: usize| vector(&numbers(rank, 12)).reshape([4, 3]).flip([0]).slice([0..2, 0..3]);
    let expand = |rank: usize| view(rank).slice([0..1, 0..3]).expand([2 * ranks, 3]);
    let add = |all: Vec<Tensor<B, 2>>| all.into_iter().reduce(|x, y| x + y).unwrap();
    let expected = values(add((0..ranks).map(view).collect()));
    assert_eq!(values(ok(group.all_reduce(view(group.rank()), Reduction::Sum))), expected);
    let expected = add((0..ranks).map(expand).collect()).narrow(0, 0, 2);
    assert_eq!(values(ok(group.reduce_scatter(expand(group.rank()), 0, Reduction::Sum))), values(expected));
}

fn a_million_elements(group: &Communicator) {
    const COUNT: usize = 1_000_003;
    let element = |rank: usize, at: usize| ((at % 1000) as f64 + 0.1) * (rank as f64 + 0.3);
    let own: Vec<f64> = (0..COUNT).map(|at| element(group.rank(), at)).collect();
    let sum = values(ok(group.all_reduce(vector(&own), Reduction::Sum)));
    for (at, sum) in sum.into_iter().enumerate() {
        let expected = (1..group.world_size()).fold(element(0, at), |sum, rank| sum + element(rank, at));
        assert!(sum.to_bits() == expected.to_bits(), "element {at} is {sum}, not {expected}");
    }
}

fn random_programs(group: &Communicator) {
    let (rank, ranks) = (group.rank(), group.world_size());
    for seed in 0..6 {
        let steps = program(&mut Generator::with_stream(seed, 1000 + ranks as u64), ranks);
        let expected = reference(&steps, (0..ranks).map(|rank| start(seed, rank)).collect());
        let result = ok(on_ranks(group, &steps, start(seed, rank)));
        assert!(bits(&result) == bits(&expected[rank]), "rank {rank} of {ranks}, seed {seed}: {steps:?}");
    }
}

fn requests(group: &Communicator) {
    let (rank, ranks) = (group.rank(), group.world_size());
    let sum = ok(group.start_all_reduce(vector(&numbers(rank, 5000)), Reduction::Sum));
    let all = ok(group.start_all_gather(vector(&[rank as f64]), 0));
    let product = ok(group.all_reduce(vector(&[2.0]), Reduction::Product));
    assert_eq!(values(product), [2_f64.powi(ranks as i32)]);
    let expected: Vec<f64> = (0..ranks).map(|rank| rank as f64).collect();
    assert_eq!(values(ok(all.wait())), expected);
    assert_eq!(values(ok(sum.wait())), reduced_of(Reduction::Sum, ranks, 5000));
    if ranks > 1 {
        // All send before they receive, and more than a library keeps by itself.
        let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        let received = ok(group.start_receive::<B, 1, Float>(previous, &Default::default()));
        ok(group.send(vector(&vec![rank as f64; 1_000_000]), next));
        assert_eq!(values(ok(received.wait()))[999_999], previous as f64);
    }
}
