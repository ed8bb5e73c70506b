//! `port-provenance.json`: where a ported tree came from, and what it held when it was written. Nothing in it
//! depends on the time, the host or a local path.

use super::error::OutputError;
use super::hash::{bytes_hash, overlay_hash};
use super::quote::{quote, unquote};
use crate::ops::Record;
use crate::workspace::{Mode, Workspace};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A pinned source or vendor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourcePin {
    /// As the recipe writes it.
    pub repo: String,
    /// The pinned commit.
    pub commit: String,
    /// Whether the checkout was not clean and `--allow-dirty` let it pass.
    pub dirty: bool,
}

/// What went into a port: known before the tree is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origins {
    /// The recipe's version.
    pub format: u64,
    /// `sha256:` of the recipe's bytes.
    pub recipe: String,
    /// Tree hash of the overlay, when there is one.
    pub overlay: Option<String>,
    /// `kernel-port <version>`.
    pub runner: String,
    /// By name: `upstream` first, then the vendors in the order of their names.
    pub sources: Vec<(String, SourcePin)>,
}

impl Origins {
    /// Collects what the ops recorded. The overlay directories are read once more for their hash.
    ///
    /// # Errors
    /// An overlay that cannot be read.
    pub fn new(format: u64, recipe: &[u8], records: &[Record]) -> Result<Self, OutputError> {
        let mut overlays = Vec::new();
        let mut sources: BTreeMap<(bool, &str), SourcePin> = BTreeMap::new();
        for record in records {
            match record {
                Record::Source { name, repo, commit, dirty } => {
                    let pin = sources.entry((name != "upstream", name)).or_default();
                    pin.repo.clone_from(repo);
                    commit.as_str().clone_into(&mut pin.commit);
                    pin.dirty |= dirty;
                }
                Record::Overlay(directory) if !overlays.contains(&directory.as_path()) => {
                    overlays.push(directory.as_path());
                }
                _ => {}
            }
        }
        Ok(Self {
            format,
            recipe: bytes_hash(recipe),
            overlay: overlay_hash(&overlays)?,
            runner: concat!("kernel-port ", env!("CARGO_PKG_VERSION")).to_owned(),
            sources: sources.into_iter().map(|((_, name), pin)| (name.to_owned(), pin)).collect(),
        })
    }
}

/// The whole record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// What went in.
    pub origins: Origins,
    /// Tree hash of what came out.
    pub tree: String,
    /// Executables and symlinks, by path bytes.
    pub modes: BTreeMap<Vec<u8>, Mode>,
}

impl Provenance {
    /// The record of a tree whose hash is known.
    pub fn new(origins: &Origins, tree: String, workspace: &Workspace) -> Self {
        let modes = workspace
            .iter()
            .filter(|(_, entry)| entry.mode != Mode::File)
            .map(|(path, entry)| (path.as_bytes().to_vec(), entry.mode))
            .collect();
        Self { origins: origins.clone(), tree, modes }
    }

    /// The file's text: keys in the order of the specification, one final newline.
    pub fn to_json(&self) -> String {
        let Origins { format, recipe, overlay, runner, sources } = &self.origins;
        let mut top = Map::new();
        top.insert("format".into(), json!(format));
        top.insert("recipe".into(), json!(recipe));
        if let Some(overlay) = overlay {
            top.insert("overlay".into(), json!(overlay));
        }
        top.insert("runner".into(), json!(runner));
        let pins: Map<String, Value> = sources
            .iter()
            .map(|(name, pin)| {
                let pin = json!({ "repo": pin.repo, "commit": pin.commit, "dirty": pin.dirty });
                (name.clone(), pin)
            })
            .collect();
        top.insert("sources".into(), Value::Object(pins));
        top.insert("tree".into(), json!(self.tree));
        if !self.modes.is_empty() {
            top.insert("modes".into(), self.modes_json());
        }
        format!("{:#}\n", Value::Object(top))
    }

    /// The object below `modes`.
    pub(super) fn modes_json(&self) -> Value {
        self.modes.iter().map(|(path, mode)| (quote(path), json!(mode.as_git()))).collect()
    }

    /// Reads a record back. What is missing or of another type is left at its default, so that the records of older
    /// tools can be read; `None` when this is no record at all: no JSON object with a `tree`.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(text).ok()?;
        let top = value.as_object()?;
        let text = |map: &Map<String, Value>, key: &str| map.get(key)?.as_str().map(str::to_owned);
        let objects = |key: &str| top.get(key).and_then(Value::as_object).into_iter().flatten();
        let sources = objects("sources").filter_map(|(name, pin)| {
            let pin = pin.as_object()?;
            let dirty = pin.get("dirty").and_then(Value::as_bool).unwrap_or_default();
            let repo = text(pin, "repo").unwrap_or_default();
            let commit = text(pin, "commit").unwrap_or_default();
            Some((name.clone(), SourcePin { repo, commit, dirty }))
        });
        let modes = objects("modes").filter_map(|(path, mode)| {
            let mode = [Mode::Executable, Mode::Symlink].into_iter().find(|m| mode == m.as_git())?;
            Some((unquote(path)?, mode))
        });
        Some(Self {
            origins: Origins {
                format: top.get("format").and_then(Value::as_u64).unwrap_or_default(),
                recipe: text(top, "recipe").unwrap_or_default(),
                overlay: text(top, "overlay"),
                runner: text(top, "runner").unwrap_or_default(),
                sources: sources.collect(),
            },
            tree: text(top, "tree")?,
            modes: modes.collect(),
        })
    }

    /// The keys whose values differ, in the file's order; `runner` is not looked at, nor the order of the sources.
    pub fn differing_keys(&self, other: &Self) -> Vec<&'static str> {
        let (a, b) = (&self.origins, &other.origins);
        let by_name = |o: &Origins| o.sources.iter().cloned().collect::<BTreeMap<_, _>>();
        let pairs = [
            ("format", a.format == b.format),
            ("recipe", a.recipe == b.recipe),
            ("overlay", a.overlay == b.overlay),
            ("sources", by_name(a) == by_name(b)),
            ("tree", self.tree == other.tree),
            ("modes", self.modes == other.modes),
        ];
        pairs.into_iter().filter(|(_, same)| !same).map(|(key, _)| key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{link, workspace};
    use super::*;
    use crate::recipe::CommitSha;
    use crate::workspace::{Content, Entry, RepoPath};

    fn pin(name: &str, repo: &str, digit: &str, dirty: bool) -> Record {
        let commit = CommitSha::new(&digit.repeat(40)).unwrap();
        Record::Source { name: name.into(), repo: repo.into(), commit, dirty }
    }

    #[test]
    fn the_whole_text_in_the_order_of_the_specification() {
        let records = [
            pin("zeta", "https://h/z", "2", false),
            pin("upstream", "https://h/u", "1", true),
            pin("alpha", "https://h/a", "3", false),
            pin("zeta", "https://h/z", "2", false),
        ];
        let origins = Origins::new(1, b"x", &records).unwrap();
        let mut tree = workspace(&[("run.sh*", ""), ("a", "")]);
        let odd = Entry::upstream(RepoPath::new(b"caf\xe9").unwrap(), Content::from(""), Mode::Executable);
        tree = Workspace::new(tree.iter().map(|(p, e)| (p.clone(), e.clone())).chain([odd]));
        let text = Provenance::new(&origins, "sha256:00".into(), &tree).to_json();
        assert_eq!(
            text,
            format!(
                r#"{{
  "format": 1,
  "recipe": "sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
  "runner": "kernel-port {}",
  "sources": {{
    "upstream": {{
      "repo": "https://h/u",
      "commit": "{}",
      "dirty": true
    }},
    "alpha": {{
      "repo": "https://h/a",
      "commit": "{}",
      "dirty": false
    }},
    "zeta": {{
      "repo": "https://h/z",
      "commit": "{}",
      "dirty": false
    }}
  }},
  "tree": "sha256:00",
  "modes": {{
    "\"caf\\351\"": "100755",
    "run.sh": "100755"
  }}
}}
"#,
                env!("CARGO_PKG_VERSION"),
                "1".repeat(40),
                "3".repeat(40),
                "2".repeat(40)
            )
        );
        assert_eq!(Provenance::parse(text.as_bytes()).unwrap().to_json(), text);
    }

    #[test]
    fn modes_and_overlay_are_left_out_when_there_are_none() {
        let origins = Origins::new(1, b"x", &[]).unwrap();
        let text = Provenance::new(&origins, "t".into(), &workspace(&[("a", "")])).to_json();
        assert!(!text.contains("modes") && !text.contains("overlay"), "{text}");
        let text = Provenance::new(&origins, "t".into(), &link(&[], "l", "a")).to_json();
        assert!(text.contains("\"l\": \"120000\""), "{text}");
    }

    #[test]
    fn records_of_older_tools_are_read_and_other_files_are_not() {
        let old = Provenance::parse(br#"{"tree": "sha256:1", "format": "1", "sources": {"upstream": 3}}"#);
        assert_eq!(old.map(|p| (p.tree, p.origins.format)), Some(("sha256:1".into(), 0)));
        for no in [&b"{}"[..], b"[]", b"{\"tree\": 1}", b"", b"tree"] {
            assert_eq!(Provenance::parse(no), None);
        }
    }

    #[test]
    fn another_runner_is_no_difference_and_everything_else_is() {
        let one = Provenance::default();
        let mut two = one.clone();
        two.origins.runner = "kernel-port 9".into();
        assert_eq!(one.differing_keys(&two), Vec::<&str>::new());
        two.origins.format = 2;
        two.origins.recipe = "r".into();
        two.origins.overlay = Some("o".into());
        two.origins.sources = vec![("upstream".into(), SourcePin::default())];
        two.tree = "t".into();
        two.modes.insert(b"a".to_vec(), Mode::Symlink);
        assert_eq!(one.differing_keys(&two), ["format", "recipe", "overlay", "sources", "tree", "modes"]);
    }
}
