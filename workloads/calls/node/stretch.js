'use strict';
// A stretch of work: prepared, made once, and written.

const fs = require('node:fs');
const { performance } = require('node:perf_hooks');
const { setImmediate: turn } = require('node:timers/promises');
const alarm = require('./alarm');
const { due, slot, random } = require('./order');
const { Course, Collections } = require('./meters');
const { outerCall } = require('./function');

const SLICE = 1; // ms of calls as fast as they go, after which the event loop gets its turn
const LONGEST = 50; // ms without a look at whether the work was cancelled
const GRACE = 100; // ms for work at a fixed rate that had fallen due when the duration ended
const RING = 2 ** 16; // durations where they are not kept

class Stretch {
  // Allocates all that the work needs. Times are in milliseconds, as the clock has them.
  constructor(order) {
    this.order = order;
    const room = order.samples ? Math.max(order.share, 1) : RING;
    this.durations = new Float64Array(room).fill(0); // filled, so that no page is made while they come
    this.lags = order.rate ? new Float64Array(room).fill(0) : null;
    this.course = new Course();
    this.random = order.moments ? random(order.moments) : () => 0;
    this.made = this.failed = this.calling = this.began = this.ended = 0;
    this.state = 'prepared';
    if (order.rate) {
      alarm.prepare();
    }
  }

  cancel() {
    this.state = 'cancelled';
  }

  // Makes the operations, and returns the words of the answer.
  async make() {
    if (this.state !== 'prepared') {
      throw new Error('this order was run already; prepare another');
    }
    this.state = 'running';
    const collections = new Collections();
    const cpu = process.threadCpuUsage?.();
    this.began = performance.now();
    this.ended = this.began;
    this.end = this.order.duration ? this.began + this.order.duration + (this.order.rate ? GRACE : 0) : Infinity;
    await (this.order.rate ? this.makeAtRate() : this.makeAll());
    const used = process.threadCpuUsage?.(cpu); // from Node 23.9 on
    this.collections = await collections.end();
    return this.done(used);
  }

  done(used) {
    const words = {
      started: this.made,
      failed: this.failed,
      wall_ns: nanoseconds(this.ended - this.began),
      call_ns: nanoseconds(this.calling),
      gc_count: this.collections.count,
      gc_ns: nanoseconds(this.collections.time),
      heap_peak_bytes: this.course.peak(),
    };
    if (used) {
      words.thread_cpu_ns = (used.user + used.system) * 1000;
    }
    return Object.entries(words).map(([name, value]) => `${name}=${value}`).join(' ');
  }

  over(now) {
    return this.made >= this.order.share || now >= this.end || this.state === 'cancelled';
  }

  // As fast as it goes. Without a turn of the event loop in between, no tracer could
  // send anything before the end.
  async makeAll() {
    for (let now = this.began; !this.over(now); now = performance.now()) {
      this.call(this.order.share, now, Math.min(this.end, now + SLICE));
      this.keepCourse();
      await turn();
    }
  }

  // Makes the operations of each slot at a random moment of it, then waits for the next slot that has some. What falls due
  // before the duration is over is made, also where the loop wakes late.
  async makeAtRate() {
    while (!this.over(performance.now())) {
      const { begin, length } = slot(this.order, this.made);
      this.start = this.began + begin + this.random() * length;
      await this.until(this.start);
      const most = Math.max(this.made + 1, due(this.order, begin + length - 1e-6));
      this.call(Math.min(this.order.share, most), performance.now(), this.end);
      this.keepCourse();
    }
  }

  // Waits until a time, with a look now and then at whether the work was cancelled. The event loop has one turn at least.
  async until(time) {
    let now = performance.now();
    do {
      await (time > now ? alarm.sleep(Math.min(time - now, LONGEST)) : turn());
      now = performance.now();
    } while (now < time && !this.over(now));
  }

  // The timed loop: makes operations from now on, until so many are made in all, or
  // until a time has passed.
  call(most, now, until) {
    const { depth, busy } = this.order;
    const { durations, lags } = this;
    const room = durations.length;
    let { made, failed, calling } = this;
    let ended = now;
    while (made < most && ended < until) {
      const begin = performance.now();
      const calls = outerCall(busy, depth);
      ended = performance.now();
      durations[made % room] = ended - begin;
      calling += ended - begin;
      if (calls !== depth) {
        failed++;
      }
      if (lags) {
        lags[made % room] = Math.max(0, begin - this.start);
      }
      made++;
    }
    if (made > this.made) {
      Object.assign(this, { made, failed, calling, ended });
    }
  }

  // Reads the heap, where another hundredth of the stretch is over.
  keepCourse() {
    const byTime = this.order.duration ? (this.ended - this.began) / this.order.duration : 0;
    this.course.keep(Math.max(this.made / this.order.share, byTime), this.made);
  }

  // Writes the files that the order names. Returns the number of durations.
  write() {
    const { samples, batches } = this.order;
    if (!this.collections || !samples) {
      throw new Error('there is nothing to write: no order with samples= was run');
    }
    fs.writeFileSync(`${samples}.0`, littleEndian(this.durations.subarray(0, this.made)));
    if (this.lags) {
      fs.writeFileSync(`${samples}.0.lag`, littleEndian(this.lags.subarray(0, this.made)));
    }
    if (batches) {
      fs.writeFileSync(batches, this.course.text(this.collections));
    }
    return this.made;
  }
}

const nanoseconds = (ms) => Math.round(ms * 1e6);

// littleEndian are so many milliseconds as int64 nanoseconds.
function littleEndian(times) {
  const bytes = Buffer.allocUnsafe(times.length * 8);
  times.forEach((ms, place) => bytes.writeBigInt64LE(BigInt(nanoseconds(ms)), place * 8));
  return bytes;
}

module.exports = { Stretch };
