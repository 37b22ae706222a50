import { settingsOf } from '@fairtick/kit/chains/anvil.ts';
import { anySequence } from '@fairtick/kit/chains/any-sequence.ts';
import { FAKE_TOKEN, FakeChain } from '@fairtick/kit/chains/fake-chain.ts';
import { newDepositor, watcherOf } from '@fairtick/kit/chains/watching.ts';
import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import {
  approveRequest,
  ask,
  contentOf,
  deposit,
  moneyOf,
  newPayee,
  USDT,
  usdt,
  withdrawal,
} from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { sample, sized } from '@fairtick/kit/size.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ChainSettings } from '../../config/chains-file.ts';
import { readFundLog } from '../fund-log/fund-log.ts';
import type { ChainWatcher } from './chain-watcher.ts';

/** The bookings of a chain in memory; chain-deposits.full.test.ts has a real node. */
const db = auditedDatabase();
const settings = settingsOf({ url: 'http://no.example', token: FAKE_TOKEN });
let chain: FakeChain;
let watcher: ChainWatcher;
let cashier: string;
let approver: string;

let chains = 0;
/** A chain of its own: what a test does to it is no other's. */
async function newChain(): Promise<ChainSettings> {
  chains += 1;
  const own = { ...settings, chain: `chain-${chains}` };
  chain = new FakeChain();
  watcher = await watcherOf(db, own, chain);
  await watcher.round();
  return own;
}
const mined = async (blocks = 1) => {
  await chain.mine(blocks);
  await watcher.round();
};
const available = async (id: string) => (await moneyOf(db, id)).available;
const lines = async (customerId: string) =>
  (await readFundLog(db.server, { customerId, limit: 9 })).map(
    ({ result, amount, ref }) => `${ref.split(':')[0]} ${result} ${amount}`,
  );

beforeAll(async () => {
  cashier = await installStaff(db.owner, 'cashier');
  approver = await installStaff(db.owner, 'approver');
});

describe('the fund log', () => {
  test('shows a payment in one line from its first block on, and its result changes', async () => {
    const own = await newChain();
    const ann = await newDepositor(db, own);
    await chain.pay(ann.to, usdt(25));
    await mined();
    expect(await lines(ann.id)).toEqual(['chain review 25.000000']);
    await mined(2);
    expect(await lines(ann.id)).toEqual(['deposit success 25.000000']);
  });

  test('shows a payment below the minimum as failed, and none that has no value', async () => {
    const own = await newChain();
    const ann = await newDepositor(db, own);
    await chain.pay(ann.to, usdt(1));
    await chain.pay(ann.to, 0n);
    await chain.pay(ann.to, usdt(50), `0x${'cd'.repeat(20)}`);
    await mined(4);
    expect(await lines(ann.id)).toEqual(['chain failure 1.000000']);
    expect(await available(ann.id)).toBe(0);
    const { rows } = await db.owner.query(
      `select kind from notices where customer_id = $1 and kind like 'deposit%'`,
      [ann.id],
    );
    expect(rows).toEqual([{ kind: 'deposit.unmatched' }]);
  });
});

describe('a payment is credited once', () => {
  test.each([
    ['its number', (txid: string) => txid],
    ['its number without 0x, in capitals', (txid: string) => txid.slice(2).toUpperCase()],
    ['an address of it with words', (txid: string) => `Ann: explorer.example/tx/${txid} (2)`],
  ])('by the watcher and not by hand under %s', async (_what, written) => {
    const own = await newChain();
    const ann = await newDepositor(db, own);
    const txid = await chain.pay(ann.to, usdt(40));
    const claim = await deposit(db, ann, usdt(40));
    await mined();
    const byHand = () => ask(db, 'deposit_find', [cashier, claim, usdt(40), written(txid)]);
    expect(await byHand()).toBe('EVIDENCE_USED');
    await mined(4);
    expect(await byHand()).toBe('EVIDENCE_USED');
    expect(await available(ann.id)).toBe(40);
  });

  test('by hand and not by the watcher where staff were faster', async () => {
    const own = await newChain();
    const ann = await newDepositor(db, own);
    const txid = await chain.pay(ann.to, usdt(40));
    const claim = await deposit(db, ann, usdt(40));
    expect(await ask(db, 'deposit_find', [cashier, claim, usdt(40), `seen at ${txid.slice(2)}`])).toBe(
      'success',
    );
    await mined(6);
    expect(await available(ann.id)).toBe(40);
    expect(await lines(ann.id)).toEqual(['deposit success 40.000000']);
  });
});

test('a customer who has spent a dropped deposit is not paid before the debt is covered', async () => {
  const own = await newChain();
  const quick = await watcherOf(db, { ...own, confirmations: 1 }, chain);
  const ann = await newDepositor(db, own);
  await chain.pay(ann.to, usdt(100));
  await mined(6);
  await chain.pay(ann.to, usdt(50));
  await chain.mine();
  await quick.round();
  expect(await available(ann.id)).toBe(150);
  const asked = await withdrawal(db, ann, usdt(100));
  expect(await ask(db, 'withdrawal_propose', [cashier, asked, ''])).not.toBe('CUSTOMER_OWES');
  await db.owner.query(`select ledger.hold('withdrawal:999001', sha256('x'), $1, $2::smallint, $3, 0)`, [
    ann.id,
    USDT,
    usdt(30),
  ]);
  await chain.reorg(1);
  await quick.round();
  expect(await lines(ann.id)).toContain('deposit success -20.000000');
  const approve = async () =>
    approveRequest(db, 'withdrawal', [approver, asked, await contentOf(db, 'withdrawal', asked)]);
  expect(await approve()).toBe('CUSTOMER_OWES');
  await db.owner.query(
    `select ledger.release('withdrawal:999001:end', sha256('x'), $1, $2::smallint, $3, 0)`,
    [ann.id, USDT, usdt(30)],
  );
  await quick.round();
  expect(await available(ann.id)).toBe(0);
  expect(await approve()).toBe('approved');
});

test('a large amount waits until a second node has the same payment in the same block', async () => {
  const own = await newChain();
  const tokens = [{ asset: 'USDT', contract: FAKE_TOKEN, decimals: 6, checkFrom: '400' }];
  const honest = new FakeChain();
  const careful = await watcherOf(db, { ...own, tokens }, chain, honest);
  const ann = await newDepositor(db, own);
  // The first node makes up a payment in a block that the second one has as well.
  await chain.pay(ann.to, usdt(500));
  await chain.pay(ann.to, usdt(399));
  await Promise.all([chain.mine(6), honest.mine(6)]);
  await careful.round();
  expect(await available(ann.id)).toBe(399);
});

test.each(sample([1, 2, 3], 1))(
  'what is credited is what the chain has, after any sequence of blocks, reorganisations and watchers (%i)',
  async (seed) => {
    const own = await newChain();
    const people = await Promise.all([1, 2, 3].map(() => newDepositor(db, own)));
    const rounds = await Promise.all(
      [1, 2, 5].map(async (confirmations) => {
        const one = await watcherOf(db, { ...own, confirmations }, chain);
        return (isStopped: () => boolean) => one.round(isStopped);
      }),
    );
    const sums = await anySequence(chain, { seed, steps: sized(20, 60), people, rounds });
    for (const { id } of people) expect([id, await available(id)]).toEqual([id, sums.get(id)]);
  },
);

test('an address that is not of the chain’s key is not watched, whoever has put it there', async () => {
  const own = await newChain();
  const ann = await newDepositor(db, own);
  const thief = await newPayee(db);
  const { rows } = await db.server.query(
    'insert into chain_customers (customer_id) values ($1) returning number',
    [thief.id],
  );
  const exchange = `0x${'99'.repeat(20)}`;
  await db.server.query('insert into chain_addresses (chain, number, address) values ($1, $2, $3)', [
    own.chain,
    rows[0].number,
    exchange,
  ]);
  await chain.pay(exchange, usdt(1_000));
  await chain.pay(ann.to, usdt(20));
  await mined(5);
  expect(await available(thief.id)).toBe(0);
  expect(await available(ann.id)).toBe(20);
});
