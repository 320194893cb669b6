//! Programs that must not compile, and what the compiler says to their author.

use crate::compiler::refuses;

/// Asserts that the compiler rejects `program` with one error, whose caret is under `place`, and returns it.
#[track_caller]
fn one_error(program: &str, place: &str) -> String {
    let message = refuses(program);
    let errors = |line: &&str| line.starts_with("error") && !line.starts_with("error: aborting");
    assert_eq!(message.lines().filter(errors).count(), 1, "this is one error:\n{message}");
    let lines: Vec<&str> = message.lines().collect();
    let caret = lines.iter().position(|line| line.contains('^')).expect("a caret");
    let (from, to) = (lines[caret].find('^').unwrap(), lines[caret].rfind('^').unwrap() + 1);
    assert_eq!(&lines[caret - 1][from..to], place, "the caret is at the field:\n{message}");
    message
}

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
    let wrap = [
        "the backend `NdArray` does not compute gradients",
        "wrap the backend in `Autodiff`: `Autodiff<NdArray>`",
    ];
    for call in ["x.backward();", "let gradients = x.try_backward();", "x.grad(&());", "x.inner();"] {
        says(&program(call), &wrap);
    }
    let generic = refuses(
        "use burn::prelude::*;
        fn train<B: Backend>(loss: Tensor<B, 1>) { loss.backward(); }
        fn main() {}",
    );
    says(
        &generic,
        &["the backend `B` does not compute gradients", "wrap the backend in `Autodiff`: `Autodiff<B>`"],
    );
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

/// A program with a module that holds what is none.
fn with_field(module: &str) -> String {
    format!(
        "use burn::module::Param;
        use burn::nn::Linear;
        use burn::prelude::*;

        #[derive(Clone, Debug)]
        struct Settings;

        #[derive(Clone, Debug)]
        struct Block<B: Backend> {{ linear: Linear<B> }}

        #[derive(Module, Debug)]
        {module}

        fn main() {{}}"
    )
}

#[test]
fn mo_001_a_field_that_is_no_module_is_one_error_at_the_field() {
    let module = |field: &str| {
        with_field(&format!("struct Model<B: Backend> {{ weight: Param<Tensor<B, 2>>, {field} }}"))
    };
    let settings = [
        "`Settings` is not a module",
        "every field of a module must be a module",
        "add `#[derive(Module)]` to it, or hold it as `Ignored<Settings>` if it has no parameters",
    ];
    says(&one_error(&module("settings: Settings"), "Settings"), &settings);
    says(&one_error(&module("settings: Option<Vec<Settings>>"), "Settings"), &settings);
    says(&one_error(&module("block: Block<B>"), "Block<B>"), &["`Block<B>` is not a module"]);
    says(&one_error(&module("blocks: Vec<Block<B>>"), "Block<B>"), &["`Block<B>` is not a module"]);
    says(
        &one_error(&module("time: (usize, std::time::Instant)"), "std::time::Instant"),
        &["`Instant` is not a module"],
    );
}

#[test]
fn mo_003_a_variant_that_is_no_module_is_one_error_at_the_variant() {
    let program = with_field("enum Model<B: Backend> { One(Linear<B>), Two(Settings) }");
    says(&one_error(&program, "Settings"), &["`Settings` is not a module"]);
}

#[test]
fn mo_004_a_constant_that_is_no_module_is_one_error_at_the_field() {
    let program = with_field("struct Labels { factor: f64, settings: Settings }")
        .replace("(Module, Debug)", "(Module, Clone, Debug)");
    says(&one_error(&program, "Settings"), &["`Settings` is not a module"]);
    // Without a backend parameter the weights would silently not be saved.
    let program = "use burn::backend::NdArray;
        use burn::module::Param;
        use burn::prelude::*;
        #[derive(Module, Clone, Debug)]
        struct Model { weight: Param<Tensor<NdArray, 2>> }
        fn main() {}";
    let message = one_error(program, "Param<Tensor<NdArray, 2>>");
    says(&message, &["`Param<burn::prelude::Tensor<NdArray, 2>>` is not a module"]);
}

#[test]
fn re_019_a_field_that_is_no_record_is_one_error_at_the_field() {
    let program = "use burn::record::Record;
        struct Secret;
        #[derive(Record)]
        struct State { secret: Secret }
        fn main() {}";
    says(&one_error(program, "Secret"), &["`Secret` is not a record", "add `#[derive(Record)]`"]);
}

#[test]
fn derives_refuse_shapes_of_types_that_they_do_not_know() {
    let refused = |item: &str, place: &str| {
        let program = format!(
            "use burn::prelude::*;
            use burn::record::Record;
            {item}
            fn main() {{}}"
        );
        one_error(&program, place)
    };
    let tuple = refused("#[derive(Module, Debug)] struct Tuple<B: Backend>(Tensor<B, 1>);", "(Tensor<B, 1>)");
    says(&tuple, &["a module has named fields"]);
    let two = "#[derive(Module, Debug)] enum Choice<B: Backend> { Two(Tensor<B, 1>, Tensor<B, 1>) }";
    let two = refused(two, "Two(Tensor<B, 1>, Tensor<B, 1>)");
    says(&two, &["a variant of a module holds one module: `Variant(Module)`"]);
    says(&refused("#[derive(Config)] struct Numbers(usize);", "(usize)"), &["a config has named fields"]);
    let default = "#[derive(Config)] struct Options { #[config(default = \"not an (expression\")] a: usize }";
    let default = refused(default, "\"not an (expression\"");
    says(&default, &["`not an (expression` is not an expression"]);
    let unknown =
        refused("#[derive(Config)] struct Unknown { #[config(fallback = 1)] a: usize }", "fallback");
    says(&unknown, &["unknown option: `#[config(default = ..)]` is the only one"]);
    let option = "#[derive(Module, Debug)] #[module(custom)] struct Unknown<B: Backend> { a: Tensor<B, 1> }";
    says(
        &refused(option, "custom"),
        &["unknown option: there are `custom_display`, `custom_valid` and `recursive`"],
    );
    says(&refused("#[derive(Record)] struct Unnamed(f64);", "(f64)"), &["a record has named fields"]);
}

#[test]
fn tr_018_an_output_without_an_adaptor_is_named_with_the_trait_to_write() {
    let program = |fit: &str| {
        format!(
            "use burn::backend::{{Autodiff, NdArray}};
            use burn::data::dataloader::DataLoaderBuilder;
            use burn::data::dataset::InMemDataset;
            use burn::nn::{{Linear, LinearConfig}};
            use burn::optim::SgdConfig;
            use burn::prelude::*;
            use burn::tensor::backend::AutodiffBackend;
            use burn::train::metric::LossMetric;
            use burn::train::{{LearnerBuilder, TrainOutput, TrainStep, ValidStep}};

            #[derive(Module, Debug)]
            struct Model<B: Backend> {{ linear: Linear<B> }}

            struct Output<B: Backend> {{ loss: Tensor<B, 1> }}

            impl<B: AutodiffBackend> TrainStep<Tensor<B, 2>, Output<B>> for Model<B> {{
                fn step(&self, x: Tensor<B, 2>) -> TrainOutput<Output<B>> {{
                    let loss = self.linear.forward(x).mean();
                    TrainOutput::new(self, loss.backward(), Output {{ loss }})
                }}
            }}

            impl<B: Backend> ValidStep<Tensor<B, 2>, Output<B>> for Model<B> {{
                fn step(&self, x: Tensor<B, 2>) -> Output<B> {{
                    Output {{ loss: self.linear.forward(x).mean() }}
                }}
            }}

            fn batch<B: Backend>(items: Vec<f32>) -> Tensor<B, 2> {{
                Tensor::<B, 1>::from_data(items.as_slice(), &Default::default()).reshape([1, -1])
            }}

            type A = Autodiff<NdArray>;

            fn main() {{
                let model = LinearConfig::new(1, 1).init::<A>(&Default::default());
                let learner = LearnerBuilder::new(\"artifacts\")
                    .metric_train_numeric(LossMetric::new())
                    .build(Model {{ linear: model }}, SgdConfig::new().init(), 0.1);
                {fit}
            }}"
        )
    };
    let fit = "let items = || InMemDataset::new(vec![1.0_f32]);
        learner.fit(
            DataLoaderBuilder::new(batch::<A>).build(items()),
            DataLoaderBuilder::new(batch::<NdArray>).build(items()),
        );";
    for fit in ["", fit] {
        let message = one_error(&program(fit), "LossMetric::new()");
        says(
            &message,
            &[
                "the output `Output<Autodiff<NdArray>>` of the step does not give a metric its input `LossInput<_>`",
                "implement `Adaptor<LossInput<_>> for Output<Autodiff<NdArray>>` with `fn adapt(&self) -> LossInput<_>`",
            ],
        );
    }
}

#[test]
fn tc_006_names_and_operators_of_pytorch_say_what_to_write() {
    let message = |call: &str| {
        refuses(&format!(
            "use burn::prelude::*;
            fn call<B: Backend>(x: Tensor<B, 2>, y: Tensor<B, 2>) {{ {call} }}
            fn main() {{}}"
        ))
    };
    says(&message("x.view([4, -1]);"), &["`view` is `reshape` here: write `x.reshape([2, -1])`"]);
    says(&message("x.view();"), &["write `x.reshape([2, -1])`"]);
    says(&message("let s = x.item();"), &["write `x.into_scalar()`"]);
    says(&message("let n = x.size(0);"), &["write `x.dims()[0]`"]);
    says(&message("let z = x.mm(y);"), &["write `x.matmul(y)`"]);
    says(&message("let z = x.masked_fill(y, 0.0);"), &["`masked_fill` is `mask_fill` here"]);
    says(&message("let z = &x[0];"), &["a tensor is not indexed by `[..]`", "`x.select_dim(0, 0)`"]);
    says(&message("let z = &x[0..2];"), &["a tensor is not indexed by `[..]`", "`x.slice("]);
    for call in ["let z = x > 0.0;", "let z = x <= 1;", "let z = x == 0.0;"] {
        says(&message(call), &["tensors are not compared by operators", "`x.lower_elem(0.0)`"]);
    }
    says(&message("let z = x == y;"), &["ComparedByOperator"]);
}

#[test]
fn de_001_a_module_without_its_backend_says_what_to_declare() {
    let message = refuses(&with_field("struct Model { linear: Option<Linear<B>>, size: usize }"));
    says(&message, &["`Option<Linear<B>>` needs the backend `B`", "write `struct Model<B: Backend>`"]);
    let message = refuses(&with_field("enum Model { One(Linear<B>), None }"));
    says(&message, &["write `enum Model<B: Backend>`"]);
}
