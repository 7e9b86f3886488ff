//! The function that is called.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Calls itself until `depth` calls lie in one another; the innermost works so long. Returns
/// the number of calls, so that none can be left out unseen.
///
/// Every call is a real one: the compiler would make a loop of them, or none at all.
#[cfg(not(any(feature = "otel", feature = "synthetic")))]
#[inline(never)]
pub fn monitored_function(busy: Duration, depth: u32) -> u32 {
    if depth > 1 {
        return 1 + black_box(monitored_function(busy, black_box(depth - 1)));
    }
    burn(busy);
    1
}

/// The same, with a span of OpenTelemetry for each call.
#[cfg(feature = "otel")]
#[inline(never)]
pub fn monitored_function(busy: Duration, depth: u32) -> u32 {
    use opentelemetry::global::{self, BoxedTracer};
    use opentelemetry::trace::Tracer;
    use std::sync::LazyLock;

    static TRACER: LazyLock<BoxedTracer> = LazyLock::new(|| global::tracer("calls"));

    TRACER.in_span("monitored_function", |_context| {
        if depth > 1 {
            return 1 + black_box(monitored_function(busy, black_box(depth - 1)));
        }
        burn(busy);
        1
    })
}

/// The same, with known causes before each outer call.
#[cfg(feature = "synthetic")]
pub fn monitored_function(busy: Duration, depth: u32) -> u32 {
    crate::synthetic::wrapper(|| call(busy, depth))
}

#[cfg(feature = "synthetic")]
#[inline(never)]
fn call(busy: Duration, depth: u32) -> u32 {
    if depth > 1 {
        return 1 + black_box(call(busy, black_box(depth - 1)));
    }
    burn(busy);
    1
}

/// Works so long; zero reads no clock.
fn burn(busy: Duration) {
    if busy.is_zero() {
        return;
    }
    let begin = Instant::now();
    while begin.elapsed() < busy {}
}
