//! sums of products named by letters. Values by scripts/surface_values.py.

use crate::expect::{exactly, panics};
use crate::given::{B, float, int};
use crate::slopes;
use burn::tensor::{DType, Int, Tensor, einsum, try_einsum};

fn a() -> Tensor<B, 2> {
    float([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
}

fn b() -> Tensor<B, 2> {
    float([[-5.0, 2.0, -2.0, 5.0], [1.0, -3.0, 4.0, 0.0], [-4.0, 3.0, -1.0, -5.0]])
}

fn c() -> Tensor<B, 3> {
    let line = Tensor::<B, 1, Int>::arange(0..24, crate::given::CPU);
    line.float().reshape([2, 3, 4])
}

#[test]
fn x_015_products_of_matrices() {
    let product = [[-7.0, 3.0, 2.0, -10.0], [-31.0, 9.0, 5.0, -10.0]];
    exactly(einsum::<B, 2, _>("ij,jk->ik", (a(), b())), product);
    exactly(einsum::<B, 2, _>(" i j , jk -> ik ", [a(), b()]), product);
    exactly(einsum::<B, 2, _>("ij,jk", vec![a(), b()]), product);
    exactly(einsum::<B, 2, _>("...ij,jk->...ik", (a(), b())), product);
    exactly(einsum::<B, 2, _>("aB", [a()]), [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]);
    exactly(einsum::<B, 2, _>("aB,Bc", (a(), b())), product);
    exactly(einsum::<B, 3, _>("bij,bkj->bik", (c(), c())), c().matmul(c().transpose()).into_data());
    exactly(
        einsum::<B, 1, _>("ij,jk,kl,l->i", (a(), b(), b().transpose(), float::<1>([1.0, -1.0, 2.0]))),
        [165.0, 543.0],
    );
}

#[test]
fn x_015_sums_traces_and_transposes() {
    let m = || float::<2>([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]);
    exactly(einsum::<B, 0, _>("ii", [m()]).reshape([1]), [12.0]);
    exactly(einsum::<B, 1, _>("ii->i", [m()]), [0.0, 4.0, 8.0]);
    let cube = Tensor::<B, 1, Int>::arange(0..18, crate::given::CPU).float().reshape([3, 3, 2]);
    exactly(einsum::<B, 1, _>("iij->j", [cube]), [24.0, 27.0]);
    exactly(einsum::<B, 2, _>("ba", [a()]), [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]);
    exactly(einsum::<B, 2, _>("...i->...", [c()]), [[6.0, 22.0, 38.0], [54.0, 70.0, 86.0]]);
    exactly(einsum::<B, 1, _>("...i->i", [c()]), [60.0, 66.0, 72.0, 78.0]);
    exactly(einsum::<B, 0, _>("ij,ij->", (a(), a())).reshape([1]), [55.0]);
}

#[test]
fn x_015_products_without_sums() {
    exactly(
        einsum::<B, 2, _>("i,j->ji", (float::<1>([1.0, 2.0]), float::<1>([3.0, 4.0, 5.0]))),
        [[3.0, 6.0], [4.0, 8.0], [5.0, 10.0]],
    );
    exactly(einsum::<B, 2, _>("ij,ij->ij", (a(), a())), [[0.0, 1.0, 4.0], [9.0, 16.0, 25.0]]);
    exactly(einsum::<B, 1, _>("ij,ij->i", (a(), float::<2>([[2.0], [3.0]]))), [6.0, 36.0]);
    let scalar = einsum::<B, 0, _>("i->", (float::<1>([1.0, 2.0]),));
    exactly(einsum::<B, 1, _>(",i->i", (scalar, float::<1>([1.0, 2.0]))), [3.0, 6.0]);
    exactly(
        einsum::<B, 1, _>(
            "i,kij,j->k",
            (
                float::<1>([1.0, 2.0]),
                Tensor::<B, 1, Int>::arange(0..12, crate::given::CPU).float().reshape([2, 2, 3]),
                float::<1>([1.0, 0.0, -1.0]),
            ),
        ),
        [-6.0, -6.0],
    );
}

#[test]
fn x_015_dtypes_and_empty_sums() {
    let sum: Tensor<B, 1, Int> = einsum("ij,j->i", (int::<2>([[1, 2], [3, 4]]), int::<1>([10, 1])));
    exactly(sum, [12, 34]);
    let wide: Tensor<B, 2> = einsum("ij,jk->ik", (a(), b().cast(DType::F64)));
    assert_eq!(wide.dtype(), DType::F64);
    let nothing = Tensor::<B, 2>::zeros([2, 0], crate::given::CPU);
    exactly(einsum::<B, 2, _>("ij,kj->ik", (nothing.clone(), nothing)), [[0.0, 0.0], [0.0, 0.0]]);
}

#[test]
fn x_015_equations_that_have_no_meaning() {
    let says = |equation: &str, part: &str| {
        let error = try_einsum::<B, 2, _>(equation, (a(), b())).expect_err(equation).to_string();
        assert!(error.starts_with(&format!("einsum: `{equation}`: ")) && error.contains(part), "{error}");
    };
    says("ij", "1 terms for 2 operands");
    says("ij,jkl->ik", "operand 1 does not fit [3, 4] (rank 2)");
    says("i1,jk->ik", "`1` is no letter");
    says("ij,ik->jk", "`i` is 2, and 3 in operand 1");
    says("ii,jk->ik", "`i` is 2, and 3 in operand 0");
    says("ij,jk->iz", "`z`, which no operand has");
    says("ij,jk->ii", "names `i` twice");
    says("ij,jk->i", "rank 1, not 2");
    says("...ijk,jk->ij", "operand 0 does not fit");
    says("i......j,jk->ij", "`.` is no letter");
    says("...,...", "dimension 1 from the end of `...` is 2, and 3 in operand 1");
    let message = panics(|| einsum::<B, 1, _>("ij,jk", (a(), b())));
    assert!(message.starts_with("einsum: `ij,jk`: the result has rank 2, not 1"), "{message}");
    assert!(try_einsum::<B, 2, burn::tensor::Float>("ij", Vec::<Tensor<B, 2>>::new()).is_err());
}

#[test]
fn x_015_gradients_of_sums_of_products() {
    slopes::agree([[0.5, -1.0], [2.0, 1.5]], |x: Tensor<slopes::A, 2>| -> Tensor<slopes::A, 2> {
        einsum("ij,kj,ll->ik", (x.clone(), x.clone(), x))
    });
    slopes::agree([[0.5, -1.0], [2.0, 1.5]], |x: Tensor<slopes::A, 2>| -> Tensor<slopes::A, 1> {
        einsum("ii,ij->i", (x.clone(), x))
    });
}

#[test]
fn x_015_tensordot() {
    exactly(c().tensordot::<2, 1>(b(), &[1, -1], &[0, 1]), [-44.0, -104.0]);
    exactly(a().tensordot::<2, 2>(b(), &[1], &[0]), [[-7.0, 3.0, 2.0, -10.0], [-31.0, 9.0, 5.0, -10.0]]);
    assert_eq!(a().tensordot::<2, 4>(b(), &[0; 0], &[0; 0]).dims(), [2, 3, 3, 4]);
    let message = panics(|| a().tensordot::<2, 2>(b(), &[0], &[0]));
    assert!(
        message.starts_with("tensordot: dimension 0 of [2, 3] is 2, dimension 0 of [3, 4] is 3"),
        "{message}"
    );
    assert!(a().try_tensordot::<2, 0>(b(), &[0, 0], &[0, 1]).is_err(), "a dimension twice");
}
