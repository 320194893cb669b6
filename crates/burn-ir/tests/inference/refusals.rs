//! Calls that inference rejects, and the messages: the operation, the shapes or dtypes of all operands, the
//! dimension.

use burn_ir::*;

fn x(shape: impl Into<Shape>) -> TensorSpec {
    TensorSpec::new(shape, DType::F32)
}

fn ints(shape: impl Into<Shape>) -> TensorSpec {
    TensorSpec::new(shape, DType::I64)
}

fn bools(shape: impl Into<Shape>) -> TensorSpec {
    TensorSpec::new(shape, DType::Bool)
}

/// The words that an error has to contain, after the name of the operation.
fn refused(op: &Operation<TensorSpec>, words: &[&str]) {
    let error = output_specs(op).expect_err(op.name()).to_string();
    assert!(error.starts_with(&format!("{}: ", op.name())), "{error}");
    for word in words {
        assert!(error.contains(word), "{word} is missing in: {error}");
    }
}

fn conv_options(stride: &[usize], padding: &[usize], dilation: &[usize], groups: usize) -> ConvOptions {
    ConvOptions { stride: stride.into(), padding: padding.into(), dilation: dilation.into(), groups }
}

fn conv(shape: &[usize], weight: &[usize], options: ConvOptions) -> Operation<TensorSpec> {
    Operation::Convolution(Convolution::Conv(Box::new(ConvArgs {
        x: x(shape),
        weight: x(weight),
        bias: None,
        options,
    })))
}

fn pool(shape: &[usize], lists: [&[usize]; 4]) -> Operation<TensorSpec> {
    let [kernel, stride, padding, dilation] = lists.map(Dims::from);
    let options = PoolOptions { kernel, stride, padding, dilation };
    Operation::Pooling(Pooling::Pool(Box::new(PoolArgs { kind: PoolKind::Max, x: x(shape), options })))
}

#[test]
fn elementwise_calls() {
    let binary = |op, lhs, rhs| Operation::Elementwise(Elementwise::Binary { op, lhs, rhs });
    refused(&binary(BinaryOp::Add, x([2, 3]), x([2, 4])), &["[2, 3]", "[2, 4]", "dimension 1", "3", "4"]);
    refused(&binary(BinaryOp::Add, x([2]), ints([2])), &["f32", "i64"]);
    refused(&binary(BinaryOp::Add, bools([2]), bools([2])), &["numeric", "bool"]);
    refused(&binary(BinaryOp::ShiftLeft, x([2]), x([2])), &["needs a int tensor", "f32"]);
    refused(&binary(BinaryOp::And, x([2]), x([2])), &["int or bool", "f32"]);
    refused(&binary(BinaryOp::Hypot, ints([2]), ints([2])), &["float", "i64"]);
    refused(
        &Operation::Elementwise(Elementwise::Unary { op: UnaryOp::Asinh, x: ints([2]) }),
        &["float", "i64"],
    );
    let (mask, on, off) = (bools([2, 3]), x([3]), x([2, 4]));
    refused(
        &Operation::Elementwise(Elementwise::MaskWhere { mask, on, off }),
        &["[2, 3]", "[3]", "[2, 4]", "dimension 1"],
    );
    let (mask, on, off) = (bools([5, 2, 3]), x([4]), x([2, 3]));
    refused(
        &Operation::Elementwise(Elementwise::MaskWhere { mask, on, off }),
        &["[5, 2, 3]", "[4]", "[2, 3]", "dimension 2"],
    );
    let (mask, value) = (bools([4]), Scalar::Int(0));
    refused(
        &Operation::Elementwise(Elementwise::MaskFill { x: x([2, 3]), mask, value }),
        &["[4]", "[2, 3]", "dimension 1"],
    );
}

#[test]
fn layouts() {
    refused(
        &Operation::Layout(Layout::Reshape { x: x([2, 3]), shape: [4].into() }),
        &["[2, 3]", "6", "[4]", "4"],
    );
    let huge = Shape::from([usize::MAX, usize::MAX]);
    refused(
        &Operation::Layout(Layout::Reshape { x: x([2, 3]), shape: huge.clone() }),
        &["[2, 3]", "more than there can be"],
    );
    refused(&Operation::Layout(Layout::Permute { x: x([2, 3]), axes: [0, 0].into() }), &["[0, 0]", "[2, 3]"]);
    refused(
        &Operation::Layout(Layout::Flip { x: x([2, 3]), axes: [1, 1].into() }),
        &["dimension 1", "[2, 3]", "twice"],
    );
    refused(&Operation::Layout(Layout::Expand { x: x([2, 3]), shape: [3].into() }), &["[2, 3]", "[3]"]);
    refused(&Operation::Layout(Layout::Expand { x: x([1, 1]), shape: huge }), &["larger than any memory"]);
    let step = |start, end, step| Slice { start, end, step };
    let slice = |slices: Vec<Slice>| Operation::Layout(Layout::Slice { x: x([2, 3]), slices: slices.into() });
    refused(&slice(vec![step(0, 2, 1), step(0, 4, 1)]), &["4", "dimension 1", "[2, 3]"]);
    refused(&slice(vec![step(0, 2, 0)]), &["step", "dimension 0", "[2, 3]"]);
    refused(&slice(vec![step(0, 1, 1); 3]), &["3 ranges", "[2, 3]"]);
    let cat = |xs, dim| Operation::Layout(Layout::Cat { xs, dim });
    refused(&cat(vec![], 0), &["at least one"]);
    refused(&cat(vec![x([2, 3]), x([2, 4])], 0), &["[2, 3]", "[2, 4]", "dimension 1", "tensor 1"]);
    refused(&cat(vec![x([2, 3]), x([2])], 0), &["[2, 3]", "[2]", "tensor 1"]);
    refused(&cat(vec![x([2, 3]), ints([2, 3])], 0), &["f32", "i64"]);
    refused(&cat(vec![x([0, usize::MAX]), x([0, usize::MAX])], 1), &["dimension 1", "any memory"]);
    refused(
        &Operation::Layout(Layout::RepeatDim { x: x([2, 3]), dim: 1, times: usize::MAX }),
        &["dimension 1", "[2, 3]"],
    );
    refused(
        &Operation::Layout(Layout::RepeatDim { x: x([2, 3]), dim: 1, times: 1 << 62 }),
        &["larger than any memory"],
    );
}

#[test]
fn reductions_and_orders() {
    let reduce = |op, x, dims: &[usize]| Operation::Reduction(Reduction::Reduce { op, x, dims: dims.into() });
    refused(&reduce(ReduceOp::Sum, x([2, 3]), &[2]), &["dimension 2", "[2, 3]"]);
    refused(&reduce(ReduceOp::Sum, x([2, 3]), &[0, 0]), &["dimension 0", "[2, 3]", "twice"]);
    refused(&reduce(ReduceOp::Max, x([0, 3]), &[0]), &["dimension 0", "[0, 3]", "empty"]);
    refused(&reduce(ReduceOp::Mean, ints([2]), &[0]), &["float", "i64"]);
    refused(&reduce(ReduceOp::Any, x([2]), &[0]), &["needs a bool tensor", "f32"]);
    let topk = |k, index| Operation::Order(Order::TopK { x: x([2, 300]), k, dim: 1, largest: true, index });
    refused(&topk(301, DType::I64), &["301", "dimension 1", "[2, 300]"]);
    refused(&topk(2, DType::U8), &["299", "u8"]);
    refused(&topk(2, DType::F32), &["int", "f32"]);
    let (op, index) = (Extremum::Max, DType::I8);
    refused(&Operation::Reduction(Reduction::ArgReduce { op, x: x([129]), dim: 0, index }), &["128", "i8"]);
    assert!(
        output_specs(&Operation::Reduction(Reduction::ArgReduce { op, x: x([128]), dim: 0, index })).is_ok()
    );
    refused(
        &Operation::Reduction(Reduction::Cumulative { op: CumulativeOp::Sum, x: bools([2]), dim: 0 }),
        &["numeric", "bool"],
    );
    refused(&Operation::Normalization(Normalization::Softmax { x: x([]), dim: 0 }), &["dimension 0", "[]"]);
}

#[test]
fn indexed_calls() {
    let gather = |indices| Operation::Index(Index::Gather { x: x([2, 3]), dim: 1, indices });
    refused(&gather(ints([3, 2])), &["[3, 2]", "[2, 3]", "dimension 0", "3", "2"]);
    refused(&gather(ints([3])), &["[3]", "[2, 3]", "rank"]);
    refused(&gather(x([2, 3])), &["int", "f32"]);
    let scatter =
        |x, indices, value, update| Operation::Index(Index::Scatter { x, dim: 0, indices, value, update });
    let (add, assign) = (IndexUpdate::Add, IndexUpdate::Assign);
    refused(&scatter(bools([2]), ints([2]), bools([2]), add), &["numeric", "bool"]);
    assert!(output_specs(&scatter(bools([2]), ints([2]), bools([2]), assign)).is_ok());
    refused(&scatter(x([2]), ints([2]), x([1]), add), &["[2]", "[1]", "dimension 0"]);
    refused(&scatter(x([2]), ints([2]), ints([2]), add), &["f32", "i64"]);
    let select = |indices| Operation::Index(Index::Select { x: x([2, 3]), dim: 1, indices });
    refused(&select(ints([2, 2])), &["[2, 2]", "dimension 1", "[2, 3]", "rank 1"]);
    let select_assign = |x, value, update| {
        let indices = ints([2]);
        Operation::Index(Index::SelectAssign { x, dim: 1, indices, value, update })
    };
    refused(&select_assign(x([2, 3]), x([2, 3]), add), &["[2, 2]", "[2, 3]", "dimension 1"]);
    refused(&select_assign(bools([2, 3]), bools([2, 2]), IndexUpdate::Max), &["numeric", "bool"]);
}

#[test]
fn matrix_products() {
    let matmul = |lhs, rhs| Operation::Linalg(Linalg::Matmul { lhs, rhs });
    refused(&matmul(x([2, 3]), x([4, 5])), &["[2, 3]", "3 columns", "[4, 5]", "4 rows"]);
    refused(&matmul(x([3]), x([3, 5])), &["[3]", "[3, 5]", "rank 2"]);
    refused(&matmul(bools([2, 2]), bools([2, 2])), &["numeric", "bool"]);
    refused(&matmul(x([2, 5, 2, 3]), x([4, 3, 5])), &["[2, 5, 2, 3]", "[4, 3, 5]", "dimension 1", "5", "4"]);
    let wide = 1 << 40;
    refused(&matmul(x([wide, 1]), x([1, wide])), &["larger than any memory"]);
}

#[test]
fn convolutions() {
    let plain = |spatial| ConvOptions::new(spatial);
    let (image, kernel) = (&[1, 2, 5, 5][..], &[4, 2, 3, 3][..]);
    refused(&conv(image, &[4, 3, 3, 3], plain(2)), &["[1, 2, 5, 5]", "[4, 3, 3, 3]", "dimension 1"]);
    refused(&conv(image, &[4, 2, 6, 3], plain(2)), &["dimension 2", "[1, 2, 5, 5]", "[4, 2, 6, 3]"]);
    refused(&conv(image, &[4, 2, 3], plain(2)), &["rank 4", "[1, 2, 5, 5]", "[4, 2, 3]"]);
    refused(&conv(image, &[4, 2, 0, 3], plain(2)), &["kernel", "spatial dimension 0"]);
    let options = |stride: &[usize], padding: &[usize], dilation: &[usize], groups| {
        conv(image, kernel, conv_options(stride, padding, dilation, groups))
    };
    refused(&options(&[1, 0], &[0, 0], &[1, 1], 1), &["stride [1, 0]", "spatial dimension 1"]);
    refused(&options(&[1, 1], &[0, 0], &[0, 1], 1), &["dilation [0, 1]", "spatial dimension 0"]);
    refused(&options(&[1, 1], &[0], &[1, 1], 1), &["stride [1, 1]", "padding [0]", "2 and 1"]);
    refused(&options(&[1, 1], &[0, 0], &[1, 1, 1], 1), &["stride [1, 1]", "dilation [1, 1, 1]"]);
    refused(&options(&[1, 1], &[0, 0], &[1, 1], 0), &["group", "[1, 2, 5, 5]", "[4, 2, 3, 3]"]);
    refused(&options(&[1, 1], &[0, 0], &[1, 1], 3), &["[4, 2, 3, 3]", "3 groups"]);
    refused(&options(&[1, 1], &[usize::MAX, 0], &[1, 1], 1), &["dimension 2"]);
    refused(&conv(&[1; 6], &[1; 6], plain(4)), &["1 to 3 spatial dimensions", "4"]);
    refused(&conv(&[1; 2], &[1; 2], plain(0)), &["1 to 3 spatial dimensions", "0"]);
    let bias = Some(x([3]));
    let args = ConvArgs { x: x(image), weight: x(kernel), bias, options: plain(2) };
    refused(&Operation::Convolution(Convolution::Conv(Box::new(args))), &["bias", "[3]", "[4]"]);
    let grad = |grad: &[usize], other: &[usize], target: &[usize]| {
        Box::new(ConvGradArgs { grad: x(grad), other: x(other), target: target.into(), options: plain(2) })
    };
    refused(
        &Operation::Convolution(Convolution::ConvTranspose(grad(&[1, 4, 4, 3], kernel, image))),
        &["[1, 4, 4, 3]", "[1, 4, 3, 3]", "dimension 2"],
    );
    refused(
        &Operation::Convolution(Convolution::ConvTranspose(grad(&[1, 4, 3, 3], kernel, &[1, 2, 5]))),
        &["[1, 2, 5]"],
    );
    refused(
        &Operation::Convolution(Convolution::ConvWeightGrad(grad(&[1, 4, 3, 3], image, &[4, 2, 2, 3]))),
        &["[1, 4, 3, 3]", "[1, 4, 4, 3]", "dimension 2"],
    );
    assert!(
        output_specs(&Operation::Convolution(Convolution::ConvTranspose(grad(&[1, 4, 3, 3], kernel, image))))
            .is_ok()
    );
    assert!(
        output_specs(&Operation::Convolution(Convolution::ConvWeightGrad(grad(
            &[1, 4, 3, 3],
            image,
            kernel
        ))))
        .is_ok()
    );
}

#[test]
fn poolings() {
    let image = &[1, 2, 5, 5][..];
    refused(&pool(image, [&[2, 2], &[2], &[0, 0], &[1, 1]]), &["kernel [2, 2]", "stride [2]"]);
    refused(&pool(image, [&[2, 2], &[2, 0], &[0, 0], &[1, 1]]), &["stride [2, 0]", "spatial dimension 1"]);
    refused(&pool(image, [&[0, 2], &[2, 2], &[0, 0], &[1, 1]]), &["kernel [0, 2]", "spatial dimension 0"]);
    refused(&pool(image, [&[2, 2], &[2, 2], &[0, 0], &[1, 0]]), &["dilation [1, 0]", "spatial dimension 1"]);
    refused(&pool(image, [&[2, 2], &[2, 2], &[0, 2], &[1, 1]]), &["padding [0, 2]", "kernel [2, 2]"]);
    refused(&pool(image, [&[2, 6], &[2, 2], &[0, 0], &[1, 1]]), &["dimension 3", "[1, 2, 5, 5]", "[2, 6]"]);
    refused(&pool(image, [&[2], &[2], &[0], &[1]]), &["rank 3", "[1, 2, 5, 5]"]);
    refused(&pool(&[1; 6], [&[1; 4], &[1; 4], &[0; 4], &[1; 4]]), &["1 to 3 spatial dimensions"]);
    // Taps three apart step over two elements with one of padding on each side.
    refused(&pool(&[1, 1, 2], [&[2], &[1], &[1], &[3]]), &["padding", "dimension 2", "[1, 1, 2]"]);
    refused(&pool(&[1, 1, 0], [&[2], &[1], &[1], &[1]]), &["dimension 2", "[1, 1, 0]"]);
    let options = PoolOptions::new([1, 1].into());
    let (x16, index) = (x([1, 1, 17, 16]), DType::U8);
    let op =
        Operation::Pooling(Pooling::MaxPoolWithIndices { x: x16, options: Box::new(options.clone()), index });
    refused(&op, &["271", "u8"]);
    let grad = |x: Option<TensorSpec>, kind| {
        let (grad, target, options) = (self::x(image), image.into(), options.clone());
        Operation::Pooling(Pooling::PoolGrad(Box::new(PoolGradArgs { kind, grad, x, target, options })))
    };
    refused(&grad(None, PoolKind::Max), &["input"]);
    refused(&grad(Some(x([1, 2, 5, 4])), PoolKind::Max), &["[1, 2, 5, 4]", "[1, 2, 5, 5]", "dimension 3"]);
    assert!(output_specs(&grad(None, PoolKind::Avg { count_include_pad: true })).is_ok());
    refused(
        &Operation::Pooling(Pooling::AdaptiveAvgPool { x: x([1, 1, 0]), size: [2].into() }),
        &["dimension 2", "[1, 1, 0]"],
    );
    refused(
        &Operation::Pooling(Pooling::AdaptiveAvgPool { x: x([1, 1, 4]), size: [2, 2].into() }),
        &["rank 4", "[1, 1, 4]"],
    );
    let op = Operation::Pooling(Pooling::AdaptiveAvgPoolGrad { grad: x([1]), target: [1, 1, 4].into() });
    refused(&op, &["spatial"]);
}

#[test]
fn transforms() {
    let fft = |op, shape: &[usize], dim| Operation::Spectral(Spectral::Fft { op, x: x(shape), dim });
    refused(&fft(FftOp::Forward, &[4, 3], 0), &["[4, 3]", "size 2"]);
    refused(&fft(FftOp::Real, &[0, 3], 0), &["dimension 0", "[0, 3]"]);
    refused(&fft(FftOp::Half { n: 9 }, &[4, 2], 0), &["9", "5", "dimension 0", "[4, 2]"]);
}

#[test]
fn recurrent_networks() {
    let lstm = || RecurrentArgs {
        kind: RecurrentKind::Lstm,
        gates: x([5, 2, 12]),
        weight: x([3, 12]),
        hidden: x([2, 3]),
        cell: Some(x([2, 3])),
        bias: None,
        lengths: None,
        reverse: false,
        keep_activations: true,
    };
    let call = |args| Operation::Recurrent(Recurrent::Recurrent(Box::new(args)));
    let specs = output_specs(&call(lstm())).expect("it fits");
    assert_eq!(specs, Outputs::Two(x([7, 2, 3]), x([5, 2, 15])));
    refused(&call(RecurrentArgs { weight: x([3, 9]), ..lstm() }), &["weight", "4 hidden", "[3, 9]"]);
    refused(&call(RecurrentArgs { gates: x([5, 2, 9]), ..lstm() }), &["gates", "[5, 2, 12]", "[5, 2, 9]"]);
    refused(&call(RecurrentArgs { hidden: x([3, 3]), ..lstm() }), &["hidden state", "[2, 3]", "[3, 3]"]);
    refused(&call(RecurrentArgs { cell: None, ..lstm() }), &["cell state", "Lstm", "none"]);
    refused(&call(RecurrentArgs { bias: Some(x([3])), ..lstm() }), &["bias", "Lstm"]);
    refused(&call(RecurrentArgs { hidden: ints([2, 3]), ..lstm() }), &["f32", "i64"]);
    refused(&call(RecurrentArgs { lengths: Some(vec![5]), ..lstm() }), &["lengths", "2 sequences", "1"]);
    refused(
        &call(RecurrentArgs { lengths: Some(vec![5, 6]), ..lstm() }),
        &["lengths", "at most 5", "6 of sequence 1"],
    );
    let (grad, states, activations) = (x([7, 2, 3]), x([7, 2, 3]), x([5, 2, 15]));
    let (kind, weight, initial) = (RecurrentKind::Lstm, x([3, 12]), Some(x([2, 3])));
    let (lengths, reverse) = (None, true);
    let args = RecurrentGradArgs { kind, grad, states, activations, weight, initial, lengths, reverse };
    let grad = |args| Operation::Recurrent(Recurrent::RecurrentGrad(Box::new(args)));
    let specs = output_specs(&grad(args.clone())).expect("it fits");
    assert_eq!(specs, Outputs::Two(x([5, 2, 12]), x([2, 2, 3])));
    refused(&grad(RecurrentGradArgs { grad: x([1, 2, 3]), ..args.clone() }), &["gradient", "[1, 2, 3]"]);
    refused(&grad(RecurrentGradArgs { activations: x([5, 2, 12]), ..args.clone() }), &["activations", "15"]);
    refused(&grad(RecurrentGradArgs { initial: None, ..args }), &["initial state", "none"]);
}

#[test]
fn attention_to_quantized_rows() {
    let words = |shape: [usize; 4]| TensorSpec::new(shape, DType::I32);
    let halves = |shape: [usize; 4]| TensorSpec::new(shape, DType::F16);
    let rows = QuantizedRows { words: words([1, 2, 5, 16]), scale: halves([1, 2, 5, 2]) };
    let with = |key: QuantizedRows<TensorSpec>, value: QuantizedRows<TensorSpec>| {
        let args = QuantizedAttentionArgs {
            query: x([1, 4, 3, 64]),
            key,
            value,
            mask: None,
            causal: false,
            scale: 1.0,
        };
        Operation::Attention(Attention::QuantizedAttention(Box::new(args)))
    };
    let results = output_specs(&with(rows.clone(), rows.clone())).unwrap().two();
    assert_eq!(results, (x([1, 4, 3, 64]), x([1, 4, 3])));
    assert_eq!(rows.shape(), [1, 2, 5, 64].into());
    assert_eq!(rows.scheme().level, QuantizationLevel::Block(32));
    let changed = |words, scale| with(QuantizedRows { words, scale }, rows.clone());
    refused(&changed(ints([1, 2, 5, 16]), halves([1, 2, 5, 2])), &["words of dtype i32", "i64"]);
    refused(&changed(words([1, 2, 5, 16]), ints([1, 2, 5, 2])), &["needs a float tensor", "i64"]);
    refused(&changed(words([1, 2, 5, 16]), halves([1, 2, 4, 2])), &["[1, 2, 5, 16]", "[1, 2, 4, 2]"]);
    refused(&changed(words([1, 2, 5, 16]), halves([1, 2, 5, 3])), &["blocks", "[1, 2, 5, 3]"]);
    refused(&changed(words([1, 2, 5, 16]), halves([1, 2, 5, 0])), &["blocks", "[1, 2, 5, 0]"]);
    refused(&changed(words([1, 2, 5, 0]), halves([1, 2, 5, 1])), &["[1, 2, 5, 0]", "[1, 2, 5, 1]"]);
    refused(&changed(words([1, 2, 5, 8]), halves([1, 2, 5, 1])), &["[1, 4, 3, 64]", "[1, 2, 5, 32]"]);
}

#[test]
fn attention_with_a_cache() {
    let cache = || x([2, 10, 8]);
    let args = CachedAttentionArgs {
        key: x([2, 2, 8]),
        places: ints([2]),
        value: x([2, 2, 8]),
        rotation: x([2, 2, 6]),
        interleaved: false,
        start: 1,
        step: 4,
        keys: 3,
        attention: AttentionArgs {
            query: x([2, 4, 1, 8]),
            key: cache(),
            value: cache(),
            mask: Some(bools([2, 1, 1, 3])),
            causal: false,
            scale: 1.0,
        },
    };
    let op = |args| Operation::Attention(Attention::CachedAttention(Box::new(args)));
    let results = Outputs::Three(x([2, 4, 1, 8]), cache(), cache());
    assert_eq!(output_specs(&op(args.clone())).unwrap(), results);
    let refuse = |change: fn(&mut CachedAttentionArgs<TensorSpec>), words: &[&str]| {
        let mut args = args.clone();
        change(&mut args);
        refused(&op(args), words);
    };
    refuse(|args| args.attention.query = x([2, 4, 8]), &["4 dimensions", "[2, 4, 8]"]);
    refuse(|args| args.attention.query = x([2, 3, 1, 8]), &["query [2, 3, 1, 8]", "[2, 2, 8]"]);
    refuse(|args| args.attention.query = x([2, 4, 2, 8]), &["query [2, 4, 2, 8]"]);
    refuse(|args| args.attention.key = x([3, 10, 8]), &["[2, 2, 8]", "cache [3, 10, 8]"]);
    refuse(|args| args.attention.causal = true, &["not causal"]);
    refuse(|args| args.value = x([2, 1, 8]), &["key and value", "[2, 1, 8]"]);
    refuse(|args| args.attention.value = x([2, 9, 8]), &["caches", "[2, 9, 8]"]);
    refuse(|args| args.places = x([2]), &["f32"]);
    refuse(|args| args.places = ints([3]), &["places and sequences", "[3]"]);
    refuse(|args| args.keys = 5, &["5 keys in each 4", "10 positions"]);
    refuse(|args| args.start = 3, &["from 3 on", "10 positions"]);
    refuse(|args| args.step = usize::MAX, &["10 positions"]);
    refuse(|args| args.rotation = x([2, 1, 8]), &["rotation [2, 1, 8]", "[2, 4, 1, 8]"]);
    refuse(|args| args.rotation = x([2, 2, 10]), &["rotation [2, 2, 10]"]);
    refuse(|args| args.rotation = x([2, 2, 3]), &["rotation [2, 2, 3]"]);
    refuse(|args| args.attention.mask = Some(x([2, 1, 3])), &["mask [2, 1, 3]"]);
}
