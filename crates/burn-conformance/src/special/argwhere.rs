use super::{equal, situation};
use crate::array::indices;
use crate::case::read;
use crate::input::{Input, MemoryLayout, spread};
use crate::subject::Report;
use crate::{Family, Subject};
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_backend::{Backend, DType, HasSpec, Scalar, Shape, TensorData, block_on};

pub fn check(subject: &Subject, report: &mut Report<'_>) {
    let shapes: [Shape; 6] =
        [[9].into(), [5, 9].into(), [2, 3, 4].into(), [0, 3].into(), [].into(), [71_001].into()];
    for index in DType::ALL.into_iter().filter(|&index| index.is_int() && subject.has(index)) {
        for shape in &shapes {
            // The largest coordinate must fit.
            if crate::number::highest(index) < shape.num_elements() as i128 {
                continue;
            }
            for layout in MemoryLayout::ALL {
                let at = situation(Family::Argwhere, "argwhere", index, format!("{shape:?}, {layout:?}"));
                let mask = spread(shape.clone(), DType::Bool, 0.0, 1.0).laid_out(layout);
                report.check(&at, || coordinates(&subject.device, &mask, index));
            }
        }
    }
    let at = situation(Family::Argwhere, "argwhere", DType::I64, "of a result, into a call");
    report.check(&at, || in_the_middle(&subject.device));
    for value in [false, true] {
        let mask = Input::new(TensorData::full(value, [3, 4]));
        let at = situation(Family::Argwhere, "argwhere", DType::I64, format!("nothing but {value}"));
        report.check(&at, || coordinates(&subject.device, &mask, DType::I64));
    }
}

fn coordinates(device: &DynamicDevice, mask: &Input, index: DType) -> Result<(), String> {
    let array = mask.array();
    let hits: Vec<_> = indices(array.shape()).filter(|i| array.at(i).is_true()).collect();
    let flat: Vec<i64> = hits.iter().flat_map(|hit| hit.iter().map(|&i| i as i64)).collect();
    let expected = TensorData::new(flat, [hits.len(), array.shape().rank()]).convert_dtype(index);
    let found = block_on(Dynamic::argwhere(mask.upload(device), index)).expect("the suite may wait");
    let found = found.map_err(|error| error.to_string())?;
    equal("shape", found.shape(), expected.shape.clone())?;
    equal("coordinates", read(found), expected)
}

fn in_the_middle(device: &DynamicDevice) -> Result<(), String> {
    let x = Dynamic::from_data(TensorData::from([[3_i64, 0], [4, 5]]), device);
    let op = burn_backend::BinaryOp::Mul;
    let doubled = Dynamic::binary_scalar(op, x, Scalar::Int(2));
    let hits = Dynamic::compare_scalar(burn_backend::CompareOp::Greater, doubled, Scalar::Int(5));
    let at = block_on(Dynamic::argwhere(hits, DType::I64)).expect("the suite may wait");
    let tenfold = Dynamic::binary_scalar(op, at.map_err(|error| error.to_string())?, Scalar::Int(10));
    equal("coordinates", read(tenfold), TensorData::from([[0_i64, 0], [10, 0], [10, 10]]))
}
