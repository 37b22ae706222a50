import { randomUUID } from 'node:crypto';
import { get, postUntilHeard, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { TradingFloor } from '@fairtick/kit/installation/trading-floor.ts';
import { parseDecimal } from '@fairtick/money';
import { beforeAll, expect, test } from 'vitest';

/**
 * Promise 6, the bank test: 16 clients read the accounts of 20 customers through two API processes while orders are placed and
 * settled. A customer's total, available plus held, changes only by the whole outcome of an order; the lines of a fund log always
 * sum up to its newest balance; and all balances together sum up to zero.
 */
const CUSTOMERS = 20;
const CLIENTS = 16;
const UNIT = 1_000_000n;
const STAKE = 100n * UNIT;
const INCOME = 80n * UNIT;
let customers: Registered[];
const floor = forFile(() => TradingFloor.open());
const second = forFile(() => startApi(floor.house.db));
beforeAll(async () => {
  customers = await Promise.all(Array.from({ length: CUSTOMERS }, () => register(floor.origin)));
  await floor.tick({ 'EUR/USD': '1.08400' });
});

const origin = (place: number) => (place % 2 ? second.origin : floor.origin);

/** Signed, in smallest units. */
function units(text: string): bigint {
  const value = parseDecimal(text.replace('-', ''), 6);
  if (value === null) throw new Error(`${text} is no amount`);
  return text.startsWith('-') ? -value : value;
}

async function ownedBy(token: string, place: number): Promise<bigint> {
  const { body } = await get(origin(place), 'user/getUserInfo', {}, { token });
  const { available, held } = body.data.balances[0];
  return units(available) + units(held);
}

/** The sum of a fund log's lines, and the balance in its newest line. */
async function logOf(token: string, place: number): Promise<[sum: bigint, balance: bigint]> {
  const { body } = await get(origin(place), 'fund/log', { limit: 100 }, { token });
  const items = body.data.items as { amount: string; balance: string }[];
  return [
    items.reduce((sum, { amount }) => sum + units(amount), 0n),
    units((items[0] as { balance: string }).balance),
  ];
}

interface Reading {
  stop(): Promise<{ reads: number; wrong: string[] }>;
}

/** @param allowed the totals that a customer, by account, may have until the reading stops */
function read(allowed: (account: string) => readonly bigint[]): Reading {
  let isOver = false;
  let reads = 0;
  const wrong: string[] = [];
  const client = async (place: number) => {
    for (let turn = place; !isOver; turn += 7) {
      const { account, token } = customers[turn % CUSTOMERS] as Registered;
      const owned = await ownedBy(token, turn);
      if (!allowed(account).includes(owned)) wrong.push(`${account} owns ${owned}`);
      const [sum, balance] = await logOf(token, turn);
      if (sum !== balance) wrong.push(`the log of ${account} sums up to ${sum} and says ${balance}`);
      reads += 2;
    }
  };
  const books = async () => {
    while (!isOver) {
      const { rows } = await floor.house.db.owner.query<{ total: string }>(
        `select sum(amount) as total from (
           select (available + held + earning)::numeric as amount from ledger.balances where asset_id = 1
           union all select amount from ledger.house_movements where asset_id = 1) a`,
      );
      if (rows[0]?.total !== '0') wrong.push(`the books sum up to ${rows[0]?.total}`);
      reads += 1;
    }
  };
  const reading = [books(), ...Array.from({ length: CLIENTS }, (_, place) => client(place))];
  return {
    stop: async () => {
      isOver = true;
      await Promise.all(reading);
      return { reads, wrong };
    },
  };
}

/**
 * Every customer buys twice, through both processes at once.
 * @returns accounts whose two orders settle at different seconds, because the log advanced between them
 */
async function placeAll(direction: string): Promise<ReadonlySet<string>> {
  await floor.tick();
  let ticking: Promise<void> | null = null;
  // One step serves all that wait for it: on a slow machine those are many, and the minute of the orders passes with each step.
  const tickTogether = () =>
    (ticking ??= floor.tick().finally(() => {
      ticking = null;
    }));
  const form = { symbol: 'EUR/USD', direction, minutes: '1', amount: '100', asset: 'DEMO' };
  const answers = await Promise.all(
    customers.flatMap(({ token }) =>
      [0, 1].map((place) =>
        postUntilHeard(origin(place), 'order/create', form, { token, key: randomUUID() }, tickTogether),
      ),
    ),
  );
  expect(answers.filter(({ body }) => body.code !== 1)).toEqual([]);
  const settlesAt = (place: number) => answers[place]?.body.data.settlesAt;
  const apart = customers.filter((_, place) => settlesAt(2 * place) !== settlesAt(2 * place + 1));
  return new Set(apart.map(({ account }) => account));
}

test('every read shows a consistent total while orders are placed, returned, won and lost', async () => {
  const rounds: readonly { direction: string; price: string; change: bigint }[] = [
    { direction: 'up', price: '1.08400', change: 0n },
    { direction: 'up', price: '1.08500', change: INCOME },
    { direction: 'up', price: '1.08400', change: -STAKE },
  ];
  let owned = 10_000n * UNIT;
  let price = '1.08400';
  for (const round of rounds) {
    // Orders of one second settle together, so a state with only one of them settled must never be visible.
    const [before, after] = [owned, owned + 2n * round.change];
    let apart: ReadonlySet<string> = new Set();
    const reading = read((account) =>
      apart.has(account) ? [before, before + round.change, after] : [before, after],
    );
    const fromMs = floor.at(0);
    apart = await placeAll(round.direction);
    await floor.openAt('EUR/USD', price);
    // However long placing takes, each order settles by a tick that is at most one step old.
    const tookMs = floor.at(0) - fromMs;
    await floor.house.stepBy(59_000 - tookMs);
    for (let ms = 0; ms <= tookMs + 2_000; ms += 250) await floor.tick({ 'EUR/USD': round.price });
    expect(await floor.settleAt('EUR/USD', round.price)).toBe(2 * CUSTOMERS);
    const { reads, wrong } = await reading.stop();
    expect(wrong.join('\n')).toBe('');
    expect(reads).toBeGreaterThan(CLIENTS * 2);
    for (const [place, { token }] of customers.entries()) expect(await ownedBy(token, place)).toBe(after);
    owned = after;
    price = round.price;
    await floor.tick();
  }
  expect(await floor.house.violations()).toEqual([]);
}, 240_000);
