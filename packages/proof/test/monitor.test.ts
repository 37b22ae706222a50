/** The frauds that a monitor finds in a signed log, without any customer's receipt. */
import { describe, expect, test } from 'vitest';
import {
  beginMonitor,
  formatEntry,
  formatKeyEntry,
  generateNoteKey,
  LogFault,
  leafHash,
  lookAtHalts,
  lookOnce,
  type MonitorState,
  type NoteSigner,
  nobleSigner,
  ServerTrouble,
  sha256,
  toHex,
} from '../src/index.ts';
import { ShownLog } from './shown-log.ts';
import {
  ACCEPTANCES_KEY,
  agreed,
  gap,
  LOG_KEY,
  ORIGIN,
  RULES,
  RULES_ENTRY,
  STRANGERS_KEY,
  tick,
} from './story.ts';

const START_MS = 1_780_000_000_000;
const at = (grid: number) => START_MS + 250 * grid;
const orders = (grid: number, firstBatch: number, lastBatch = firstBatch) =>
  formatEntry({
    kind: 'orders',
    timeMs: at(grid),
    firstBatch,
    lastBatch,
    accepted: 1,
    refused: 0,
    root: 'ab'.repeat(32),
  });
const rules = (effectiveMs: number, change: object = {}) =>
  `rules|1|example/EUR/USD|${effectiveMs}|${JSON.stringify({ ...RULES, ...change })}`;

/** A rules entry, then a price four times a second. */
const LOG = [RULES_ENTRY, ...Array.from({ length: 9 }, (_, n) => agreed(n + 1, at(n + 1), `1.0840${n}`))];

const KEYS = [LOG_KEY.verifierKey, ACCEPTANCES_KEY.verifierKey];
const begin = (source: ShownLog, isFromNow = false): Promise<MonitorState> =>
  beginMonitor(source, { origin: ORIGIN, keys: KEYS, isFromNow });

/** The fault that a monitor reports after it followed the whole log; null: none. */
async function faultIn(source: ShownLog, state?: MonitorState): Promise<string | null> {
  const followed = state ?? (await begin(source));
  try {
    await lookOnce(source, followed);
    await lookAtHalts(source, followed);
    return null;
  } catch (error) {
    if (error instanceof LogFault) return error.message;
    throw error;
  }
}

const faultOf = (texts: readonly string[]): Promise<string | null> => faultIn(new ShownLog(texts));

describe('a correct log', () => {
  test('is followed from its first entry, over gaps, orders, restated prices and new rules', async () => {
    const texts = [
      ...LOG,
      orders(10, 1, 3),
      gap(10, at(10)),
      agreed(11, at(20), '1.08410'),
      tick(
        { n: 12, timeMs: at(22) },
        '1.08410',
        [
          ['a', '1.08410', at(20) - 30],
          ['b', '1.08410', at(20) - 20],
          ['c', '1.08410', at(20) - 10],
        ],
        'same',
      ),
      orders(22, 4),
      rules(at(22) + 60_000, { delayMs: 2000 }),
      `seed|1|2026-06-01|commit|${toHex(sha256(Uint8Array.fromHex('12'.repeat(32))))}`,
      `seed|1|2026-06-01|reveal|${'12'.repeat(32)}`,
      `audit|1|${at(22)}|${'0'.repeat(64)}|${'1'.repeat(64)}`,
      `liabilities|1|2026-06-01|USDT|10.000000|${'2'.repeat(64)}`,
    ];
    expect(await faultOf(texts)).toBe(null);
    // The result is the same in one look, one entry at a time, or from a later start.
    const growing = new ShownLog([]);
    const state = await begin(growing);
    for (const text of texts) {
      growing.texts.push(text);
      expect(await faultIn(growing, JSON.parse(JSON.stringify(state)))).toBe(null);
      await lookOnce(growing, state);
    }
    const late = await begin(new ShownLog(texts.slice(0, 5)), true);
    expect(late.size).toBe(5);
    expect(await faultIn(new ShownLog(texts), late)).toBe(null);
    expect(late.size).toBe(texts.length);
    expect(late.judge.unjudged).toBeGreaterThan(0);
  });

  test('of many bundles is read in parts that are kept one by one', async () => {
    const many = [RULES_ENTRY, ...Array.from({ length: 700 }, (_, n) => agreed(n + 1, at(n + 1), '1.08400'))];
    const source = new ShownLog(many);
    const state = await begin(source);
    const kept: number[] = [];
    await lookOnce(source, state, { keep: ({ size }) => kept.push(size) });
    expect(kept.at(-1)).toBe(701);
    const now = await begin(source, true);
    expect(now.root).toBe(state.root);
  });
});

describe('faults in entries', () => {
  test('a tick left out, inserted, or with a repeated number is found', async () => {
    expect(await faultOf(LOG.toSpliced(5, 1))).toMatch(
      /EUR\/USD has number 6 where 5 is next: 1 numbers after/,
    );
    expect(await faultOf(LOG.toSpliced(5, 0, agreed(4, at(4), '1.08403')))).toMatch(
      /has number 4 where 5 is next: a number that was used before/,
    );
    expect(await faultOf(LOG.toSpliced(5, 0, agreed(5, at(5), '1.08500')))).toMatch(/entry 6 .* used before/);
    expect(await faultOf([RULES_ENTRY, agreed(2, at(2), '1.08400')])).toMatch(/left out/);
  });

  test('a time that falls or is off the grid is found', async () => {
    expect(await faultOf([...LOG, agreed(10, at(8), '1.08410')])).toMatch(/older than an entry before it/);
    expect(await faultOf([...LOG, agreed(10, at(10) + 1, '1.08410')])).toMatch(/not on the grid/);
    expect(await faultOf([...LOG, orders(3, 1)])).toMatch(/older than an entry before it/);
  });

  test('a restated price marked as new is found, and a new one marked as restated', async () => {
    const quotes = [
      ['a', '1.08408', at(9) - 30],
      ['b', '1.08408', at(9) - 20],
      ['c', '1.08408', at(9) - 10],
    ] as const;
    const next = { n: 10, timeMs: at(10) };
    expect(await faultOf([...LOG, tick(next, '1.08408', quotes, 'same')])).toBe(null);
    expect(await faultOf([...LOG, tick(next, '1.08408', quotes, 'new')])).toMatch(/it repeats a price/);
    const fresh = [...quotes.slice(0, 2), ['c', '1.08408', at(9) + 10]] as const;
    expect(await faultOf([...LOG, tick(next, '1.08408', fresh, 'same')])).toMatch(/says same/);
  });

  test('a price other than the rule’s is found, also the wrong side of an even median', async () => {
    const next = { n: 10, timeMs: at(10) };
    const even = (['1.08400', '1.08404', '1.08416', '1.08420'] as const).map(
      (price, place) => ['abcd'.charAt(place), price, at(10) - 20] as const,
    );
    expect(await faultOf([...LOG, tick(next, '1.08404', even)])).toBe(null);
    expect(await faultOf([...LOG, tick(next, '1.08416', even)])).toMatch(/not what the rule makes/);
    const two = even.slice(0, 2);
    expect(await faultOf([...LOG, tick(next, '1.08404', [...two, ['z', '1.08404', at(10)]])])).toMatch(
      /none of the product’s/,
    );
    expect(await faultOf([...LOG, tick(next, '1.08404', even.slice(0, 1))])).toMatch(/too few sources/);
    const set = [...even.slice(0, 3), ['d', '1.08420', at(10) - 20, 'outlier']] as const;
    expect(await faultOf([...LOG, tick(next, '1.08404', set)])).toMatch(/judged against the rule/);
  });

  test('rules that are backdated, take effect too soon or belong to another product are found', async () => {
    expect(await faultOf([...LOG, rules(at(9) + 59_999, { delayMs: 0 })])).toMatch(
      /sooner than the longest cycle/,
    );
    expect(await faultOf([...LOG, rules(START_MS - 1, { delayMs: 0 })])).toMatch(
      /sooner than the longest cycle/,
    );
    const soon = rules(at(9) + 60_000, { delayMs: 0 });
    const early = tick({ n: 10, timeMs: at(10), rulesHash: toHex(leafHash(soon)) }, '1.08410', [
      ['a', '1.08410', at(10)],
      ['b', '1.08410', at(10)],
    ]);
    expect(await faultOf([...LOG, soon])).toBe(null);
    expect(await faultOf([...LOG, soon, early])).toMatch(/not in force yet/);
    expect(await faultOf([...LOG, early])).toMatch(/were not logged before it/);
    expect(await faultOf([...LOG, rules(at(9) + 60_000, { symbol: 'GBP/USD' })])).toMatch(/two products/);
    expect(await faultOf([...LOG, RULES_ENTRY])).toMatch(/sooner|twice/);
  });

  test('a batch that is left out or logged twice is found', async () => {
    expect(await faultOf([...LOG, orders(10, 1), orders(11, 3)])).toMatch(/batches 2 to 2 were left out/);
    expect(await faultOf([...LOG, orders(10, 1, 2), orders(11, 2)])).toMatch(
      /batch 2 stands in the log twice/,
    );
  });

  test('a seed without its commitment, heads that go back, and liabilities logged twice are found', async () => {
    const commit = `seed|1|2026-06-01|commit|${'0'.repeat(64)}`;
    expect(await faultOf([...LOG, commit, `seed|1|2026-06-01|reveal|${'12'.repeat(32)}`])).toMatch(
      /not the one/,
    );
    expect(await faultOf([...LOG, `seed|1|2026-06-01|reveal|${'12'.repeat(32)}`])).toMatch(
      /nothing committed/,
    );
    expect(await faultOf([...LOG, commit, commit])).toMatch(/second seed/);
    const heads = (ms: number) => `audit|1|${ms}|${'0'.repeat(64)}|${'1'.repeat(64)}`;
    expect(await faultOf([...LOG, heads(9), heads(8)])).toMatch(/older than the heads/);
    const owed = (total: string) => `liabilities|1|2026-06-01|USDT|${total}|${'2'.repeat(64)}`;
    expect(await faultOf([...LOG, owed('1.0'), owed('2.0')])).toMatch(/stands in the log twice/);
    expect(await faultOf([...LOG, owed('-1.0')])).toMatch(/grammar/);
    expect(await faultOf([...LOG, 'tick|2|EUR/USD'])).toMatch(/grammar/);
  });
});

describe('faults in the growth of a log', () => {
  const followed = async () => {
    const source = new ShownLog(LOG);
    const state = await begin(source);
    await lookOnce(source, state);
    return { source, state };
  };
  const more = [...LOG, agreed(10, at(10), '1.08410')];

  test('entries changed, deleted or reordered after they were signed are found', async () => {
    for (const changed of [
      more.with(3, agreed(3, at(3), '1.08499')),
      more.toSpliced(3, 1),
      more.with(3, more[4] as string).with(4, more[3] as string),
    ]) {
      const { source, state } = await followed();
      source.texts = [...changed, agreed(11, at(11), '1.08410')];
      expect(await faultIn(source, state)).toMatch(/is not the beginning of the one of/);
    }
  });

  test('two signed logs of one size are found', async () => {
    const { source, state } = await followed();
    source.texts = LOG.with(9, agreed(9, at(9), '1.08499'));
    expect(await faultIn(source, state)).toMatch(/two logs of 10 entries were signed/);
  });

  test('a log that was cut off is found, also if it grew again afterwards', async () => {
    const { source, state } = await followed();
    source.texts = LOG.slice(0, -2);
    // A process some seconds behind is no fault, as long as this does not last.
    for (let look = 0; look < 5; look += 1) expect(await faultIn(source, state)).toBe(null);
    expect(await faultIn(source, state)).toMatch(/was cut off: 8 entries where 10 had been signed/);
    const again = await followed();
    again.source.texts = [
      ...LOG.slice(0, -2),
      ...Array.from({ length: 4 }, (_, n) => agreed(8 + n, at(8 + n), '1.08500')),
    ];
    expect(await faultIn(again.source, again.state)).toMatch(/is not the beginning/);
  });

  test('a log served other than signed, or not signed by its key, is found', async () => {
    const { source, state } = await followed();
    source.texts = more;
    source.served = more.with(10, agreed(10, at(10), '1.08411'));
    expect(await faultIn(source, state)).toMatch(/not those that were signed/);
    const other = await followed();
    other.source.texts = more;
    other.source.signerKey = STRANGERS_KEY.signerKey;
    expect(await faultIn(other.source, other.state)).toMatch(/not signed by the key of the log/);
  });

  test('a published halt that is later changed or removed is found', async () => {
    const { source, state } = await followed();
    source.halted = [{ from: 5, until: null }];
    expect(await faultIn(source, state)).toBe(null);
    source.halted = [{ from: 5, until: 9 }];
    expect(await faultIn(source, state)).toBe(null);
    source.halted = [{ from: 5, until: 8 }];
    expect(await faultIn(source, state)).toMatch(/a halt of trading that was published/);
    source.halted = [];
    expect(await faultIn(source, state)).toMatch(/changed or taken back/);
  });

  test('an unreachable server is no fraud, and the monitor continues from its state afterwards', async () => {
    const { source, state } = await followed();
    source.isDown = true;
    source.texts = more;
    await expect(lookOnce(source, state)).rejects.toThrow(ServerTrouble);
    source.isDown = false;
    expect(await faultIn(source, state)).toBe(null);
    expect(state.size).toBe(11);
  });
});

describe('a new key', () => {
  const next = generateNoteKey(ORIGIN, new Uint8Array(32).fill(7));
  const entry = (by: string) => formatKeyEntry(at(9), next.verifierKey, nobleSigner(by) as NoteSigner);

  test('is followed after the old key’s hand-over, and the old key is refused from then on', async () => {
    const source = new ShownLog([...LOG, entry(LOG_KEY.signerKey)]);
    source.signerKey = next.signerKey;
    expect(await faultOf([])).toBe(null);
    expect(await faultIn(source)).toBe(null);
    const state = await begin(new ShownLog(LOG));
    await lookOnce(new ShownLog(LOG), state);
    expect(await faultIn(source, state)).toBe(null);
    source.signerKey = LOG_KEY.signerKey;
    source.texts.push(agreed(10, at(10), '1.08410'));
    expect(await faultIn(source, state)).toMatch(/not signed by the key of the log/);
  });

  test('is refused if the old key did not sign the hand-over', async () => {
    const source = new ShownLog([...LOG, entry(STRANGERS_KEY.signerKey)]);
    expect(await faultIn(source)).toMatch(/a new key that the old one did not sign/);
    source.signerKey = next.signerKey;
    expect(await faultIn(source)).toMatch(/not signed by the key of the log/);
  });
});
