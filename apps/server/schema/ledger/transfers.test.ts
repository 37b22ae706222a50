import { DEMO, LedgerDatabase, refusalOf, USDT } from '@fairtick/kit/database/ledger-database.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { describe, expect, test } from 'vitest';

const UNIT = 1_000_000n;
const FIRST = 10_000n * UNIT;
const ledger = forFile(() => LedgerDatabase.create(), closeAudited);

describe('a reservation', () => {
  test('moves an amount from available to held and adds no other posting', async () => {
    const ann = await ledger.customer();
    await ledger.reserve('r1', [{ owner: ann, amount: 300n * UNIT }]);
    expect(await ledger.balance(ann)).toEqual({ available: 9_700n * UNIT, held: 300n * UNIT });
    expect(await ledger.statement(ann)).toEqual([
      'external > available 10000000000 = 10000000000',
      'available > held 300000000 = 9700000000',
    ]);
  });

  test('returns the whole amount if void, goes to the house if lost, and returns more than was held if won', async () => {
    const ann = await ledger.customer();
    const before = (await ledger.postedBalances())['8:1'] ?? 0n;
    await ledger.reserve('r2', [
      { owner: ann, amount: 100n * UNIT, ref: 21 },
      { owner: ann, amount: 200n * UNIT, ref: 22 },
      { owner: ann, amount: 400n * UNIT, ref: 23 },
    ]);
    expect(await ledger.balance(ann)).toEqual({ available: 9_300n * UNIT, held: 700n * UNIT });
    await ledger.resolve('s2', [
      { owner: ann, amount: 100n * UNIT, returned: 100n * UNIT, ref: 21 },
      { owner: ann, amount: 200n * UNIT, returned: 0n, ref: 22 },
      { owner: ann, amount: 400n * UNIT, returned: 720n * UNIT, ref: 23 },
    ]);
    expect(await ledger.balance(ann)).toEqual({ available: 10_120n * UNIT, held: 0n });
    expect((await ledger.statement(ann)).slice(1)).toEqual([
      'available > held 100000000 = 9900000000',
      'available > held 200000000 = 9700000000',
      'available > held 400000000 = 9300000000',
      'held > available 100000000 = 9400000000',
      'held > house 200000000',
      'held > available 400000000 = 9800000000',
      'house > available 320000000 = 10120000000',
    ]);
    expect((await ledger.postedBalances())['8:1']).toBe(before + 200n * UNIT - 320n * UNIT);
  });

  test('may return less or more than was held, and every unit is posted', async () => {
    const ann = await ledger.customer();
    await ledger.reserve('r3', [
      { owner: ann, amount: 10n },
      { owner: ann, amount: 10n },
    ]);
    await ledger.resolve('s3', [
      { owner: ann, amount: 10n, returned: 4n },
      { owner: ann, amount: 10n, returned: 11n },
    ]);
    expect(await ledger.balance(ann)).toEqual({ available: FIRST - 5n, held: 0n });
    expect((await ledger.statement(ann)).slice(3)).toEqual([
      'held > available 4 = 9999999984',
      'held > house 6',
      'held > available 10 = 9999999994',
      'house > available 1 = 9999999995',
    ]);
  });

  test('can hold amounts of several customers in one transfer', async () => {
    const ann = await ledger.customer();
    const bob = await ledger.customer();
    await ledger.reserve('r4', [
      { owner: bob, amount: 5n * UNIT },
      { owner: ann, amount: 7n * UNIT },
      { owner: bob, amount: 1n * UNIT },
    ]);
    expect(await ledger.balance(ann)).toEqual({ available: FIRST - 7n * UNIT, held: 7n * UNIT });
    expect(await ledger.balance(bob)).toEqual({ available: FIRST - 6n * UNIT, held: 6n * UNIT });
  });
});

describe('a transfer is refused and changes no balance', () => {
  test('if it takes more than is available, even by the smallest unit', async () => {
    const ann = await ledger.customer();
    expect(await refusalOf(ledger.reserve('p1', [{ owner: ann, amount: FIRST + 1n }]))).toBe(
      'TOO_LITTLE_AVAILABLE',
    );
    expect(await refusalOf(ledger.reserve('p2', [{ owner: ann, amount: FIRST }]))).toBe('accepted');
    expect(await refusalOf(ledger.reserve('p3', [{ owner: ann, amount: 1n }]))).toBe('TOO_LITTLE_AVAILABLE');
    expect(await ledger.balance(ann)).toEqual({ available: 0n, held: FIRST });
  });

  test('if the lines of one customer in a batch together take more than is available', async () => {
    const ann = await ledger.customer();
    const bob = await ledger.customer();
    const lines = [
      { owner: bob, amount: 1n },
      { owner: ann, amount: 6_000n * UNIT },
      { owner: ann, amount: 4_000n * UNIT + 1n },
    ];
    expect(await refusalOf(ledger.reserve('p4', lines))).toBe('TOO_LITTLE_AVAILABLE');
    expect(await ledger.balance(ann)).toEqual({ available: FIRST, held: 0n });
    expect(await ledger.balance(bob)).toEqual({ available: FIRST, held: 0n });
    expect(await ledger.statement(bob)).toHaveLength(1);
  });

  test('if the owner has no balance, or none in the asset', async () => {
    const ann = await ledger.customer();
    expect(await refusalOf(ledger.reserve('p5', [{ owner: 999_999, amount: 1n }]))).toBe(
      'TOO_LITTLE_AVAILABLE',
    );
    expect(await refusalOf(ledger.reserve('p6', [{ owner: ann, asset: USDT, amount: 1n }]))).toBe(
      'TOO_LITTLE_AVAILABLE',
    );
    // The house's own account can't be reserved from.
    expect(await refusalOf(ledger.reserve('p7', [{ owner: 2, amount: 1n }]))).toBe('TOO_LITTLE_AVAILABLE');
  });

  test.each([
    ['zero', 0n],
    ['less than zero', -5n],
  ])('if an amount is %s', async (what, amount) => {
    const ann = await ledger.customer();
    expect(await refusalOf(ledger.reserve(`a ${what}`, [{ owner: ann, amount }]))).toBe('INVALID_AMOUNT');
    // The invalid amount in a batch whose sum is above zero.
    const lines = [
      { owner: ann, amount: 10n },
      { owner: ann, amount },
    ];
    expect(await refusalOf(ledger.reserve(`b ${what}`, lines))).toBe('INVALID_AMOUNT');
    expect(await ledger.balance(ann)).toEqual({ available: FIRST, held: 0n });
  });

  test.each([
    ['nothing was held', 1n, 0n, 'TOO_LITTLE_HELD'],
    ['less was held', 101n, 101n, 'TOO_LITTLE_HELD'],
    ['less than nothing goes back', 10n, -5n, 'INVALID_AMOUNT'],
    ['less than nothing was held', -5n, 0n, 'INVALID_AMOUNT'],
    ['less than nothing was held, and more goes back', -5n, 20n, 'INVALID_AMOUNT'],
    ['nothing was held, and the house pays', 0n, 20n, 'INVALID_AMOUNT'],
  ])('if it ends a reservation and %s', async (what, amount, returned, code) => {
    const ann = await ledger.customer();
    if (what !== 'nothing was held') await ledger.reserve(`h ${what}`, [{ owner: ann, amount: 100n }]);
    const before = await ledger.balance(ann);
    expect(await refusalOf(ledger.resolve(`e ${what}`, [{ owner: ann, amount, returned }]))).toBe(code);
    expect(await ledger.balance(ann)).toEqual(before);
  });

  test('if its arrays of owners, assets, amounts and references differ in length', async () => {
    const ann = await ledger.customer();
    const ragged = (values: unknown[]) =>
      refusalOf(
        ledger.pool.query('select ledger.resolve($1, sha256($2), $3, $4, $5, $6, $7)', [
          'ragged',
          'x',
          ...values,
        ]),
      );
    await ledger.reserve('ragged reserve', [{ owner: ann, amount: 100n }]);
    expect(await ragged([[ann], [DEMO], [50n], [], [1]])).toBe('INVALID_AMOUNT');
    expect(await ragged([[ann], [DEMO], [], [50n], [1]])).toBe('INVALID_AMOUNT');
    expect(await ragged([[ann], [DEMO, DEMO], [50n, 50n], [50n, 50n], [1, 2]])).toBe('INVALID_AMOUNT');
    expect(await ragged([[ann], [DEMO], [50n], [50n], []])).toBe('INVALID_AMOUNT');
    expect(await ledger.balance(ann)).toEqual({ available: FIRST - 100n, held: 100n });
  });
});

describe('an idempotency key', () => {
  test('with the same input moves nothing a second time', async () => {
    const ann = await ledger.customer();
    const first = await ledger.reserve('k1', [{ owner: ann, amount: 5n }]);
    expect(first).not.toBeNull();
    expect(await ledger.reserve('k1', [{ owner: ann, amount: 5n }])).toBeNull();
    expect(await ledger.balance(ann)).toEqual({ available: FIRST - 5n, held: 5n });
  });

  test('with another input is refused for every kind of movement', async () => {
    const ann = await ledger.customer();
    await ledger.reserve('k2', [{ owner: ann, amount: 5n }], { input: 'five' });
    expect(await refusalOf(ledger.reserve('k2', [{ owner: ann, amount: 6n }], { input: 'six' }))).toBe(
      'TRANSFER_DIFFERS',
    );
    expect(await refusalOf(ledger.resolve('k2', [{ owner: ann, amount: 5n }], { input: 'end' }))).toBe(
      'TRANSFER_DIFFERS',
    );
    expect(await ledger.balance(ann)).toEqual({ available: FIRST - 5n, held: 5n });
  });

  test('of practice money is the customer’s own: it takes no other movement’s key, and no other customer’s', async () => {
    const [ann, bob] = [await ledger.customer(), await ledger.customer()];
    expect(await ledger.resetPractice('own', ann)).not.toBeNull();
    expect(await ledger.resetPractice('own', bob)).not.toBeNull();
    expect(await ledger.reserve('own', [{ owner: ann, amount: 5n }])).not.toBeNull();
    expect(await ledger.resetPractice('own', ann)).toBeNull();
  });

  test('can be used again after its movement failed', async () => {
    const ann = await ledger.customer();
    expect(await refusalOf(ledger.reserve('k3', [{ owner: ann, amount: FIRST + 1n }]))).toBe(
      'TOO_LITTLE_AVAILABLE',
    );
    expect(await ledger.reserve('k3', [{ owner: ann, amount: FIRST }])).not.toBeNull();
  });

  test('used 50 times at once moves money once', async () => {
    const ann = await ledger.customer();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => ledger.reserve('k4', [{ owner: ann, amount: 5n }])),
    );
    expect(answers.filter((id) => id !== null)).toHaveLength(1);
    expect(await ledger.balance(ann)).toEqual({ available: FIRST - 5n, held: 5n });
  });
});

describe('practice money', () => {
  test('is reset to 10 000 from below and from above, against the external account', async () => {
    const ann = await ledger.customer();
    await ledger.reserve('m1', [{ owner: ann, amount: 4_000n * UNIT }]);
    await ledger.resolve('m2', [{ owner: ann, amount: 4_000n * UNIT, returned: 0n }]);
    await ledger.resetPractice('m3', ann);
    expect(await ledger.balance(ann)).toEqual({ available: FIRST, held: 0n });
    await ledger.reserve('m4', [{ owner: ann, amount: 1_000n * UNIT }]);
    await ledger.resolve('m5', [{ owner: ann, amount: 1_000n * UNIT, returned: 1_800n * UNIT }]);
    await ledger.resetPractice('m6', ann);
    expect(await ledger.balance(ann)).toEqual({ available: FIRST, held: 0n });
    expect((await ledger.statement(ann)).filter((line) => line.includes('external'))).toEqual([
      'external > available 10000000000 = 10000000000',
      'external > available 4000000000 = 10000000000',
      'available > external 800000000 = 10000000000',
    ]);
  });

  test('is reset once per key, and a reset at 10 000 adds no posting', async () => {
    const ann = await ledger.customer();
    await ledger.reserve('m7', [{ owner: ann, amount: 50n }]);
    await ledger.resetPractice('m8', ann);
    await ledger.reserve('m9', [{ owner: ann, amount: 70n }]);
    expect(await ledger.resetPractice('m8', ann)).toBeNull();
    expect(await ledger.balance(ann)).toEqual({ available: FIRST - 120n, held: 120n });
    await ledger.resetPractice('m10', ann);
    const postings = (await ledger.statement(ann)).length;
    await ledger.resetPractice('m11', ann);
    expect(await ledger.statement(ann)).toHaveLength(postings);
  });

  test('is reset to 10 000 including held stakes, so that resets can’t accumulate stakes', async () => {
    const ann = await ledger.customer();
    for (let round = 0; round < 3; round += 1) {
      await ledger.reserve(`h${round}`, [{ owner: ann, amount: 3_000n * UNIT }]);
      await ledger.resetPractice(`h${round}:reset`, ann);
      const held = BigInt(round + 1) * 3_000n * UNIT;
      expect(await ledger.balance(ann)).toEqual({ available: FIRST - held, held });
    }
    // All three win, and 12 000 of the payout is staked again, so the reset has nothing left to restore.
    await ledger.resolve('h3', [{ owner: ann, amount: 9_000n * UNIT, returned: 16_200n * UNIT }]);
    await ledger.reserve('h4', [{ owner: ann, amount: 12_000n * UNIT }]);
    await ledger.resetPractice('h5', ann);
    expect(await ledger.balance(ann)).toEqual({ available: 0n, held: 12_000n * UNIT });
  });

  test('is reset at most twenty times a day; a repeated key and a reset that moves nothing do not count', async () => {
    const ann = await ledger.customer();
    await ledger.resetPractice('t0', ann);
    const loseAndReset = async (place: number) => {
      await ledger.reserve(`t${place}:held`, [{ owner: ann, amount: UNIT }]);
      await ledger.resolve(`t${place}:lost`, [{ owner: ann, amount: UNIT, returned: 0n }]);
      return refusalOf(ledger.resetPractice(`t${place}`, ann));
    };
    for (let place = 1; place <= 20; place += 1) expect(await loseAndReset(place)).toBe('accepted');
    expect(await loseAndReset(21)).toBe('TOO_MANY_RESETS');
    expect(await refusalOf(ledger.resetPractice('t20', ann))).toBe('accepted');
    expect(await ledger.balance(ann)).toEqual({ available: FIRST - UNIT, held: 0n });
    await ledger.pool.query(`update ledger.practice_resets set day = day - 1 where owner_id = $1`, [ann]);
    expect(await refusalOf(ledger.resetPractice('t21', ann))).toBe('accepted');
    expect(await ledger.balance(ann)).toEqual({ available: FIRST, held: 0n });
  });

  test('is reset only in practice assets and only for customers', async () => {
    const ann = await ledger.customer();
    expect(await refusalOf(ledger.resetPractice('m12', ann, USDT))).toBe('PRACTICE_MONEY');
    expect(await refusalOf(ledger.resetPractice('m13', 999_998))).toBe('P0002');
  });
});

describe('capital', () => {
  test('moves from the external account to the house’s trading account once per key', async () => {
    const before = await ledger.postedBalances();
    await ledger.postCapital('c1', USDT, 500n * UNIT);
    await ledger.postCapital('c1', USDT, 500n * UNIT);
    const after = await ledger.postedBalances();
    expect((after['8:2'] ?? 0n) - (before['8:2'] ?? 0n)).toBe(500n * UNIT);
    expect((after['4:2'] ?? 0n) - (before['4:2'] ?? 0n)).toBe(-500n * UNIT);
    expect(await refusalOf(ledger.postCapital('c1', USDT, 501n * UNIT, 'other'))).toBe('TRANSFER_DIFFERS');
    expect(await refusalOf(ledger.postCapital('c2', USDT, 0n))).toBe('23514');
    expect(await refusalOf(ledger.postCapital('c3', USDT, -1n))).toBe('23514');
  });

  test('every asset sums to zero after all tests of this file', async () => {
    const sums = new Map<string, bigint>();
    for (const [key, balance] of Object.entries(await ledger.postedBalances())) {
      const asset = key.split(':')[1] as string;
      sums.set(asset, (sums.get(asset) ?? 0n) + balance);
    }
    expect(sums.size).toBe(5);
    expect([...sums.values()]).toEqual([0n, 0n, 0n, 0n, 0n]);
  });
});
