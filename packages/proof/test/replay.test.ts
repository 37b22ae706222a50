/** Orders settled again from the log's lines, and what is reported of its batches. */
import { describe, expect, test } from 'vitest';
import { parseAcceptance, Replay, type ReplayFix, type ReplayGroup, textOfPrice } from '../src/index.ts';
import { CLOSE_TO_FRAUD } from './signed-frauds.ts';
import {
  AT,
  carriedAgain,
  DAY_MS,
  logOf,
  ORDERS,
  OTHER,
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
  return { batch, symbol, opensAtMs: opensAt, settlesAtMs: settlesAt };
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
    const decided = replay.take().at(-1)?.results[told.terms?.direction ?? 'up'];
    const { result, voidReason, openPrice, settlePrice } = told.outcome;
    const price = (fix: ReplayFix | null | undefined) => (fix ? textOfPrice(fix) : null);
    expect({
      ...decided,
      open: price(decided?.open),
      settle: price(decided?.settle),
    }).toEqual({ result, voidReason, open: openPrice, settle: settlePrice });
    expect([replay.waiting, replay.unlogged, replay.batchFaults]).toEqual([0, [], []]);
  });

  test('names the entries that decided', () => {
    const [decided] = replayed(story('won')).take();
    const { open, settle } = decided?.results.up ?? {};
    expect(open).toEqual({ index: 7, fixMs: AT.opens, price: 108_427n, decimals: 5 });
    expect(settle).toEqual({ index: 10, fixMs: AT.settles, price: 108_451n, decimals: 5 });
  });

  test('tells of an order again where a close makes its result better, and only then', () => {
    const results = (name: string) =>
      replayed(story(name))
        .take()
        .map(({ results }) => results.up.result);
    expect(results('won, by its close')).toEqual(['loss', 'profit']);
    expect(results('lost, and closed as a loss')).toEqual(['loss']);
    // For orders in the other direction the close is the better one.
    expect(results('won, though its close is a loss')).toEqual(['profit', 'profit']);
    const [first, second] = replayed(story('won, though its close is a loss')).take();
    expect([first?.results.down.result, second?.results.down.result]).toEqual(['loss', 'profit']);
  });

  test('keeps an order whose batch is not carried waiting, and names the batch', () => {
    const won = story('won');
    const replay = replayed({ ...won, log: won.log.filter((text) => text !== ORDERS) });
    expect(replay.take()).toEqual([]);
    expect([replay.waiting, replay.unlogged]).toEqual([1, [7]]);
  });

  test('reports batches that are carried twice or left out, and settles by the first place', () => {
    const again = replayed(carriedAgain());
    expect(again.take()[0]?.results.up.result).toBe('profit');
    expect(again.batchFaults).toEqual([{ kind: 'twice', firstBatch: 5, lastBatch: 7, index: 7 }]);
    const whole = replayed(story('won'), new Replay({ isWhole: true }));
    expect(whole.batchFaults).toEqual([{ kind: 'missing', firstBatch: 1, lastBatch: 4, index: 5 }]);
  });

  test('takes rules of before the first line, and stops at a fix whose rules it does not know', () => {
    const { log } = story('won');
    const read = (replay: Replay<ReplayGroup>) => {
      replay.expect([groupOf(story('won'))]);
      for (const [at, text] of logOf(story('won')).texts.slice(5).entries()) replay.add(5 + at, text);
      return replay.take()[0]?.results.up.result;
    };
    expect(() => read(new Replay())).toThrow('the fix at 7 names rules that were not read');
    const replay = new Replay();
    replay.know(0, log[0] as string);
    expect(read(replay)).toBe('profit');
  });

  test('keeps an order waiting for its fix, for 24 hours', () => {
    const { log, ...told } = story('won, no price of its settlement time');
    expect(replayed({ ...told, log: log.slice(0, -1) }).take()).toEqual([]);
    expect(replayed({ ...told, log: log.with(-1, OTHER(AT.settles + DAY_MS - 1)) }).take()).toEqual([]);
    expect(replayed({ ...told, log }).take().length).toBe(1);
  });

  test('knows halts, and stops at a line that it can not read', () => {
    const halt = `halt|4|1|${AT.before}|on|the cause`;
    expect(replayed(withEntries(story('won'), { 1: halt })).halts).toMatchObject([{ n: 1, isOn: true }]);
    expect(() => replayed(withEntries(story('won'), { 1: 'halt|4|1' }))).toThrow(/entry at 1/);
    expect(() => replayed(withEntries(story('won'), { 10: 'fix|1|EUR/USD|46' }))).toThrow(/entry at 10/);
    expect(() => replayed(withEntries(story('won'), { 0: 'rules|4|EUR/USD|1' }))).toThrow(/entry at 0/);
  });
});
