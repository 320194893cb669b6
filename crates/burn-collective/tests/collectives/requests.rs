//! Collectives in the background.

use crate::tensors::{B, run, values, vector};
use burn::collective::{Local, Reduction};
use burn::tensor::Float;

#[test]
fn requests_and_calls_that_wait_keep_their_order() {
    let results = run(3, |group| {
        let own = || vector(&[group.rank() as f64 + 1.0; 3]);
        let sum = group.start_all_reduce(own(), Reduction::Sum)?;
        let all = group.start_all_gather(own(), 0)?;
        let part = group.start_reduce_scatter(own(), 0, Reduction::Mean)?;
        let one = group.start_broadcast(own(), 2)?;
        let barrier = group.start_barrier()?;
        let product = group.all_reduce(own(), Reduction::Product)?;
        let mut sum = sum;
        assert!(sum.is_done(), "a call that waits comes after those before it");
        barrier.wait()?;
        // In another order than they were made.
        let (one, part) = (one.wait()?, part.wait()?);
        Ok([all.wait()?, part, one, sum.wait()?, product].map(values))
    });
    for result in results {
        let expected: [&[f64]; 5] =
            [&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0], &[2.0], &[3.0; 3], &[6.0; 3], &[6.0; 3]];
        assert_eq!(result, expected.map(<[f64]>::to_vec));
    }
}

#[test]
fn both_ranks_may_send_before_they_receive() {
    let results = run(2, |group| {
        let (other, device) = (1 - group.rank(), Default::default());
        let received = group.start_receive::<B, 1, Float>(other, &device)?;
        group.send(vector(&[group.rank() as f64; 100_000]), other)?;
        received.wait().map(|x| values(x)[99_999])
    });
    assert_eq!(results, [1.0, 0.0]);
}

#[test]
fn a_request_that_is_dropped_takes_part() {
    let results = run(2, |group| {
        let request = group.start_all_reduce(vector(&[1.0]), Reduction::Sum)?;
        if group.rank() == 0 {
            drop(request);
            return Ok(2.0);
        }
        request.wait().map(|x| values(x)[0])
    });
    assert_eq!(results, [2.0, 2.0]);
}

#[test]
fn errors_come_with_wait() {
    let results = Local::run(2, |group| {
        let request = group.start_all_gather(vector(&vec![1.0; group.rank()]), 0).unwrap();
        request.wait().unwrap_err().to_string()
    })
    .unwrap();
    for error in results {
        assert!(error.contains("all_gather: ranks differ in the shape"), "{error}");
    }
}
