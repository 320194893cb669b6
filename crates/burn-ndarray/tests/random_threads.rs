//! Random numbers do not depend on the number of threads. One test, since the generator is shared.
//! There are no threads in WebAssembly.

#![cfg(not(target_family = "wasm"))]

use burn_backend::TypedCalls;
use burn_backend::{Backend, DType, Distribution, TensorSpec, block_on};
use burn_ndarray::NdArray;

#[test]
fn random_of_one_seed_is_the_same_for_any_number_of_threads() {
    let distributions = [Distribution::Default, Distribution::Normal(0.0, 1.0), Distribution::Bernoulli(0.3)];
    for dtype in DType::ALL {
        for distribution in distributions {
            if matches!(distribution, Distribution::Normal(..)) && !dtype.is_float() {
                continue;
            }
            let draw = |threads: usize| {
                let pool =
                    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a few threads");
                pool.install(|| {
                    NdArray::<f32>::seed(9);
                    [1_000_003, 77].map(|count| {
                        let x = NdArray::<f32>::random(
                            TensorSpec::new([count], dtype),
                            distribution,
                            &Default::default(),
                        );
                        block_on(NdArray::<f32>::into_data(x)).expect("ready").expect("readable")
                    })
                })
            };
            let one = draw(1);
            assert!(one == draw(2) && one == draw(8), "{distribution:?} of {dtype}");
        }
    }
}
