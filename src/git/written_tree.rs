//! What a commit tracks, taken from the index: where the trees that the index would write hash to the commit's own tree, the
//! index holds exactly what the commit does, and no tree has to be read. A checkout of many directories has as many trees.

use super::index::{Index, IndexEntry};
use super::objects::{Listing, SUBMODULE, file_mode, hash, refuse_doubled};
use crate::workspace::RepoPath;
use git2::{ObjectFormat, ObjectType, Oid};

/// A directory whose entries are being collected.
struct Directory {
    /// How much of a path leads into it, the last slash included.
    length: usize,
    /// The tree object's content.
    content: Vec<u8>,
}

impl Index {
    /// What the commit with that tree tracks; `None` unless the index is proven to hold exactly that.
    pub(super) fn listing(&self, tree: Oid, format: ObjectFormat) -> Option<Listing> {
        if self.tree(format)? != tree {
            return None;
        }
        let mut listing = Listing { files: Vec::with_capacity(self.entries.len()), ..Listing::default() };
        for entry in &self.entries {
            let path = RepoPath::new(self.path(entry)).ok()?;
            if entry.mode == SUBMODULE {
                listing.submodules.insert(path, entry.id);
            } else {
                listing.files.push((path, (entry.id, file_mode(entry.mode)?)));
            }
        }
        refuse_doubled(&listing).ok()?;
        Some(listing)
    }

    /// The id of the tree that the index would write. `None` where an entry is none of a tree's.
    fn tree(&self, format: ObjectFormat) -> Option<Oid> {
        let mut open = vec![Directory { length: 0, content: Vec::new() }];
        let mut before: &[u8] = &[];
        for entry in &self.entries {
            let IndexEntry { id, mode, intent_to_add, .. } = entry;
            let path = self.path(entry);
            let mode = text(*mode).filter(|_| !intent_to_add)?;
            let is_inside =
                |directory: &Directory| path.get(..directory.length) == before.get(..directory.length);
            while !is_inside(open.last()?) {
                close(&mut open, before, format)?;
            }
            let start = open.last()?.length;
            let slashes = memchr::memchr_iter(b'/', &path[start..]);
            open.extend(slashes.map(|at| Directory { length: start + at + 1, content: Vec::new() }));
            let directory = open.last_mut()?;
            add(&mut directory.content, mode, &path[directory.length..], *id);
            before = path;
        }
        while open.len() > 1 {
            close(&mut open, before, format)?;
        }
        hash(ObjectType::Tree, &open.pop()?.content, format)
    }
}

const DIRECTORY: &[u8] = b"40000 ";

/// How a tree writes a mode of the index, which has no others; a tree may, but no index would write that.
fn text(mode: u32) -> Option<&'static [u8]> {
    match mode {
        0o100_644 => Some(b"100644 "),
        0o100_755 => Some(b"100755 "),
        0o120_000 => Some(b"120000 "),
        SUBMODULE => Some(b"160000 "),
        _ => None,
    }
}

/// Adds the innermost directory to the one around it.
fn close(open: &mut Vec<Directory>, path: &[u8], format: ObjectFormat) -> Option<()> {
    let Directory { length, content } = open.pop()?;
    let around = open.last_mut()?;
    let name = path.get(around.length..length - 1)?;
    add(&mut around.content, DIRECTORY, name, hash(ObjectType::Tree, &content, format)?);
    Some(())
}

fn add(content: &mut Vec<u8>, mode: &[u8], name: &[u8], id: Oid) {
    content.extend_from_slice(mode);
    content.extend_from_slice(name);
    content.push(0);
    content.extend_from_slice(id.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use git2::Repository;

    const FILES: [(&str, u32); 9] = [
        ("a-b", 0o100_644),
        ("a.b", 0o100_755),
        ("a/b/c/d", 0o100_644),
        ("a/b/c0", 0o100_644),
        ("a/b0/c", 0o120_000),
        ("a0", 0o100_644),
        ("b/a/x", 0o100_644),
        ("b/b/x", 0o100_644),
        ("z/sub", SUBMODULE),
    ];

    /// The index of these files as git writes it, and the tree.
    fn written(files: &[(&str, u32)]) -> (Index, Oid) {
        let directory = tempfile::tempdir().unwrap();
        let repository = Repository::init(directory.path()).unwrap();
        let blob = repository.blob(b"text").unwrap();
        let mut index = repository.index().unwrap();
        index.write().unwrap();
        let mut builder = git2::build::TreeUpdateBuilder::new();
        for (path, mode) in files {
            let mode = match mode {
                0o100_755 => git2::FileMode::BlobExecutable,
                0o120_000 => git2::FileMode::Link,
                &SUBMODULE => git2::FileMode::Commit,
                _ => git2::FileMode::Blob,
            };
            builder.upsert(*path, blob, mode);
        }
        let empty = repository.treebuilder(None).unwrap().write().unwrap();
        let empty = repository.find_tree(empty).unwrap();
        let tree = repository.find_tree(builder.create_updated(&repository, &empty).unwrap()).unwrap();
        index.read_tree(&tree).unwrap();
        index.write().unwrap();
        let bytes = std::fs::read(directory.path().join(".git/index")).unwrap();
        (Index::parse(&bytes, ObjectFormat::Sha1).unwrap(), tree.id())
    }

    #[test]
    fn an_index_that_holds_what_the_commit_does_is_its_listing() {
        for number in 0..=FILES.len() {
            let (index, tree) = written(&FILES[..number]);
            assert_eq!(index.tree(ObjectFormat::Sha1), Some(tree), "{number}");
            let listing = index.listing(tree, ObjectFormat::Sha1).unwrap();
            assert_eq!(listing.files.len() + listing.submodules.len(), number);
        }
    }

    #[test]
    fn any_other_index_is_none() {
        let (index, tree) = written(&FILES);
        let changes: [fn(&mut IndexEntry); 4] = [
            |entry| entry.mode ^= 0o000_111,
            |entry| entry.id = Oid::ZERO_SHA1,
            |entry| entry.intent_to_add = true,
            |entry| entry.mode = 0o040_000,
        ];
        for change in changes {
            let mut other = index.clone();
            change(&mut other.entries[3]);
            assert!(other.listing(tree, ObjectFormat::Sha1).is_none());
        }
        let mut fewer = index.clone();
        fewer.entries.pop();
        assert!(fewer.listing(tree, ObjectFormat::Sha1).is_none());
        let renamed = FILES.map(|(path, mode)| (if path == "a0" { "a1" } else { path }, mode));
        assert!(written(&renamed).0.listing(tree, ObjectFormat::Sha1).is_none());
    }

    #[test]
    fn a_forged_commit_is_refused_as_from_its_trees() {
        let mut bytes = super::super::index::tests::index(&["a", "a/b"], b"");
        for entry in [12, 76] {
            bytes[entry + 24..entry + 28].copy_from_slice(&0o100_644_u32.to_be_bytes());
        }
        let index = Index::parse(&bytes, ObjectFormat::Sha1).unwrap();
        let tree = index.tree(ObjectFormat::Sha1).unwrap();
        assert!(index.listing(tree, ObjectFormat::Sha1).is_none());
    }
}
