/** Orders settled again from the log's lines, and what is reported of its batches. */
import { formatDecimal } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import { parseAcceptance, Replay, type ReplayGroup, type ReplayTick } from '../src/index.ts';
import { CLOSE_TO_FRAUD } from './signed-frauds.ts';
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
  const { batch, symbol, opensAt, settlesAt } = terms;
  const { delayMs, openWithinMs } = RULES;
  return { batch, symbol, opensAtMs: opensAt, settlesAtMs: settlesAt, delayMs, openWithinMs };
}

/** Reads the story's log. */
function replayed(told: Story, replay = new Replay<ReplayGroup>()): Replay<ReplayGroup> {
  const { texts, terms } = logOf(told);
  for (const [index, text] of texts.entries()) {
    if (index === terms.logSize) replay.expect([groupOf(told)]);
    replay.add(index, text);
  }
  return replay;
}

const ALL = Object.entries({ ...STORIES, ...CLOSE_TO_FRAUD });

describe('a replay', () => {
  test.each(ALL)('gives the outcome of the order: %s', (_, told) => {
    const replay = replayed(told);
    const [decided] = replay.take();
    const { result, voidReason, openPrice, settlePrice } = told.outcome;
    const direction = told.terms?.direction ?? 'up';
    const price = (tick: ReplayTick | null | undefined) =>
      tick ? formatDecimal(tick.worth[direction], tick.decimals) : null;
    expect({
      ...decided?.verdict[direction],
      openPrice: price(decided?.open),
      settlePrice: price(decided?.settle),
    }).toEqual({ result, voidReason, openPrice, settlePrice });
    expect([replay.waiting, replay.unlogged, replay.batchFaults]).toEqual([0, [], []]);
  });

  test('names the entries that decided', () => {
    const [decided] = replayed(story('won')).take();
    expect(decided?.open).toEqual({
      index: 11,
      timeMs: AT.open,
      worth: { up: 108_427n, down: 108_427n },
      decimals: 5,
    });
    expect(decided?.settle).toEqual({
      index: 15,
      timeMs: AT.settles,
      worth: { up: 108_451n, down: 108_451n },
      decimals: 5,
    });
  });

  test('keeps an order whose batch is not carried waiting, and names the batch', () => {
    const won = story('won');
    const replay = replayed({ ...won, log: won.log.filter((text) => text !== ORDERS) });
    expect(replay.take()).toEqual([]);
    expect([replay.waiting, replay.unlogged]).toEqual([1, [7]]);
  });

  test('reports batches that are carried twice or left out, and settles by the first place', () => {
    const again = replayed(carriedAgain());
    expect(again.take()[0]?.verdict.up.result).toBe('profit');
    expect(again.batchFaults).toEqual([{ kind: 'twice', firstBatch: 5, lastBatch: 7, index: 11 }]);
    const whole = replayed(story('won'), new Replay({ isWhole: true }));
    expect(whole.batchFaults).toEqual([{ kind: 'missing', firstBatch: 1, lastBatch: 4, index: 5 }]);
  });

  test('takes rules of before the first line, and stops at a tick whose rules it does not know', () => {
    const { log } = story('won');
    const read = (replay: Replay<ReplayGroup>) => {
      replay.expect([groupOf(story('won'))]);
      for (const [at, text] of logOf(story('won')).texts.slice(5).entries()) replay.add(5 + at, text);
      return replay.take()[0]?.verdict.up.result;
    };
    expect(() => read(new Replay())).toThrow('the tick at 6 names rules that were not read');
    const replay = new Replay();
    replay.know(0, log[0] as string);
    expect(read(replay)).toBe('profit');
  });

  test('keeps an order waiting until the product’s next entry', () => {
    for (const name of ['won, no entry of the settlement time', 'void, prices had stopped']) {
      const { log, ...told } = story(name);
      expect(replayed({ ...told, log: log.slice(0, -1) }).take()).toEqual([]);
      expect(replayed({ ...told, log }).take().length).toBe(1);
    }
  });

  test('knows halts, and stops at a line that it can not read', () => {
    const halt = `halt|3|1|${AT.before}|on|the cause`;
    expect(replayed(withEntries(story('won'), { 1: halt })).halts).toMatchObject([{ n: 1, isOn: true }]);
    expect(() => replayed(withEntries(story('won'), { 1: 'halt|3|1' }))).toThrow(/entry at 1/);
    expect(() => replayed(withEntries(story('won'), { 10: 'tick|1|EUR/USD|46' }))).toThrow(/entry at 10/);
    expect(() => new Replay().add(0, gap(1, AT.before))).not.toThrow();
    expect(() => replayed(withEntries(story('won'), { 0: 'rules|3|EUR/USD|1' }))).toThrow(/entry at 0/);
  });
});
