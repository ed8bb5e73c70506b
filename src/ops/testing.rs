//! Runs a recipe over a few files, for the ops' own tests.

use crate::git::Checkouts;
use crate::recipe::{BuildContext, Recipe, RecipeInput, RecipeText};
use crate::run::{Mode as RunMode, Run, run};
use crate::workspace::{Content, Entry, Mode, RepoPath, Workspace};
use std::collections::BTreeMap;

/// A port under test: `Port::new(recipe).file("a.py", "...").ok()`.
pub struct Port {
    recipe: String,
    files: Vec<(RepoPath, Entry)>,
}

impl Port {
    /// A port with an inline recipe.
    pub fn new(recipe: &str) -> Self {
        Self { recipe: recipe.to_owned(), files: Vec::new() }
    }

    /// Adds an upstream file.
    pub fn file(self, path: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Self {
        self.entry(path, content, Mode::File)
    }

    /// Adds an upstream file with a mode.
    pub fn entry(mut self, path: impl AsRef<[u8]>, content: impl AsRef<[u8]>, mode: Mode) -> Self {
        let content = Content::from(content.as_ref().to_vec());
        self.files.push(Entry::upstream(RepoPath::new(path).unwrap(), content, mode));
        self
    }

    /// Builds and runs. Panics when the recipe does not build; see [`Port::build_errors`] for that.
    pub fn run(self) -> Run {
        let recipe = self.build().unwrap_or_else(|e| panic!("does not build: {:#?}", e.errors));
        run(&recipe, usize::MAX, Workspace::new(self.files), &Checkouts::default(), RunMode::Measure)
    }

    fn build(&self) -> Result<Recipe, crate::recipe::RecipeErrors> {
        self.build_as(true)
    }

    fn build_as(&self, inline: bool) -> Result<Recipe, crate::recipe::RecipeErrors> {
        let text = RecipeText::new("<inline>", self.recipe.as_str());
        Recipe::build(&RecipeInput { text, inline, context: BuildContext::default() })
    }

    /// The mistakes that the recipe has in a file, as `line:column: message`.
    pub fn file_errors(self) -> Vec<String> {
        show(self.build_as(false).err())
    }

    /// What is odd in the recipe, as `line:column: message`.
    pub fn build_warnings(self) -> Vec<String> {
        let Recipe { text, warnings: errors, .. } =
            self.build().unwrap_or_else(|e| panic!("{:#?}", e.errors));
        show(Some(crate::recipe::RecipeErrors { text, errors }))
    }

    /// The mistakes in the recipe, as `line:column: message`.
    pub fn build_errors(self) -> Vec<String> {
        show(self.build().err())
    }

    /// Runs; the log lines and the resulting tree. Panics when an op fails.
    pub fn ok(self) -> (Vec<String>, BTreeMap<String, String>) {
        let run = self.run();
        assert!(run.drift.is_empty(), "failed: {:#?}", run.drift);
        let tree = run.workspace.iter().map(|(path, entry)| {
            (path.to_string(), String::from_utf8_lossy(&entry.content.read().unwrap()).into_owned())
        });
        (run.steps.iter().map(|s| s.log.clone()).collect(), tree.collect())
    }

    /// Runs; the failure of the first op that does not apply. Panics when all apply.
    pub fn fails(self) -> crate::ops::Failure {
        self.run().drift.into_iter().next().expect("an op fails").failure
    }
}

fn show(errors: Option<crate::recipe::RecipeErrors>) -> Vec<String> {
    let Some(errors) = errors else {
        return Vec::new();
    };
    let show =
        |e: &crate::recipe::RecipeError| format!("{}: {}", errors.text.position(e.span.start), e.message);
    errors.errors.iter().map(show).collect()
}

#[test]
fn a_port_under_test_runs() {
    let (log, tree) = Port::new(r#"replace in="a" find="x" with="y" count=2"#).file("a", "x-x").ok();
    assert_eq!(log, ["2 replacements in 1 file"]);
    assert_eq!(tree["a"], "y-y");
    let failure = Port::new(r#"delete in="a" files=2"#).file("a", "").fails();
    assert_eq!(
        failure.message,
        "expected exactly 2 files but found 1: upstream drifted; review them and update files="
    );
}
