use cubecl::prelude::*;

// ANCHOR: kernel
/// One unit for each element of the result, which is contiguous. A dimension that an operand has once is the
/// same everywhere.
#[cube(launch)]
pub fn fused_matmul_add_relu_kernel<F: Float>(
    lhs: &Tensor<F>,
    rhs: &Tensor<F>,
    bias: &Tensor<F>,
    out: &mut Tensor<F>,
) {
    let row = ABSOLUTE_POS_X as usize;
    let column = ABSOLUTE_POS_Y as usize;
    let batch = ABSOLUTE_POS_Z as usize;
    let rank = out.rank();
    if row >= out.shape(rank - 2) || column >= out.shape(rank - 1) {
        terminate!();
    }

    let at = batch * out.stride(rank - 2) * out.shape(rank - 2) + row * out.stride(rank - 2) + column;
    let mut x = row * lhs.stride(rank - 2);
    let mut y = column * rhs.stride(rank - 1);
    for d in 0..rank - 2 {
        let index = at / out.stride(d) % out.shape(d);
        x += index % lhs.shape(d) * lhs.stride(d);
        y += index % rhs.shape(d) * rhs.stride(d);
    }
    let mut z = 0;
    for d in 0..rank {
        z += at / out.stride(d) % out.shape(d) % bias.shape(d) * bias.stride(d);
    }

    let mut sum = F::new(0.0);
    for k in 0..lhs.shape(rank - 1) {
        sum += lhs[x + k * lhs.stride(rank - 1)] * rhs[y + k * rhs.stride(rank - 2)];
    }
    out[at] = F::max(sum + bias[z], F::new(0.0));
}
// ANCHOR_END: kernel
