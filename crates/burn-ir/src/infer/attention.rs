use super::require::{Result, argument, float, indices_of, same_dtype, same_shape, sized};
use crate::attention::attention_dtype;
use crate::{
    AttentionArgs, AttentionGradArgs, CachedAttentionArgs, DType, HasSpec, Outputs, QuantizedAttentionArgs,
    QuantizedRows, Shape, TensorSpec,
};
use alloc::format;

/// The specs of the two results.
fn results<T: HasSpec>(args: &AttentionArgs<T>) -> Result<(TensorSpec, TensorSpec)> {
    let (query, key, value) = (args.query.spec(), args.key.spec(), args.value.spec());
    float(query)?;
    same_dtype(query, key)?;
    same_dtype(query, value)?;
    let shapes = [query, key, value].map(|spec| <[usize; 4]>::try_from(&spec.shape[..]).ok());
    let fits = |[[batch, heads, _, size], key, value]: [[usize; 4]; 3]| {
        let [key_batch, key_heads, keys, key_size] = key;
        key_batch == batch
            && key_size == size
            && value[..3] == [batch, key_heads, keys]
            && key_heads > 0
            && heads.is_multiple_of(key_heads)
    };
    let fitting = match shapes {
        [Some(query), Some(key), Some(value)] => Some([query, key, value]).filter(|&shapes| fits(shapes)),
        [..] => None,
    };
    argument(fitting.is_some(), || {
        format!("query {:?}, key {:?} and value {:?} do not fit", query.shape, key.shape, value.shape)
    })?;
    let [[batch, heads, queries, _], [_, _, keys, _], [_, _, _, size_out]] = fitting.unwrap_or_default();
    if let Some(mask) = &args.mask {
        hides(mask.spec(), query.dtype, [batch, heads, queries, keys])?;
    }
    let result = TensorSpec::new([batch, heads, queries, size_out], query.dtype);
    let log_sums = TensorSpec::new([batch, heads, queries], attention_dtype(query.dtype));
    // Where one size is 0, the product of the others may still exceed the largest element count.
    for spec in [key, value, &TensorSpec::new([batch, heads, queries, keys], query.dtype)] {
        sized(spec)?;
    }
    sized(&result)?;
    sized(&log_sums)?;
    Ok((result, log_sums))
}

fn hides(mask: &TensorSpec, dtype: DType, scores: [usize; 4]) -> Result<()> {
    if mask.dtype != DType::Bool {
        same_dtype(&TensorSpec::new(Shape::new([]), dtype), mask)?;
    }
    let rank_fits = mask.shape.rank() == 4;
    let fits =
        rank_fits && mask.shape.iter().zip(scores).all(|(&found, wanted)| found == wanted || found == 1);
    argument(fits, || format!("a mask {:?} for scores {scores:?}", mask.shape))
}

pub fn attention<T: HasSpec>(args: &AttentionArgs<T>) -> Result<Outputs<TensorSpec>> {
    results(args).map(Outputs::from)
}

pub fn quantized_attention<T: HasSpec>(args: &QuantizedAttentionArgs<T>) -> Result<Outputs<TensorSpec>> {
    let QuantizedAttentionArgs { query, key, value, mask, causal, scale } = args;
    let (query, mask) = (query.spec().clone(), mask.as_ref().map(|mask| mask.spec().clone()));
    let (key, value) = (rows(key, query.dtype)?, rows(value, query.dtype)?);
    attention(&AttentionArgs { query, key, value, mask, causal: *causal, scale: *scale })
}

pub fn cached_attention<T: HasSpec>(args: &CachedAttentionArgs<T>) -> Result<Outputs<TensorSpec>> {
    let CachedAttentionArgs { key, places, value, rotation, attention, .. } = args;
    let (query, key_cache, value_cache) = (float(attention.query.spec())?, &attention.key, &attention.value);
    for x in [key, value, rotation, key_cache, value_cache] {
        same_dtype(query, x.spec())?;
    }
    let (row, cache) = (&key.spec().shape, &key_cache.spec().shape);
    let [sequences, heads, one, size] = dims(query)?;
    let ([_, key_heads, _], [cache_heads, positions, cache_size]) =
        (dims(key.spec())?, dims(key_cache.spec())?);
    let fits = (cache_heads, cache_size, one) == (key_heads, size, 1)
        && row[..] == [sequences, key_heads, size]
        && key_heads > 0
        && heads.is_multiple_of(key_heads);
    argument(fits, || format!("query {:?}, key {row:?} and cache {cache:?} do not fit", query.shape))?;
    argument(!attention.causal, || "attention with a cache is not causal".into())?;
    same_shape("key and value", row, &value.spec().shape)?;
    same_shape("caches of keys and values", cache, &value_cache.spec().shape)?;
    indices_of(positions, places.spec().dtype)?;
    same_shape("places and sequences", &places.spec().shape, &[sequences].into())?;
    let end = sequences.checked_mul(args.step).and_then(|all| all.checked_add(args.start));
    let is_inside = args.keys <= args.step && end.is_some_and(|end| end <= positions);
    argument(is_inside, || {
        let CachedAttentionArgs { start, step, keys, .. } = args;
        format!(
            "{keys} keys in each {step} of {sequences} sequences from {start} on, of {positions} positions"
        )
    })?;
    let [rows, two, rotated] = dims(rotation.spec())?;
    let fits = (rows, two) == (sequences, 2) && rotated <= size && rotated.is_multiple_of(2);
    argument(fits, || format!("a rotation {:?} for queries {:?}", rotation.spec().shape, query.shape))?;
    if let Some(mask) = &attention.mask {
        hides(mask.spec(), query.dtype, [sequences, heads, 1, args.keys])?;
    }
    let spec = |x: &T| x.spec().clone();
    Ok(Outputs::Three(query.clone(), spec(key_cache), spec(value_cache)))
}

/// The sizes of a tensor of `D` dimensions.
fn dims<const D: usize>(x: &TensorSpec) -> Result<[usize; D]> {
    let sizes = <[usize; D]>::try_from(&x.shape[..]).ok();
    argument(sizes.is_some(), || format!("needs a tensor of {D} dimensions, found {:?}", x.shape))?;
    Ok(sizes.unwrap_or([0; D]))
}

/// The dequantized rows.
fn rows<T: HasSpec>(x: &QuantizedRows<T>, dtype: DType) -> Result<TensorSpec> {
    let (words, scale) = (x.words.spec(), float(x.scale.spec())?);
    argument(words.dtype == DType::I32, || {
        format!("needs words of dtype i32, found {}", words.dtype.name())
    })?;
    let fits = match (&words.shape[..], &scale.shape[..]) {
        ([.., 0], [.., 0]) => true,
        ([words @ .., count], [scales @ .., blocks]) => {
            words == scales && *count > 0 && *blocks > 0 && count.saturating_mul(4).is_multiple_of(*blocks)
        }
        ([], _) | (_, []) => false,
    };
    argument(fits, || {
        format!("words {:?} of four numbers and scales of blocks {:?} do not fit", words.shape, scale.shape)
    })?;
    Ok(TensorSpec { shape: x.shape(), dtype })
}

pub fn attention_grad<T: HasSpec>(args: &AttentionGradArgs<T>) -> Result<Outputs<TensorSpec>> {
    let AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale } = args;
    let (mask, causal, scale) = (mask.as_ref(), *causal, *scale);
    let (result, sums) = results(&AttentionArgs { query, key, value, mask, causal, scale })?;
    for (what, found, wanted) in [
        ("gradient and result", grad, &result),
        ("output and result", output, &result),
        ("logarithms of sums and rows", log_sums, &sums),
    ] {
        same_dtype(found.spec(), wanted)?;
        same_shape(what, &found.spec().shape, &wanted.shape)?;
    }
    let spec = |x: &T| x.spec().clone();
    Ok(Outputs::Three(spec(query), spec(key), spec(value)))
}
