use crate::case::{read, same_bits};
use crate::subject::Report;
use crate::{Case, Family, Subject, cases};
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{Backend, Operation, Outputs, TensorData, dispatch};

/// The typed methods do what [`Backend::execute`] does. The only check that is compiled for each backend.
pub fn calls<B: Backend>(subject: &Subject, report: &mut Report<'_>) {
    calls_with(subject, report, |op| {
        let typed = |x: DynamicTensor| x.into_inner::<B>();
        dispatch::<B>(op.map(typed)).map(DynamicTensor::new::<B>)
    });
}

fn calls_with(
    subject: &Subject,
    report: &mut Report<'_>,
    dispatch: impl Fn(Operation<DynamicTensor>) -> Outputs<DynamicTensor> + Copy + Send + Sync,
) {
    for family in Family::ALL {
        if let Some(case) = sample(family, subject) {
            let mut at = case.situation.clone();
            at.family = Family::Calls;
            report.check(&at, || {
                let upload = || case.op.by_ref().map(|input| input.upload(&subject.device));
                let executed = <burn_backend::dynamic::Dynamic as Backend>::execute(upload());
                let (executed, typed) = (data(executed), data(dispatch(upload())));
                let same = executed.iter().zip(&typed).all(|(x, y)| same_bits(x, y));
                if same { Ok(()) } else { Err(format!("execute gives {executed:?}, the method {typed:?}")) }
            });
        }
    }
}

fn data(outputs: Outputs<DynamicTensor>) -> Vec<TensorData> {
    let mut data = Vec::new();
    outputs.map(|output| data.push(read(output)));
    data
}

/// A case with some elements in it.
fn sample(family: Family, subject: &Subject) -> Option<Case> {
    let mut found = None;
    cases::each(family, &mut |case| {
        let elements = case.op.first().data.num_elements();
        if found.is_none() && elements > 4 && case.is_for(subject) {
            found = Some(case);
        }
    });
    found
}
