//! Files parsed once a run, whoever asks: an op, the proof of a rewrite, the final checks. Keyed by content, so that an
//! edit is seen and a move is not.

use super::{Module, SyntaxError};
use crate::workspace::TextEdit;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex};

/// Bytes of source whose modules are kept. What is beyond is parsed again.
const MAX_KEPT: usize = 32 << 20;

/// What has been parsed.
#[derive(Default)]
pub struct Parsed {
    hasher: RandomState,
    kept: Mutex<Kept>,
}

/// A content and what it says.
type Known = (Arc<[u8]>, Result<Arc<Module>, SyntaxError>);

#[derive(Default)]
struct Kept {
    bytes: usize,
    by_hash: HashMap<u64, Vec<Known>>,
}

impl Parsed {
    /// Parses a file, or remembers what it says.
    ///
    /// # Errors
    /// As [`Module::parse`].
    pub fn module(&self, content: &Arc<[u8]>) -> Result<Arc<Module>, SyntaxError> {
        self.remember(content, || Module::parse(content))
    }

    /// What a file says after edits of `before`, the content that `module` was parsed from, which is forgotten. Nobody
    /// else should hold the module: it becomes the result.
    ///
    /// # Errors
    /// As [`Module::parse`].
    pub fn edited(
        &self,
        before: &Arc<[u8]>,
        module: Arc<Module>,
        edits: &[TextEdit],
        after: &Arc<[u8]>,
    ) -> Result<Arc<Module>, SyntaxError> {
        self.forget(before);
        let module = self.remember(after, || {
            let edited = Arc::unwrap_or_clone(module).edited(edits, after);
            edited.map_or_else(|| Module::parse(after), Ok)
        });
        debug_assert_eq!(module.as_deref().ok(), Module::parse(after).as_ref().ok());
        module
    }

    fn forget(&self, content: &Arc<[u8]>) {
        if let Ok(mut kept) = self.kept.lock()
            && let Some(known) = kept.by_hash.remove(&self.hasher.hash_one(content))
        {
            kept.bytes -= known.iter().map(|(content, _)| content.len()).sum::<usize>();
        }
    }

    fn remember(
        &self,
        content: &Arc<[u8]>,
        read: impl FnOnce() -> Result<Module, SyntaxError>,
    ) -> Result<Arc<Module>, SyntaxError> {
        let hash = self.hasher.hash_one(content);
        let same = |known: &&Known| Arc::ptr_eq(&known.0, content) || known.0 == *content;
        if let Ok(kept) = self.kept.lock()
            && let Some((_, module)) = kept.by_hash.get(&hash).and_then(|known| known.iter().find(same))
        {
            return module.clone();
        }
        let module = read().map(Arc::new);
        if let Ok(mut kept) = self.kept.lock()
            && kept.bytes + content.len() <= MAX_KEPT
        {
            kept.bytes += content.len();
            kept.by_hash.entry(hash).or_default().push((content.clone(), module.clone()));
        }
        module
    }
}

impl fmt::Debug for Parsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parsed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_bytes_are_parsed_once() {
        let parsed = Parsed::default();
        let content = |text: &str| -> Arc<[u8]> { text.as_bytes().into() };
        let first = parsed.module(&content("import a")).unwrap();
        assert!(Arc::ptr_eq(&first, &parsed.module(&content("import a")).unwrap()));
        assert_eq!(parsed.module(&content("import b")).unwrap().imports[0].aliases[0].name, "b");
        assert!(parsed.module(&content("import")).is_err() && parsed.module(&content("import")).is_err());
    }

    #[test]
    fn what_is_too_much_to_keep_is_parsed_again() {
        let parsed = Parsed::default();
        let content: Arc<[u8]> = vec![b'\n'; MAX_KEPT + 1].into();
        let first = parsed.module(&content).unwrap();
        assert!(!Arc::ptr_eq(&first, &parsed.module(&content).unwrap()));
    }
}
