//! reading and writing by indices, one-hot, grids. Values by scripts/surface_values.py.

use crate::expect::{exactly, panics};
use crate::given::{B, CPU, float, int};
use crate::slopes;
use burn::tensor::{IndexUpdate, Int, MeshIndexing, Tensor, meshgrid};

fn target() -> Tensor<B, 2> {
    float([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
}

fn values() -> Tensor<B, 2> {
    float([[5.0, -2.0, 3.0], [2.0, 4.0, -6.0]])
}

fn places() -> Tensor<B, 2, Int> {
    int([[0, 1, 1], [0, 0, 1]])
}

#[test]
fn x_013_updates_under_their_own_names() {
    exactly(target().scatter_add(1, places(), values()), [[6.0, 3.0, 3.0], [10.0, -1.0, 6.0]]);
    exactly(target().scatter_multiply(-1, places(), values()), [[5.0, -12.0, 3.0], [32.0, -30.0, 6.0]]);
    exactly(target().scatter_min(1, places(), values()), [[1.0, -2.0, 3.0], [2.0, -6.0, 6.0]]);
    exactly(target().scatter_max(1, places(), values()), [[5.0, 3.0, 3.0], [4.0, 5.0, 6.0]]);
    exactly(target().scatter_assign(1, places(), values()), [[5.0, 3.0, 3.0], [4.0, -6.0, 6.0]]);

    let (column, at) = (|| float::<2>([[7.0], [-1.0]]), || int::<1>([2]));
    exactly(target().select_add(1, at(), column()), [[1.0, 2.0, 10.0], [4.0, 5.0, 5.0]]);
    exactly(target().select_multiply(1, at(), column()), [[1.0, 2.0, 21.0], [4.0, 5.0, -6.0]]);
    exactly(target().select_min(1, at(), column()), [[1.0, 2.0, 3.0], [4.0, 5.0, -1.0]]);
    exactly(target().select_max(-1, at(), column()), [[1.0, 2.0, 7.0], [4.0, 5.0, 6.0]]);
    exactly(target().select_replace(1, at(), column()), [[1.0, 2.0, 7.0], [4.0, 5.0, -1.0]]);
    exactly(
        crate::given::bool::<1>([true, true]).select_replace(0, int([1]), crate::given::bool([false])),
        [true, false],
    );
}

#[test]
fn x_013_indices_beyond_a_dimension_are_errors() {
    let beyond = || int::<2>([[0, 3, 1], [0, 0, 1]]);
    let error = target().try_scatter_max(1, beyond(), values()).expect_err("3 of 3");
    assert!(
        error.to_string().starts_with("scatter_max: index 3 is out of range for dimension 1 of [2, 3]"),
        "{error}"
    );
    assert!(target().try_scatter_assign(1, beyond(), values()).is_err());
    assert!(target().try_select_min(1, int([-1]), float([[7.0], [-1.0]])).is_err());
    let error = target().try_gather_nd::<2, 1>(int([[0, 3]])).expect_err("3 of 3");
    assert!(
        error.to_string().starts_with("gather_nd: index 3 is out of range for dimension 1 of [2, 3]"),
        "{error}"
    );
    assert!(target().try_scatter_nd_add(int::<2>([[2]]), float::<2>([[1.0; 3]])).is_err());
    let message = panics(|| target().gather_nd::<2, 1>(int([[0, 0, 0]])));
    assert!(message.starts_with("gather_nd: 3 coordinates"), "{message}");
}

#[test]
fn x_013_gather_and_scatter_of_several_dims() {
    exactly(target().gather_nd::<2, 1>(int([[0, 2], [1, 0]])), [3.0, 4.0]);
    exactly(
        target().gather_nd::<2, 2>(int([[1], [0], [1]])),
        [[4.0, 5.0, 6.0], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
    );
    exactly(target().gather_nd::<1, 0>(int([1, 1])).reshape([1]), [5.0]);
    let at = || int::<2>([[0, 2], [1, 0], [0, 2]]);
    let given = || float::<1>([10.0, 20.0, 30.0]);
    exactly(target().scatter_nd_add(at(), given()), [[1.0, 2.0, 43.0], [24.0, 5.0, 6.0]]);
    exactly(target().scatter_nd_assign(at(), given()), [[1.0, 2.0, 30.0], [20.0, 5.0, 6.0]]);
    exactly(target().scatter_nd_multiply(at(), given()), [[1.0, 2.0, 900.0], [80.0, 5.0, 6.0]]);
    exactly(target().scatter_nd_min(at(), given()), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    exactly(target().scatter_nd_max(at(), given()), [[1.0, 2.0, 30.0], [20.0, 5.0, 6.0]]);
    exactly(
        target().scatter_nd(int::<2>([[1]]), float::<2>([[9.0, 8.0, 7.0]]), IndexUpdate::Assign),
        [[1.0, 2.0, 3.0], [9.0, 8.0, 7.0]],
    );
    assert!(target().try_scatter_nd_add(at(), float::<1>([1.0])).is_err(), "values of another shape");
    slopes::agree([[0.5, -1.0], [2.0, 1.5]], |x: Tensor<_, 2>| {
        let at = Tensor::<_, 2, Int>::from_data([[0, 1], [1, 0]], CPU);
        let read = x.clone().gather_nd::<2, 1>(at.clone());
        x.scatter_nd_multiply(at, read)
    });
}

#[test]
fn x_014_one_hot_fill() {
    exactly(int::<1>([0, 2]).one_hot_fill::<2>(3, 5, -1, -1), [[5, -1, -1], [-1, -1, 5]]);
    exactly(float::<1>([1.0, 0.0]).one_hot_fill::<2>(2, 0.75, 0.125, 0), [[0.125, 0.75], [0.75, 0.125]]);
    exactly(int::<1>([7, -1]).one_hot_fill::<2>(2, 1, 0, 1), [[0, 0], [0, 0]]);
    assert!(int::<1>([0]).try_one_hot_fill::<2>(2, 0.5, 0, 1).is_err(), "a fraction beside integers");
}

#[test]
fn x_014_meshgrid() {
    let (x, y) = (float::<1>([1.0, 2.0]), float::<1>([3.0, 4.0, 5.0]));
    let [rows, columns] = meshgrid(&[x.clone(), y.clone()], MeshIndexing::Matrix);
    exactly(rows, [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]);
    exactly(columns, [[3.0, 4.0, 5.0], [3.0, 4.0, 5.0]]);
    let [across, down] = meshgrid(&[x.clone(), y], MeshIndexing::Cartesian);
    exactly(across, [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]);
    exactly(down, [[3.0, 3.0], [4.0, 4.0], [5.0, 5.0]]);
    let [alone] = meshgrid(core::array::from_ref(&x), MeshIndexing::Cartesian);
    exactly(alone, [1.0, 2.0]);
    let [_, _, third] = meshgrid(&[x.clone(), x.clone(), x], MeshIndexing::default());
    exactly(third, [[[1.0, 2.0]; 2]; 2]);
}
