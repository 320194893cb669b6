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
