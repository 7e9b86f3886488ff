'use strict';
// What V8 tells of its heap and its collector.

const v8 = require('node:v8');
const { performance, PerformanceObserver } = require('node:perf_hooks');
const { setImmediate: turn } = require('node:timers/promises');

const LINES = 100; // of the heap's course

// Course is that of the heap over a stretch of work, a line each hundredth of it.
class Course {
  constructor() {
    this.lines = [];
    this.over = 0;
  }

  // Reads the heap, if another hundredth is over: so large a share of the stretch is,
  // and so many operations are made.
  keep(share, made) {
    const over = Math.floor(Math.min(share, 1) * LINES);
    if (over > this.over) {
      this.over = over;
      this.lines.push({ made, heap: v8.getHeapStatistics().used_heap_size, time: performance.now() });
    }
  }

  // The most heap that was seen in use, in bytes.
  peak() {
    return Math.max(v8.getHeapStatistics().used_heap_size, ...this.lines.map(({ heap }) => heap));
  }

  // The course as CSV, with the collections that had begun until then.
  text(collections) {
    const lines = this.lines.map(({ made, heap, time }) => `${made},${heap},${collections.until(time)}\n`);
    return `calls,heap_bytes,gc_count\n${lines.join('')}`;
  }
}

// Collections counts those from its making until its end, and their time in milliseconds.
class Collections {
  constructor() {
    this.begun = [];
    this.time = 0;
    this.observer = new PerformanceObserver((list) => this.add(list.getEntries()));
    this.observer.observe({ type: 'gc' });
  }

  add(entries) {
    for (const { startTime, duration } of entries) {
      this.begun.push(startTime);
      this.time += duration;
    }
  }

  // V8 hands the last ones over with the next turn of the event loop.
  async end() {
    await turn();
    this.add(this.observer.takeRecords());
    this.observer.disconnect();
    return this;
  }

  get count() {
    return this.begun.length;
  }

  until(time) {
    return this.begun.filter((start) => start <= time).length;
  }
}

module.exports = { Course, Collections };
