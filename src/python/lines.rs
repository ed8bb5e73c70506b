//! Lines and columns as Python counts them: a line ends at `\n`, `\r\n` or a lone `\r`.

use super::names::small;
use crate::recipe::Position;

/// Where the lines of a file start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines {
    starts: Vec<u32>,
    /// Whether a byte is a character whatever it is (Latin-1 and the like).
    single_byte: bool,
}

impl Lines {
    /// Finds the lines of a content.
    pub fn new(content: &[u8], single_byte: bool) -> Self {
        let mut starts = Vec::with_capacity(1 + memchr::memchr_iter(b'\n', content).count());
        starts.push(0);
        if memchr::memchr(b'\r', content).is_none() {
            starts.extend(memchr::memchr_iter(b'\n', content).map(|at| small(at + 1)));
        } else {
            let ends = memchr::memchr2_iter(b'\n', b'\r', content)
                .filter(|at| content[*at] == b'\n' || content.get(at + 1) != Some(&b'\n'));
            starts.extend(ends.map(|at| small(at + 1)));
        }
        Self { starts, single_byte }
    }

    /// The lines of another content in the same encoding.
    pub fn again(&self, content: &[u8]) -> Self {
        Self::new(content, self.single_byte)
    }

    /// The line of a byte offset, counted from 0.
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= offset).saturating_sub(1)
    }

    /// Where the line of a byte offset starts.
    pub fn start(&self, offset: usize) -> usize {
        self.starts.get(self.line(offset)).map_or(0, |start| *start as usize)
    }

    /// Where the line after a byte offset starts; the length of `content` on the last line.
    pub fn next(&self, offset: usize, content: &[u8]) -> usize {
        self.starts.get(self.line(offset) + 1).map_or(content.len(), |start| *start as usize)
    }

    /// Line and column for a reader, both from 1; columns count characters.
    pub fn position(&self, content: &[u8], offset: usize) -> Position {
        let offset = offset.min(content.len());
        let start = self.start(offset);
        let here = &content[start..offset];
        let line = self.line(offset) + 1;
        if self.single_byte {
            return Position { line, column: 1 + here.len() };
        }
        let here = if start == 0 { here.strip_prefix(b"\xef\xbb\xbf").unwrap_or(here) } else { here };
        let count = here.utf8_chunks().map(|c| c.valid().chars().count() + c.invalid().len()).sum::<usize>();
        Position { line, column: 1 + count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_line_ends_count() {
        let content = b"a\rb\r\nc\nd";
        let lines = Lines::new(content, false);
        let found: Vec<_> = [0, 2, 5, 7].map(|at| lines.position(content, at).line).into();
        assert_eq!(found, [1, 2, 3, 4]);
        assert_eq!((lines.start(3), lines.next(3, content)), (2, 5));
        assert_eq!(lines.next(7, content), 8);
    }

    #[test]
    fn columns_are_characters_of_the_files_own_encoding() {
        let content = "\u{feff}é x".as_bytes();
        assert_eq!(Lines::new(content, false).position(content, 6).column, 3);
        let content = b"\xc3\xa9 x";
        assert_eq!(Lines::new(content, true).position(content, 3).column, 4);
    }
}
