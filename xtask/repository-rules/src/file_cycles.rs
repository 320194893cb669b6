//! Files of a crate depend on each other in one direction.

use crate::paths::{heads, is_import, items, trees, without_tests};
use repository::{Findings, RustFile, words};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Groups of files that use each other, directly or through others. The number only shrinks.
const CYCLES: usize = 5;

/// Most files of such a group.
const LARGEST: usize = 3;

/// Segments of a path from the root of a crate.
type ModulePath = Vec<String>;

pub(crate) fn find(files: &[RustFile]) -> Findings {
    let mut cycles = Vec::new();
    for (folder, modules) in crates(files) {
        for cycle in modules.cycles() {
            cycles.push((cycle.len(), format!("{folder}: {}", cycle.join(", "))));
        }
    }
    cycles.sort_by(|left, right| right.cmp(left));
    let largest = cycles.first().map_or(0, |(size, _)| *size);
    if cycles.len() <= CYCLES && largest <= LARGEST {
        return Ok(Vec::new());
    }
    let title = format!(
        "{} groups of files use each other, of up to {largest} files; at most {CYCLES} of {LARGEST} may",
        cycles.len()
    );
    Ok([title]
        .into_iter()
        .chain(cycles.into_iter().map(|(size, files)| format!("{size} in {files}")))
        .collect())
}

/// The modules of each folder of sources.
fn crates(files: &[RustFile]) -> BTreeMap<&str, Modules> {
    let mut crates: BTreeMap<&str, Modules> = BTreeMap::new();
    for RustFile { name, code, .. } in files.iter().filter(|file| file.is_written()) {
        let Some((folder, file)) = name.split_once("/src/") else { continue };
        let is_crate = folder.starts_with("crates/") || folder.starts_with("xtask");
        if is_crate && !file.starts_with("bin/") {
            crates.entry(folder).or_default().add(file, code);
        }
    }
    crates.values_mut().for_each(Modules::read_imports);
    crates
}

/// Files of a crate by the paths of their modules.
#[derive(Default)]
struct Modules(BTreeMap<ModulePath, Module>);

#[derive(Default)]
struct Module {
    file: String,
    code: String,
    /// Items that the file declares.
    items: HashSet<String>,
    /// Paths of the names that the file imports.
    imports: HashMap<String, ModulePath>,
    /// Names that the file imports from other crates.
    foreign: HashSet<String>,
    /// Modules of which the file imports everything.
    globs: Vec<ModulePath>,
}

impl Modules {
    fn add(&mut self, file: &str, code: &str) {
        let mut path: ModulePath = file.trim_end_matches(".rs").split('/').map(str::to_string).collect();
        if path.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
            path.pop();
        }
        let code = without_tests(code);
        let module = Module { file: file.to_string(), items: items(&code), code, ..Module::default() };
        self.0.insert(path, module);
    }

    fn read_imports(&mut self) {
        let paths: Vec<ModulePath> = self.0.keys().cloned().collect();
        for path in paths {
            let code = self.0[&path].code.clone();
            for (at, _) in words(&code).filter(|(_, word)| *word == "use") {
                for (segments, name) in trees(&code[at + "use".len()..]) {
                    let target = self.absolute(&path, &segments);
                    let module = self.0.get_mut(&path).expect("it is there");
                    let Some(target) = target else {
                        module.foreign.insert(name);
                        continue;
                    };
                    if name == "*" {
                        module.globs.push(target);
                    } else {
                        module.imports.insert(name, target);
                    }
                }
            }
        }
    }

    /// The path from the root of the crate; none if it leads to another crate.
    fn absolute(&self, from: &[String], segments: &[String]) -> Option<ModulePath> {
        let mut target = from.to_vec();
        let mut rest = segments;
        match rest.first()?.as_str() {
            "crate" => target.clear(),
            "self" => {}
            "super" => {
                while rest.first().is_some_and(|segment| segment == "super") {
                    target.pop();
                    rest = &rest[1..];
                }
                target.extend(rest.iter().cloned());
                return Some(target);
            }
            child => {
                target.push(child.to_string());
                self.0.get(&target)?;
            }
        }
        target.extend(rest[1..].iter().cloned());
        Some(target)
    }

    /// The module whose file declares what a path names.
    fn holder(&self, path: &[String], depth: usize) -> Option<ModulePath> {
        let mut end = 0;
        while end < path.len() && self.0.contains_key(&path[..=end]) {
            end += 1;
        }
        let module = self.0.get(&path[..end])?;
        let Some(name) = path.get(end) else { return Some(path.to_vec()) };
        if depth > 8 || module.items.contains(name) {
            return Some(path[..end].to_vec());
        }
        if module.foreign.contains(name) {
            return None;
        }
        if let Some(import) = module.imports.get(name) {
            let target: ModulePath = import.iter().chain(&path[end + 1..]).cloned().collect();
            if target != path {
                return self.holder(&target, depth + 1);
            }
        }
        let from_globs =
            module.globs.iter().filter(|glob| glob.as_slice() != &path[..end]).find_map(|glob| {
                let target: ModulePath = glob.iter().chain(&path[end..]).cloned().collect();
                self.holder(&target, depth + 1).filter(|holder| self.0[holder].items.contains(name))
            });
        // Macros declare items too, but not in the root of a crate: there it is a path of generated code.
        from_globs.or_else(|| (end > 0).then(|| path[..end].to_vec()))
    }

    /// Names that `use path::*` imports.
    fn names(&self, path: &ModulePath, depth: usize) -> HashSet<&String> {
        let Some(module) = self.0.get(path).filter(|_| depth < 4) else { return HashSet::new() };
        let own = module.items.iter().chain(module.imports.keys());
        own.chain(module.globs.iter().flat_map(|glob| self.names(glob, depth + 1))).collect()
    }

    /// Other modules with items that the file uses.
    fn uses(&self, path: &ModulePath) -> BTreeSet<ModulePath> {
        let module = &self.0[path];
        let mut targets: Vec<ModulePath> = Vec::new();
        for (at, head) in heads(&module.code) {
            if head == "crate" || head == "super" {
                // Names of `path::*` come below.
                let trees = trees(&module.code[at..]).into_iter().filter(|(_, name)| name != "*");
                targets.extend(trees.filter_map(|(segments, _)| self.absolute(path, &segments)));
            } else if let Some(import) = module.imports.get(head) {
                if !import.starts_with(path) || !is_import(&module.code, at) {
                    let trees = trees(&module.code[at..]).into_iter();
                    targets.extend(trees.map(|(segments, _)| [&import[..], &segments[1..]].concat()));
                }
            } else if !is_import(&module.code, at)
                && self.0.contains_key(&[&path[..], &[head.into()]].concat())
            {
                // The function of a child, as in `child::f()`.
                let trees = trees(&module.code[at..]).into_iter();
                targets.extend(trees.filter_map(|(segments, _)| self.absolute(path, &segments)));
            }
        }
        let words: HashSet<&str> = words(&module.code).map(|(_, word)| word).collect();
        for glob in &module.globs {
            let names = self.names(glob, 0).into_iter();
            let used = names.filter(|name| words.contains(name.as_str()) && !module.items.contains(*name));
            targets.extend(used.map(|name| [&glob[..], std::slice::from_ref(name)].concat()));
        }
        let holders = targets.iter().filter_map(|target| self.holder(target, 0));
        holders.filter(|holder| holder != path && !self.0[holder].items.is_empty()).collect()
    }

    /// Groups of files that reach each other: those that reach themselves, and the same files.
    fn cycles(&self) -> Vec<Vec<String>> {
        let uses = self.0.keys().map(|path| (path, self.uses(path))).collect();
        let mut groups: BTreeMap<BTreeSet<&ModulePath>, Vec<String>> = BTreeMap::new();
        for (path, module) in &self.0 {
            let reached = reachable(path, &uses);
            if reached.contains(path) {
                groups.entry(reached).or_default().push(module.file.clone());
            }
        }
        groups.into_values().collect()
    }
}

fn reachable<'a>(
    from: &'a ModulePath,
    uses: &'a BTreeMap<&ModulePath, BTreeSet<ModulePath>>,
) -> BTreeSet<&'a ModulePath> {
    let (mut reached, mut pending) = (BTreeSet::new(), vec![from]);
    while let Some(path) = pending.pop() {
        pending.extend(uses[path].iter().filter(|target| reached.insert(*target)));
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use repository::code;

    fn cycles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let mut modules = Modules::default();
        files.iter().for_each(|(file, text)| modules.add(file, &code(text)));
        modules.read_imports();
        modules.cycles()
    }

    #[test]
    fn files_that_use_each_other_are_a_cycle() {
        let a = ("a.rs", "use crate::b::{self, g};\npub fn f() { g() }");
        let b = ("b.rs", "pub fn g() { super::a::f() }");
        assert_eq!(cycles(&[("lib.rs", "mod a;\nmod b;"), a, b]), [["a.rs", "b.rs"]]);
        assert!(cycles(&[a, ("b.rs", "pub fn g() {}")]).is_empty());
    }

    #[test]
    fn names_are_followed_through_files_that_only_export() {
        let exports = ("m/mod.rs", "mod x;\nmod y;\npub use x::X;\npub use y::*;");
        let x = ("m/x.rs", "use super::Y;\npub struct X(Y);");
        assert_eq!(
            cycles(&[exports, x, ("m/y.rs", "pub struct Y(Box<crate::m::X>);")]),
            [["m/x.rs", "m/y.rs"]]
        );
        let globs = ("m/x.rs", "use super::*;\npub struct X(Y);");
        assert_eq!(cycles(&[exports, globs, ("m/y.rs", "use crate::m;\npub struct Y(m::X);")]).len(), 1);
        assert!(cycles(&[exports, x, ("m/y.rs", "use super::Z;\npub struct Y;")]).is_empty());
    }

    #[test]
    fn a_file_uses_the_children_that_it_calls_and_not_those_that_it_exports() {
        let child = ("m/x.rs", "pub fn f(_: super::Y) {}");
        let calls = ("m/mod.rs", "mod x;\npub struct Y;\npub fn g() { x::f(Y) }");
        assert_eq!(cycles(&[calls, child]), [["m/mod.rs", "m/x.rs"]]);
        let imports = ("m/mod.rs", "mod x;\nuse x::f;\npub struct Y;\npub fn g() { f::<Y>() }");
        assert_eq!(cycles(&[imports, child]).len(), 1);
        assert!(cycles(&[("m/mod.rs", "mod x;\npub use x::f;\npub struct Y;"), child]).is_empty());
    }

    #[test]
    fn tests_and_comments_are_no_uses() {
        let b = ("b.rs", "pub fn g() { crate::a::f() }");
        let tests =
            "#[cfg(test)]\nuse crate::b::g;\n#[cfg(all(test, unix))]\nmod more {\n    use crate::b::*;\n}";
        let a = format!("/// See [`g`](crate::b::g).\npub fn f() {{}}\n{tests}\npub fn h() {{}}");
        assert!(cycles(&[("a.rs", &a), b]).is_empty());
        assert_eq!(cycles(&[("a.rs", &format!("{a}\nfn i() {{ crate::b::g() }}")), b]).len(), 1);
    }

    #[test]
    fn names_of_other_crates_are_no_uses() {
        let x = ("m/x.rs", "use super::B;\npub fn f(_: B) {}");
        assert!(cycles(&[("m/mod.rs", "mod x;\nuse other::B;\npub fn g() { x::f(B) }"), x]).is_empty());
        // A macro writes this path for the crate that calls it.
        let a = ("a.rs", "pub fn f() { quote!(crate::ops::call) }");
        assert!(cycles(&[("lib.rs", "mod a;\npub fn derive() { a::f() }"), a]).is_empty());
    }
}
