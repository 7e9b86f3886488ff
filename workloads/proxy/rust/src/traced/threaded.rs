//! `thread` and `thread-held`: a thread of its own exports, and shares the buffer with the loop.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::{mem, panic};

use loop_exporter::{Client, Counts, Settings, Span};
use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;

use super::design::settle;
use crate::Failure;

#[derive(Clone)]
pub struct Threaded {
    shared: Arc<Shared>,
    thread: Rc<RefCell<Option<JoinHandle<()>>>>,
}

struct Shared {
    settings: Settings,
    held: bool, // the lock, while exporting
    state: Mutex<State>,
    changed: Condvar, // an export is due, or the end has come
}

#[derive(Default)]
struct State {
    waiting: Vec<Span>,
    counts: Counts,
    stopping: bool,
}

impl Threaded {
    pub fn start(settings: Settings, held: bool) -> Result<Threaded, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let shared = Arc::new(Shared {
            settings,
            held,
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let its = shared.clone();
        let thread = thread::Builder::new()
            .name("exporter".into())
            .spawn(move || its.export_all(&runtime))?;
        Ok(Threaded {
            shared,
            thread: Rc::new(RefCell::new(Some(thread))),
        })
    }

    /// Waits for the lock, which the thread may hold.
    pub fn record(&self, span: Span) {
        let shared = &self.shared;
        let mut state = shared.lock();
        state.counts.recorded += 1;
        if state.waiting.len() >= shared.settings.buffer {
            state.counts.dropped += 1;
            return;
        }
        state.counts.buffered += 1;
        state.waiting.push(span);
        if state.waiting.len() >= shared.flush() {
            shared.changed.notify_one();
        }
    }

    pub fn stop(&self) -> Counts {
        self.shared.lock().stopping = true;
        self.shared.changed.notify_one();
        if let Some(Err(cause)) = self.thread.take().map(JoinHandle::join) {
            panic::resume_unwind(cause);
        }
        self.shared.lock().counts
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn flush(&self) -> usize {
        self.settings.flush.min(self.settings.buffer)
    }

    /// Exports what has come, whenever it is enough or has waited long enough, until the end.
    fn export_all(&self, runtime: &Runtime) {
        let local = LocalSet::new();
        let client = Client::new(self.settings.target.clone());
        loop {
            let early = |state: &mut State| state.waiting.len() < self.flush() && !state.stopping;
            let (mut state, _) = self
                .changed
                .wait_timeout_while(self.lock(), self.settings.delay, early)
                .unwrap_or_else(PoisonError::into_inner);
            let stopping = state.stopping;
            let spans = mem::take(&mut state.waiting);
            if !spans.is_empty() {
                let kept = self.held.then_some(state); // or else given back
                let count = spans.len();
                let outcome = local.block_on(runtime, client.export(spans));
                let mut state = kept.unwrap_or_else(|| self.lock());
                settle(&mut state.counts, count, outcome.map_err(|e| e.to_string()));
            }
            if stopping {
                return;
            }
        }
    }
}
