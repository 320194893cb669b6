//! `DType::promote` against the table that PyTorch printed.

use burn_ir::DType;

#[test]
fn promotion_is_that_of_pytorch_where_pytorch_has_one() {
    let mut lines = include_str!("promotion.txt").lines();
    let header = lines.next().expect("a header");
    let names: Vec<&str> = DType::ALL.iter().map(|dtype| dtype.name()).collect();
    assert_eq!(header.split(' ').collect::<Vec<_>>(), names, "run: python scripts/promotion_table.py");
    for (lhs, line) in DType::ALL.into_iter().zip(lines) {
        let entries: Vec<&str> = line.split(' ').collect();
        assert_eq!((entries[0], entries.len()), (lhs.name(), 14));
        for (rhs, expected) in DType::ALL.into_iter().zip(&entries[1..]) {
            assert_eq!(lhs.promote(rhs), rhs.promote(lhs), "{lhs} and {rhs}");
            if *expected != "-" {
                assert_eq!(lhs.promote(rhs).name(), *expected, "{lhs} and {rhs}");
            }
        }
    }
}

#[test]
fn unsigned_integers_keep_their_values_and_their_kind() {
    use DType::*;
    let pairs = [
        (U16, U8, U16),
        (U32, U16, U32),
        (U64, U8, U64),
        (U16, Bool, U16),
        (U64, Bool, U64),
        (U16, I8, I32),
        (U16, I64, I64),
        (U32, I8, I64),
        (U64, I8, I64),
        (U64, I64, I64),
    ];
    for (lhs, rhs, expected) in pairs {
        assert_eq!(lhs.promote(rhs), expected, "{lhs} and {rhs}");
    }
}
