/** The sample of fixes that a monitor compares with the exchanges: honest ones, ones that say something else, and silent ones. */
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { beforeEach, expect, test } from 'vitest';
import { beginSample, parseEntry, SourceSample } from '../src/index.ts';
import { ExchangeLog } from './exchange-log.ts';
import { START_MS } from './monitoring.ts';
import { next } from './story.ts';

const log = forTest(() => new ExchangeLog(START_MS));
let reports: string[] = [];
beforeEach(() => {
  reports = [];
});
const sample = forTest(
  () =>
    new SourceSample(beginSample(), {
      ask: log.ask,
      random: () => 0,
      nowMs: START_MS + 60_000,
      prove: async (index) => ({ checkpoint: 'the checkpoint', proof: [String(index)] }),
      onReport: (text) => reports.push(text),
    }),
);
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await sample.turn();
};
const asked = () => [...log.records.values()].map((each) => each.asked.length);

test('one fix of each turn is compared, with one question for each of its sources', async () => {
  for (const n of [1, 2, 3]) sample.offer(log.entry(n), n);
  await turns(1);
  expect(asked()).toEqual([0, 0, 0, 0]);
  await turns(5);
  expect(asked()).toEqual([1, 1, 1, 1]);
  expect([sample.state.fixes, sample.state.records.same, reports]).toEqual([1, 4, []]);
});

test('each fix since the last turn is as likely as another', async () => {
  const counts = new Map<string, number>();
  const fixes = Array.from({ length: 5 }, (_, n) => log.entry(n + 1));
  for (let round = 0; round < 1_000; round += 1) {
    const own = new SourceSample(beginSample(), {
      ask: async ({ search }) => counts.set(search, (counts.get(search) ?? 0) + 1),
      random: Math.random,
      prove: async () => null,
      onReport: () => {},
    });
    for (const fix of fixes) own.offer({ ...fix, records: fix.records.slice(0, 1) }, fix.n);
    await own.once();
  }
  const found = [...counts.values()];
  expect(found.length).toBe(5);
  expect(Math.min(...found)).toBeGreaterThan(130);
});

test('an exchange that has something else is reported with both documents, and asked again until it agrees', async () => {
  const lie = log.entry(1, { source: 'okx', price: '60000.13' });
  sample.offer(lie, 42);
  await turns(2);
  expect(reports).toEqual([
    expect.stringMatching(
      /^entry 42, BTC\/USDT: okx, record 502 at 60000\.13 .* HAS SOMETHING ELSE .* it has 502 at 60000\.12 of/,
    ),
  ]);
  const [told] = sample.state.standing;
  expect(told?.logged).toEqual({ checkpoint: 'the checkpoint', proof: ['42'] });
  expect(parseEntry(told?.entry ?? '')).toEqual(lie);
  expect(told?.findings[0]?.has[0]).toEqual({ number: '502', timeMs: START_MS + 910, price: '60000.12' });
  // Silence takes nothing back.
  log.of('okx').change = () => ({ body: 'busy', status: 429 });
  await turns(2);
  expect([sample.state.standing.length, reports.length]).toEqual([1, 1]);
  log.of('okx').change = (trades) => trades.map((trade) => ({ ...trade, price: '60000.13' }));
  // The record after it has another price now.
  await turns(2);
  expect(sample.state.standing.length).toBe(1);
  log.of('okx').change = (trades) =>
    trades.map((trade) => (trade.number === 502n ? { ...trade, price: '60000.13' } : trade));
  await turns(2);
  expect(sample.state.standing).toEqual([]);
  expect(reports[1]).toContain('has now what the log says');
});

test('while a price is contradicted, others are still asked for, every other turn', async () => {
  sample.offer(log.entry(1, { source: 'binance', price: '60000.13' }), 1);
  await turns(2);
  for (const n of [2, 3, 4]) {
    sample.offer(log.entry(n), n);
    await turns(2);
  }
  expect(sample.state.fixes).toBe(3);
});

test('a record that was left out is reported, but not one that an open record leaves to its close', async () => {
  const after = [502n, 503n];
  log.of('kraken').change = (trades) =>
    trades.map((trade) => (after.includes(trade.number) ? { ...trade, timeMs: START_MS + 910 } : trade));
  sample.offer(log.entry(1, { source: 'kraken', closing: 'open' }), 1);
  await sample.once();
  expect([sample.state.records.same, reports]).toEqual([4, []]);
  // The log says that number 506 follows 504, and Coinbase has 505 in between.
  const told = { source: 'coinbase', closing: next('60000.12', START_MS + 2_120, 506) } as const;
  sample.offer(log.entry(2, told), 2);
  await sample.once();
  expect(reports).toEqual([
    expect.stringMatching(/coinbase, record 504 .* HAS A RECORD THAT WAS LEFT OUT; .*505 at/),
  ]);
});

test('what can not be asked or read is counted as such, and agrees with nothing', async () => {
  for (const each of log.records.values()) each.change = () => ({ body: 'no', status: 503 });
  sample.offer(log.entry(1), 1);
  await sample.once();
  const simulated = parseEntry(log.fix(2).replace(/binance|coinbase|kraken|okx/g, (name) => `sim-${name}`));
  if (simulated?.kind === 'fix') sample.offer(simulated, 2);
  await sample.once();
  const { fixes, records, unaskable } = sample.state;
  expect([fixes, records.same, records.unread, unaskable, reports]).toEqual([1, 0, 4, 1, []]);
});

test('an exchange that answers for its last months alone is not asked for older trades', async () => {
  const later = new SourceSample(beginSample(), {
    ask: log.ask,
    random: () => 0,
    nowMs: START_MS + 91 * 86_400_000,
    prove: async () => null,
    onReport: (text) => reports.push(text),
  });
  later.offer(log.entry(1), 1);
  await later.once();
  expect([later.state.records, reports]).toMatchObject([{ same: 3, unasked: 1 }, []]);
  expect(asked()).toEqual([1, 1, 1, 0]);
});
