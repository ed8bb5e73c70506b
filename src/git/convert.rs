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

/// What the file may have been made from: UTF-8, lines that ended in LF, keywords that were collapsed.
fn smudged(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    if let Some(text) = from_utf16(bytes) {
        // Git converts the line ends first and encodes then.
        found.extend(smudged(&text));
        found.push(text);
        return found;
    }
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

/// What `working-tree-encoding=UTF-16` was made from, told by its byte order mark; the kinds that are written with one.
fn from_utf16(bytes: &[u8]) -> Option<Vec<u8>> {
    let (unit, rest): (fn([u8; 2]) -> u16, _) = match bytes {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        _ => return None,
    };
    let (pairs, []) = rest.as_chunks() else { return None };
    let text: Result<String, _> = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect();
    text.ok().map(String::into_bytes)
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
        assert_eq!(smudged(b"\xff\xfea\0\xe9\0"), ["a\u{e9}".as_bytes().to_vec()]);
        assert_eq!(smudged(b"\xfe\xff\0a\0\r\0\n"), [b"a\n".to_vec(), b"a\r\n".to_vec()]);
        assert_eq!(smudged(b"\xff\xfea"), Vec::<Vec<u8>>::new());
    }
}
