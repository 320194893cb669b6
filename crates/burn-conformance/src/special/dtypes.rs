use super::situation;
use crate::case::{read, same_bits};
use crate::input::{MemoryLayout, list, ordinary};
use crate::subject::{Report, message};
use crate::values::classes;
use crate::{Family, Subject};
use burn_backend::dynamic::Dynamic;
use burn_backend::{DType, TensorData, TypedCalls};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Values come back as they went in, and what the backend is said not to have it really has not.
pub fn check(subject: &Subject, report: &mut Report<'_>) {
    for dtype in DType::ALL {
        if !subject.has(dtype) {
            let missing = || match catch_unwind(AssertUnwindSafe(|| round_trips(subject, dtype))) {
                Ok(Ok(())) => Err(format!("{dtype} works now, remove the gap")),
                Ok(Err(_)) | Err(_) => Ok(()),
            };
            std::thread::scope(|scope| {
                let outcome = scope.spawn(missing).join().unwrap_or_else(|panic| Err(message(&*panic)));
                report.check(&situation(Family::DTypes, "data", dtype, "missing"), || outcome);
            });
            continue;
        }
        let at = situation(Family::DTypes, "data", dtype, "round trip");
        report.check(&at, || round_trips(subject, dtype));
        let at = situation(Family::DTypes, "data", dtype, "extremes");
        report.check(&at, || extremes_return(subject, dtype));
    }
}

fn returns(subject: &Subject, data: TensorData) -> Result<(), String> {
    let found = read(Dynamic::from_data(data.clone(), &subject.device));
    if same_bits(&found, &data) { Ok(()) } else { Err(format!("{data} came back as {found}")) }
}

fn round_trips(subject: &Subject, dtype: DType) -> Result<(), String> {
    for shape in [vec![], vec![1], vec![37], vec![0, 3], vec![2, 3, 4, 5], vec![1, 2, 1, 2, 1, 2, 1, 2]] {
        returns(subject, ordinary(shape, dtype).data)?;
    }
    for layout in MemoryLayout::ALL {
        let input = ordinary([5, 9], dtype).laid_out(layout);
        let found = read(input.upload(&subject.device));
        if !same_bits(&found, &input.data) {
            return Err(format!("{layout:?}: {} came back as {found}", input.data));
        }
    }
    Ok(())
}

fn extremes_return(subject: &Subject, dtype: DType) -> Result<(), String> {
    classes(dtype).iter().try_for_each(|class| returns(subject, list(&class.values, dtype).data))
}
