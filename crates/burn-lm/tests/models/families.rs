use crate::fixture::{B, FAMILIES, check, load};
use burn_core::tensor::{Int, Tensor, TensorData};

#[test]
fn x_601_logits_of_each_family_equal_those_of_transformers() {
    for name in FAMILIES {
        let fixture = load(name);
        let tokens: Vec<i64> = fixture.tokens.iter().map(|token| i64::from(*token)).collect();
        let count = tokens.len();
        let tokens = Tensor::<B, 2, Int>::from_data(TensorData::new(tokens, [1, count]), &Default::default());
        let logits = fixture.model.forward(tokens).unwrap();
        check(name, &logits.into_data().to_vec().unwrap(), &fixture.logits);
    }
}

#[test]
fn gradients_of_a_loaded_model_equal_differences() {
    use burn_autodiff::Autodiff;
    use burn_core::module::Param;
    use burn_lm::LanguageModel;
    type A = Autodiff<B>;
    let device = Default::default();
    for name in ["gemma2", "phi"] {
        let model = LanguageModel::<A>::from_folder(crate::fixture::folder(name), &device).unwrap();
        let tokens = || Tensor::<A, 2, Int>::from_data([[5, 9, 33, 7, 8, 21, 40]], &device);
        let loss = |model: &LanguageModel<A>| model.forward(tokens()).unwrap().square().mean();
        let weight = model.blocks[0].attention.query.weight.val();
        let gradients = loss(&model).backward();
        let gradient = weight.grad(&gradients).unwrap().into_data().to_f64();
        let [rows, columns] = weight.dims();
        let data = weight.clone().into_data();
        let values = data.to_f64();
        for index in [0, columns + 3, rows * columns - 1] {
            let moved = |step: f64| {
                let mut values = values.clone();
                values[index] += step;
                let mut moved = model.clone();
                let weight = Tensor::<A, 2>::from_data(TensorData::new(values, [rows, columns]), &device);
                moved.blocks[0].attention.query.weight = Param::from_tensor(weight);
                loss(&moved).into_data().to_f64()[0]
            };
            let step = 1e-2;
            let difference = (moved(step) - moved(-step)) / (2.0 * step);
            let scale = gradient.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            assert!(
                (gradient[index] - difference).abs() <= 0.02 * scale,
                "{name}: {} {difference}",
                gradient[index]
            );
        }
    }
}
