//! What a file holds, read only when somebody asks.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

/// Bytes that are somewhere else until they are needed: on disk, in a git object.
pub trait Stored: Send + Sync {
    /// The whole content.
    ///
    /// # Errors
    /// The operating system's, with the path in the message.
    fn read(&self) -> io::Result<Arc<[u8]>>;

    /// As [`Stored::read`], for who writes the bytes and will not ask again: nothing needs to be kept, and what is read
    /// may take the place of `spare`, which is empty then.
    ///
    /// # Errors
    /// Those of [`Stored::read`].
    fn read_last(&self, _spare: &mut Vec<u8>) -> io::Result<Last> {
        self.read().map(Last::Shared)
    }

    /// A file on disk that holds exactly these bytes, so that the kernel can copy it.
    fn file(&self) -> Option<Cow<'_, Path>> {
        None
    }

    /// Size in bytes, where it is known without reading.
    fn size(&self) -> Option<u64> {
        None
    }

    /// The size in bytes when it is more than `limit`.
    fn size_above(&self, limit: u64) -> Option<u64> {
        self.size().filter(|size| *size > limit)
    }
}

/// Bytes for who needs them once.
pub enum Last {
    /// Somebody else has them as well.
    Shared(Arc<[u8]>),
    /// Nobody else has.
    Own(Vec<u8>),
}

impl Deref for Last {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Shared(bytes) => bytes,
            Self::Own(bytes) => bytes,
        }
    }
}

/// The content of a file, or the target of a symlink. Cheap to clone.
#[derive(Clone)]
pub enum Content {
    /// In memory: written or changed by an op, or given with `--file`.
    Bytes(Arc<[u8]>),
    /// Not read yet.
    Stored(Arc<dyn Stored>),
}

impl Content {
    /// The whole content.
    ///
    /// # Errors
    /// Those of [`Stored::read`].
    pub fn read(&self) -> io::Result<Arc<[u8]>> {
        match self {
            Self::Bytes(bytes) => Ok(bytes.clone()),
            Self::Stored(stored) => stored.read(),
        }
    }

    /// Size in bytes, where it is known without reading.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::Bytes(bytes) => Some(bytes.len() as u64),
            Self::Stored(stored) => stored.size(),
        }
    }

    /// The size in bytes when it is more than `limit`.
    pub fn size_above(&self, limit: u64) -> Option<u64> {
        match self {
            Self::Bytes(bytes) => Some(bytes.len() as u64).filter(|size| *size > limit),
            Self::Stored(stored) => stored.size_above(limit),
        }
    }

    /// Whether both are the same object, so that no comparison of bytes is needed.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bytes(a), Self::Bytes(b)) => Arc::ptr_eq(a, b),
            (Self::Stored(a), Self::Stored(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Bytes(text.as_bytes().into())
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Stored(stored) => write!(f, "stored, {:?} bytes", stored.size()),
        }
    }
}
