use burn_conformance::fuzz::Random;

/// Bytes that mean a length, a nesting or an end in one of the formats.
const MARKS: [u8; 24] = [
    0x00, 0x01, 0x7f, 0x80, 0x81, 0x90, 0x91, 0xa0, 0xc0, 0xc4, 0xc6, 0xc9, 0xdb, 0xdd, 0xdf, 0xfb, 0xfc,
    0xfd, 0xff, b'"', b'[', b'{', b',', b'}',
];

/// A few changes of a good file.
pub fn damage(random: &mut Random, content: &[u8]) -> Vec<u8> {
    let mut bytes = content.to_vec();
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            bytes.push(random.pick(&MARKS));
        }
        let at = random.below(bytes.len());
        match random.below(8) {
            0 | 1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at] = random.pick(&MARKS),
            3 => bytes.truncate(at),
            4 => bytes.insert(at, random.pick(&MARKS)),
            5 => drop(bytes.splice(at..at, [0xff; 8])),
            6 => drop(bytes.remove(at)),
            _ => {
                // A part of it once more, elsewhere.
                let end = (at + random.below(64)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                drop(bytes.splice(to..to, part));
            }
        }
    }
    bytes
}

/// Content that is made to take memory, time or the stack.
pub fn hostile(random: &mut Random, _good: &[u8]) -> Vec<u8> {
    let small = random.pick(&[10, 1_000, 100_000]);
    let count = if random.chance(2) { 32 << 20 } else { small };
    let units: [&[u8]; 28] = [
        b"\xc0",
        b"\x90",
        b"\x91",
        b"\x81\xa0",
        b"\x91\xc0",
        b"\x81\xa0\xc0",
        b"\xa0",
        b"\x00",
        b"\x09\x01",
        b"\x0a\x01\x00",
        b"\x06\x00",
        b"[",
        b"{\"\":",
        b"0,",
        b"[0],",
        b"\"\",\n",
        // Values, lists and calls of a pickle.
        b"]",
        b"(",
        b"}q\x00h\x00",
        b"](NNe\x85",
        // Items that are added to one list, set or dict in a loop, and objects that are thrown away.
        b"NNNNNNNNNNNNNNNNe(",
        b"NNNNNNNNNNNNNNNNu(",
        b"NNNNNNNNNNNNNNNN\x90(",
        b")0",
        b"\x8c\x000",
        b"ccollections\nOrderedDict\n)R0",
        // Graphs and empty nodes of an ONNX model.
        b"\x3a\x00",
        b"\x3a\x02\x0a\x00",
    ];
    let heads: [&[u8]; 23] = [
        b"",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xdd\x02\x00\x00\x00",
        b"\xdf\x02\x00\x00\x00",
        b"\xc6\xff\xff\xff\xff",
        b"\xdb\xff\xff\xff\xff",
        b"BURNBIN\x02\x09\xfc\x00\x00\x00\x02",
        b"BURNBIN\x02\x0a\xfd\xff\xff\xff\xff\xff\xff\xff\xff",
        b"BURNBIN\x02\x08\x03f32\xfd\xff\xff\xff\xff\x00\x00\x00\x00",
        b"[",
        b"{\"files\":[",
        // The number and the protocol of older files of PyTorch.
        b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.",
        b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.](",
        b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.}(",
        b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x8f(",
        // An index that names itself.
        b"{\"weight_map\":{\"w\":\"layers.safetensors.index.json\"}}",
        b"GGUF\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00",
        b"\x00\x00\x10\x00\x00\x00\x00\x00{\"a\":",
        b"{\"weight_map\":{",
        // A graph, a node in a graph, and a text in a node that are two gigabytes long.
        b"\x3a\xff\xff\xff\xff\x07",
        b"\x3a\xff\xff\xff\xff\x07\x0a\xff\xff\xff\xff\x07",
        b"\x3a\x10\x0a\x0e\x0a\xff\xff\xff\xff\x07",
    ];
    let unit = random.pick(&units);
    [random.pick(&heads), &unit.repeat(count / unit.len())].concat()
}
