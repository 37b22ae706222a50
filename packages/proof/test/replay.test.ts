/** Orders settled again from the log's lines, and what is reported of its batches. */
import { describe, expect, test } from 'vitest';
import { parseAcceptance, Replay, type ReplayGroup } from '../src/index.ts';
import {
  AT,
  carriedAgain,
  gap,
  logOf,
  ORDERS,
  RULES,
  STORIES,
  type Story,
  story,
  withEntries,
} from './story.ts';

/** Of the story's order. */
function groupOf(told: Story): ReplayGroup {
  const terms = parseAcceptance(logOf(told).text);
  if (!terms) throw new Error('the acceptance can not be read');
  const { lane, batch, symbol, acceptedAt, settlesAt } = terms;
  return { lane, batch, symbol, acceptedAtMs: acceptedAt, settlesAtMs: settlesAt, delayMs: RULES.delayMs };
}

/** Reads the story's log, with a later entry of another product behind it. */
function replayed(told: Story, replay = new Replay<ReplayGroup>()): Replay<ReplayGroup> {
  const { texts, terms } = logOf(told);
  const end = `gap|2|GBP/USD|9|${AT.settles + 1_000}|end|${'0'.repeat(64)}|`;
  for (const [index, text] of [...texts, end].entries()) {
    if (index === terms.logSize) replay.expect([groupOf(told)]);
    replay.add(index, text);
  }
  return replay;
}

const UP = Object.entries(STORIES).filter(([, { terms }]) => terms?.direction !== 'down');

describe('a replay', () => {
  test.each(UP)('gives the outcome of the order: %s', (_, told) => {
    const replay = replayed(told);
    const [decided] = replay.take();
    const { result, voidReason, openPrice } = told.outcome;
    expect(decided?.verdict.up).toEqual({ result, voidReason });
    expect(decided?.open === null).toBe(openPrice === null);
    expect([replay.waiting, replay.unlogged, replay.batchFaults]).toEqual([0, [], []]);
  });

  test('names the entries that decided', () => {
    const [decided] = replayed(story('won')).take();
    expect(decided?.open).toEqual({ index: 11, timeMs: AT.open, price: 108_427n, decimals: 5 });
    expect(decided?.settle).toEqual({ index: 15, timeMs: AT.settles, price: 108_451n, decimals: 5 });
  });

  test('keeps an order whose batch is not carried waiting, and names the batch', () => {
    const won = story('won');
    const replay = replayed({ ...won, log: won.log.filter((text) => text !== ORDERS) });
    expect(replay.take()).toEqual([]);
    expect([replay.waiting, replay.unlogged]).toEqual([1, [{ lane: 0, batch: 7 }]]);
  });

  test('reports batches that are carried twice or left out, and settles by the first place', () => {
    const again = replayed(carriedAgain());
    expect(again.take()[0]?.verdict.up.result).toBe('profit');
    expect(again.batchFaults).toEqual([{ kind: 'twice', lane: 0, firstBatch: 5, lastBatch: 7, index: 11 }]);
    const whole = replayed(story('won'), new Replay({ isWhole: true }));
    expect(whole.batchFaults).toEqual([{ kind: 'missing', lane: 0, firstBatch: 1, lastBatch: 4, index: 5 }]);
  });

  test('knows halts, and stops at a line that it can not read', () => {
    const halt = `halt|2|1|${AT.before}|on|the cause`;
    expect(replayed(withEntries(story('won'), { 1: halt })).halts).toMatchObject([{ n: 1, isOn: true }]);
    expect(() => replayed(withEntries(story('won'), { 1: 'halt|2|1' }))).toThrow(/entry at 1/);
    expect(() => replayed(withEntries(story('won'), { 10: 'tick|1|EUR/USD|46' }))).toThrow(/entry at 10/);
    expect(() => new Replay().add(0, gap(1, AT.before))).not.toThrow();
  });
});
