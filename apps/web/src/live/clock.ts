import type { StreamTime } from '@fairtick/protocol';
import { useSyncExternalStore } from 'react';
import { get } from '../api/client.ts';
import { serverClock } from '../api/server-clock.ts';
import { stream } from '../api/stream.ts';

/** The log's size and root that came with the server's time. */
let seen: { size: number; root: string } | null = null;

export const serverNow = (): number => performance.now() + serverClock.offsetMs;

export const asServerTime = (localMs: number): number => localMs - Date.now() + serverNow();

/**
 * The log that an order repeats as `seenSize` and `seenRoot`; asked for where the stream has not told it.
 * @throws NetworkError, RefusedError
 */
export async function seenLog(): Promise<{ size: number; root: string }> {
  if (seen !== null) return seen;
  const { size, root } = await get('transparency/proof', {}, { isSilent: true });
  seen ??= { size, root };
  return seen;
}

export function followTime(onTime?: (time: StreamTime) => void): () => void {
  return stream.subscribe('time', ({ data: time }) => {
    if (time.root !== '') seen = { size: time.size, root: time.root };
    onTime?.(time);
  });
}

/** One timer for every countdown: they change together, on the whole second of the server's clock. */
class Seconds {
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #second = Math.floor(serverNow() / 1000);

  get now(): number {
    return this.#second;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#timer === null) this.#tick();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0 || this.#timer === null) return;
      clearTimeout(this.#timer);
      this.#timer = null;
    };
  }

  #tick(): void {
    const second = Math.floor(serverNow() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      for (const listener of this.#listeners) listener();
    }
    this.#timer = setTimeout(() => this.#tick(), 1000 - (serverNow() % 1000) + 5);
  }
}

const seconds = new Seconds();
const subscribe = (listener: () => void) => seconds.subscribe(listener);
const readSecond = () => seconds.now;

/** The present whole second of the server's clock, Unix ms. */
export const useSecond = (): number => useSyncExternalStore(subscribe, readSecond, readSecond) * 1000;
