//! How much memory exports take to receivers that read nothing. One test, since all that the
//! program allocates is counted.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{on_a_loop, settings, span, target};
use loop_exporter::{Client, Exporter, Span, Value};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpSocket;
use tokio::task::spawn_local;

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

const TIMEOUT: Duration = Duration::from_millis(2);
const EXPORTS: u64 = 300;
const PENDING: usize = 4;
const LARGE: usize = 128 << 10; // bytes of a span, and so of an export of one
/// What is held beside exports: connections, with their buffers.
const CONNECTIONS: usize = 384 << 10;

fn large(number: u64) -> Span {
    let text = Value::Text("x".repeat(LARGE));
    Span {
        attributes: vec![("text", text)],
        ..span(number)
    }
}

/// The most that is allocated beyond what was before and connections, in exports.
async fn most(work: impl Future<Output = ()>) -> usize {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    work.await;
    (MOST.load(Ordering::Relaxed) - before).saturating_sub(CONNECTIONS) / LARGE
}

/// What a receiver that grants all that it can says first: how much may be sent in a stream
/// (SETTINGS_INITIAL_WINDOW_SIZE), and in all (WINDOW_UPDATE).
const WINDOWS: [u8; 28] = [
    0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff, // 2³¹ − 1
    0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0xff, 0, 0, // 2³¹ − 1 − 65,535
];

/// Takes connections, says so much on each, and reads nothing.
fn silent(words: &'static [u8]) -> String {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(64).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    spawn_local(async move {
        let mut held = Vec::new();
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(words).await.unwrap();
            held.push(stream);
        }
    });
    address
}

#[test]
fn a_silent_receiver_takes_no_memory() {
    for words in [&[][..], &WINDOWS] {
        on_a_loop(async {
            let exports = most(one_by_one(silent(words))).await;
            // Three, and one that is a span yet while it becomes a message.
            assert!(exports <= 4, "{exports} exports are in memory, one by one");

            let exports = most(beside_each_other(silent(words))).await;
            let bound = 3 * PENDING + 4; // those, the buffer, and spans that become messages
            assert!(
                exports <= bound,
                "{exports} exports are in memory, {PENDING} under way"
            );
        });
    }
}

async fn one_by_one(address: String) {
    let client = Client::new(target(address, TIMEOUT));
    for number in 0..EXPORTS {
        client.export(vec![large(number)]).await.unwrap_err();
    }
}

async fn beside_each_other(address: String) {
    let exporter = Exporter::start(settings(address, TIMEOUT, 1, 1, PENDING));
    for number in 0..EXPORTS {
        exporter.record(large(number));
        while exporter.counts().buffered > PENDING as u64 {
            tokio::time::sleep(TIMEOUT / 10).await;
        }
    }
    let counts = exporter.flush(Duration::from_secs(30)).await;
    assert_eq!((counts.failed, counts.dropped), (EXPORTS, 0));
}
