use crate::device::library::{self, Answer, AttentionResults, Library};
use crate::device::library_warning;
use crate::launch::tensor::CubeTensor;
use crate::ops::create::{full, range};
use crate::ops::elementwise::{binary, compare, compare_scalar, mask_fill};
use crate::ops::layout::{contiguous, expand, reshape};
use crate::ops::reduce::reduce;
use crate::ops::{attention_few, attention_scores};
use burn_backend::*;

/// Computes attention by the device's own library, in tiles of the scores, or else by a matrix of scores;
/// by `otherwise` where there are no rows of scores.
pub fn attention(
    args: AttentionArgs<CubeTensor>,
    otherwise: impl FnOnce(AttentionArgs<CubeTensor>) -> (CubeTensor, CubeTensor),
) -> (CubeTensor, CubeTensor) {
    let done = attention_few::attention(&args).or_else(|| by_library(&args));
    done.unwrap_or_else(|| attention_scores::attention(args, otherwise))
}

/// Computes the gradients of attention, as [`attention`].
pub fn attention_grad(
    args: AttentionGradArgs<CubeTensor>,
    otherwise: impl FnOnce(AttentionGradArgs<CubeTensor>) -> (CubeTensor, CubeTensor, CubeTensor),
) -> (CubeTensor, CubeTensor, CubeTensor) {
    grad_by_library(&args).unwrap_or_else(|| attention_scores::attention_grad(args, otherwise))
}

fn by_library(args: &AttentionArgs<CubeTensor>) -> Option<(CubeTensor, CubeTensor)> {
    let library = library_for(&args.query)?;
    let specs = output_specs(&Operation::Attention(Attention::Attention(Box::new(args.by_ref()))));
    let (out, log_sums) = specs.unwrap_or_else(|error| panic!("{error}")).two();
    let [out, log_sums] = [out, log_sums].map(|spec| CubeTensor::empty(spec, args.query.engine()));
    let AttentionArgs { query, key, value, mask, causal, scale } = args;
    let mask = mask.as_ref().map(|mask| Mask::new(mask, query, key, *causal));
    let mut read = [query, key, value].map(CubeTensor::clone);
    let done = offered("attention", &mut read, |[query, key, value]| {
        let (causal, scale, mask) = (*causal, *scale, mask.as_ref().map(|mask| &mask.added));
        library.attention(library::AttentionCall { query, key, value, mask, causal, scale }, &out, &log_sums)
    });
    done.then(|| match mask {
        Some(mask) => (mask.cleared(out), mask.cleared(log_sums)),
        None => (out, log_sums),
    })
}

fn grad_by_library(args: &AttentionGradArgs<CubeTensor>) -> Option<(CubeTensor, CubeTensor, CubeTensor)> {
    let library = library_for(&args.query)?;
    let AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale } = args;
    let grads = [query, key, value].map(|x| CubeTensor::empty(x.spec().clone(), x.engine()));
    // With a mask that is repeated over rows, gradients of cuDNN 9.14 are wrong.
    let whole = |mask: &CubeTensor| {
        let shape = mask.spec().shape.with(2, query.spec().shape[2]);
        contiguous(expand(Mask::added(mask, query), shape.with(3, key.spec().shape[2])))
    };
    let mask = mask.as_ref().map(whole);
    let mut read = [query, key, value, output, log_sums, grad].map(CubeTensor::clone);
    let done = offered("attention_grad", &mut read, |[query, key, value, out, log_sums, grad]| {
        let (causal, scale, mask) = (*causal, *scale, mask.as_ref());
        let of = AttentionResults { out, log_sums, grad };
        let call = library::AttentionCall { query, key, value, mask, causal, scale };
        library.attention_grad(call, of, grads.each_ref())
    });
    let [query, key, value] = grads;
    done.then_some((query, key, value))
}

/// The library, where it may know attention of such elements: before anything is made for it.
fn library_for(query: &CubeTensor) -> Option<&'static dyn Library> {
    query.engine().library().filter(|library| library.has_attention(query.dtype()))
}

/// Whether the library took the call of this name, with operands in row-major order if it wants that.
fn offered<const N: usize>(
    name: &'static str,
    read: &mut [CubeTensor; N],
    call: impl Fn(&[CubeTensor; N]) -> Answer,
) -> bool {
    let mut answer = call(read);
    if answer == Answer::IfContiguous {
        read.iter_mut().for_each(|x| *x = contiguous(x.clone()));
        answer = call(read);
    }
    library_warning::warn_once(&answer, name, &[&read[0], &read[1], &read[2]]);
    answer == Answer::Done
}

/// The score of a key that is hidden.
const NOTHING: Scalar = Scalar::Float(f64::NEG_INFINITY);

/// A mask as libraries know it.
struct Mask {
    /// To the scores: minus infinity where a key is hidden.
    added: CubeTensor,
    /// Whether a row sees no key, of one column.
    is_blind: CubeTensor,
}

impl Mask {
    fn new(mask: &CubeTensor, query: &CubeTensor, key: &CubeTensor, causal: bool) -> Self {
        let is_bool = mask.dtype() == DType::Bool;
        let added = || compare_scalar(CompareOp::Equal, mask.clone(), NOTHING);
        let mut hidden = if is_bool { mask.clone() } else { added() };
        if causal {
            let later = later(query.spec().shape[2], key.spec().shape[2], mask);
            hidden = binary(BinaryOp::Or, hidden, later);
        }
        let is_blind = reduce(ReduceOp::All, &hidden, &Dims::from([3]));
        Mask { added: contiguous(Self::added(mask, query)), is_blind }
    }

    fn added(mask: &CubeTensor, query: &CubeTensor) -> CubeTensor {
        if mask.dtype() != DType::Bool {
            return mask.clone();
        }
        let spec = TensorSpec::new(mask.shape(), query.dtype());
        let zeros = full(spec, Scalar::Int(0), mask.engine());
        mask_fill(zeros, mask.clone(), NOTHING)
    }

    /// `x`, of four dimensions or without the last one, with zeros in the rows that see no key.
    fn cleared(&self, x: CubeTensor) -> CubeTensor {
        let shape = self.is_blind.shape();
        let of_rows = Shape::from(&shape[..x.spec().shape.rank()]);
        mask_fill(x, reshape(self.is_blind.clone(), of_rows), Scalar::Int(0))
    }
}

/// Whether a key is after its query.
fn later(queries: usize, keys: usize, like: &CubeTensor) -> CubeTensor {
    let places = |shape: [usize; 4], count: usize| {
        let spec = TensorSpec::new([count], DType::I32);
        let places = range(spec, Scalar::Int(0), Scalar::Int(1), like.engine());
        reshape(places, Shape::from(shape))
    };
    compare(CompareOp::Greater, places([1, 1, 1, keys], keys), places([1, 1, queries, 1], queries))
}
