//! What can be typed. Types only; what combinations mean is decided where they are used.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  kernel-port port.kdl --dir checkout --out out
  kernel-port -e 'delete in=\"docs/**\"' --file docs/a.md=x --file pkg/a.py=y
  kernel-port port.kdl --dir checkout --out out --check --diff

Exit status:
  0  done
  1  the recipe does not apply: drift, a failed op or final check
  2  bad usage or recipe text
  3  a source problem: wrong commit, not clean, no checkout
  4  --check found differences
  5  the output could not be written";

/// Port a GPU kernel repository to the kernel-builder layout with a pinned recipe.
#[derive(Debug, Parser)]
#[command(name = "kernel-port", version, after_help = EXAMPLES, max_term_width = 100)]
#[command(subcommand_precedence_over_arg = true, subcommand_negates_reqs = true)]
#[command(
    override_usage = "kernel-port [OPTIONS] RECIPE\n       kernel-port [OPTIONS] -e TEXT\n       kernel-port COMMAND ..."
)]
pub struct Cli {
    /// A subcommand; without one a recipe is run.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What to run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Review what a new upstream commit means for a recipe, and re-pin it
    Repin(super::RepinArgs),
    /// Say how far each recipe's pin is behind its source
    Outdated(super::OutdatedArgs),
    /// Prove that committed ports are what their recipes make
    Check(super::CheckArgs),
    /// Check a tree that exists: a port by hand, or one that was written
    Verify(super::VerifyArgs),
    /// List the ops, or show one in full
    Ops(super::OpsArgs),
    /// Read, convert, compare and check build variant names
    Variants(super::VariantsArgs),
    /// Tell the longer story of an error, a rule of the final checks, or an op
    Explain(super::ExplainArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the man page
    #[command(after_help = "Example:\n  kernel-port man | man -l -")]
    Man,
}

/// When to send colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR or CLICOLOR_FORCE say otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs: one document, see docs/schema.json.
    Json,
}

/// The arguments of a run.
#[derive(Debug, Clone, Args, Default)]
pub struct RunArgs {
    /// The recipe to run, a KDL 2.0 file
    #[arg(value_name = "RECIPE", conflicts_with = "inline")]
    pub recipe: Option<PathBuf>,
    /// The recipe inline instead of a file
    #[arg(
        short = 'e',
        long = "recipe",
        value_name = "TEXT",
        allow_hyphen_values = true,
        help_heading = "Input"
    )]
    pub inline: Option<String>,
    /// The upstream checkout; read, never written, unless --in-place
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    pub dir: Option<PathBuf>,
    /// A file of an input tree in memory; the first '=' splits (repeatable)
    #[arg(long = "file", value_name = "PATH=TEXT", conflicts_with = "dir", help_heading = "Input")]
    pub files: Vec<String>,
    /// The checkout of a vendored repository (repeatable)
    #[arg(long = "vendor", value_name = "NAME=DIR", help_heading = "Input")]
    pub vendors: Vec<String>,
    /// Write the ported tree there; an earlier port there is replaced
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Write the result into --dir instead
    #[arg(long, conflicts_with = "out", requires = "dir", help_heading = "Output")]
    pub in_place: bool,
    /// Write nothing; compare with --out and fail if they differ
    #[arg(long, requires = "out", conflicts_with_all = ["in_place", "partial", "dry_run", "force"], help_heading = "Output")]
    pub check: bool,
    /// Write nothing; with --out, the changes are those against it
    #[arg(long, conflicts_with_all = ["partial", "force"], help_heading = "Output")]
    pub dry_run: bool,
    /// Print the changes as a patch for `git apply`; the log goes to standard error
    #[arg(long, help_heading = "What is shown")]
    pub diff: bool,
    /// Print every file of the resulting tree
    #[arg(long, help_heading = "What is shown")]
    pub print: bool,
    /// Show the resulting tree instead of the changes: what came from where
    #[arg(long, conflicts_with_all = ["diff", "print", "check"], help_heading = "What is shown")]
    pub tree: bool,
    /// When an op fails, write the tree as it was before that op to --out
    #[arg(long, requires = "out", help_heading = "Output")]
    pub partial: bool,
    /// Stop at the first op that does not apply instead of measuring on
    #[arg(long, help_heading = "Strictness")]
    pub fail_fast: bool,
    /// Stop before the first op at or after this line of the recipe, and show the tree there
    #[arg(long, value_name = "LINE", conflicts_with_all = ["out", "in_place"], help_heading = "What is shown")]
    pub until: Option<usize>,
    /// Run again on each save of the recipe or an overlay; print what changed since the last run
    #[arg(long, conflicts_with_all = ["in_place", "check", "partial", "inline", "print", "tree"], help_heading = "What is shown")]
    pub watch: bool,
    /// Accept a checkout that is not clean; provenance says so
    #[arg(long, help_heading = "Input")]
    pub allow_dirty: bool,
    /// Take sources and vendors without a checkout from the cache only; fetch nothing
    #[arg(long, help_heading = "Input")]
    pub offline: bool,
    /// Demand that every op that selects or changes files is pinned
    #[arg(long, help_heading = "Strictness")]
    pub require_pins: bool,
    /// Warnings of the final checks fail the run
    #[arg(long, help_heading = "Strictness")]
    pub strict: bool,
    /// Replace --out, or change --dir, even if that loses edits made by hand
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Print errors and warnings only
    #[arg(short, long, conflicts_with_all = ["verbose", "diff", "print", "tree"], help_heading = "What is shown")]
    pub quiet: bool,
    /// Print what each op matched, and every deleted file
    #[arg(short, long, help_heading = "What is shown")]
    pub verbose: bool,
    /// Print text, or one JSON document
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        hide_default_value = true,
        help_heading = "What is shown"
    )]
    pub format: Format,
    /// When to use colour
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        help_heading = "What is shown"
    )]
    pub color: ColorChoice,
}

const INSTALL: &str = "\
Examples:
  source <(kernel-port completions bash)      # in ~/.bashrc
  kernel-port completions zsh > ~/.zfunc/_kernel-port
  kernel-port completions fish > ~/.config/fish/completions/kernel-port.fish";

/// The arguments of `completions`.
#[derive(Debug, Clone, Args)]
#[command(after_help = INSTALL)]
pub struct CompletionsArgs {
    /// The shell to complete in
    pub shell: clap_complete::Shell,
}
