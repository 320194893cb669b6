//! The memory of a server stays within its limits, whatever its sessions compute.

use crate::raw::Raw;
use crate::{options, side, start, start_process, total_bytes};
use burn_backend::{
    BinaryOp, Creation, CumulativeOp, DType, Dims, Elementwise, Extremum, Layout, Operation, Order, Outputs,
    ReduceOp, Reduction, Slice, TensorSpec,
};
use burn_remote::wire::{Argument, Failure, Reply, Request};
use std::thread;

fn use_of(id: u64) -> Argument {
    Argument { id, last: false }
}

fn ones(output: u64, shape: &[usize], dtype: DType) -> Request {
    let spec = TensorSpec::new(shape, dtype);
    Request::Create { creation: Creation::Full { spec, value: 1.0.into() }, output }
}

fn execute(op: Operation<Argument>, output: u64) -> Request {
    Request::Execute { op, outputs: Outputs::One(output) }
}

/// Runs `requests`, and says how they failed, if they did.
fn outcome(raw: &mut Raw, requests: &[Request]) -> Option<Failure> {
    raw.requests(requests);
    raw.requests(&[Request::Sync { reply: 0 }]);
    match raw.reply() {
        Reply::Done { .. } => None,
        Reply::Failed { failure, .. } => Some(failure),
        other => panic!("{other:?}"),
    }
}

/// Calls on the tensor 1 that need much memory while they run.
fn calls() -> Vec<Operation<Argument>> {
    let (x, index) = (use_of(1), DType::I64);
    let all: Dims = [0, 1].into();
    vec![
        Operation::Reduction(Reduction::Cumulative { op: CumulativeOp::Sum, x, dim: 0 }),
        Operation::Order(Order::Sort { x, dim: 0, descending: false }),
        Operation::Reduction(Reduction::ArgReduce { op: Extremum::Max, x, dim: 0, index }),
        Operation::Reduction(Reduction::Reduce { op: ReduceOp::Sum, x, dims: all }),
        Operation::Elementwise(Elementwise::Cast { x, dtype: DType::F64 }),
        Operation::Elementwise(Elementwise::Binary { op: BinaryOp::Pow, lhs: x, rhs: x }),
    ]
}

#[test]
fn kernels_stay_within_the_limits_while_they_run() {
    let (server, side) = (start_process("memory::kernels_stay_within_the_limits_while_they_run"), side());
    thread::scope(|scope| {
        // Together they may have less than the sum of what each may have.
        for _ in 0..4 {
            let mut raw = Raw::open(server.url());
            scope.spawn(move || {
                for dtype in [DType::U8, DType::I16, DType::F16] {
                    for op in calls() {
                        // A failing call reports its error and charges nothing to the session.
                        let failure = outcome(&mut raw, &[ones(1, &[side, side / dtype.size()], dtype)]);
                        let failure = failure.or_else(|| outcome(&mut raw, &[execute(op, 2)]));
                        let is_memory =
                            matches!(failure, None | Some(Failure::Memory { .. } | Failure::Refused(_)));
                        assert!(is_memory, "{failure:?}");
                        raw.requests(&[Request::Drop(1), Request::Drop(2)]);
                    }
                }
            });
        }
    });
    if let Some(peak) = server.peak_memory() {
        // An eighth for freed memory that is kept, and what a process has anyway.
        let most = total_bytes() + total_bytes() / 8 + (96 << 20);
        assert!(peak as u64 <= most, "{peak} bytes");
    }
}

#[test]
fn workspace_beyond_the_limit_is_a_failure_that_says_how_much_is_left() {
    let server = start(options().with_session_bytes(28 << 20));
    let mut raw = Raw::open(&server.url());
    assert_eq!(outcome(&mut raw, &[ones(1, &[1 << 20], DType::F64)]), None);
    // 8 MiB and 12 MiB of results, besides which keys and indices are sorted in words.
    let sort = Operation::Order(Order::SortWithIndices {
        x: use_of(1),
        dim: 0,
        descending: true,
        index: DType::I32,
    });
    let sort = Request::Execute { op: sort, outputs: Outputs::Two(4, 5) };
    let failure = outcome(&mut raw, &[sort]);
    assert!(matches!(failure, Some(Failure::Memory { wanted: 1.., .. })), "{failure:?}");
    // The session goes on, with all that it had.
    let sum = Operation::Reduction(Reduction::Reduce { op: ReduceOp::Sum, x: use_of(1), dims: [0].into() });
    assert_eq!(outcome(&mut raw, &[execute(sum, 6), Request::Drop(1), Request::Drop(6)]), None);
    raw.requests(&[Request::Drop(4), Request::Drop(5)]);
    assert_eq!(outcome(&mut raw, &[]), None);
    assert_eq!(server.stats().bytes, 0);
}

#[test]
fn a_view_of_a_little_counts_as_what_it_keeps() {
    let server = start(options().with_session_bytes(32 << 20));
    let mut raw = Raw::open(&server.url());
    let mut kept = 0;
    for id in 1..100 {
        let first = Operation::Layout(Layout::Slice {
            x: Argument { id: 0, last: true },
            slices: [Slice::from(0..1)].into_iter().collect(),
        });
        // Eight mebibytes, of which one element stays.
        let requests = [ones(0, &[2 << 20], DType::F32), execute(first, id)];
        if outcome(&mut raw, &requests).is_some() {
            break;
        }
        kept += 1;
    }
    assert!(kept <= 4, "{kept} tensors of 8 MiB are in 32 MiB");
}
