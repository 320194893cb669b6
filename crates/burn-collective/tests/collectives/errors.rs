//! Wrong programs: each rank gets an error that names rank and field, within the timeout.

use crate::tensors::{B, Outcome, numbers, values, vector};
use burn::backend::NdArray;
use burn::collective::{CollectiveError, Communicator, DataParallel, Local, Reduction};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{DType, Float, Int, Tensor};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Runs a program that fails on every rank, and returns the texts of the errors.
fn errors<R: Send + std::fmt::Debug>(
    ranks: usize,
    program: impl Fn(&Communicator) -> Outcome<R> + Sync,
) -> Vec<String> {
    let results = Local::run(ranks, |communicator| program(&communicator)).unwrap();
    results.into_iter().map(|result| result.unwrap_err().to_string()).collect()
}

#[test]
fn x_507_ranks_that_differ_get_an_error_with_both_values() {
    type Program = fn(&Communicator) -> Outcome<()>;
    let programs: [(Program, &str); 6] = [
        (
            |group| {
                let count = if group.rank() == 2 { 3 } else { 2 };
                group.all_reduce(vector(&numbers(0, count)), Reduction::Sum).map(drop)
            },
            "all_reduce: ranks differ in the shape; expected [2] as on rank 0, got [3] on rank 2",
        ),
        (
            |group| {
                let x = Tensor::<B, 1, Int>::from_data([1], &Default::default());
                match group.rank() {
                    1 => group.all_reduce(x, Reduction::Sum).map(drop),
                    _ => group.all_reduce(vector(&[1.0]), Reduction::Sum).map(drop),
                }
            },
            "all_reduce: ranks differ in the dtype; expected f64 as on rank 0, got i64 on rank 1",
        ),
        (
            |group| {
                let reduction = if group.rank() == 1 { Reduction::Max } else { Reduction::Min };
                group.all_reduce(vector(&[1.0]), reduction).map(drop)
            },
            "all_reduce: ranks differ in the reduction; expected min as on rank 0, got max on rank 1",
        ),
        (
            |group| match group.rank() {
                2 => group.all_gather(vector(&[1.0]), 0).map(drop),
                _ => group.barrier(),
            },
            "barrier: ranks differ in the operation; expected barrier as on rank 0, got all_gather on rank 2",
        ),
        (
            |group| group.broadcast(vector(&[1.0]), group.rank()).map(drop),
            "broadcast: ranks differ in the root; expected 0 as on rank 0, got 1 on rank 1",
        ),
        (
            |group| {
                let count = if group.rank() == 1 { 2 } else { 1 };
                group.all_reduce_list(vec![vector(&[1.0]); count], Reduction::Sum).map(drop)
            },
            "all_reduce_list: ranks differ in the length; expected 1 as on rank 0, got 2 on rank 1",
        ),
    ];
    for (program, expected) in programs {
        for error in errors(3, program) {
            assert!(error.starts_with(expected), "{error}");
        }
    }
}

/// Calls a function with `f32` on rank 1 and `f64` on the others.
type Call<'a> = &'a (dyn Fn(&Communicator, Tensor<B, 1>) -> Outcome<()> + Sync);

#[test]
fn x_507_every_function_names_a_rank_with_another_dtype() {
    let calls: [(&str, Call); 8] = [
        ("all_reduce", &|group, x| group.all_reduce(x, Reduction::Sum).map(drop)),
        ("all_gather", &|group, x| group.all_gather(x, 0).map(drop)),
        ("reduce_scatter", &|group, x| group.reduce_scatter(x, 0, Reduction::Sum).map(drop)),
        ("broadcast", &|group, x| group.broadcast(x, 0).map(drop)),
        ("all_reduce_list", &|group, x| group.all_reduce_list(vec![x], Reduction::Sum).map(drop)),
        ("broadcast_list", &|group, x| group.broadcast_list(vec![x], 0).map(drop)),
        ("all_gather_list", &|group, x| group.all_gather_list(vec![x], 0).map(drop)),
        ("reduce_scatter_list", &|group, x| group.reduce_scatter_list(vec![x], 0, Reduction::Sum).map(drop)),
    ];
    for (name, call) in calls {
        let texts = errors(3, |group| {
            let dtype = if group.rank() == 1 { DType::F32 } else { DType::F64 };
            call(group, Tensor::ones([3], (&Default::default(), dtype)))
        });
        for text in texts {
            assert!(text.starts_with(&format!("{name}: ranks differ in the ")), "{text}");
            assert!(text.contains("expected f64") && text.contains("got f32"), "{text}");
            assert!(text.contains("on rank 0") && text.contains("on rank 1"), "{text}");
        }
    }
    let texts = errors(2, |group| {
        let parallel = DataParallel::new(group.clone());
        if group.rank() == 1 {
            let layer: Linear<NdArray<f32>> = LinearConfig::new(2, 1).init(&Default::default());
            return parallel.synchronize::<NdArray<f32>, _>(layer).map(drop);
        }
        let layer: Linear<B> = LinearConfig::new(2, 1).init(&Default::default());
        parallel.synchronize::<B, _>(layer).map(drop)
    });
    for text in texts {
        let expected = "expected weight f64 [2, 1] as on rank 0, got weight f32 [2, 1] on rank 1";
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn x_507_a_rank_that_ends_or_panics_is_named_on_all_others() {
    for panics in [false, true] {
        let seen = std::sync::Mutex::new(Vec::new());
        let run = || {
            Local::run(4, |group| {
                if group.rank() == 2 {
                    assert!(!panics, "rank 2 panics");
                    return;
                }
                let error = group.all_reduce(vector(&[1.0]), Reduction::Sum).unwrap_err();
                seen.lock().unwrap().push(error);
            })
        };
        let outcome = catch_unwind(AssertUnwindSafe(run));
        assert_eq!(outcome.is_err(), panics);
        let seen = seen.into_inner().unwrap();
        assert_eq!(seen.len(), 3);
        for error in seen {
            assert!(error.to_string().contains("rank 2 ended"), "{error}");
        }
    }
}

#[test]
fn x_507_a_rank_that_hangs_is_named_after_the_timeout() {
    let start = Instant::now();
    let results = Local::run(3, |group| {
        group.set_timeout(Duration::from_millis(100));
        if group.rank() == 1 {
            std::thread::sleep(Duration::from_millis(600));
        }
        group.barrier().map_err(|error| error.to_string())
    })
    .unwrap();
    assert!(start.elapsed() < Duration::from_secs(30));
    for result in results {
        let error = result.unwrap_err();
        assert!(error.contains("[1]"), "{error}");
        assert!(error.starts_with("barrier"), "{error}");
    }
}

#[test]
fn wrong_arguments_end_the_call_on_all_ranks_and_the_next_one_goes_on() {
    let results = Local::run(3, |group| {
        let dim = if group.rank() == 1 { 5 } else { 0 };
        let error = group.all_gather(vector(&[1.0]), dim).unwrap_err();
        let sum = group.all_reduce(vector(&[1.0]), Reduction::Sum).map(values);
        (error.to_string(), sum)
    })
    .unwrap();
    let own = "all_gather: rank 1 gave a wrong dim; expected a dimension of a tensor of rank 1, got 5";
    for (error, sum) in results {
        assert!(error.contains(own), "{error}");
        assert_eq!(sum, Ok(vec![3.0]));
    }
}

#[test]
fn arguments_that_are_wrong_on_every_rank_are_named() {
    let indivisible = errors(2, |group| group.reduce_scatter(vector(&[1.0; 3]), 0, Reduction::Sum));
    assert!(indivisible[0].contains("expected a size of dimension 0 that 2 ranks divide, got 3"));
    let indivisible = errors(2, |group| group.reduce_scatter(vector(&[1.0; 3]), 0, Reduction::Max));
    assert!(indivisible[1].contains("dimension 0 whose size 2 ranks divide"), "{}", indivisible[1]);
    let root = errors(2, |group| group.broadcast(vector(&[1.0]), 2));
    assert!(root[0].contains("rank 0 gave a wrong root; expected a rank below 2, got 2"), "{}", root[0]);
    let to = errors(2, |group| group.send(vector(&[1.0]), group.rank()));
    assert!(to[1].contains("rank 1 gave a wrong to"), "{}", to[1]);
    let from = errors(2, |group| group.receive::<B, 1, Float>(usize::MAX, &Default::default()).map(values));
    assert!(from[0].contains("wrong from"), "{}", from[0]);
    for ranks in [0, usize::MAX] {
        let error = Local::run(ranks, |_group| ()).unwrap_err();
        assert!(error.to_string().contains("wrong world_size; expected 1 to 1024"), "{error}");
    }
}

#[test]
fn received_tensors_have_the_rank_and_kind_that_are_asked_for() {
    let results = Local::run(2, |group| {
        if group.rank() == 0 {
            group.send(vector(&[1.0, 2.0]), 1).unwrap();
            return String::new();
        }
        let error = group.receive::<B, 2, Float>(0, &Default::default()).unwrap_err();
        error.to_string()
    })
    .unwrap();
    assert!(results[1].contains("expected a Float tensor of rank 2, got f64 of shape [2] from rank 0"));
}

#[test]
fn the_first_error_that_leaves_ranks_apart_comes_again() {
    let results = Local::run(2, |group| {
        let count = group.rank() + 1;
        let first = group.all_reduce(vector(&numbers(0, count)), Reduction::Sum).unwrap_err();
        let again = group.barrier().unwrap_err();
        assert!(matches!(first, CollectiveError::Disagreement { rank: 1, .. }));
        first == again
    })
    .unwrap();
    assert_eq!(results, [true, true]);
}
