use crate::{BFloat, Policy, Role};
use burn_backend::*;
use std::marker::PhantomData;

/// Automatic mixed precision: a backend decorator that casts operands to the dtype that the policy `P`
/// chooses for each operation.
///
/// ```
/// use burn::backend::{Amp, NdArray};
/// use burn::tensor::{DType, Tensor, TensorData};
///
/// let device = Default::default();
/// // 257 needs nine digits, bf16 has eight.
/// let x = Tensor::<Amp<NdArray>, 2>::from_data([[257.0]], &device);
/// let y = Tensor::<Amp<NdArray>, 2>::from_data([[1.0]], &device);
/// let product = x.matmul(y);
/// assert_eq!(product.dtype(), DType::F32);
/// assert_eq!(product.into_data(), TensorData::from([[256.0_f32]]));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Amp<B, P = BFloat>(PhantomData<(B, P)>);

/// In which dtype an operand of `dtype` is computed with.
fn computes<P: Policy>(role: Role, dtype: DType) -> DType {
    if dtype.is_float() { P::computes(role, dtype) } else { dtype }
}

fn cast<B: Backend>(x: B::Tensor, dtype: DType) -> B::Tensor {
    if x.spec().dtype == dtype { x } else { B::cast(x, dtype) }
}

around!(Amp<B, P: Policy>);

impl<B: Backend, P: Policy> Around for Amp<B, P> {
    type Inner = B;
    const NAME: &'static str = "amp";

    fn interpret(op: Operation<B::Tensor>) -> Outputs<B::Tensor> {
        let traits = op.traits();
        let role = traits.precision;
        let stays = |x: &B::Tensor| computes::<P>(role, x.spec().dtype) == x.spec().dtype;
        if !op.any(|x| !stays(x)) {
            return B::execute(op);
        }
        // Results have the element types that they would have.
        let promised = promised(&op.map_ref(HasSpec::spec));
        let mut position = 0..;
        let outputs = B::execute(op.map(|x| {
            let is_fixed = position.next().is_some_and(|position| traits.fixed_dtypes.contains(&position));
            let dtype = if is_fixed { x.spec().dtype } else { computes::<P>(role, x.spec().dtype) };
            cast::<B>(x, dtype)
        }));
        let mut promised = promised.into_iter();
        outputs.map(|x| {
            let dtype = promised.next().unwrap_or(x.spec().dtype);
            cast::<B>(x, dtype)
        })
    }

    fn run_block(block: Block<B::Tensor>) -> Vec<B::Tensor> {
        let mut inputs: Vec<DType> = block.inputs.iter().map(HasSpec::dtype).collect();
        let is_head_untouched = block.head.as_ref().is_none_or(|head| {
            inputs.push(head.dtype());
            computes::<P>(Role::Product, head.dtype()) == head.dtype()
        });
        if is_head_untouched && is_untouched(&inputs, &block.steps, &block.specs, computes::<P>) {
            B::run_block(block)
        } else {
            reference::run_block::<Self>(block)
        }
    }
}

/// The element types of the results of a call.
#[inline(never)]
fn promised(op: &Operation<&TensorSpec>) -> Vec<DType> {
    let mut dtypes = Vec::new();
    if let Ok(specs) = output_specs(op) {
        specs.visit(|spec| dtypes.push(spec.dtype));
    }
    dtypes
}

/// Whether all steps of a block compute in the element types they have.
#[inline(never)]
fn is_untouched(
    inputs: &[DType],
    steps: &[BlockStep<Register>],
    specs: &[TensorSpec],
    computes: fn(Role, DType) -> DType,
) -> bool {
    let dtype = |register: Register| {
        let register = usize::from(register);
        inputs.get(register).copied().unwrap_or_else(|| specs[register - inputs.len()].dtype)
    };
    !steps.iter().any(|step| step.any(|&x| computes(step.traits().precision, dtype(x)) != dtype(x)))
}
