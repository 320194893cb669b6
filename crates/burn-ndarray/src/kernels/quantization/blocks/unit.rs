/// Vector unit: the instructions that products of blocks are made of, on 32 codes at a time.
///
/// Eight sums of whole numbers, each of four neighbouring products, are the same on every unit.
/// Implementations are for machines that have the instructions; whoever calls a kernel of a unit has asked
/// for them.
pub trait Unit: Copy {
    /// 32 bytes.
    type Bytes: Copy;
    /// 16 bytes.
    type Half: Copy;
    /// Eight `i32`.
    type Ints: Copy;
    /// Eight `f32`.
    type Floats: Copy;
    /// The scales of a super-block, one for each 16 codes.
    type Scales: Copy;
    /// Two of them, for 32 codes.
    type Scale: Copy;

    /// Most rows of activations that a kernel multiplies at once, a power of two up to 4.
    const ROWS: usize = 4;

    fn load(bytes: &[u8; 32]) -> Self::Bytes;
    fn load_codes(codes: &[i8; 32]) -> Self::Bytes;
    /// The low halves of 16 bytes, then the high ones.
    fn nibbles(bytes: &[u8; 16]) -> Self::Bytes;
    /// `value` in the bytes whose bit is set, 0 in the others.
    fn bits(bits: u32, value: u8) -> Self::Bytes;
    /// The bits of `mask`, after a shift by `RIGHT` bits to the right.
    fn right<const RIGHT: i32>(x: Self::Bytes, mask: u8) -> Self::Bytes;
    /// The bits of `mask`, after a shift by `LEFT` bits to the left.
    fn left<const LEFT: i32>(x: Self::Bytes, mask: u8) -> Self::Bytes;
    fn or(x: Self::Bytes, y: Self::Bytes) -> Self::Bytes;

    fn load_half(bytes: &[u8; 16]) -> Self::Half;
    fn words(words: [u32; 4]) -> Self::Half;
    /// Each of eight bytes twice.
    fn twice(words: [u32; 2]) -> Self::Half;
    /// The four bits of each byte from bit `RIGHT` on.
    fn nibbles_of_half<const RIGHT: i32>(x: Self::Half) -> Self::Half;
    fn subtract(x: Self::Half, y: i8) -> Self::Half;

    /// Products of codes below 128 with activations.
    fn dot(weights: Self::Bytes, x: Self::Bytes) -> Self::Ints;
    /// Products of codes with a sign.
    fn dot_signed(weights: Self::Bytes, x: Self::Bytes) -> Self::Ints;

    fn scales(scales: Self::Half) -> Self::Scales;
    /// The two scales of the codes from `32 index` on.
    fn scale(scales: Self::Scales, index: usize) -> Self::Scale;
    fn no_ints() -> Self::Ints;
    /// `sums` and the scaled products of codes below 64.
    fn dot_scaled(sums: Self::Ints, weights: Self::Bytes, x: Self::Bytes, scale: Self::Scale) -> Self::Ints;
    /// Products of scales with sums of codes.
    fn dot_sums(scales: Self::Half, sums: &[i16; 16]) -> Self::Ints;

    /// A half-precision number, eight times. In all lanes: in one alone, compilers write it into the register
    /// of a sum, for which it then waits.
    fn float16(bytes: [u8; 2]) -> Self::Floats;
    fn splat(x: f32) -> Self::Floats;
    fn multiply(x: Self::Floats, y: Self::Floats) -> Self::Floats;
    /// `sums + x scale`.
    fn add_scaled(sums: Self::Floats, x: Self::Ints, scale: Self::Floats) -> Self::Floats;
    /// `sums + x y`.
    fn multiply_add(sums: Self::Floats, x: Self::Floats, y: Self::Floats) -> Self::Floats;
    fn add(x: Self::Floats, y: Self::Floats) -> Self::Floats;
    /// `((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7))`.
    fn sum(x: Self::Floats) -> f32;
}
