use super::require::{Result, argument, float, same_dtype, same_shape};
use crate::{HasSpec, LayerNormArgs, LayerNormGradArgs, TensorSpec};
use alloc::format;

/// A list of numbers, one for each element of the last dimension of `x`.
fn along_last(what: &str, x: &TensorSpec, list: Option<&TensorSpec>) -> Result<()> {
    let Some(list) = list else { return Ok(()) };
    same_dtype(x, list)?;
    let fits = list.shape.rank() == 1 && list.shape.last() == x.shape.last();
    argument(fits, || format!("{what} {:?} is no list for the last dimension of {:?}", list.shape, x.shape))
}

fn normalised(x: &TensorSpec) -> Result<()> {
    argument(x.shape.rank() > 0, || "a tensor of rank 0 has no last dimension".into())?;
    float(x).map(|_| ())
}

pub fn layer_norm<T: HasSpec>(args: &LayerNormArgs<T>) -> Result<TensorSpec> {
    let x = args.x.spec();
    normalised(x)?;
    along_last("weight", x, args.weight.as_ref().map(HasSpec::spec))?;
    along_last("bias", x, args.bias.as_ref().map(HasSpec::spec))?;
    Ok(x.clone())
}

pub fn layer_norm_grad<T: HasSpec>(args: &LayerNormGradArgs<T>) -> Result<TensorSpec> {
    let (grad, x) = (args.grad.spec(), args.x.spec());
    normalised(x)?;
    same_dtype(grad, x)?;
    same_shape("gradient and input", &grad.shape, &x.shape)?;
    along_last("weight", x, args.weight.as_ref().map(HasSpec::spec))?;
    Ok(x.clone())
}
