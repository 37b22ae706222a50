import { DEMO, hashOf, LedgerDatabase, refusalOf, USDT } from '@fairtick/kit/database/ledger-database.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { sized } from '@fairtick/kit/size.ts';
import { afterAll, describe, expect, test } from 'vitest';

const ROUNDS = sized(2, 10);

const ledger = forFile(() => LedgerDatabase.create(), closeAudited);
afterAll(async () => {
  await ledger.pool.query('select ledger.roll_up_house()');
});

type Call = 'deposit' | 'hold' | 'release' | 'pay_out' | 'correct';

/** Calls one of the ledger's SQL functions with its owner's role; only `deposit` and `pay_out` take a fee. */
async function call(
  door: Call,
  key: string,
  line: { owner: number; amount: bigint | null; fee?: bigint; asset?: number; ref?: number; input?: string },
): Promise<string | null> {
  const fee = door === 'deposit' || door === 'pay_out' ? [line.fee ?? 0n] : [];
  const values = [
    key,
    hashOf(line.input ?? key),
    line.owner,
    line.asset ?? USDT,
    line.amount,
    ...fee,
    line.ref ?? 1,
  ];
  const places = values.map((_, place) => `$${place + 1}`).join(', ');
  const { rows } = await ledger.pool.query(`select ledger.${door}(${places}) as id`, values);
  return rows[0].id;
}

const movesOf = async (owner: number): Promise<string[]> => {
  const { rows } = await ledger.pool.query(
    `select t.kind, p.debit - p.owner_id * 4 as debit, p.credit - p.owner_id * 4 as credit, p.amount, p.available_after, p.ref
     from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
     where p.owner_id = $1 and p.asset_id = $2 order by p.id`,
    [owner, USDT],
  );
  const name = (account: string) => {
    const house: Record<string, string> = { 4: 'external', 8: 'house', 12: 'fees' };
    return ['available', 'held', 'earning'][Number(account)] ?? house[Number(account) + owner * 4];
  };
  return rows.map(
    (row) =>
      `${row.kind} ${row.ref}: ${name(row.debit)} > ${name(row.credit)} ${row.amount}` +
      (row.available_after === null ? '' : ` = ${row.available_after}`),
  );
};

describe('money in and out', () => {
  test('deposits, holds, releases, payouts and corrections post their movements, and fees go to the house', async () => {
    const ann = await ledger.customer();
    await call('deposit', 'd1', { owner: ann, amount: 1_000n, fee: 10n, ref: 7 });
    await call('hold', 'w1', { owner: ann, amount: 400n, ref: 8 });
    await call('hold', 'w2', { owner: ann, amount: 300n, ref: 9 });
    expect(await ledger.balance(ann, USDT)).toEqual({ available: 290n, held: 700n });
    await call('release', 'w2 back', { owner: ann, amount: 300n, ref: 9 });
    await call('pay_out', 'w1 paid', { owner: ann, amount: 400n, fee: 4n, ref: 8 });
    await call('correct', 'c1', { owner: ann, amount: -90n, ref: 1 });
    await call('correct', 'c2', { owner: ann, amount: 5n, ref: 2 });
    expect(await ledger.balance(ann, USDT)).toEqual({ available: 505n, held: 0n });
    expect(await movesOf(ann)).toEqual([
      'deposit 7: external > available 1000 = 1000',
      'deposit 7: available > fees 10 = 990',
      'hold 8: available > held 400 = 590',
      'hold 9: available > held 300 = 290',
      'release 9: held > available 300 = 590',
      'payout 8: held > external 396',
      'payout 8: held > fees 4',
      'correction 1: available > external 90 = 500',
      'correction 2: external > available 5 = 505',
    ]);
    expect((await ledger.postedBalances())[`12:${USDT}`]).toBe(14n);
  });

  test('a key moves money once; the same key with another input is refused', async () => {
    const ann = await ledger.customer();
    expect(await call('deposit', 'once', { owner: ann, amount: 50n })).not.toBeNull();
    expect(await call('deposit', 'once', { owner: ann, amount: 50n })).toBeNull();
    expect(await refusalOf(call('deposit', 'once', { owner: ann, amount: 60n, input: 'more' }))).toBe(
      'TRANSFER_DIFFERS',
    );
    expect((await ledger.balance(ann, USDT)).available).toBe(50n);
  });

  test('an amount above the available or held balance is refused, and no money moves', async () => {
    const ann = await ledger.customer();
    await call('deposit', 'little', { owner: ann, amount: 50n });
    await call('hold', 'held', { owner: ann, amount: 20n });
    const before = await ledger.balance(ann, USDT);
    expect(await refusalOf(call('hold', 'x1', { owner: ann, amount: 31n }))).toBe('TOO_LITTLE_AVAILABLE');
    expect(await refusalOf(call('correct', 'x2', { owner: ann, amount: -31n }))).toBe('TOO_LITTLE_AVAILABLE');
    expect(await refusalOf(call('release', 'x3', { owner: ann, amount: 21n }))).toBe('TOO_LITTLE_HELD');
    expect(await refusalOf(call('pay_out', 'x4', { owner: ann, amount: 21n }))).toBe('TOO_LITTLE_HELD');
    expect(await refusalOf(call('hold', 'x5', { owner: 999_999, amount: 1n }))).toBe('TOO_LITTLE_AVAILABLE');
    expect(await ledger.balance(ann, USDT)).toEqual(before);
  });

  test.each<[Call, { amount: bigint | null; fee?: bigint }]>([
    ['deposit', { amount: 0n }],
    ['deposit', { amount: -5n }],
    ['deposit', { amount: null }],
    ['deposit', { amount: 5n, fee: 5n }],
    ['deposit', { amount: 5n, fee: -1n }],
    ['hold', { amount: 0n }],
    ['hold', { amount: -5n }],
    ['release', { amount: -5n }],
    ['pay_out', { amount: -5n }],
    ['pay_out', { amount: 5n, fee: 6n }],
    ['correct', { amount: 0n }],
    ['correct', { amount: null }],
  ])('%s of %o is refused as an invalid amount', async (door, line) => {
    const ann = await ledger.customer();
    expect(await refusalOf(call(door, `bad:${ann}`, { owner: ann, ...line }))).toBe('INVALID_AMOUNT');
  });

  test('practice money is refused by all five functions', async () => {
    const ann = await ledger.customer();
    for (const door of ['deposit', 'hold', 'release', 'pay_out', 'correct'] as const) {
      expect(await refusalOf(call(door, `demo ${door}`, { owner: ann, asset: DEMO, amount: 1n }))).toBe(
        'PRACTICE_MONEY',
      );
    }
  });

  test('exactly one of 60 concurrent holds of the whole balance succeeds, in each of ten rounds', async () => {
    const ann = await ledger.customer();
    await call('deposit', 'all', { owner: ann, amount: 77n });
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, place) =>
          refusalOf(call('hold', `all:${round}:${place}`, { owner: ann, amount: 77n })),
        ),
      );
      expect(answers.filter((answer) => answer === 'accepted')).toHaveLength(1);
      expect(await ledger.balance(ann, USDT)).toEqual({ available: 0n, held: 77n });
      await call('release', `back:${round}`, { owner: ann, amount: 77n });
    }
  });
});
