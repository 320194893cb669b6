//! Compile-time checks between lists of dimension names.

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

pub(super) const fn contains(list: &[&str], key: &str) -> bool {
    let mut at = 0;
    while at < list.len() {
        if same(list[at], key) {
            return true;
        }
        at += 1;
    }
    false
}

/// Returns whether no name occurs twice.
pub(super) const fn distinct(list: &[&str]) -> bool {
    let mut at = 0;
    while at < list.len() {
        let (before, _) = list.split_at(at);
        if contains(before, list[at]) {
            return false;
        }
        at += 1;
    }
    true
}

/// Returns whether every name of `part` is in `whole`, and none occurs twice.
pub(super) const fn within(part: &[&str], whole: &[&str]) -> bool {
    let mut at = 0;
    while at < part.len() {
        if !contains(whole, part[at]) {
            return false;
        }
        at += 1;
    }
    distinct(part) && distinct(whole)
}

pub(super) const fn permutation(one: &[&str], other: &[&str]) -> bool {
    one.len() == other.len() && within(one, other)
}

/// Returns whether a product may have these names: all names of only one factor, and any of the shared names.
pub(super) const fn product(left: &[&str], right: &[&str], result: &[&str]) -> bool {
    let mut at = 0;
    while at < result.len() {
        if !contains(left, result[at]) && !contains(right, result[at]) {
            return false;
        }
        at += 1;
    }
    distinct(left)
        && distinct(right)
        && distinct(result)
        && kept(left, right, result)
        && kept(right, left, result)
}

/// Returns whether every name that only `own` has is in the result.
const fn kept(own: &[&str], other: &[&str], result: &[&str]) -> bool {
    let mut at = 0;
    while at < own.len() {
        if !contains(other, own[at]) && !contains(result, own[at]) {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{distinct, permutation, product, within};

    #[test]
    fn names_are_compared_as_sets() {
        assert!(distinct(&["a", "b"]) && !distinct(&["a", "b", "a"]) && distinct(&[]));
        assert!(permutation(&["a", "b", "c"], &["c", "a", "b"]));
        assert!(!permutation(&["a", "b"], &["a", "c"]) && !permutation(&["a", "b"], &["a", "b", "c"]));
        assert!(!permutation(&["a", "a"], &["a", "b"]));
        assert!(within(&["b"], &["a", "b"]) && !within(&["ab"], &["a", "b"]));
    }

    #[test]
    fn products_keep_what_only_one_factor_has() {
        assert!(product(&["batch", "k"], &["k", "out"], &["batch", "out"]));
        assert!(product(&["batch", "q", "k"], &["batch", "n", "k"], &["batch", "q", "n"]));
        assert!(product(&["k"], &["k"], &[]) && product(&["a"], &["b"], &["b", "a"]));
        assert!(!product(&["batch", "k"], &["k", "out"], &["batch"]), "out is lost");
        assert!(!product(&["batch", "k"], &["k", "out"], &["batch", "out", "new"]), "new comes from nowhere");
        assert!(!product(&["k"], &["k"], &["k", "k"]));
    }
}
