//! Work on many items at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// For many items of which nobody knows how long they take: what is done within this time would not be done sooner with a
/// thread, which has memory of its own to be given first.
pub const PATIENCE: Duration = Duration::from_millis(3);

/// Whether threads were of use before: the next piece of the same run is not likely to be shorter.
static LONG: AtomicBool = AtomicBool::new(false);

/// Maps a slice, results in order, with as many threads as there are processors. The others start when the work has taken
/// as long as `patience`.
pub fn map<T: Sync, R: Send>(items: &[T], patience: Duration, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let start = Instant::now();
    let mut first = Vec::with_capacity(items.len());
    let patient = !LONG.load(Ordering::Relaxed);
    while first.len() < items.len() && (patient && start.elapsed() < patience || processors() < 2) {
        first.push(work(&items[first.len()]));
    }
    if first.len() == items.len() {
        return first;
    }
    LONG.store(true, Ordering::Relaxed);
    let threads = processors().min(items.len() - first.len());
    let next = AtomicUsize::new(first.len());
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
    first.extend(all.into_iter().map(|(_, result)| result));
    first
}

/// How many there are, asked once: the answer is in files of the system.
fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// [`map`] for work that needs the items themselves.
pub fn consume<T: Send, R: Send>(items: Vec<T>, patience: Duration, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let taken = |item: &Mutex<Option<T>>| item.lock().ok().and_then(|mut item| item.take()).map(&work);
    map(&items, patience, taken).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        for length in [0, 1, 7, 1000] {
            let items: Vec<usize> = (0..length).collect();
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            for patience in [Duration::ZERO, Duration::from_micros(5), PATIENCE] {
                assert_eq!(map(&items, patience, |item| item * 2), doubled);
                assert_eq!(consume(items.clone(), patience, |item| item * 2), doubled);
            }
        }
    }
}
