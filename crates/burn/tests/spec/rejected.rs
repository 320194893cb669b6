//! Programs that must not compile, and what the compiler says to their author.

use crate::compiler::refuses;

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in:\n{message}");
    }
}

#[test]
fn f_023_there_is_no_data() {
    let message = refuses("use burn::tensor::Data;\nfn main() {}");
    says(&message, &["unresolved import `burn::tensor::Data`"]);
}

#[test]
fn tc_006_tensors_of_different_rank_do_not_add() {
    let add = |call: &str| {
        refuses(&format!(
            "use burn::prelude::*;
            fn add<B: Backend>(matrix: Tensor<B, 2>, vector: Tensor<B, 1>) -> Tensor<B, 2> {{ {call} }}
            fn main() {{}}"
        ))
    };
    says(&add("matrix + vector"), &["a tensor cannot be combined with", "use `unsqueeze` or `reshape`"]);
    says(&add("matrix.add(vector)"), &["mismatched types", "expected `2`, found `1`"]);
}

#[test]
fn tc_034_a_tensor_that_moved_is_not_printed() {
    let message = refuses(
        "use burn::prelude::*;
        fn main() {
            let x = Tensor::<burn::backend::NdArray, 1>::zeros([2], &Default::default());
            let y = x + 1.0;
            println!(\"{x}\");
        }",
    );
    says(&message, &["borrow of moved value: `x`"]);
}

#[test]
fn ad_008_no_gradients_without_autodiff() {
    let program = |call: &str| {
        refuses(&format!(
            "use burn::backend::NdArray;
            use burn::prelude::*;
            fn main() {{
                let x = Tensor::<NdArray, 1>::zeros([2], &Default::default()).require_grad();
                {call}
            }}"
        ))
    };
    says(&program("x.backward();"), &["backward", "NdArray: AutodiffBackend"]);
    says(&program("x.grad(&());"), &["grad", "NdArray: AutodiffBackend"]);
}

#[test]
fn de_002_not_every_backend_fuses() {
    let message = refuses(
        "use burn::backend::{Autodiff, Fusion, NdArray};
        fn is_backend<B: burn::tensor::backend::Backend>() {}
        fn main() { is_backend::<Fusion<Autodiff<NdArray>>>(); }",
    );
    says(&message, &["cannot fuse"]);
}

#[test]
fn dl_002_a_batcher_is_of_one_backend() {
    let message = refuses(
        "use burn::backend::{Autodiff, NdArray};
        use burn::data::dataloader::batcher::Batcher;
        use burn::prelude::*;
        use burn::tensor::backend::AutodiffBackend;

        struct Numbers<B: Backend> { device: B::Device }

        impl<B: Backend> Batcher<f32, Tensor<B, 1>> for Numbers<B> {
            fn batch(&self, items: Vec<f32>) -> Tensor<B, 1> {
                Tensor::from_data(items.as_slice(), &self.device)
            }
        }

        fn validate<B: AutodiffBackend>(_: impl Batcher<f32, Tensor<B::InnerBackend, 1>>) {}

        fn main() {
            validate::<Autodiff<NdArray>>(Numbers::<Autodiff<NdArray>> { device: Default::default() });
        }",
    );
    says(&message, &["Batcher<f32, ", "Numbers<"]);
}
