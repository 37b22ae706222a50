import { LedgerDatabase, type Line, refusalOf } from '@fairtick/kit/database/ledger-database.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { sized } from '@fairtick/kit/size.ts';
import { describe, expect, test } from 'vitest';

const ROUNDS = sized(2, 10);

const UNIT = 1_000_000n;
const FIRST = 10_000n * UNIT;
const ledger = forFile(() => LedgerDatabase.create(), closeAudited);

const count = (answers: readonly string[], answer: string) => answers.filter((one) => one === answer).length;

describe('concurrent transfers on one balance', () => {
  test('exactly seven of 60 reservations of a seventh of the balance succeed', async () => {
    const ann = await ledger.customer();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, place) =>
        refusalOf(ledger.reserve(`seventh:${place}`, [{ owner: ann, amount: FIRST / 7n }])),
      ),
    );
    expect(count(answers, 'accepted')).toBe(7);
    expect(count(answers, 'TOO_LITTLE_AVAILABLE')).toBe(53);
    expect(await ledger.balance(ann)).toEqual({
      available: FIRST - 7n * (FIRST / 7n),
      held: 7n * (FIRST / 7n),
    });
  });

  test('exactly one of 100 reservations of the whole balance succeeds, in each of ten rounds', async () => {
    const ann = await ledger.customer();
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, place) =>
          refusalOf(ledger.reserve(`all:${round}:${place}`, [{ owner: ann, amount: FIRST }])),
        ),
      );
      expect(count(answers, 'accepted')).toBe(1);
      expect(await ledger.balance(ann)).toEqual({ available: 0n, held: FIRST });
      await ledger.resolve(`free:${round}`, [{ owner: ann, amount: FIRST, returned: FIRST }]);
    }
    expect(await ledger.balance(ann)).toEqual({ available: FIRST, held: 0n });
  });

  test('exactly one of 30 concurrent calls that end the same reservation succeeds', async () => {
    const ann = await ledger.customer();
    await ledger.reserve('once', [{ owner: ann, amount: 100n }]);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, place) =>
        refusalOf(ledger.resolve(`once:${place}`, [{ owner: ann, amount: 100n, returned: 180n }])),
      ),
    );
    expect(count(answers, 'accepted')).toBe(1);
    expect(count(answers, 'TOO_LITTLE_HELD')).toBe(29);
    expect(await ledger.balance(ann)).toEqual({ available: FIRST + 80n, held: 0n });
  });

  test('concurrent reservations, endings and resets leave a statement whose every line adds up', async () => {
    const ann = await ledger.customer();
    await Promise.all(
      Array.from({ length: 40 }, async (_, place) => {
        const amount = BigInt(10 + place);
        await ledger.reserve(`mixed:${place}`, [{ owner: ann, amount }]);
        if (place % 8 === 0) await ledger.resetPractice(`reset:${place}`, ann);
        await ledger.resolve(`ended:${place}`, [
          { owner: ann, amount, returned: place % 2 === 0 ? 0n : amount * 2n },
        ]);
      }),
    );
    expect((await ledger.balance(ann)).held).toBe(0n);
    let available = 0n;
    for (const line of await ledger.statement(ann)) {
      const [, from, to, amount, after] = /^(\w+) > (\w+) (\d+)(?: = (\d+))?$/.exec(line) ?? [];
      if (from === 'available') available -= BigInt(amount as string);
      if (to === 'available') available += BigInt(amount as string);
      if (from === 'available' || to === 'available') expect(BigInt(after as string)).toBe(available);
      else expect(after).toBeUndefined();
    }
    expect((await ledger.balance(ann)).available).toBe(available);
  });
});

describe('the order of locks', () => {
  test('200 transfers over random pairs of customers, named in random order, all succeed without a deadlock', async () => {
    const owners = await Promise.all(Array.from({ length: 6 }, () => ledger.customer()));
    let state = 42;
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % below;
    };
    const pairs = Array.from({ length: 200 }, (): Line[] => {
      const first = random(owners.length);
      const second = (first + 1 + random(owners.length - 1)) % owners.length;
      return [first, second].map((place) => ({ owner: owners[place] as number, amount: 1n }));
    });
    const answers = await Promise.all(
      pairs.map(async (lines, place) => {
        const client = await ledger.pool.connect();
        try {
          // Two transfers in one transaction hold the locks for longer; both lock the same pair of accounts.
          await client.query('begin');
          const reserved = await refusalOf(ledger.reserve(`pair:${place}`, lines, { db: client }));
          const ended = await refusalOf(
            ledger.resolve(`pair ended:${place}`, [...lines].reverse(), { db: client }),
          );
          await client.query('commit');
          return `${reserved} ${ended}`;
        } finally {
          client.release();
        }
      }),
    );
    expect(count(answers, 'accepted accepted')).toBe(200);
    const total = (await Promise.all(owners.map((owner) => ledger.balance(owner)))).reduce(
      (sum, { available, held }) => sum + available + held,
      0n,
    );
    expect(total).toBe(6n * FIRST - 400n);
  });
});
