//! Work on many items at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// Below this many Python files to parse, a thread costs more than it brings.
pub const FEW: usize = 8;

/// Maps a slice, results in order, with as many threads as there are processors; a thread is started only for every
/// `few` items, so that little work is done without any.
pub fn map<T: Sync, R: Send>(items: &[T], few: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let most = items.len() / few.max(1);
    let threads = if most < 2 { 1 } else { most.min(processors()) };
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break done };
            done.push((index, work(item)));
        }
    };
    let mut all: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut all = run();
        for thread in threads {
            match thread.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_unstable_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, result)| result).collect()
}

/// How many there are, asked once: the answer is in files of the system.
fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// [`map`] for work that needs the items themselves.
pub fn consume<T: Send, R: Send>(items: Vec<T>, few: usize, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let taken = |item: &Mutex<Option<T>>| item.lock().ok().and_then(|mut item| item.take()).map(&work);
    map(&items, few, taken).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_in_order() {
        for length in [0, 1, 7, 1000] {
            let items: Vec<usize> = (0..length).collect();
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(super::map(&items, 1, |item| item * 2), doubled);
            assert_eq!(super::map(&items, 0, |item| item * 2), doubled);
            assert_eq!(super::map(&items, 5000, |item| item * 2), doubled);
            assert_eq!(super::consume(items, 1, |item| item * 2), doubled);
        }
    }
}
