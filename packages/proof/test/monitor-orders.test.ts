/** Batches of orders and halts in a signed log: the faults that a monitor finds, and what it counts. */
import { describe, expect, test } from 'vitest';
import { EntryJudge, lookOnce } from '../src/index.ts';
import { at, begin, faultIn, faultOf, LOG, orders } from './monitoring.ts';
import { ShownLog } from './shown-log.ts';
import { carriedAgain, logOf } from './story.ts';

describe('orders in a log', () => {
  test('a batch that is left out or carried twice is found', async () => {
    expect(await faultOf([...LOG, orders(10, 1), orders(11, 3)])).toMatch(/batches 2 to 2 were left out/);
    expect(await faultOf([...LOG, orders(10, 1, 2), orders(11, 2)])).toMatch(
      /batch 2 stands in the log twice/,
    );
    expect(await faultOf([...LOG, orders(10, 2)])).toMatch(/1 to 1 were left out/);
    // The receipt that shows only the second place is valid by itself.
    const state = await begin(new ShownLog([]));
    const judge = new EntryJudge({ ...state.judge, from: 5, size: 5, lastBatch: 4 });
    const faults = logOf(carriedAgain())
      .texts.filter((text) => text.startsWith('orders'))
      .map((text) => judge.take(text));
    expect(faults).toEqual([null, 'batch 5 stands in the log twice']);
  });

  test('a batch that was accepted before one of an earlier entry is found', async () => {
    const first = orders(10, 1, 2, [at(8), at(9)]);
    expect(await faultOf([...LOG, first, orders(11, 3, 4, [at(9), at(10)])])).toBe(null);
    expect(await faultOf([...LOG, first, orders(11, 3, 4, [at(9) - 1, at(10)])])).toMatch(
      /batch 3 was accepted before the batches of the entry before it/,
    );
    for (const [firstMs, lastMs] of [
      [at(9), at(8)],
      [at(9), at(10) + 1],
    ] as const)
      expect(await faultOf([...LOG, orders(10, 1, 2, [firstMs, lastMs])])).toMatch(/grammar/);
    expect(await faultOf([...LOG, orders(10, 1, 1, [at(8), at(9)])])).toMatch(/grammar/);
  });

  test('entries of orders that come more than a second after their first batch are counted, and are no fault', async () => {
    const source = new ShownLog([
      ...LOG,
      orders(10, 1, 2, [at(6), at(10)]),
      orders(14, 3, 4, [at(10), at(14)]),
      orders(19, 5, 6, [at(15) - 1, at(19)]),
    ]);
    const state = await begin(source);
    expect(await faultIn(source, state)).toBe(null);
    expect(state.judge.late).toBe(1);
  });

  test('orders accepted between 250 ms after a halt and its lift are found, also in an entry after the lift', async () => {
    const halted = [...LOG, `halt|4|1|${at(10)}|on|the cause`];
    const lifted = [...halted, `halt|4|2|${at(20)}|off|`];
    const of = (grid: number, firstMs: number, lastMs: number) => orders(grid, 1, 2, [firstMs, lastMs]);
    const wrong = /accepted while orders were halted/;
    expect(await faultOf([...halted, of(12, at(9), at(11) - 1)])).toBe(null);
    expect(await faultOf([...halted, of(12, at(9), at(11))])).toMatch(wrong);
    expect(await faultOf([...lifted, of(21, at(20), at(21))])).toBe(null);
    expect(await faultOf([...lifted, of(21, at(20) - 1, at(21))])).toMatch(wrong);
    expect(await faultOf([...lifted, of(21, at(9), at(20) - 1)])).toMatch(wrong);
    const again = [...lifted, `halt|4|3|${at(22)}|on|the cause`, `halt|4|4|${at(30)}|off|`];
    expect(await faultOf([...again, of(31, at(20), at(30))])).toBe(null);
    expect(await faultOf([...again, of(31, at(15), at(30))])).toMatch(wrong);
    expect(await faultOf([...again, of(31, at(20), at(25))])).toMatch(wrong);
    const source = new ShownLog([...again, of(31, at(20), at(30))]);
    const state = await begin(source);
    await lookOnce(source, state);
    expect(state.judge.halted).toEqual([]);
  });

  test('halts that are not numbered or do not alternate are found', async () => {
    const on = (n: number) => `halt|4|${n}|${at(10)}|on|the cause`;
    const off = (n: number) => `halt|4|${n}|${at(10)}|off|`;
    expect(await faultOf([...LOG, on(1), off(2), on(3)])).toBe(null);
    expect(await faultOf([...LOG, on(1), on(2)])).toMatch(/halted already/);
    expect(await faultOf([...LOG, off(1)])).toMatch(/were not halted/);
    expect(await faultOf([...LOG, on(1), off(3)])).toMatch(/halt 3 stands where 2 is next/);
    expect(await faultOf([...LOG, on(2)])).toMatch(/halt 2 stands where 1 is next/);
  });

  test('halts of single products count with those of all, and alternate by themselves', async () => {
    const of = (n: number, symbol: string, isOn: boolean) =>
      `suspend|4|${n}|${at(10)}|${symbol}|${isOn ? 'on|the cause' : 'off|'}`;
    const all = `halt|4|2|${at(10)}|on|the cause`;
    expect(await faultOf([...LOG, of(1, 'A', true), all, of(3, 'B', true), of(4, 'A', false)])).toBe(null);
    expect(await faultOf([...LOG, of(1, 'A', true), of(2, 'A', true)])).toMatch(/halted already/);
    expect(await faultOf([...LOG, of(1, 'A', true), of(2, 'B', false)])).toMatch(/were not halted/);
    expect(await faultOf([...LOG, of(1, 'A', true), of(3, 'B', true)])).toMatch(
      /halt 3 stands where 2 is next/,
    );
    expect(await faultOf([...LOG, `suspend|4|1|${at(10)}|A|on|`])).toMatch(/grammar/);
  });
});
