//! Grids of ranks.

use crate::tensors::{run, values, vector};
use burn::collective::{CollectiveError, Local, Mesh, Reduction};

#[test]
fn x_505_mesh_groups_have_the_ranks_that_differ_in_one_dimension() {
    // Ranks of each group, written out: rank = data * 4 + pipeline * 2 + tensor.
    let expected = |rank: usize| {
        let (data, pipeline, tensor) = (rank / 4, rank / 2 % 2, rank % 2);
        [
            [pipeline * 2 + tensor, 4 + pipeline * 2 + tensor],
            [data * 4 + tensor, data * 4 + 2 + tensor],
            [data * 4 + pipeline * 2, data * 4 + pipeline * 2 + 1],
        ]
    };
    let groups = run(8, |group| {
        let mesh = Mesh::new(group, &[("data", 2), ("pipeline", 2), ("tensor", 2)])?;
        assert_eq!(mesh.names().collect::<Vec<_>>(), ["data", "pipeline", "tensor"]);
        let mut members = Vec::new();
        for name in ["data", "pipeline", "tensor"] {
            let all = mesh.group(name)?.all_gather(vector(&[group.rank() as f64]), 0)?;
            assert_eq!(mesh.size(name)?, 2);
            members.push((mesh.coordinate(name)?, values(all)));
        }
        Ok(members)
    });
    for (rank, members) in groups.into_iter().enumerate() {
        let coordinates = [rank / 4, rank / 2 % 2, rank % 2];
        for ((found, coordinate), expected) in members.into_iter().zip(coordinates).zip(expected(rank)) {
            assert_eq!(found, (coordinate, expected.map(|rank| rank as f64).to_vec()), "rank {rank}");
        }
    }
}

#[test]
fn x_505_mesh_dimensions_of_unequal_sizes_sum_along_each() {
    let sums = run(6, |group| {
        let mesh = Mesh::new(group, &[("data", 3), ("tensor", 2)])?;
        let x = vector(&[10_f64.powi(group.rank() as i32)]);
        let data = mesh.group("data")?.all_reduce(x.clone(), Reduction::Sum)?;
        let tensor = mesh.group("tensor")?.all_reduce(x, Reduction::Sum)?;
        Ok((values(data)[0], values(tensor)[0]))
    });
    let expected = [(10_101.0, 11.0), (101_010.0, 11.0), (10_101.0, 1_100.0), (101_010.0, 1_100.0)];
    assert_eq!(sums[..4], expected);
    assert_eq!(sums[5], (101_010.0, 110_000.0));
}

#[test]
fn x_505_meshes_that_do_not_fit_are_errors_on_every_rank() {
    let texts = |dims: &[(&str, usize)]| -> Vec<String> {
        Local::run(4, |group| Mesh::new(&group, dims).unwrap_err().to_string()).unwrap()
    };
    for text in texts(&[("data", 3), ("tensor", 2)]) {
        let expected = "wrong dims; expected sizes whose product is the number of ranks, 4, got data 3 x tensor 2, \
                        which is 6";
        assert!(text.contains(expected), "{text}");
    }
    assert!(texts(&[("data", 0)])[3].contains("got data 0, which is 0"));
    assert!(texts(&[("a", usize::MAX), ("b", 2)])[0].contains("more than the largest integer"));
    assert!(texts(&[("a", 2), ("a", 2)])[1].contains("expected names that differ"));
    let differ = Local::run(2, |group| {
        let dims = if group.rank() == 0 { [("a", 2), ("b", 1)] } else { [("a", 1), ("b", 2)] };
        Mesh::new(&group, &dims).unwrap_err().to_string()
    });
    let expected = "ranks differ in the dims; expected a 2 x b 1 as on rank 0, got a 1 x b 2 on rank 1";
    assert!(differ.unwrap()[1].contains(expected));
    let unknown = run(1, |group| Ok(Mesh::new(group, &[("data", 1)])?.group("tensor").unwrap_err()));
    assert!(matches!(&unknown[0], CollectiveError::Argument { argument: "name", .. }), "{unknown:?}");
}
