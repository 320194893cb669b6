use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folder for what a later process need not find out again, such as compiled kernels.
///
/// `BURN_CACHE` names it, or says that nothing is kept when it is empty. Else it is where the system keeps
/// caches of a user.
pub fn cache_folder() -> Option<PathBuf> {
    folder(|name| std::env::var_os(name))
}

fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let wanted = |name| variable(name).filter(|value: &OsString| !value.is_empty());
    match variable("BURN_CACHE") {
        Some(folder) => (!folder.is_empty()).then(|| PathBuf::from(folder)),
        None => wanted("XDG_CACHE_HOME")
            .or_else(|| wanted("LOCALAPPDATA"))
            .map(PathBuf::from)
            .or_else(|| wanted("HOME").map(|home| Path::new(&home).join(".cache")))
            .map(|root| root.join("burn")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_the_folder() {
        let with = |known: &[(&str, &str)]| {
            let found = |name: &str| known.iter().find(|(known, _)| *known == name);
            folder(|name| found(name).map(|(_, value)| OsString::from(value)))
        };
        assert_eq!(with(&[("BURN_CACHE", "/a"), ("HOME", "/h")]), Some("/a".into()));
        assert_eq!(with(&[("BURN_CACHE", ""), ("HOME", "/h")]), None);
        assert_eq!(with(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]), Some("/x/burn".into()));
        assert_eq!(with(&[("XDG_CACHE_HOME", ""), ("HOME", "/h")]), Some("/h/.cache/burn".into()));
        assert_eq!(with(&[]), None);
    }
}
