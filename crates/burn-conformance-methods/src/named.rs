use super::calls::{Named, calls};
use crate::finish::Finish;
use burn_backend::dynamic::Dynamic;
use burn_tensor::named::NamedTensor;

burn_tensor::named_dims!(Batch, Row, Column, Inner);

type Matrices<First, Second> = NamedTensor<Dynamic, (Batch, First, Second)>;

/// Calls on tensors with named dimensions.
pub fn calls() -> &'static [Named] {
    calls! { a;
        "permute" Matrices::<Row, Column>::new(a.float()).try_permute::<(Row, Column, Batch)>();
        "align" Matrices::<Row, Column>::new(a.float()).try_align::<(Batch, Inner, Row, Column)>();
        "elementwise" Matrices::<Row, Column>::new(a.float()).try_elementwise(|x| x.exp());
        "elementwise" Matrices::<Row, Column>::new(a.float()).try_elementwise(|x| x.sum());
        "sum" Matrices::<Row, Column>::new(a.float()).try_sum::<Row, _>();
        "mean" Matrices::<Row, Column>::new(a.float()).try_mean::<Column, _>();
        "softmax" Matrices::<Row, Column>::new(a.float()).try_softmax::<Batch, _>();
        "add" Matrices::<Row, Column>::new(a.float()).try_add(Matrices::new(a.float()));
        "sub" Matrices::<Row, Column>::new(a.float()).try_sub(Matrices::new(a.float()));
        "mul" Matrices::<Row, Column>::new(a.float()).try_mul(Matrices::new(a.float()));
        "div" Matrices::<Row, Column>::new(a.float()).try_div(Matrices::new(a.float()));
        "max" Matrices::<Row, Column>::new(a.float()).try_max::<Row, _>();
        "matmul" Matrices::<Row, Inner>::new(a.float())
            .try_matmul::<_, (Row, Batch, Column)>(Matrices::<Column, Inner>::new(a.float()));
    }
}
