//! Names of a file that try to become code.

mod check;
mod model;
mod outline;
mod wire;

use check::{check, plain, source};
use outline::Outline;

/// Names that would end the literal or comment that they are written in.
const HOSTILE: [&str; 24] = [
    "batch`\n    pub fn f() {}\n}\n#[used]\n#[unsafe(link_section = \".init_array\")]\nstatic EVIL: extern \"C\" fn() = evil;\nextern \"C\" fn evil() {}\nimpl<B: Backend> Model<B> {\n    /// `",
    "x\n}\nfn main() {}\n{",
    "x\rpub fn f() {}",
    "x\u{2028}pub fn f() {}\u{85}",
    "*/ pub fn f() {} /*",
    "\"); pub fn f() {} (\"",
    "\"#; pub fn f() {} r#\"",
    "x: Tensor<B, 1>) -> () {} pub fn f(y",
    "self",
    "Self",
    "crate",
    "super",
    "_",
    "r#type",
    "fn",
    "macro_rules",
    "\u{202e}x\u{2066}",
    "größe",
    "",
    "\0",
    "{}{0}{x:?}",
    "#[doc = include_str!(\"/etc/passwd\")]",
    "\\",
    "<script>alert(1)</script>",
];

#[test]
fn no_name_of_a_file_becomes_code() {
    let plain = Outline::of(&plain()).unwrap();
    let call = "burn : : record : : impl_from_embedded ! (Model , include_bytes ! (..)) ;";
    let items = ["static", "struct", "impl", call, "fn forward", "another"];
    let counts = items.map(|item| plain.0.iter().filter(|line| line.starts_with(item)).count());
    assert_eq!(counts, [0, 1, 1, 1, 1, 0], "{plain:?}");
    for name in HOSTILE {
        let source = source("model.onnx", &mut || name.into()).unwrap();
        check(&source, &plain).unwrap();
    }
    // Each name beside each other one.
    for first in 0..HOSTILE.len() {
        let mut place = first;
        let source = source("model.onnx", &mut || {
            place += 1;
            HOSTILE[place % HOSTILE.len()].into()
        });
        check(&source.unwrap(), &plain).unwrap();
    }
}

#[test]
fn names_of_sizes_are_escaped_in_the_documentation() {
    let source = source("model.onnx", &mut || HOSTILE[0].into()).unwrap();
    let line = source.lines().find(|line| line.contains("`[batch")).expect("the size of the input");
    assert!(line.trim_start().starts_with("/// - `batch\\u{60}\\n    pub fn f() {}"), "{line}");
    assert!(line.ends_with(", f32"), "{line}");
}

#[test]
fn sizes_have_the_names_of_the_graph() {
    let source = plain();
    // The input has its own name, the output, which comes from a loop, the one that the graph declares.
    let sizes: Vec<&str> =
        source.lines().filter_map(|line| line.split_once(": `[n")).map(|(_, end)| end).collect();
    assert_eq!(sizes.len(), 2, "{source}");
    assert!(sizes[0].ends_with(", 4]`, f32") && sizes[1].ends_with(", 3]`, f32"), "{sizes:?}");
}

/// A file of another system may have any name but `/`.
#[cfg(unix)]
#[test]
fn the_name_of_the_file_is_escaped() {
    let plain_outline = Outline::of(&plain()).unwrap();
    for name in ["a\nfn main() {}\n.onnx", "a`\"b\".onnx", "\u{202e}a.onnx", "{x}.onnx"] {
        let source = source(name, &mut || "x".into()).unwrap();
        check(&source, &plain_outline).unwrap();
    }
}

#[test]
fn texts_that_are_no_unicode_are_refused() {
    let error = source("model.onnx", &mut || vec![0xff, 0xfe]).unwrap_err();
    assert!(error.to_string().contains("not a readable ONNX model"), "{error}");
}
