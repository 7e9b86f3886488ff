//! How much memory exports take to a receiver that is silent. One test, since all that the program
//! allocates is counted.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{on_a_loop, settings, span, target};
use loop_exporter::{Client, Exporter, Span, Value};

/// Bytes that are allocated, and the most that were since it was set back.
static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TIMEOUT: Duration = Duration::from_millis(20);
const EXPORTS: u64 = 200;
const PENDING: usize = 4;
const LARGE: usize = 64 << 10; // bytes of a span, and so of an export of one

fn large(number: u64) -> Span {
    let text = Value::Text("x".repeat(LARGE));
    Span {
        attributes: vec![("text", text)],
        ..span(number)
    }
}

/// The most that is allocated beyond what was before, in exports.
async fn most(work: impl Future<Output = ()>) -> usize {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    work.await;
    (MOST.load(Ordering::Relaxed) - before) / LARGE
}

#[test]
fn a_silent_receiver_takes_no_memory() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    on_a_loop(async {
        let one_by_one = most(async {
            let client = Client::new(target(address.clone(), TIMEOUT));
            for number in 0..EXPORTS {
                client.export(vec![large(number)]).await.unwrap_err();
            }
        });
        // Three exports, and each as a span while it becomes a message.
        let exports = one_by_one.await;
        assert!(exports <= 6, "{exports} exports are in memory, one by one");

        let beside = most(async {
            let exporter = Exporter::start(settings(address, TIMEOUT, 1, 1, PENDING));
            for number in 0..EXPORTS {
                exporter.record(large(number));
                while exporter.counts().buffered > PENDING as u64 {
                    tokio::time::sleep(TIMEOUT / 10).await;
                }
            }
            assert_eq!(
                exporter.flush(Duration::from_secs(30)).await.failed,
                EXPORTS
            );
        });
        let exports = beside.await;
        let bound = 3 * PENDING + 4; // those, the buffer, and spans that become messages
        assert!(
            exports <= bound,
            "{exports} exports are in memory, {PENDING} under way"
        );
    });
}
