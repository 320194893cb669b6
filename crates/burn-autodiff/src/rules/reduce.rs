use super::{B, Operand, Saves, Sink, Tensor};
use burn_backend::ops::{div, mul, scale, sum_dims};
use burn_backend::{Backend, CompareOp, Dims, HasSpec, ReduceOp};

pub fn saves(op: ReduceOp) -> Saves {
    match op {
        ReduceOp::Sum | ReduceOp::Mean => Saves::Nothing,
        ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min => Saves::FIRST,
    }
}

pub fn backward(op: ReduceOp, x: &Operand, dims: Dims, grad: Tensor, sink: &mut Sink<'_>) {
    let count: usize = dims.iter().map(|&d| x.spec.shape[d]).product();
    let wide = B::expand(grad, x.spec.shape.clone());
    if saves(op) == Saves::Nothing {
        return sink
            .add(x, || if op == ReduceOp::Mean { scale::<B>(wide, 1.0 / count as f64) } else { wide });
    }
    let value = sink.value(x);
    let result = B::reduce(op, value.clone(), dims.clone());
    sink.add(x, || match op {
        ReduceOp::Prod => mul::<B>(wide, div::<B>(result, value)),
        ReduceOp::Max | ReduceOp::Min => {
            let hit = B::cast(B::compare(CompareOp::Equal, value, result), wide.dtype());
            let ties = sum_dims::<B>(hit.clone(), dims);
            div::<B>(mul::<B>(wide, hit), ties)
        }
        ReduceOp::Sum | ReduceOp::Mean => unreachable!("returned above"),
    });
}
