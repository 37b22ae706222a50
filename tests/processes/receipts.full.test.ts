import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api, type Customer, newKey, openSymbol, register } from '@fairtick/kit/clients/api.ts';
import { Installation, type ServerProcess } from '@fairtick/kit/processes/server-process.ts';
import { sized } from '@fairtick/kit/size.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Outcome } from '../second-verifier/document.ts';
import { mutationsOf } from '../second-verifier/frauds/mutations.ts';
import { readKey } from '../second-verifier/reading.ts';
import { agreesWithAsked, contradiction, verify, verifyEvidence } from '../second-verifier/verify.ts';

/**
 * Receipts of running servers, checked by the second verifier: one server simulates prices of many sources, the other plays a
 * recording without price changes, so that orders end at their opening price.
 */
const simulated = new Installation();
const still = new Installation();
const recording = mkdtempSync(join(tmpdir(), 'fairtick-recording-'));

interface Trader {
  readonly api: Api;
  readonly customer: Customer;
  readonly symbol: string;
}
interface Order {
  readonly id: string;
  readonly status: string;
  readonly result: string | null;
  readonly profit: string | null;
  readonly amount: string;
  readonly openPrice: string | null;
  readonly settlePrice: string | null;
  readonly createdAt: number;
  readonly settlesAt: number;
  readonly voidReason: string | null;
}

const NONCE = '0123456789abcdef0123456789abcdef';
/** An opening time that a customer names, seconds later than the earliest. */
const named = (): { opensAt: string; nonce: string } => ({
  opensAt: String(Math.ceil(Date.now() / 1000) * 1000 + 8_000),
  nonce: NONCE,
});

/** No order opens sooner after its acceptance. */
const OPENS_AFTER_MS = 2_000;

let server: ServerProcess;
let trader: Trader;
let stillTrader: Trader;

beforeAll(async () => {
  const rows = Array.from({ length: 1200 }, (_, half) => {
    const time = new Date(Date.UTC(2020, 0, 6) + half * 500).toISOString().replace('T', ' ').slice(0, -1);
    return `EUR/USD,${time.replaceAll('-', '')},1.10000,1.10002`;
  });
  const file = join(recording, 'eurusd.csv');
  writeFileSync(file, `${rows.join('\n')}\n`);
  server = await simulated.startReady();
  const other = await still.startReady({ FEED: 'replay', REPLAY_FILES: `EUR/USD=${file}` });
  [trader, stillTrader] = (await Promise.all([server, other].map(({ origin }) => tradeAt(origin)))) as [
    Trader,
    Trader,
  ];
}, 300_000);
afterAll(async () => {
  await Promise.all([simulated.close(), still.close()]);
  rmSync(recording, { recursive: true });
}, 60_000);

async function tradeAt(origin: string): Promise<Trader> {
  const api = await Api.open(origin);
  return { api, customer: await register(api), symbol: await openSymbol(api) };
}

/**
 * Places an order; sends it again with its key, as the app does, because after a start orders are accepted only once there are
 * prices, and a busy server may be late for it.
 */
async function place({ api, customer, symbol }: Trader, fields: Record<string, string>): Promise<Order> {
  const key = newKey();
  const all = { symbol, direction: 'up', minutes: '1', amount: '100', asset: 'DEMO', ...fields };
  const send = () => api.post('order/create', all, { token: customer.token, key });
  return seen(
    async () => {
      // The client throws at a status of 500 and more.
      const answer = await send().catch((error: Error) => {
        if (!error.message.includes(' answered 503 ')) throw error;
        return null;
      });
      if (!answer) return null;
      const { code, error, data } = answer.body;
      if (code !== 1) expect(error).toMatch(/^(PRICE_UNAVAILABLE|LATE)$/);
      return code === 1 && (data as Order);
    },
    { everyMs: 100, what: 'an order that is taken' },
  );
}

/** The log's current public state, which a customer keeps and names in the next order. */
async function logSeen({ api }: Trader): Promise<{ seenSize: string; seenRoot: string }> {
  const note = await (await fetch(`${api.origin}/api/transparency/checkpoint`)).text();
  const [, seenSize = '', root = ''] = note.split('\n');
  return { seenSize, seenRoot: Buffer.from(root, 'base64').toString('hex') };
}

type Keys = Parameters<typeof verify>[1];
async function keysOf({ api }: Trader): Promise<Keys> {
  const { checkpoints, acceptances } = (await api.get('transparency/key')).body.data;
  return { log: readKey(checkpoints), acceptances: readKey(acceptances) };
}

async function settled({ api, customer }: Trader, id: string): Promise<Order> {
  const detail = async () => (await api.get('order/detail', { id }, { token: customer.token })).body.data;
  await expect.poll(async () => (await detail()).status, { timeout: 120_000, interval: 500 }).toBe('settled');
  return detail();
}

async function shown({ api, customer }: Trader, path: string, id: string): Promise<any> {
  const answer = async () => (await api.get(path, { id }, { token: customer.token })).body;
  await expect.poll(async () => (await answer()).error, { timeout: 60_000 }).toBeUndefined();
  return (await answer()).data;
}

/** The outcome on the order's page, in a receipt's format. */
function outcomeOf({ openPrice, settlePrice, result, profit, amount, voidReason }: Order): object {
  const millionths = (text: string | null) => BigInt((text as string).replace('.', ''));
  const paid = String(millionths(amount) + millionths(profit)).padStart(7, '0');
  const payout = `${paid.slice(0, -6)}.${paid.slice(-6)}`;
  return { openPrice, settlePrice, result, payout, voidReason };
}

/** Checks that each receipt is valid and agrees with the order's page and with the evidence that the server kept. */
async function judged(
  at: Trader,
  orders: readonly Order[],
): Promise<{ receipts: any[]; outcomes: Outcome[] }> {
  const keys = await keysOf(at);
  const receipts: any[] = [];
  const outcomes: Outcome[] = [];
  for (const { id } of orders) {
    const order = await settled(at, id);
    const receipt = await shown(at, 'order/receipt', id);
    const verdict = verify(JSON.stringify(receipt), keys);
    if (!verdict.valid)
      throw new Error(`${id}: ${verdict.refusedBy}: ${verdict.why}\n${JSON.stringify(receipt)}`);
    expect(verdict.outcome).toEqual(outcomeOf(order));
    expect(receipt.acceptance.text.split('\n')[1]).toBe(id);
    const logged = await shown(at, 'order/logged', id);
    const kept = [JSON.stringify(logged), JSON.stringify(receipt.acceptance)] as const;
    const evidence = verifyEvidence(...kept, keys);
    expect(evidence).toMatchObject({ valid: true, isInTime: verdict.form !== 'late' });
    expect(contradiction(JSON.stringify(receipt), ...kept)).toBe(null);
    receipts.push(receipt);
    outcomes.push(verdict.outcome);
  }
  return { receipts, outcomes };
}

/** In `npm test` every fifth mutation is tried. */
const STRIDE = sized(5, 1);

/** Blocks for seconds; kept-alive connections close meanwhile, so no requests may follow. */
function refusesMutations(keys: Keys, receipts: readonly any[]): number {
  const passed: string[] = [];
  let [count, at] = [0, 0];
  for (const [place, receipt] of receipts.entries()) {
    const other = receipts[(place + 1) % receipts.length];
    for (const { name, text } of mutationsOf(receipt, [other])) {
      at += 1;
      if (at % STRIDE > 0) continue;
      count += 1;
      if (verify(text, keys).valid) passed.push(name);
    }
  }
  expect(passed).toEqual([]);
  return count;
}

test('receipts of orders won, lost, tied and void are valid, and their mutations are refused', async () => {
  const seen = await logSeen(trader);
  const both = [
    await place(trader, { direction: 'up', amount: '123.456789', ...seen }),
    await place(trader, { direction: 'down', amount: '10.000001', ...named() }),
  ];
  const tied = [
    await place(stillTrader, { direction: 'up' }),
    await place(stillTrader, { direction: 'down' }),
  ];

  const { receipts, outcomes } = await judged(trader, both);
  expect(receipts.map(({ seen }) => seen?.fromSize)).toEqual([Number(seen.seenSize), undefined]);
  expect(receipts.map(({ acceptance }) => agreesWithAsked(acceptance.text, NONCE))).toEqual([false, true]);
  expect(outcomes.map(({ result }) => result)).toEqual(receipts.map(({ outcome }) => outcome.result));
  const ended = await judged(stillTrader, tied);
  for (const outcome of ended.outcomes) {
    // If the machine stood still for a second, the order was logged too late and is void, which is correct too.
    const [price, payout] = outcome.voidReason === null ? ['1.10001', '100.000000'] : [null, '110.000000'];
    expect(outcome).toMatchObject({
      openPrice: price,
      settlePrice: price,
      result: 'none',
      payout,
    });
  }

  // The process is killed before these open. Some are in the log by then: they open and settle as if nothing had happened. Others are
  // logged too late. On a busy machine the first ones may have opened before.
  let cut: Order[] = [];
  while (cut.length === 0) {
    const orders: Order[] = [];
    for (const direction of ['up', 'down', 'up']) orders.push(await place(trader, { direction }));
    await server.kill();
    const killedMs = Date.now();
    cut = orders.filter(({ createdAt }) => killedMs < createdAt + OPENS_AFTER_MS);
    server = await simulated.startReady();
    trader = { ...trader, api: await Api.open(server.origin) };
  }
  const resumed = await judged(trader, cut);
  for (const { result, payout, voidReason, openPrice, settlePrice } of resumed.outcomes) {
    const isVoid = voidReason === 'not_logged';
    expect(voidReason === null || isVoid).toBe(true);
    expect([openPrice === null, settlePrice === null]).toEqual([isVoid, isVoid]);
    if (isVoid) expect([result, payout]).toEqual(['none', '110.000000']);
  }

  const [keys, stillKeys] = [await keysOf(trader), await keysOf(stillTrader)];
  const count =
    refusesMutations(keys, [receipts[0], resumed.receipts.at(-1)]) +
    refusesMutations(stillKeys, [ended.receipts[0]]);
  expect(count).toBeGreaterThan(sized(1_000, 5_000));
}, 600_000);
