//! `relative-import`: every relative import stays in the package and names a module that is there. Wrong dot counts
//! shipped in published kernels because the import was lazy.

use super::{Finding, Input, Rule, Severity};
use crate::python::Import;
use crate::python::resolve::{Found, Package, Place};
use crate::workspace::{RepoPath, Workspace};

pub(super) const RULE: Rule = Rule {
    id: "relative-import",
    severity: Severity::Error,
    summary: "a relative import that climbs above the package or names a module that is not there",
    breaks: "the import fails, perhaps only when a function is first called",
    fix: "bring the module into the package, or correct the number of dots; `_ops` is generated and always there",
    whole: false,
    check,
};

/// The module that the builder generates.
const GENERATED: &str = "_ops";

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for package in &input.packages {
        for (path, source, module) in input.modules(package) {
            let Some(place) = package.package.place(path) else { continue };
            for import in module.imports.iter().filter(|i| i.level > 0) {
                let Some(message) = wrong(input.workspace, &package.package, &place, import) else {
                    continue;
                };
                let lenient = import.guarded || import.type_checking;
                findings.push(Finding {
                    rule: RULE.id,
                    severity: if lenient { Severity::Warning } else { RULE.severity },
                    place: source.evidence(path, module, &import.range),
                    message,
                });
            }
        }
    }
}

/// What is wrong with a relative import; `None` when it reaches what it names.
fn wrong(workspace: &Workspace, package: &Package, place: &Place, import: &Import) -> Option<String> {
    let Some(target) = place.resolve(import.level, &import.module) else {
        let most = place.package.len() + 1;
        return Some(format!(
            "climbs above the package: {} dots, and at most {most} are possible here",
            import.level
        ));
    };
    match package.find(workspace, &target) {
        Some(Found::Namespace(_)) => {
            // A directory without `__init__.py` holds nothing but modules.
            import.aliases.iter().find_map(|alias| {
                let module = [target.as_slice(), std::slice::from_ref(&alias.name)].concat();
                let there = package.find(workspace, &module).is_some() || is_generated(&module);
                (!there && missed(workspace, &module)).then(|| not_there(workspace, package, &module))
            })
        }
        Some(_) => None,
        None if is_generated(&target) || package.may_be_registered(workspace, &target) => None,
        None if !missed(workspace, &target) => None,
        None => Some(not_there(workspace, package, &target)),
    }
}

/// A typed tree need not be whole: what it never held is not missed, what an op took away is.
fn missed(workspace: &Workspace, module: &[String]) -> bool {
    let Some(last) = module.last() else { return true };
    let file = |path: &RepoPath| path.name().strip_suffix(b".py") == Some(last.as_bytes());
    let directory = |path: &RepoPath| path.ancestors().any(|d| d.name() == last.as_bytes());
    !workspace.is_trial() || workspace.base().keys().any(|path| file(path) || directory(path))
}

fn is_generated(module: &[String]) -> bool {
    module == [GENERATED]
}

fn not_there(workspace: &Workspace, package: &Package, module: &[String]) -> String {
    let name = package.absolute(module);
    match package.nearest(workspace, &name) {
        Some(near) => format!("there is no module {name}; the nearest is {near}"),
        None => format!("there is no module {name}"),
    }
}
