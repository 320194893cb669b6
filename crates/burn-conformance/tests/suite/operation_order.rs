//! `visit`, `map` and `by_ref` go through operands in one order: bits of `Saves::Inputs`, ids on a wire and
//! slots of a queue rely on it.

use burn_backend::Operation;
use burn_conformance::{Family, each};

fn numbered<T>(op: Operation<T>) -> Operation<usize> {
    let mut next = 0;
    op.map(|_| {
        next += 1;
        next - 1
    })
}

fn in_order(op: &Operation<usize>) -> bool {
    let mut expected = 0;
    let mut fits = true;
    op.visit(|&number| {
        fits &= number == expected;
        expected += 1;
    });
    fits && expected > 0
}

#[test]
fn operands_come_in_one_order() {
    for family in &Family::ALL[..Family::OPERATIONS] {
        let mut count = 0;
        each(*family, &mut |case| {
            count += 1;
            if count > 200 {
                return;
            }
            assert_eq!(Family::of(&case.op), *family, "{}", case.situation);
            let by_ref = numbered(case.op.by_ref());
            let name = case.op.name();
            let by_value = numbered(case.op);
            assert!(in_order(&by_value), "{name}: visit and map differ");
            // As text: NaN is not equal to itself.
            assert_eq!(format!("{by_ref:?}"), format!("{by_value:?}"), "{name}: by_ref and map differ");
            assert_eq!(*by_value.first(), 0, "{name}: first");
        });
        assert!(count > 0, "{family:?} has no cases");
    }
}
