import { pythFrame } from './frames.ts';

const SLOT_MS = 50;
const MOST_SECONDS = 3_600;

/** What Pyth signed on loopback: each second's first update names the second before it, and the history answers by second. */
export class SignedRecord {
  readonly #firsts = new Map<number, string>();
  #second = 0;

  /** The next update, as the stream says it. */
  say(price: string, atMs: number): string {
    const second = Math.floor(atMs / 1_000);
    const isFirst = second > this.#second;
    const previous = isFirst ? this.#second || second - 1 : second;
    const frame = pythFrame(price, { atMs, slot: BigInt(Math.floor(atMs / SLOT_MS)), previous });
    if (isFirst) {
      this.#second = second;
      this.#firsts.set(second, frame);
      this.#firsts.delete(second - MOST_SECONDS);
    }
    return frame;
  }

  /** What the address answers; null for one that is not the history's. */
  answer({ pathname }: URL): { status: number; headers: Record<string, string>; body: string } | null {
    const [, asked] = /\/v2\/updates\/price\/(\d+)$/.exec(pathname) ?? [];
    if (asked === undefined) return null;
    const found = [...this.#firsts].find(([second]) => second >= Number(asked));
    return found
      ? { status: 200, headers: {}, body: found[1] }
      : { status: 404, headers: {}, body: 'Update data not found' };
  }
}
