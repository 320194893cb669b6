@group(0) @binding(0) var<storage, read_write> lhs: array<{{ elem }}>;
@group(0) @binding(1) var<storage, read_write> rhs: array<{{ elem }}>;
@group(0) @binding(2) var<storage, read_write> bias: array<{{ elem }}>;
@group(0) @binding(3) var<storage, read_write> output: array<{{ elem }}>;
// The rank, and for lhs, rhs, bias and output their strides and then their shapes.
@group(0) @binding(4) var<storage, read_write> info: array<u32>;

fn stride(tensor: u32, d: u32) -> u32 {
    return info[1u + 2u * tensor * info[0] + d];
}

fn size(tensor: u32, d: u32) -> u32 {
    return info[1u + (2u * tensor + 1u) * info[0] + d];
}

// One unit for each element of the output, which is contiguous.
@compute @workgroup_size({{ workgroup_size_x }}, {{ workgroup_size_y }}, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let rank = info[0];
    let row = id.x;
    let column = id.y;
    if row >= size(3u, rank - 2u) || column >= size(3u, rank - 1u) {
        return;
    }

    // A dimension that an operand has once is the same everywhere.
    let at = (id.z * size(3u, rank - 2u) + row) * size(3u, rank - 1u) + column;
    var x = row * stride(0u, rank - 2u);
    var y = column * stride(1u, rank - 1u);
    var z = 0u;
    for (var d = 0u; d < rank; d++) {
        let index = at / stride(3u, d) % size(3u, d);
        if d < rank - 2u {
            x += index % size(0u, d) * stride(0u, d);
            y += index % size(1u, d) * stride(1u, d);
        }
        z += index % size(2u, d) * stride(2u, d);
    }

    var sum = {{ elem }}(0);
    for (var k = 0u; k < size(0u, rank - 1u); k++) {
        sum += lhs[x + k * stride(0u, rank - 1u)] * rhs[y + k * stride(1u, rank - 2u)];
    }
    output[at] = max(sum + bias[z], {{ elem }}(0));
}
