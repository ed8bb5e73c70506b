//! What git's conversions make of a file on checkout, undone: a work tree file that differs from its blob only by them is
//! not changed. Decides about clean and changed only; the bytes that are ported are always the blob's.

use super::lfs::Pointer;
use super::objects::Objects;
use git2::Oid;
use memchr::memmem;
use sha2::{Digest, Sha256};

/// Whether `bytes` are the blob, or what a checkout may have made of it.
pub(super) fn stands_for(bytes: &[u8], blob: Oid, objects: &Objects) -> bool {
    objects.is_blob(bytes, blob)
        || smudged(bytes).iter().any(|b| objects.is_blob(b, blob))
        || is_content_of_pointer(bytes, blob, objects)
}

/// What the file may have been made from: lines that ended in LF, keywords that were collapsed.
fn smudged(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    if memmem::find(bytes, b"\r\n").is_some() {
        found.push(without_cr(bytes));
    }
    if memmem::find(bytes, b"$Id: ").is_some() {
        let collapsed = collapse_ident(bytes);
        found.push(without_cr(&collapsed));
        found.push(collapsed);
    }
    found
}

fn without_cr(bytes: &[u8]) -> Vec<u8> {
    let kept = bytes.iter().enumerate().filter(|(at, b)| **b != b'\r' || bytes.get(at + 1) != Some(&b'\n'));
    kept.map(|(_, b)| *b).collect()
}

fn collapse_ident(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memmem::find(rest, b"$Id: ") {
        let after = &rest[at + 5..];
        match memchr::memchr2(b'$', b'\n', after) {
            Some(end) if after[end] == b'$' => {
                out.extend_from_slice(&rest[..at]);
                out.extend_from_slice(b"$Id$");
                rest = &after[end + 1..];
            }
            _ => {
                out.extend_from_slice(&rest[..at + 5]);
                rest = after;
            }
        }
    }
    out.extend_from_slice(rest);
    out
}

/// Git LFS keeps a pointer in the blob and the content in the work tree.
fn is_content_of_pointer(bytes: &[u8], blob: Oid, objects: &Objects) -> bool {
    if objects.size(blob).is_none_or(|size| size > Pointer::MAX_SIZE) {
        return false;
    }
    let pointer = objects.blob(blob).ok().and_then(|text| Pointer::parse(&text));
    pointer.is_some_and(|p| {
        p.size == bytes.len() as u64 && p.sha256 == crate::report::hex(&Sha256::digest(bytes))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_undone() {
        assert_eq!(smudged(b"a\r\nb\r\n"), [b"a\nb\n".to_vec()]);
        assert_eq!(collapse_ident(b"/* $Id: 0123abcd $ */ $Id: open\n"), b"/* $Id$ */ $Id: open\n");
        assert_eq!(smudged(b"plain\n"), Vec::<Vec<u8>>::new());
    }
}
