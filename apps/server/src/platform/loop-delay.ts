import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

export interface LoopDelay {
  readonly p99: number;
  readonly worst: number;
}

const WINDOW_MS = 5_000;
const WINDOWS_SHOWN = 4;
const RESOLUTION_MS = 10;

export function watchLoop(tell: (delay: LoopDelay) => void): { stop(): void } {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  // The histogram measures the time between two samples, so the sampling interval is subtracted.
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS) / 1_000;
  const timer = setInterval(() => {
    tell({ p99: seconds(histogram.percentile(99)), worst: seconds(histogram.max) });
    histogram.reset();
  }, WINDOW_MS);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

export class LoopDelays {
  readonly #windows = new Map<string, LoopDelay[]>();

  constructor(registry: Registry) {
    const windows = this.#windows;
    new Gauge({
      name: 'fairtick_event_loop_delay_seconds',
      help: 'How late each event loop of the process came to its timers within the last 20 s',
      labelNames: ['loop', 'quantile'],
      registers: [registry],
      collect() {
        for (const [loop, delays] of windows) {
          this.set({ loop, quantile: '0.99' }, Math.max(...delays.map(({ p99 }) => p99)));
          this.set({ loop, quantile: '1' }, Math.max(...delays.map(({ worst }) => worst)));
        }
      },
    });
  }

  /** The loop appears in the metrics from now on. */
  of(loop: string): (delay: LoopDelay) => void {
    this.#windows.set(loop, [{ p99: 0, worst: 0 }]);
    return (delay) => {
      const before = this.#windows.get(loop) ?? [];
      this.#windows.set(loop, [...before, delay].slice(-WINDOWS_SHOWN));
    };
  }
}
