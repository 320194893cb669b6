fn main() {
    println!("{}", std::any::type_name::<burn::backend::Wgpu<f32, i32>>());
}
