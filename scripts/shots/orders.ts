import { api, place } from '@fairtick/kit/browser/browser.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';

/** Trades at any hour, and moves by some three of its smallest steps in a minute: about one order in seven is tied. */
const COARSE = 'USD/THB';
/** Orders are placed a second apart, because those of one moment settle alike. `TRIES` bounds the rounds. */
const ORDERS = 60;
const EVERY_MS = 1_000;
const TRIES = 3;
/** From an acceptance to a settlement a minute later, with room for a busy machine. */
const SETTLED_WITHIN_MS = 90_000;

export interface SettledOrder {
  readonly id: string;
  readonly status: string;
  readonly result: string | null;
  readonly voidReason: string | null;
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const untilSettled = (token: string, id: string): Promise<SettledOrder> =>
  seen(
    async () => {
      const order = await api<SettledOrder>('order/detail', token, { id });
      return order.status === 'settled' && order;
    },
    { withinMs: SETTLED_WITHIN_MS, everyMs: 1_000, what: `the settlement of order ${id}` },
  );

/** One product in both directions at once: one order wins, whichever way the price moves. @returns their numbers */
export async function placePair(token: string, asset = 'DEMO'): Promise<string[]> {
  const pair = (['up', 'down'] as const).map((direction) =>
    place(token, { symbol: 'ETH/USDT', direction, asset }),
  );
  return (await Promise.all(pair)).map(({ id }) => id);
}

/** @throws Error if no order of some pairs wins */
export async function wonOrder(token: string): Promise<string> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    for (const id of await placePair(token)) {
      if ((await untilSettled(token, id)).result === 'profit') return id;
    }
  }
  throw new Error(`none of ${2 * TRIES} orders won`);
}

/** Places orders of one minute until one is tied. @throws Error if none is, after some minutes */
export async function tiedOrder(token: string): Promise<string> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const ids: string[] = [];
    for (let number = 0; number < ORDERS; number += 1) {
      ids.push((await place(token, { symbol: COARSE, amount: '10' })).id);
      await wait(EVERY_MS);
    }
    for (const id of ids) {
      const { result, voidReason } = await untilSettled(token, id);
      if (result === 'none' && voidReason === null) return id;
    }
  }
  throw new Error(`none of ${ORDERS * TRIES} orders was tied`);
}
