use crate::launch::words::launch_words;

launch_words! {
    /// Sizes of lines, and where parts of the table start.
    #[derive(Default)]
    pub struct Words {
        pub lines: u32,
        pub inner: u32,
        /// Elements of the transform that was asked for.
        pub n: u32,
        /// Size of the transformed dimension in the input, and the number of lines it is split into.
        pub from_size: u32,
        pub from_split: u32,
        /// Number of input elements; zeros follow.
        pub terms: u32,
        /// Size of the transformed dimension in the output, and the number of lines it is split into.
        pub to_size: u32,
        pub to_split: u32,
        /// Parts of a line whose numbers are turned over: two digits change places.
        pub to_turn: u32,
        /// Results that are wanted.
        pub results: u32,
        /// Where parts of the table start.
        pub roots: u32,
        pub chirp: u32,
        pub spectrum: u32,
        pub factors: u32,
        pub twist: u32,
        /// Digits of the lower of two factors of a twist.
        pub shift: u32,
    }
}
