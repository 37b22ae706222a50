import type { LogNews } from './ready-step.ts';

/** The log's last head and clock, as this process knows them; before the first head, the machine's clock. */
export class LogTime {
  #aheadMs = 0;
  head: LogNews['head'] | null = null;

  /** Takes a head that was read just now. */
  take(head: LogNews['head']): void {
    this.#aheadMs = head.nowMs - Date.now();
    this.head = head;
  }

  /** Unix ms, never before the log's last time. */
  now(): number {
    return Math.max(Date.now() + this.#aheadMs, this.head?.timeMs ?? 0);
  }
}
