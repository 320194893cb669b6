use super::calls::{Named, calls};
use crate::arguments::{Arguments, Done};
use crate::finish::Finish;
use burn_backend::TypedCalls;
use burn_tensor::{AutodiffBackend, Backend, DType, Float, Tensor, TensorError, grad};

type Below<B> = <B as AutodiffBackend>::InnerBackend;
type Lowest<B> = Below<Below<B>>;

fn lowest<B, const D: usize>(a: &mut Arguments<'_>) -> Tensor<Lowest<B>, D>
where
    B: AutodiffBackend<InnerBackend: AutodiffBackend>,
{
    let data = a.data::<D, Float>(DType::F32);
    Tensor::from_handle(Lowest::<B>::from_data(data, &Default::default()))
}

fn below<B, const D: usize>(a: &mut Arguments<'_>) -> Tensor<Below<B>, D>
where
    B: AutodiffBackend<InnerBackend: AutodiffBackend>,
{
    Tensor::from_inner(lowest::<B, D>(a))
}

/// A function of one number or of as many as there are.
fn number<B: Backend, const D: usize>(x: Tensor<B, D>, whole: bool) -> Tensor<B, 1> {
    let y = (x.clone().sin() * x.square()).flatten::<1>(0, -1);
    if whole { y } else { y.sum() }
}

fn backward<B, const D: usize>(a: &mut Arguments<'_>) -> Done
where
    B: AutodiffBackend<InnerBackend: AutodiffBackend>,
{
    let x = Tensor::<B, D>::from_inner(below::<B, D>(a)).set_require_grad(a.flag());
    let other = Tensor::<B, D>::from_inner(below::<B, D>(a));
    let product = x.clone().try_mul(other).ok().filter(|_| a.flag());
    let y = product.unwrap_or_else(|| x.clone().sign());
    let gradients = y.try_backward()?;
    assert!(x.grad(&gradients).is_some_and(|gradient| gradient.shape() == x.shape()));
    let again: Result<_, TensorError> = y.try_backward();
    again.map(drop)
}

/// Calls of the functions that differentiate functions.
pub fn calls<B, const D: usize>() -> &'static [Named]
where
    B: AutodiffBackend<InnerBackend: AutodiffBackend>,
{
    calls! { a;
        "backward" backward::<B, D>(a);
        "grad" {
            let whole = a.chance_of_a_mistake();
            grad::try_grad(|x: Tensor<B, D>| number(x, whole), below::<B, D>(a))
        };
        "value_and_grad" {
            let whole = a.chance_of_a_mistake();
            grad::try_value_and_grad(|(x, y): (Tensor<B, D>, Tensor<B, 2>)| number(x, whole) * y.sum(), (below::<B, D>(a), below::<B, 2>(a)))
        };
        "vjp" {
            let (x, v) = (below::<B, D>(a), below::<B, D>(a));
            grad::try_vjp(|x: Tensor<B, D>| x.clone().exp() * x, x, v)
        };
        "jvp" {
            let (x, v) = (lowest::<B, D>(a), lowest::<B, D>(a));
            grad::try_jvp(|x: Tensor<B, D>| (x.clone().sin(), x.sum()), x, v)
        };
        "jacobian" grad::try_jacobian::<B, 1, 1, 2>(|x| x.clone().sin() * x, below::<B, 1>(a));
        "jacobian_matrix" {
            let (x, y) = (below::<B, D>(a), below::<B, 2>(a));
            grad::try_jacobian_matrix(|(x, y): (Tensor<B, D>, Tensor<B, 2>)| (x.square(), y.exp()), (x, y))
        };
        "hessian_matrix" {
            let whole = a.chance_of_a_mistake();
            grad::try_hessian_matrix(|x: [Tensor<B, D>; 2]| x.map(|x| number(x, whole)).into_iter().reduce(|x, y| x.sum() + y).expect("two"), [lowest::<B, D>(a), lowest::<B, D>(a)])
        };
        "hessian" {
            let whole = a.chance_of_a_mistake();
            grad::try_hessian::<B, 2, 1, 4>(|x| number(x, whole), lowest::<B, 2>(a))
        };
        "hvp" {
            let (whole, x, v) = (a.chance_of_a_mistake(), lowest::<B, D>(a), lowest::<B, D>(a));
            grad::try_hvp(|x: Tensor<B, D>| number(x, whole), x, v)
        };
    }
}
