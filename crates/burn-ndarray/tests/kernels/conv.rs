//! Convolutions of `f32` against those of `f64`, which are computed in another way: by matrix products over
//! unfolded input.

use burn_backend::*;
use burn_ndarray::{NdArray, NdTensor};

type Leaf = NdArray<f32>;

/// Numbers between -1 and 1 that repeat themselves after 2^64.
fn numbers(shape: &[usize], seed: u64) -> NdTensor {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let len = shape.iter().product();
    let list: Vec<f32> = (0..len)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect();
    Leaf::from_data(TensorData::new(list, shape.iter().copied().collect::<Shape>()), &Default::default())
}

fn wide(x: &NdTensor) -> NdTensor {
    Leaf::cast(x.clone(), DType::F64)
}

fn list(x: NdTensor) -> Vec<f64> {
    let x = Leaf::cast(x, DType::F64);
    let mut future = std::pin::pin!(Leaf::into_data(x));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(data) => data.expect("data can be read").to_vec().expect("they are f64"),
        std::task::Poll::Pending => unreachable!("the CPU answers at once"),
    }
}

/// Root of the mean square of the errors, and the largest, both over the root of the mean square of the
/// values.
fn errors(found: NdTensor, expected: NdTensor) -> (f64, f64) {
    assert_eq!(found.spec().shape, expected.spec().shape);
    let (found, expected) = (list(found), list(expected));
    if expected.is_empty() {
        return (0.0, 0.0);
    }
    let mean = |list: &mut dyn Iterator<Item = f64>| (list.sum::<f64>() / expected.len() as f64).sqrt();
    let size = mean(&mut expected.iter().map(|x| x * x)).max(f64::MIN_POSITIVE);
    let differences = || found.iter().zip(&expected).map(|(x, y)| (x - y).abs());
    let largest = differences().fold(0.0, f64::max);
    assert!(differences().all(f64::is_finite));
    (mean(&mut differences().map(|x| x * x)) / size, largest / size)
}

struct Case {
    x: Vec<usize>,
    weight: Vec<usize>,
    options: ConvOptions,
}

fn case(x: &[usize], weight: &[usize], [stride, padding, dilation]: [&[usize]; 3], groups: usize) -> Case {
    let (stride, padding, dilation) = (stride.into(), padding.into(), dilation.into());
    Case { x: x.into(), weight: weight.into(), options: ConvOptions { stride, padding, dilation, groups } }
}

impl Case {
    fn output(&self) -> Shape {
        let size =
            |d: usize| self.options.output_size(d, self.x[d + 2], self.weight[d + 2]).expect("it fits");
        [self.x[0], self.weight[0]].into_iter().chain((0..self.x.len() - 2).map(size)).collect()
    }

    /// The errors of the convolution and its two gradients.
    fn errors(&self) -> [(f64, f64); 3] {
        let options = || self.options.clone();
        let (x, weight, bias) =
            (numbers(&self.x, 1), numbers(&self.weight, 2), numbers(&self.weight[..1], 3));
        let grad = numbers(&self.output(), 4);
        let conv = |x, weight, bias| Leaf::conv(ConvArgs { x, weight, bias: Some(bias), options: options() });
        let args = |grad, other, target: &[usize]| ConvGradArgs {
            grad,
            other,
            target: target.iter().copied().collect(),
            options: options(),
        };
        [
            errors(conv(x.clone(), weight.clone(), bias.clone()), conv(wide(&x), wide(&weight), wide(&bias))),
            errors(
                Leaf::conv_transpose(args(grad.clone(), weight.clone(), &self.x)),
                Leaf::conv_transpose(args(wide(&grad), wide(&weight), &self.x)),
            ),
            errors(
                Leaf::conv_weight_grad(args(grad.clone(), x.clone(), &self.weight)),
                Leaf::conv_weight_grad(args(wide(&grad), wide(&x), &self.weight)),
            ),
        ]
    }
}

const ONES: &[usize] = &[1, 1];

#[test]
fn conv_of_odd_shapes_is_that_of_f64() {
    let cases = [
        case(&[2, 5, 20, 21], &[9, 5, 3, 3], [ONES, ONES, ONES], 1),
        case(&[3, 7, 28, 28], &[13, 7, 1, 1], [ONES, &[0, 0], ONES], 1),
        case(&[2, 6, 30, 33], &[11, 6, 7, 7], [&[2, 2], &[3, 3], ONES], 1),
        case(&[2, 6, 17, 19], &[10, 3, 3, 3], [&[2, 3], &[1, 2], &[2, 1]], 2),
        case(&[1, 6, 40, 9], &[12, 3, 5, 2], [ONES, &[0, 0], &[3, 2]], 2),
        // Padding larger than the kernel; a stride that leaves gaps; kernels as large as the input.
        case(&[1, 3, 20, 20], &[5, 3, 2, 2], [ONES, &[5, 3], ONES], 1),
        case(&[2, 3, 21, 20], &[5, 3, 2, 2], [&[5, 4], &[3, 0], ONES], 1),
        case(&[1, 2, 15, 15], &[2, 2, 9, 9], [ONES, &[4, 4], ONES], 1),
        case(&[2, 3, 32, 32], &[20, 3, 8, 8], [&[8, 8], &[0, 0], ONES], 1),
        case(&[0, 3, 20, 20], &[5, 3, 2, 2], [ONES, &[0, 0], ONES], 1),
        case(&[1, 64, 5, 5], &[32, 64, 3, 3], [&[2, 2], ONES, ONES], 1),
        // Depthwise, through a kernel of its own and without; several channels to a group.
        case(&[2, 6, 20, 37], &[6, 1, 3, 3], [ONES, ONES, ONES], 6),
        case(&[2, 6, 20, 70], &[6, 1, 3, 3], [ONES, &[0, 3], ONES], 6),
        case(&[2, 6, 21, 37], &[6, 1, 3, 3], [&[2, 2], ONES, ONES], 6),
        case(&[2, 6, 20, 37], &[12, 1, 5, 5], [ONES, ONES, ONES], 6),
        case(&[2, 12, 20, 37], &[6, 2, 5, 5], [ONES, &[2, 2], ONES], 6),
        // Elements after the last whole vector, one by one.
        case(&[1, 32, 7, 7], &[40, 32, 3, 3], [ONES, ONES, ONES], 1),
        case(&[3, 32, 14, 14], &[37, 32, 5, 5], [ONES, &[2, 2], ONES], 1),
        case(&[2, 64, 14, 14], &[72, 64, 3, 3], [&[2, 2], ONES, ONES], 1),
        case(&[1, 3, 100], &[5, 3, 5], [&[3], &[7], &[2]], 1),
        case(&[2, 4, 9, 10, 11], &[6, 2, 3, 2, 3], [&[2, 1, 2], &[1, 0, 2], &[1, 3, 1]], 2),
        case(&[1, 4, 6, 7, 8], &[5, 4, 3, 2, 3], [&[1, 1, 1], &[1, 1, 1], &[1, 1, 1]], 1),
        // Weights that are packed, of rows that are not whole tiles; gradients of many weights in parts.
        case(&[3, 5, 40, 41], &[23, 5, 5, 5], [ONES, &[2, 2], ONES], 1),
        case(&[2, 9, 44, 40], &[15, 3, 5, 2], [ONES, &[2, 1], ONES], 3),
        // Depthwise planes of a few elements.
        case(&[2, 6, 7, 7], &[6, 1, 3, 3], [ONES, ONES, ONES], 6),
        case(&[2, 6, 7, 9], &[6, 1, 3, 3], [&[2, 2], ONES, ONES], 6),
        case(&[2, 6, 2, 3], &[6, 1, 3, 3], [ONES, &[2, 1], ONES], 6),
        case(&[2, 6, 3, 1], &[6, 1, 3, 3], [&[2, 2], &[1, 2], ONES], 6),
        // Rows as long as vectors of one kind or another, shorter and longer ones; more rows, or fewer, of
        // results than of input.
        case(&[1, 5, 14, 14], &[5, 1, 3, 3], [ONES, ONES, ONES], 5),
        case(&[3, 5, 9, 16], &[5, 1, 3, 3], [ONES, ONES, ONES], 5),
        case(&[1, 5, 5, 8], &[5, 1, 3, 3], [ONES, &[0, 1], ONES], 5),
        case(&[1, 5, 40, 4], &[5, 1, 3, 3], [ONES, &[2, 1], ONES], 5),
        case(&[1, 5, 30, 1], &[5, 1, 3, 3], [ONES, ONES, ONES], 5),
        case(&[1, 5, 3, 17], &[5, 1, 3, 3], [ONES, ONES, ONES], 5),
        case(&[2, 5, 14, 14], &[5, 1, 3, 3], [&[2, 2], ONES, ONES], 5),
        case(&[1, 5, 15, 16], &[5, 1, 3, 3], [&[2, 2], &[1, 0], ONES], 5),
        case(&[1, 5, 16, 15], &[5, 1, 3, 3], [&[2, 2], &[0, 2], ONES], 5),
        case(&[1, 5, 9, 17], &[5, 1, 3, 3], [&[2, 2], &[2, 1], ONES], 5),
        case(&[1, 5, 1, 5], &[5, 1, 3, 3], [&[2, 2], &[2, 0], ONES], 5),
        // Columns of a product after the last whole vector, one by one.
        case(&[2, 70, 7, 7], &[21, 70, 1, 1], [ONES, &[0, 0], ONES], 1),
        case(&[1, 80, 14, 14], &[300, 80, 1, 1], [ONES, &[0, 0], ONES], 1),
        case(&[1, 128, 12, 13], &[24, 64, 1, 1], [ONES, &[0, 0], ONES], 2),
        // Rows that are whole vectors, with room after them.
        case(&[1, 3, 64, 64], &[9, 3, 3, 3], [&[2, 2], ONES, ONES], 1),
        case(&[1, 3, 30, 224], &[12, 3, 7, 7], [&[2, 2], &[3, 3], ONES], 1),
        // Blocks that end in the room after a slice.
        case(&[1, 4, 6, 29, 70], &[5, 4, 3, 3, 3], [&[1; 3], &[1; 3], &[1; 3]], 1),
        case(&[1, 4, 6, 34, 64], &[5, 4, 3, 3, 3], [&[1; 3], &[1; 3], &[1; 3]], 1),
        case(&[1, 4, 6, 34, 70], &[5, 4, 3, 3, 3], [&[1; 3], &[1; 3], &[1; 3]], 1),
        // No window has an element of the input: its gradient is zero.
        case(&[1, 2, 1, 40], &[3, 2, 1, 1], [&[3, 1], &[2, 0], ONES], 1),
        case(&[2, 34, 33, 34], &[78, 34, 5, 5], [ONES, &[2, 2], ONES], 1),
    ];
    for case in cases {
        for (rms, largest) in case.errors() {
            // Sums in order, of up to a thousand terms.
            assert!(rms < 1e-6 && largest < 1e-5, "{:?} {:?}: {rms:e}, {largest:e}", case.x, case.options);
        }
    }
}

#[test]
fn conv_of_random_shapes_is_that_of_f64() {
    let mut state = 1_u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut done = 0;
    while done < 300 {
        let dims = 1 + draw(3);
        let mut list =
            |least: usize, below: usize| (0..dims).map(|_| least + draw(below)).collect::<Vec<_>>();
        let (kernel, stride, padding, dilation) = (list(1, 4), list(1, 3), list(0, 4), list(1, 2));
        let most = [60, 20, 12][dims - 1];
        let sizes = list(1, most);
        let groups = 1 + draw(2);
        let (channels, results) = (1 + draw(6), groups * (1 + draw(40)));
        let fits = |d: usize| sizes[d] + 2 * padding[d] > (kernel[d] - 1) * dilation[d];
        if !(0..dims).all(fits) {
            continue;
        }
        let x: Vec<usize> = [1 + draw(3), channels * groups].into_iter().chain(sizes).collect();
        let weight: Vec<usize> = [results, channels].into_iter().chain(kernel).collect();
        let case = case(&x, &weight, [&stride, &padding, &dilation], groups);
        for (rms, largest) in case.errors() {
            assert!(rms < 1e-6 && largest < 1e-5, "{:?} {:?}: {rms:e}, {largest:e}", case.x, case.options);
        }
        done += 1;
    }
}

#[test]
fn depthwise_conv_of_random_planes_is_that_of_f64() {
    let mut state = 7_u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut done = 0;
    while done < 200 {
        let (channels, height, width) = (2 + draw(8), 1 + draw(20), 1 + draw(36));
        let (stride, padding) = (1 + draw(2), [draw(5), draw(5)]);
        if height + 2 * padding[0] < 3 || width + 2 * padding[1] < 3 {
            continue;
        }
        let x = [1 + draw(3), channels, height, width];
        let case = case(&x, &[channels, 1, 3, 3], [&[stride; 2], &padding, ONES], channels);
        for (rms, largest) in case.errors() {
            assert!(rms < 1e-6 && largest < 1e-5, "{:?} {:?}: {rms:e}, {largest:e}", case.x, case.options);
        }
        done += 1;
    }
}

#[test]
fn conv_through_transforms_is_that_of_f64() {
    let cases = [
        case(&[2, 16, 56, 56], &[19, 16, 3, 3], [ONES, ONES, ONES], 1),
        case(&[20, 16, 7, 7], &[32, 16, 3, 3], [ONES, ONES, ONES], 1),
        case(&[5, 33, 14, 13], &[47, 33, 3, 3], [ONES, &[0, 2], ONES], 1),
        case(&[1, 256, 14, 14], &[64, 256, 3, 3], [ONES, ONES, ONES], 1),
        case(&[1, 17, 9, 230], &[40, 17, 3, 3], [ONES, &[2, 1], ONES], 1),
        case(&[1, 512, 12, 12], &[32, 512, 3, 3], [ONES, &[0, 0], ONES], 1),
        // A few more tiles of an image than a block has: 49 and 56, of one slice and of five.
        case(&[3, 64, 28, 28], &[70, 64, 3, 3], [ONES, ONES, ONES], 1),
        case(&[1, 70, 28, 30], &[64, 70, 3, 3], [ONES, ONES, ONES], 1),
        case(&[2, 64, 5, 28, 27], &[66, 64, 1, 3, 3], [&[1; 3], &[0, 1, 1], &[1; 3]], 1),
        // In three dimensions, slice by slice.
        case(&[2, 32, 5, 28, 30], &[33, 32, 3, 3, 3], [&[1; 3], &[1; 3], &[1; 3]], 1),
        case(&[1, 35, 4, 41, 39], &[32, 35, 2, 3, 3], [&[1; 3], &[0, 2, 1], &[1; 3]], 1),
        // Two taps, and strides of two.
        case(&[4, 128, 29, 30], &[129, 128, 2, 2], [ONES, ONES, ONES], 1),
        case(&[4, 64, 56, 59], &[70, 64, 4, 4], [&[2, 2], ONES, ONES], 1),
        case(&[4, 65, 57, 60], &[64, 65, 4, 4], [&[2, 2], &[3, 0], ONES], 1),
        case(&[2, 32, 60, 63], &[32, 32, 6, 6], [&[2, 2], &[2, 2], ONES], 1),
        case(&[1, 32, 6, 60, 59], &[33, 32, 4, 4, 4], [&[2; 3], &[1; 3], &[1; 3]], 1),
        case(&[1, 32, 5, 58, 57], &[32, 32, 3, 4, 4], [&[1, 2, 2], &[2, 1, 3], &[1; 3]], 1),
        // Small slices, which are transformed once for all taps along the first dimension: several blocks to
        // an image, the last one shorter; phases with different numbers of slices; taps that read before and
        // after the input; one tap to a phase.
        case(&[3, 64, 23, 13, 14], &[65, 64, 3, 3, 3], [&[1; 3], &[1; 3], &[1; 3]], 1),
        case(&[2, 64, 9, 25, 24], &[64, 64, 3, 3, 3], [&[1; 3], &[2, 1, 1], &[1; 3]], 1),
        case(&[2, 40, 17, 28, 27], &[96, 40, 4, 4, 4], [&[2; 3], &[1; 3], &[1; 3]], 1),
        case(&[2, 64, 13, 30, 29], &[130, 64, 4, 4, 4], [&[2; 3], &[3, 1, 2], &[1; 3]], 1),
        case(&[3, 96, 11, 16, 16], &[96, 96, 5, 3, 3], [&[1; 3], &[4, 1, 1], &[1; 3]], 1),
        case(&[2, 64, 12, 12, 13], &[96, 64, 6, 3, 3], [&[3, 1, 1], &[1, 1, 0], &[1; 3]], 1),
        case(&[2, 64, 12, 16, 17], &[80, 64, 2, 3, 3], [&[2, 1, 1], &[0, 1, 1], &[1; 3]], 1),
        case(&[1, 80, 2, 18, 18], &[80, 80, 3, 3, 3], [&[1; 3], &[2, 1, 1], &[1; 3]], 1),
        // Kernels of one row: lines in one block and in several, of images that share blocks, rows of a
        // plane, and planes of one column.
        case(&[1, 64, 509], &[70, 64, 5], [&[1], &[0], &[1]], 1),
        case(&[1, 65, 140], &[64, 65, 3], [&[1], &[1], &[1]], 1),
        case(&[20, 64, 30], &[66, 64, 5], [&[1], &[3], &[1]], 1),
        case(&[9, 128, 17], &[64, 128, 3], [&[1], &[2, 0], &[1]], 1),
        case(&[3, 48, 6, 45], &[67, 48, 1, 5], [ONES, &[0, 2], ONES], 1),
        case(&[1, 64, 9, 70], &[64, 64, 1, 3], [ONES, &[0, 1], ONES], 1),
        case(&[1, 64, 300, 1], &[64, 64, 5, 1], [ONES, &[2, 0], ONES], 1),
        case(&[2, 64, 7, 61, 1], &[70, 64, 1, 3, 1], [&[1, 1, 2], &[0, 1, 0], &[1, 1, 3]], 1),
    ];
    for case in cases {
        for (rms, largest) in case.errors() {
            // Two to six times those of sums in order.
            assert!(rms < 4e-6 && largest < 8e-5, "{:?} {:?}: {rms:e}, {largest:e}", case.x, case.options);
        }
    }
}

/// Blocks of a convolution and what its kernels apply as they store results, beside the same calls one by
/// one.
#[test]
fn conv_with_its_epilogue_has_the_bits_of_single_calls() {
    let cases = [
        // Pointwise: rows and columns that are not whole tiles, and a stride.
        case(&[2, 70, 7, 7], &[43, 70, 1, 1], [ONES, &[0, 0], ONES], 1),
        case(&[1, 40, 14, 14], &[16, 40, 1, 1], [ONES, &[0, 0], ONES], 1),
        case(&[1, 24, 15, 15], &[20, 24, 1, 1], [&[2, 2], &[0, 0], ONES], 1),
        // Depthwise.
        case(&[2, 6, 14, 19], &[6, 1, 3, 3], [ONES, ONES, ONES], 6),
        case(&[1, 6, 21, 37], &[6, 1, 3, 3], [&[2, 2], ONES, ONES], 6),
        case(&[1, 6, 20, 21], &[6, 1, 5, 5], [ONES, &[2, 2], ONES], 6),
        case(&[1, 6, 7, 7], &[6, 1, 3, 3], [ONES, ONES, ONES], 6),
        case(&[1, 6, 14, 14], &[6, 1, 3, 3], [ONES, ONES, ONES], 6),
        case(&[2, 6, 14, 13], &[6, 1, 3, 3], [&[2, 2], ONES, ONES], 6),
        // Two planes at a time, and one that is left.
        case(&[3, 5, 9, 7], &[5, 1, 3, 3], [ONES, ONES, ONES], 5),
        case(&[1, 5, 13, 15], &[5, 1, 3, 3], [&[2, 2], ONES, ONES], 5),
        // Transforms: several blocks to an image, several images to a block, and a few tiles more than
        // vectors hold.
        case(&[1, 16, 56, 56], &[19, 16, 3, 3], [ONES, ONES, ONES], 1),
        case(&[5, 33, 14, 13], &[47, 33, 3, 3], [ONES, ONES, ONES], 1),
        case(&[2, 64, 28, 28], &[35, 64, 3, 3], [ONES, ONES, ONES], 1),
        case(&[1, 64, 30, 29], &[70, 64, 4, 4], [&[2, 2], ONES, ONES], 1),
        case(&[1, 64, 9, 25, 24], &[64, 64, 3, 3, 3], [&[1; 3], &[1; 3], &[1; 3]], 1),
        case(&[2, 64, 305], &[70, 64, 5], [&[1], &[2], &[1]], 1),
        case(&[1, 64, 9, 70], &[66, 64, 1, 3], [ONES, &[0, 1], ONES], 1),
        // Shifted rows, with and without room after them, and groups.
        case(&[1, 3, 37, 40], &[20, 3, 7, 7], [&[2, 2], &[3, 3], ONES], 1),
        case(&[1, 3, 64, 64], &[9, 3, 3, 3], [&[2, 2], ONES, ONES], 1),
        case(&[1, 64, 7, 7], &[72, 64, 3, 3], [ONES, ONES, ONES], 1),
        case(&[1, 12, 17, 17], &[9, 4, 3, 3], [&[2, 2], ONES, ONES], 3),
        // Unfolded planes of a few elements; one and three dimensions.
        case(&[2, 8, 4, 4], &[6, 8, 3, 3], [ONES, &[0, 0], ONES], 1),
        case(&[2, 3, 100], &[5, 3, 5], [&[3], &[2], &[1]], 1),
        case(&[1, 4, 6, 7, 8], &[5, 4, 3, 3, 3], [&[1; 3], &[1; 3], &[1; 3]], 1),
    ];
    let add = |lhs, rhs| BlockStep::Elementwise(Elementwise::Binary { op: BinaryOp::Add, lhs, rhs });
    let relu = |x| BlockStep::Elementwise(Elementwise::Unary { op: UnaryOp::Relu, x });
    let clamp = |x| {
        BlockStep::Elementwise(Elementwise::Clamp {
            x,
            min: Some(Scalar::Float(-0.5)),
            max: Some(Scalar::Float(0.75)),
        })
    };
    for case in cases {
        let residual = numbers(&case.output(), 4);
        for (residuals, steps) in [
            (vec![], vec![relu(0)]),
            (vec![residual.clone()], vec![add(1, 0)]),
            (vec![residual.clone()], vec![add(0, 1), relu(2)]),
            (vec![residual.clone()], vec![add(1, 0), clamp(2)]),
            (vec![residual.clone()], vec![add(1, 0), relu(2), add(3, 0)]),
        ] {
            let args = ConvArgs {
                x: numbers(&case.x, 1),
                weight: numbers(&case.weight, 2),
                bias: (steps.len() > 1).then(|| numbers(&case.weight[..1], 3)),
                options: case.options.clone(),
            };
            let block = Block {
                shape: case.output(),
                folded: 0,
                head: Some(BlockHead::Convolution(Box::new(args))),
                outputs: vec![(residuals.len() + steps.len()) as Register],
                specs: vec![residual.spec().clone(); steps.len()],
                inputs: residuals,
                steps: steps.clone(),
            };
            let bits = |mut results: Vec<NdTensor>| {
                let list = list(results.pop().expect("one output"));
                list.into_iter().map(f64::to_bits).collect::<Vec<_>>()
            };
            let alone = bits(reference::run_block::<Leaf>(block.clone()));
            let fused = bits(Leaf::run_block(block));
            assert!(alone == fused, "{:?} {:?} {steps:?}", case.x, case.options);
        }
    }
}

#[test]
fn conv_of_an_infinite_element_is_infinite_where_a_tap_reads_it_and_nowhere_else() {
    let mut x = vec![1.0_f32; 16 * 20 * 20];
    x[7 * 400 + 10 * 20 + 10] = f32::INFINITY;
    let x = Leaf::from_data(TensorData::new(x, [1, 16, 20, 20]), &Default::default());
    let weight =
        Leaf::full(TensorSpec::new([16, 16, 3, 3], DType::F32), Scalar::Float(0.5), &Default::default());
    let options = ConvOptions { padding: [1, 1].into(), ..ConvOptions::new(2) };
    let out = list(Leaf::conv(ConvArgs { x, weight, bias: None, options }));
    for (at, value) in out.into_iter().enumerate() {
        let (row, column) = (at / 20 % 20, at % 20);
        let reads = (9..=11).contains(&row) && (9..=11).contains(&column);
        assert_eq!(value == f64::INFINITY, reads, "{row}, {column}: {value}");
        assert!(reads || value.is_finite());
    }
}

#[test]
fn an_infinite_element_of_a_volume_is_met_by_the_taps_that_read_it_and_by_no_other() {
    const SIDE: usize = 12;
    let mut x = vec![1.0_f32; 64 * 6 * SIDE * SIDE];
    x[(5 * 6 + 3) * SIDE * SIDE + 4 * SIDE + 7] = f32::INFINITY;
    let x = Leaf::from_data(TensorData::new(x, [1, 64, 6, SIDE, SIDE]), &Default::default());
    let weight =
        Leaf::full(TensorSpec::new([64, 64, 3, 3, 3], DType::F32), Scalar::Float(0.5), &Default::default());
    let options = ConvOptions { padding: [1, 1, 1].into(), ..ConvOptions::new(3) };
    let out = list(Leaf::conv(ConvArgs { x, weight, bias: None, options }));
    for (at, value) in out.into_iter().enumerate() {
        let [slice, row, column] = [at / SIDE / SIDE % 6, at / SIDE % SIDE, at % SIDE];
        let reads = (2..=4).contains(&slice) && (3..=5).contains(&row) && (6..=8).contains(&column);
        assert_eq!(value == f64::INFINITY, reads, "{slice}, {row}, {column}: {value}");
        assert!(reads || value.is_finite());
    }
}

#[test]
fn an_infinite_element_of_a_line_is_met_by_the_taps_that_read_it_and_by_no_other() {
    let mut x = vec![1.0_f32; 64 * 200];
    x[9 * 200 + 101] = f32::INFINITY;
    let x = Leaf::from_data(TensorData::new(x, [1, 64, 200]), &Default::default());
    let weight =
        Leaf::full(TensorSpec::new([64, 64, 5], DType::F32), Scalar::Float(0.5), &Default::default());
    let options = ConvOptions { padding: [2].into(), ..ConvOptions::new(1) };
    let out = list(Leaf::conv(ConvArgs { x, weight, bias: None, options }));
    for (at, value) in out.into_iter().enumerate() {
        let reads = (99..=103).contains(&(at % 200));
        assert_eq!(value == f64::INFINITY, reads, "{at}: {value}");
        assert!(reads || value.is_finite());
    }
}
