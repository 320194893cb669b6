@group(0) @binding(0) var<storage, read_write> x: array<f32>;

@compute @workgroup_size(4, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    x[id.x] = x[id.x] + {{ number }};
}
