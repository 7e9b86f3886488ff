//! `sync`: whoever records the span that fills the buffer exports it, and everything on the loop
//! waits for that. A thread beside does the talking, as behind a blocking call of a gRPC library.

use std::cell::RefCell;
use std::mem;
use std::rc::{Rc, Weak};
use std::time::Duration;

use loop_exporter::{Counts, Settings, Span};
use tokio::task::spawn_local;
use tokio::time::{Instant, interval_at};

use super::courier::Courier;
use super::design::settle;
use crate::Failure;

#[derive(Clone)]
pub struct Waiting(Rc<Inner>);

struct Inner {
    flush: usize,
    state: RefCell<State>,
    courier: Courier,
}

#[derive(Default)]
struct State {
    waiting: Vec<Span>,
    counts: Counts,
}

impl Waiting {
    pub fn start(settings: Settings) -> Result<Waiting, Failure> {
        let inner = Rc::new(Inner {
            flush: settings.flush.min(settings.buffer),
            state: RefCell::default(),
            courier: Courier::start(settings.target)?,
        });
        spawn_local(tick(Rc::downgrade(&inner), settings.delay));
        Ok(Waiting(inner))
    }

    pub fn record(&self, span: Span) {
        let mut state = self.0.state.borrow_mut();
        state.counts.recorded += 1;
        state.counts.buffered += 1;
        state.waiting.push(span);
        if state.waiting.len() >= self.0.flush {
            self.0.export(&mut state);
        }
    }

    pub fn stop(&self) -> Counts {
        let mut state = self.0.state.borrow_mut();
        self.0.export(&mut state);
        state.counts
    }
}

impl Inner {
    /// Exports what waits. Nothing else happens on the loop meanwhile.
    fn export(&self, state: &mut State) {
        if state.waiting.is_empty() {
            return;
        }
        let spans = mem::take(&mut state.waiting);
        let count = spans.len();
        let outcome = self.courier.export(spans);
        settle(&mut state.counts, count, outcome);
    }
}

async fn tick(inner: Weak<Inner>, delay: Duration) {
    let mut ticks = interval_at(Instant::now() + delay, delay);
    loop {
        ticks.tick().await;
        let Some(inner) = inner.upgrade() else {
            return;
        };
        inner.export(&mut inner.state.borrow_mut());
    }
}
