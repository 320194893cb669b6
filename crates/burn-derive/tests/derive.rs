//! What the derives refuse, and in which words.

#[test]
fn derives_say_what_is_wrong() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/derive/refused_*.rs");
}
