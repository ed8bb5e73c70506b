//! `manifest`: writes `build.toml` from its own arguments and the sections recorded before it.

use super::fields::{self, Fields, Warning};
use super::manifest_args::{self as arguments, Framework as Kind};
use super::{Context, Evidence, Example, Failure, FailureKind, Group, Op, OpSpec, Plan, Record};
use crate::manifest::{FILE_NAME, Framework, Model, write};
use crate::recipe::{Args, BuiltOp, GlobList, RecipeError};
use crate::report::plural;
use crate::workspace::{Change, Content, Mode, Origin, RepoPath};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "manifest",
    group: Group::Manifest,
    summary: "Writes build.toml from the sections recorded before it",
    args: arguments::SPECS,
    guarantees: &["the builder's own parser accepts what is written: what it would refuse is an error here"],
    failures: &[
        "build.toml exists: it is always generated",
        "a glob of torch_src matches nothing, a directory of torch_include holds no files",
        "an argument does not fit the framework, or backends and kernel sections do not agree",
    ],
    example: Some(Example {
        recipe: "manifest name=\"relu-jit\" version=1 edition=5 license=\"MIT\" backends=\"cuda\" noarch=#true",
        files: &[("torch-ext/relu_jit/__init__.py", "")],
    }),
    build,
};

struct Manifest {
    /// Without sections and the framework's sources.
    model: Model,
    src: Option<GlobList>,
    warnings: Vec<Warning>,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let mut fields = Fields::new(args);
    let general = arguments::general(&mut fields);
    let kind = arguments::kind(fields.args);
    let framework = match kind {
        Some(Kind::Torch) => Some(Framework::Torch(arguments::torch(&mut fields))),
        Some(Kind::Noarch) => Some(Framework::Noarch(arguments::noarch(&mut fields))),
        None => None,
    };
    let src = fields.args.get::<GlobList>("torch_src");
    let model = Model { general, framework: framework?, sections: Vec::new() };
    arguments::refuse_breaches(fields.args, &model);
    let warnings = fields.finish();
    Some(Box::new(Manifest { model, src, warnings }))
}

impl Op for Manifest {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let path = RepoPath::new(FILE_NAME)
            .map_err(|error| Failure::new(FailureKind::Refused, format!("{FILE_NAME} {error}")))?;
        not_taken(context, &path)?;
        let mut model = self.model.clone();
        let sections = context.records.iter().filter_map(|record| match record {
            Record::Kernel(section) => Some(section.clone()),
            _ => None,
        });
        model.sections = sections.collect();
        let log = match (&mut model.framework, &self.src) {
            (Framework::Torch(torch), Some(globs)) => {
                let paths = fields::sources(context, globs, "torch_src")?;
                torch.src = fields::written(&paths, "torch_src")?;
                fields::directories_hold_files(context, &torch.include, "torch_include")?;
                format!(
                    "wrote {FILE_NAME} ({}, {})",
                    plural(torch.src.len(), ("torch src file", "torch src files")),
                    plural(model.sections.len(), ("kernel section", "kernel sections"))
                )
            }
            _ => format!("wrote {FILE_NAME} (noarch)"),
        };
        let content = Content::from(write(&model).as_str());
        Ok(Plan {
            log,
            changes: vec![Change::Put { path, content, mode: Mode::File, origin: Origin::Generated }],
            records: vec![Record::Manifest(Box::new(model))],
            ..Plan::default()
        })
    }

    fn warnings(&self, built: &BuiltOp) -> Vec<RecipeError> {
        fields::show(&self.warnings, built)
    }
}

/// `build.toml` may not be there yet, whoever brought it.
fn not_taken(context: &Context<'_>, path: &RepoPath) -> Result<(), Failure> {
    let Some(entry) = context.workspace.get(path) else {
        return Ok(());
    };
    let (who, hint) = match &entry.origin {
        Origin::Upstream => ("upstream has", "delete upstream's first: delete in=\"build.toml\""),
        Origin::Vendor(_) => ("a vendor op brought", "delete it first: delete in=\"build.toml\""),
        Origin::Overlay => ("the overlay brings", "remove it from the overlay: the manifest op writes it"),
        Origin::Generated => ("an op before this one wrote", "let the manifest op alone write it"),
    };
    let message = format!("{who} a {FILE_NAME}, but it is always generated");
    Err(Failure::new(FailureKind::Conflict, message).evidence(vec![Evidence::file(path)]).hint(hint))
}
