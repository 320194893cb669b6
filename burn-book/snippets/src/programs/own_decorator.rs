// ANCHOR: program
// cargo add --path ../burn/crates/burn --features fusion

use burn::backend::{Fusion, NdArray};
use burn::prelude::*;
use burn::tensor::HasSpec;
use burn::tensor::backend::{Around, around};
use burn::tensor::ops::{Operation, Outputs};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the elements of the results of all operations.
#[derive(Clone, Copy, Debug, Default)]
struct Count<B>(PhantomData<B>);

static ELEMENTS: AtomicUsize = AtomicUsize::new(0);

impl<B: Backend> Around for Count<B> {
    type Inner = B;
    const NAME: &'static str = "count";

    fn interpret(op: Operation<B::Tensor>) -> Outputs<B::Tensor> {
        let outputs = B::execute(op);
        outputs.visit(|x| {
            ELEMENTS.fetch_add(x.shape().num_elements(), Ordering::Relaxed);
        });
        outputs
    }
}

around!(Count<B>);

fn main() {
    let x = Tensor::<Count<NdArray>, 1>::ones([10], &Default::default());
    let sum = x.exp().sum().into_scalar();
    // Ten exponentials, and their sum.
    println!("sum {sum:.2}, {} elements", ELEMENTS.load(Ordering::Relaxed));

    // It works inside of other decorators too.
    let x = Tensor::<Fusion<Count<NdArray>>, 1>::ones([10], &Default::default());
    println!("sum {:.2}", x.sqrt().sum().into_scalar());
}
// ANCHOR_END: program

#[test]
fn x_701_own_decorator() {
    crate::page_output::page_prints!("backends/own-decorator.md");
}
