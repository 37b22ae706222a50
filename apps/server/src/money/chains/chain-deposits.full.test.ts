import { ownAnvil, settingsOf } from '@fairtick/kit/chains/anvil.ts';
import { anySequence } from '@fairtick/kit/chains/any-sequence.ts';
import { newDepositor, watcherOf } from '@fairtick/kit/chains/watching.ts';
import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { moneyOf, newPayee, type Payee, submitWithdrawal, USDT, usdt } from '@fairtick/kit/people/money.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EvmSettings } from '../../config/chains-file.ts';
import { readChannels } from '../deposits/channels.ts';
import { readFundLog } from '../fund-log/fund-log.ts';
import { readChainDeposits } from './chain-deposits.ts';
import type { ChainWatcher } from './chain-watcher.ts';
import { EvmSource } from './evm-source.ts';

/** Deposits on a real node (anvil), which makes and replaces blocks when it is told. */
const db = auditedDatabase();
const anvil = ownAnvil();
const second = ownAnvil();
let chain: EvmSettings;
let watcher: ChainWatcher;

const watch = (changes: Partial<EvmSettings> = {}): Promise<ChainWatcher> => {
  const settings = settingsOf(anvil, changes);
  const { secondRpc } = settings;
  return watcherOf(
    db,
    settings,
    new EvmSource(settings),
    secondRpc ? new EvmSource(settings, secondRpc) : null,
  );
};

beforeAll(async () => {
  chain = settingsOf(anvil);
  watcher = await watch();
  await watcher.round();
});

async function depositor(): Promise<Payee & { readonly to: string }> {
  const payee = await newPayee(db);
  const channels = await readChannels(db.server, [chain], payee.id);
  const own = channels.find(({ network }) => network === 'ERC20');
  expect(own).toMatchObject({ asset: 'USDT', confirmations: 3, isDemo: false, fee: '0.000000' });
  expect(own?.qr).toBe(own?.address);
  return { ...payee, to: own?.address as string };
}

const mined = async (blocks = 1): Promise<void> => {
  await anvil.mine(blocks);
  await watcher.round();
};
const seenBy = async (id: string) =>
  (await readChainDeposits(db.server, [chain], { customerId: id })).items.map(
    ({ state, confirmations, amount, owed }) => ({ state, confirmations, amount, owed }),
  );
const statesOf = async (id: string) => (await seenBy(id)).map(({ state }) => state);
const unmatched = async (to: string) =>
  (
    await db.owner.query(
      `select reason from chain_deposits where address = $1 and state = 'unmatched' order by id`,
      [to],
    )
  ).rows.map(({ reason }) => reason);
const available = async (id: string) => (await moneyOf(db, id)).available;

describe('addresses', () => {
  test('each customer has an address of their own, which stays, and no two have the same', async () => {
    const ann = await depositor();
    const bob = await depositor();
    expect(ann.to).toMatch(/^0x[0-9a-fA-F]{40}$/);
    expect(ann.to).not.toBe(bob.to);
    const again = await Promise.all(
      Array.from({ length: 5 }, () => readChannels(db.server, [chain], ann.id)),
    );
    for (const channels of again)
      expect(channels.find(({ network }) => network === 'ERC20')?.address).toBe(ann.to);
    await expect(db.owner.query('update chain_addresses set number = number + 1')).rejects.toMatchObject({
      constraint: 'INVALID_REASON',
    });
  });
});

describe('a deposit', () => {
  test('is seen in its block, credited after its confirmations, and may be withdrawn once it is final', async () => {
    const ann = await depositor();
    const txid = await anvil.pay(ann.to, usdt(25));
    await mined();
    expect(await seenBy(ann.id)).toEqual([
      { state: 'confirming', confirmations: 1, amount: '25.000000', owed: null },
    ]);
    expect(await available(ann.id)).toBe(0);
    await mined(1);
    expect(await seenBy(ann.id)).toMatchObject([{ state: 'confirming', confirmations: 2 }]);
    await mined(1);
    expect(await available(ann.id)).toBe(25);
    const { items } = await readChainDeposits(db.server, [chain], { customerId: ann.id });
    expect(items[0]).toMatchObject({
      txid,
      link: `https://explorer.example/tx/${txid}`,
      needed: 3,
      network: 'ERC20',
    });
    const line = await readFundLog(db.server, { customerId: ann.id, limit: 5 });
    expect(line).toMatchObject([
      { type: 'deposit', result: 'success', amount: '25.000000', ref: `deposit:${items[0]?.requestId}` },
    ]);
    await mined(4);
    expect(await statesOf(ann.id)).toEqual(['final']);
    expect((await submitWithdrawal(db, ann, usdt(20))).refused).toBe(null);
  });

  test('of an amount that is not final yet can’t be withdrawn', async () => {
    const ann = await depositor();
    await anvil.pay(ann.to, usdt(30));
    const quick = await watch({ confirmations: 1 });
    await anvil.mine(1);
    await quick.round();
    expect(await statesOf(ann.id)).toEqual(['credited']);
    expect((await submitWithdrawal(db, ann, usdt(20))).refused).toBe('DEPOSIT_NOT_FINAL');
    await mined(4);
    expect((await submitWithdrawal(db, ann, usdt(20))).refused).toBe(null);
  });

  test('of zero, of another token or below the minimum is not credited, and staff see it', async () => {
    const ann = await depositor();
    await anvil.pay(ann.to, 0n);
    await anvil.pay(ann.to, usdt(100), anvil.other);
    await anvil.pay(ann.to, usdt(1));
    await mined(6);
    expect(await unmatched(ann.to)).toEqual(['zero', 'token', 'minimum']);
    expect(await available(ann.id)).toBe(0);
    expect(await statesOf(ann.id)).toEqual(['unmatched']);
  });

  test('above a bound waits until a second node has its block', async () => {
    const ann = await depositor();
    await anvil.pay(ann.to, usdt(500));
    const tokens = [{ asset: 'USDT', contract: anvil.token, decimals: 6, checkFrom: '400' }];
    const careful = await watch({ tokens, secondRpc: second.url });
    await anvil.mine(6);
    await careful.round();
    expect(await statesOf(ann.id)).toEqual(['confirming']);
    await watcher.round();
    expect(await available(ann.id)).toBe(500);
  });
});

describe('a token that keeps a fee', () => {
  const tokenOf = async (logsWhole: boolean) => {
    const contract = await anvil.feeToken(10, logsWhole);
    const honest = await watch({ tokens: [{ asset: 'USDT', contract, decimals: 6 }] });
    const ann = await depositor();
    await anvil.pay(ann.to, usdt(30), contract);
    await anvil.mine(6);
    await honest.round();
    return ann;
  };

  test('and logs what arrives is credited with that', async () => {
    const ann = await tokenOf(false);
    expect(await available(ann.id)).toBe(27);
  });

  test('and logs the whole value is not credited, and staff see it', async () => {
    const ann = await tokenOf(true);
    expect(await available(ann.id)).toBe(0);
    expect(await unmatched(ann.to)).toEqual(['fee']);
  });
});

describe('a reorganisation', () => {
  test('before the credit: the deposit is seen again in its new block, and credited once', async () => {
    const ann = await depositor();
    const txid = await anvil.pay(ann.to, usdt(25));
    await mined(1);
    await anvil.reorg(1);
    await watcher.round();
    expect(await statesOf(ann.id)).toEqual(['reverted']);
    await anvil.resend(txid);
    await mined(1);
    expect(await statesOf(ann.id)).toEqual(['confirming']);
    await mined(2);
    expect(await available(ann.id)).toBe(25);
  });

  test('after the credit takes the money back, and what is spent is a debt that blocks withdrawals until it is covered', async () => {
    const ann = await depositor();
    const txid = await anvil.pay(ann.to, usdt(50));
    const quick = await watch({ confirmations: 1 });
    await anvil.mine(1);
    await quick.round();
    expect(await available(ann.id)).toBe(50);
    // Traded away: what is left is less than the deposit.
    await db.owner.query(`select ledger.hold('withdrawal:999001', sha256('x'), $1, $2::smallint, $3, 0)`, [
      ann.id,
      USDT,
      usdt(30),
    ]);
    await anvil.reorg(1);
    await quick.round();
    expect(await seenBy(ann.id)).toMatchObject([{ state: 'reverted', owed: '30.000000' }]);
    expect(await available(ann.id)).toBe(0);
    await db.owner.query(
      `select ledger.release('withdrawal:999001:end', sha256('x'), $1, $2::smallint, $3, 0)`,
      [ann.id, USDT, usdt(30)],
    );
    expect((await submitWithdrawal(db, ann, usdt(20))).refused).toBe('DEPOSIT_NOT_FINAL');
    await anvil.mine(1);
    await quick.round();
    expect(await seenBy(ann.id)).toMatchObject([{ state: 'reverted', owed: null }]);
    expect(await available(ann.id)).toBe(0);
    // The transaction is mined again.
    await anvil.resend(txid);
    await anvil.mine(1);
    await quick.round();
    expect(await available(ann.id)).toBe(50);
    expect(await statesOf(ann.id)).toEqual(['credited']);
  });
});

describe('the watcher', () => {
  test('reads many addresses and ranges that the node refuses, each once', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, depositor));
    for (const { to } of people) await anvil.pay(to, usdt(11));
    await anvil.mine(30);
    const slow = await watch({ mostBlocks: 7 });
    await Promise.all([slow.round(), watcher.round()]);
    await watcher.round();
    for (const { id } of people) expect(await available(id)).toBe(11);
  });

  test('finds deposits at 500 addresses in one range, beside transfers of nothing and of another token to each tenth', async () => {
    const people = await Promise.all(
      Array.from({ length: 500 }, async (_, at) => ({ ...(await newDepositor(db, chain)), amount: 10 + at })),
    );
    for (const [at, { to, amount }] of people.entries()) {
      await anvil.pay(to, usdt(amount));
      if (at % 10 === 0) await anvil.pay(to, 0n);
      if (at % 10 === 0) await anvil.pay(to, usdt(1_000), anvil.other);
      // As many as a block takes.
      if (at % 50 === 49) await anvil.mine();
    }
    await anvil.mine(6);
    let calls = 0;
    const counted = new EvmSource(chain);
    const payments = counted.payments.bind(counted);
    counted.payments = (...range) => {
      calls += 1;
      return payments(...range);
    };
    const one = await watcherOf(db, chain, counted);
    await one.round();
    // One look at new blocks, and one at final ones.
    expect(calls).toBe(2);
    await one.round();
    for (const { id, amount } of people) expect([id, await available(id)]).toEqual([id, amount]);
    expect(await unmatched(people[10]?.to ?? '')).toEqual(['zero', 'token']);
    expect(await unmatched(people[11]?.to ?? '')).toEqual([]);
  }, 300_000);

  test.each([1, 2])(
    'has credited what the chain has after any sequence of payments, blocks, reorganisations and watchers (%i)',
    async (seed) => {
      const people = await Promise.all([depositor(), depositor(), depositor()]);
      const watchers = await Promise.all([1, 2, 5].map((confirmations) => watch({ confirmations })));
      const rounds = watchers.map((one) => (isStopped: () => boolean) => one.round(isStopped));
      const sums = await anySequence(anvil, { seed, steps: 25, people, rounds });
      for (const { id } of people) expect([id, await available(id)]).toEqual([id, sums.get(id)]);
    },
    300_000,
  );

  test('does not read a node of another chain', async () => {
    await expect((await watch({ chainId: 1 })).round()).rejects.toThrow('the node is of chain 31337, not 1');
  });
});

test('the database refuses a step of a deposit that is not in its lifecycle', async () => {
  await expect(
    db.owner.query(`update chain_deposits set state = 'credited' where state = 'final'`),
  ).rejects.toMatchObject({ constraint: 'INVALID_REASON' });
  const { rows } = await db.chain.query(
    `select chain_read('ethereum', 1, 'no such block', 2, 'hash', 'ERC20', '[]') as is_read`,
  );
  expect(rows).toEqual([{ is_read: false }]);
});
