//! No tracer, but known causes in its place: what each function burns is asked for by a variable,
//! in milliseconds. Nothing is the last that a function does but `black_box`, so each has a frame.

use std::env;
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Duration;

use crate::caller::thread_cpu;

static SERIALISING: LazyLock<Duration> = LazyLock::new(|| asked("SYNTHETIC_SERIALISING"));
static CLOCK: LazyLock<Duration> = LazyLock::new(|| asked("SYNTHETIC_CLOCK"));
static METADATA: LazyLock<Duration> = LazyLock::new(|| asked("SYNTHETIC_METADATA"));

/// Calls the program, after the causes; it runs within a frame of the tracer, as wrappers of
/// tracers do.
#[inline(never)]
pub fn wrapper(program: impl FnOnce() -> u32) -> u32 {
    serialise();
    read_clock();
    describe();
    black_box(program())
}

#[inline(never)]
fn serialise() {
    burn(*SERIALISING);
    black_box(());
}

#[inline(never)]
fn read_clock() {
    burn(*CLOCK);
    black_box(());
}

#[inline(never)]
fn describe() {
    burn(*METADATA);
    black_box(());
}

/// Uses so much CPU time of this thread.
#[inline(never)]
fn burn(time: Duration) {
    if time.is_zero() {
        return;
    }
    let end = used() + time;
    while used() < end {}
}

fn used() -> Duration {
    thread_cpu().expect("Linux tells the CPU time of a thread")
}

fn asked(variable: &str) -> Duration {
    let Ok(text) = env::var(variable) else {
        return Duration::ZERO;
    };
    match text.parse::<f64>() {
        Ok(ms) if (0.0..=1e6).contains(&ms) => Duration::from_secs_f64(ms / 1e3),
        _ => panic!("{variable} is {text:?}: use a number of milliseconds"),
    }
}
