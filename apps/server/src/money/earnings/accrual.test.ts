import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { EarningsHouse, SAMPLE_PPM, type Saver } from '@fairtick/kit/installation/earnings-house.ts';
import { ask } from '@fairtick/kit/people/money.ts';
import { afterEach, describe, expect, test } from 'vitest';

/** Each day in earnings brings its interest exactly once. */
const UNIT = 1_000_000n;
const house = forTest(() => EarningsHouse.open());
afterEach(async () => {
  expect((await house.db.owner.query('select * from ledger.violations()')).rows).toEqual([]);
});

/** The naive calculation, day after day, carrying remainders in parts of 1/365 000 000. `[principal or null: all, ppm]` */
function expected(days: readonly (readonly [bigint | null, number])[], first: bigint): bigint[] {
  let balance = first;
  let parts = 0n;
  return days.map(([principal, ppm]) => {
    const sum = (principal ?? balance) * BigInt(ppm) + parts;
    const interest = sum / 365_000_000n;
    parts = sum % 365_000_000n;
    balance += interest;
    return interest;
  });
}
const interests = async (saver: Saver): Promise<bigint[]> =>
  (await house.record(saver)).map((line) => BigInt(line.split(' ')[2] as string));

describe('a day in earnings', () => {
  test('a day’s interest is balance × rate / 365, rounded down, and is booked when the day is over, not before (S1-08, S2-50)', async () => {
    const ann = await house.saver(2_000n * UNIT);
    await house.goTo('2027-03-01', '00:00');
    expect(await house.move(ann, 1_000n * UNIT)).toBeNull();
    // The day began with zero, which is its lowest balance.
    await house.goTo('2027-03-02', '23:59');
    await house.accrue();
    expect(await house.record(ann)).toEqual([]);
    await house.goTo('2027-03-03', '00:00');
    expect(await house.accrue()).toBe(1);
    // 1 000 × 0.03 / 365 = 0.0821917…
    expect(await house.record(ann)).toEqual(['2027-03-02 1000000000 82191']);
    expect(await house.balance(ann)).toEqual({ available: 1_000n * UNIT, earning: 1_000_082_191n });
  });

  test('a day’s interest is computed from the day’s lowest balance, in whatever order money moves (S1-08)', async () => {
    const ann = await house.saver(1_000n * UNIT);
    await house.move(ann, 500n * UNIT);
    await house.goTo('2027-03-02', '08:00');
    await house.move(ann, 500n * UNIT);
    await house.move(ann, -900n * UNIT);
    await house.move(ann, 900n * UNIT);
    await house.goTo('2027-03-03', '09:00');
    await house.move(ann, -1_000n * UNIT);
    await house.goTo('2027-03-04');
    await house.accrue();
    // On 3 March all had left except the interest of 2 March.
    const brought = (await house.balance(ann)).earning - 0n;
    expect(await house.record(ann)).toEqual([`2027-03-02 ${100n * UNIT} 8219`, '2027-03-03 8219 0']);
    expect(brought).toBe(8_219n);
  });

  test('the remainder of rounding carries over to the next day, so that a hundred small days earn exactly their interest (S1-08)', async () => {
    const ann = await house.saver(UNIT);
    // A day brings 0.98 of a smallest unit: without the carry it would never bring anything.
    await house.move(ann, 12_000n);
    await house.goTo('2027-03-02');
    await house.goTo('2027-06-10');
    await house.accrue();
    const days = expected(Array(100).fill([null, SAMPLE_PPM] as const), 12_000n);
    expect(await interests(ann)).toEqual(days);
    expect(days.filter((interest) => interest === 0n).length).toBeGreaterThan(0);
    expect((await house.balance(ann)).earning).toBe(12_000n + days.reduce((sum, one) => sum + one, 0n));
    expect((await house.balance(ann)).earning).toBeGreaterThan(12_095n);
  });

  test('a leap day earns like any other day, and a leap year is divided by 365, too (S1-08)', async () => {
    await house.goTo('2028-02-26');
    const ann = await house.saver(1_000n * UNIT);
    await house.move(ann, 1_000n * UNIT);
    await house.goTo('2028-03-02');
    await house.accrue();
    expect((await house.record(ann)).map((line) => line.slice(0, 10))).toEqual([
      '2028-02-27',
      '2028-02-28',
      '2028-02-29',
      '2028-03-01',
    ]);
    expect(await interests(ann)).toEqual(expected(Array(4).fill([null, SAMPLE_PPM]), 1_000n * UNIT));
  });

  test('each day earns at its own rate, before and after a change, also when it is booked long after (S1-08)', async () => {
    const ann = await house.saver(1_000n * UNIT);
    await house.move(ann, 1_000n * UNIT);
    await house.setRate(50_000, '2027-03-04');
    await house.goTo('2027-03-02');
    await house.setRate(0, '2027-03-06');
    await house.goTo('2027-03-20');
    await house.accrue();
    const rates = [SAMPLE_PPM, SAMPLE_PPM, 50_000, 50_000, ...Array(14).fill(0)];
    expect(await interests(ann)).toEqual(
      expected(
        rates.map((ppm) => [null, ppm]),
        1_000n * UNIT,
      ),
    );
  });
});

describe('days without an accrual', () => {
  test('the next accrual books missed days once each, in order, with compound interest', async () => {
    const [late, daily] = [await house.saver(1_000n * UNIT), await house.saver(1_000n * UNIT)];
    await house.move(late, 1_000n * UNIT);
    await house.goTo('2027-03-09');
    expect(await house.accrue()).toBe(7);
    expect(await interests(late)).toEqual(expected(Array(7).fill([null, SAMPLE_PPM]), 1_000n * UNIT));
    expect(await house.accrue()).toBe(0);
    // A saver who starts later gets no interest for earlier days.
    await house.move(daily, 1_000n * UNIT);
    for (const day of ['10', '11', '12', '13', '14', '15', '16', '17']) {
      await house.goTo(`2027-03-${day}`, '00:00');
      await house.accrue();
    }
    expect(await interests(daily)).toEqual(await interests(late).then((all) => all.slice(0, 7)));
  });

  test('a transfer or a view of an account books its missed days first, and the accrual does not book them again', async () => {
    const [ann, ben, cat] = await Promise.all([1, 2, 3].map(() => house.saver(1_000n * UNIT)));
    for (const saver of [ann, ben, cat] as Saver[]) await house.move(saver, 1_000n * UNIT);
    await house.goTo('2027-03-06', '00:01');
    await house.move(ann as Saver, -500n * UNIT);
    await ask(house.db, 'earning_look', [(ben as Saver).id]);
    expect(await house.record(ben as Saver)).toEqual(await house.record(ann as Saver));
    expect(await house.accrue()).toBe(4);
    const wanted = expected(Array(4).fill([null, SAMPLE_PPM]), 1_000n * UNIT);
    for (const saver of [ann, ben, cat] as Saver[]) expect(await interests(saver)).toEqual(wanted);
  });

  test('days with an empty balance earn nothing, and earning resumes after money comes back', async () => {
    const ann = await house.saver(1_000n * UNIT);
    await house.move(ann, 1_000n * UNIT);
    await house.goTo('2027-03-03');
    await house.move(ann, -(await house.balance(ann)).earning - 82_191n);
    expect((await house.balance(ann)).earning).toBe(0n);
    await house.goTo('2027-03-10');
    await house.accrue();
    await house.move(ann, 1_000n * UNIT);
    await house.goTo('2027-03-12');
    await house.accrue();
    expect((await house.record(ann)).map((line) => line.slice(0, 10))).toEqual(['2027-03-02', '2027-03-11']);
  });

  test('a clock that is set back books no day twice', async () => {
    const ann = await house.saver(1_000n * UNIT);
    await house.move(ann, 600n * UNIT);
    await house.goTo('2027-03-04');
    await house.accrue();
    const before = await house.record(ann);
    await house.goTo('2027-03-02');
    await house.accrue();
    expect(await house.move(ann, 400n * UNIT)).toBeNull();
    await house.goTo('2027-03-04', '13:00');
    await house.accrue();
    expect(await house.record(ann)).toEqual(before);
    await house.goTo('2027-03-05');
    await house.accrue();
    const last = (await house.record(ann)).at(-1) as string;
    // The lowest balance of that day is its opening balance.
    expect(last.startsWith('2027-03-04 6000')).toBe(true);
  });
});

describe('a midnight in the middle of a move', () => {
  /** Makes the day change between two reads: the first `reads` of them return the first day. */
  async function changeDayAfter(reads: number, [before, after]: readonly [string, string]): Promise<void> {
    await house.db.owner.query(
      `create sequence if not exists public.readings; alter sequence public.readings restart`,
    );
    await house.db.owner.query(
      `create or replace function public.earning_today() returns date volatile language sql set search_path = public, pg_temp as $$
         select case when nextval('public.readings') <= ${reads} then date '${before}' else date '${after}' end $$`,
    );
  }

  test('a move that meets midnight between any two readings of the day loses no day, and later days are booked (S1-08)', async () => {
    const readings = [0, 1, 2, 3, 4, 5, 6];
    const first = await Promise.all(readings.map(() => house.saver(1_000n * UNIT)));
    const old = await Promise.all(readings.map(() => house.saver(1_000n * UNIT)));
    for (const saver of old) await house.move(saver, 500n * UNIT);
    await house.goTo('2027-03-03');
    await house.accrue();
    const night = ['2027-03-03', '2027-03-04'] as const;
    for (const reads of readings) {
      await changeDayAfter(reads, night);
      expect(await house.move(old[reads] as Saver, -200n * UNIT)).toBeNull();
      await changeDayAfter(reads, night);
      expect(await house.move(first[reads] as Saver, 300n * UNIT)).toBeNull();
    }
    await changeDayAfter(0, ['2027-03-06', '2027-03-06']);
    await house.accrue();
    // The move counts for the day before midnight or the day after. Either way these are the days, and their interest is exact.
    const brought = expected([[null, SAMPLE_PPM]], 500n * UNIT)[0] as bigint;
    for (const saver of old) {
      const days = await house.record(saver);
      expect(days.map((line) => line.slice(0, 10))).toEqual([
        '2027-03-02',
        '2027-03-03',
        '2027-03-04',
        '2027-03-05',
      ]);
      const held = days.map((line) => BigInt(line.split(' ')[1] as string));
      expect([500n * UNIT + brought, 300n * UNIT + brought]).toContain(held[1]);
      expect(held[2]).toBe(300n * UNIT + brought + BigInt(days[1]?.split(' ')[2] as string));
    }
    for (const saver of first) {
      const days = await house.record(saver);
      expect([['2027-03-04', '2027-03-05'], ['2027-03-05']]).toContainEqual(
        days.map((line) => line.slice(0, 10)),
      );
      expect(days[0]?.split(' ')[1]).toBe(String(300n * UNIT));
    }
  });
});

describe('an account that can not be booked', () => {
  const asideOf = async (saver: Saver) =>
    (await house.db.server.query('select problem from earning_set_aside where customer_id = $1', [saver.id]))
      .rows;

  test('the accrual sets that account aside and books the others; its customer can move money, and the ledger repairs it', async () => {
    const [ann, ben, cat] = (await Promise.all([1, 2, 3].map(() => house.saver(1_000n * UNIT)))) as [
      Saver,
      Saver,
      Saver,
    ];
    for (const saver of [ann, ben, cat]) await house.move(saver, 800n * UNIT);
    await house.goTo('2027-03-03');
    await house.accrue();
    // The state that a midnight in the middle of a move could leave behind.
    await house.db.owner.query(
      'update earning_accounts set low_day = accrued_through + 2 where customer_id = $1',
      [ben.id],
    );
    await house.goTo('2027-03-04', '00:01');
    expect(await house.accrue()).toBe(2);
    expect(await asideOf(ben)).toEqual([{ problem: expect.stringContaining('out of turn') }]);
    expect(await asideOf(ann)).toEqual([]);
    // From here on all three make the same moves.
    for (const [day, amount] of [
      ['2027-03-04', -300n],
      ['2027-03-05', 100n],
      ['2027-03-05', -500n],
      ['2027-03-07', 450n],
    ] as const) {
      await house.goTo(day);
      for (const saver of [ann, ben, cat]) {
        expect(await ask(house.db, 'earning_look', [saver.id])).toBe('');
        expect(await house.move(saver, amount * UNIT)).toBeNull();
      }
    }
    await house.goTo('2027-03-09');
    await house.accrue();
    expect((await house.record(ben)).map((line) => line.slice(0, 10))).toEqual(['2027-03-02']);
    expect(await house.record(cat)).toEqual(await house.record(ann));
    // The server's role may not mend; the operator may, and passes no amount.
    expect(await ask(house.db, 'earning_mend', [ben.id, 2])).toBe('42501');
    const { rows } = await house.db.owner.query('select earning_mend($1, 2::smallint) as days', [ben.id]);
    expect(rows).toEqual([{ days: 6 }]);
    expect(await house.record(ben)).toEqual(await house.record(ann));
    expect(await house.balance(ben)).toEqual(await house.balance(ann));
    expect(await asideOf(ben)).toEqual([]);
    await house.goTo('2027-03-10');
    expect(await house.accrue()).toBe(3);
    expect(await house.record(ben)).toEqual(await house.record(ann));
  });

  test('a view or transfer by its own customer sets the account aside, too, and succeeds', async () => {
    const [looks, moves] = (await Promise.all([1, 2].map(() => house.saver(1_000n * UNIT)))) as [
      Saver,
      Saver,
    ];
    for (const saver of [looks, moves]) await house.move(saver, 800n * UNIT);
    await house.goTo('2027-03-03');
    await house.accrue();
    await house.db.owner.query('update earning_accounts set low_day = accrued_through + 2');
    expect(await ask(house.db, 'earning_look', [looks.id])).toBe('');
    expect(await house.move(moves, -800n * UNIT)).toBeNull();
    expect(await house.move(moves, -1n * UNIT)).toBe('EARNINGS_SMALLER');
    for (const saver of [looks, moves]) expect(await asideOf(saver)).toHaveLength(1);
    expect((await house.balance(moves)).available).toBe(1_000n * UNIT);
  });
});
