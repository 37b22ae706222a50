import { failureIn } from '@fairtick/kit/database/failures.ts';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import {
  appendRules,
  openWriter,
  putUnderRules,
  readTexts,
  rootOfTexts,
  storyOf,
} from '@fairtick/kit/installation/writers.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { parseEntry } from '@fairtick/proof';
import type { ProductRules } from '@fairtick/trading';
import { describe, expect, test } from 'vitest';
import type { WriterTerm } from '../../market/writer/writer-term.ts';

/**
 * The rules of a product are one sequence, whichever feed it has. Another feed is a change that waits; and neither a feed nor a
 * holder of the log's lease can bring in payouts that two people did not agree on, or bring back replaced rules. Called with the
 * server's role.
 */
const HOUR_MS = 3_600_000;
const EFFECTIVE_MS = START_MS + 2 * HOUR_MS;
const RATES = [
  { minutes: 1, payoutRate: '0.81' },
  { minutes: 60, payoutRate: '0.92' },
];
const house = forTest(() => House.open(new ManualFeed()));

/** Two people agree on other rates for EUR/USD, effective two hours after the start. */
async function agreeOnRates(): Promise<void> {
  const { owner, server } = house.db;
  const [clerk, approver] = [await installStaff(owner, 'catalogue'), await installStaff(owner, 'approver')];
  const { rows } = await server.query<{ id: string; content: Buffer }>(
    `select * from rules_propose($1, 'payout_table', $2, 'other rates', $3, $4)`,
    [clerk, EFFECTIVE_MS, [house.product('EUR/USD').id], JSON.stringify({ cycles: RATES })],
  );
  await server.query(`select proposal_approve($1, '{payout_table,feed_rules}', $2, $3)`, [
    approver,
    rows[0]?.id,
    rows[0]?.content,
  ]);
}

/** All rules of EUR/USD in the log. */
async function logged() {
  return (await readTexts(house)).flatMap((text) => {
    const entry = parseEntry(text);
    return entry?.kind === 'rules' && entry.symbol === 'EUR/USD'
      ? [{ ...entry, text, rules: JSON.parse(entry.json) as ProductRules }]
      : [];
  });
}

/** The number of the rules that EUR/USD is under, their sources and their one-hour rate. */
async function present(): Promise<string> {
  const { rows } = await house.db.server.query<{ entry: string }>(
    'select r.entry from product_states s join rules r on r.id = s.rules_id where s.product_id = $1',
    [house.product('EUR/USD').id],
  );
  const entry = parseEntry(rows[0]?.entry ?? '');
  if (entry?.kind !== 'rules') return 'none';
  const { cycles, sources } = JSON.parse(entry.json) as ProductRules;
  return `${entry.n} ${sources.join('')} ${cycles.find(({ minutes }) => minutes === 60)?.payoutRate}`;
}

const use = (pick: string) => failureIn(putUnderRules(house, house.product('EUR/USD').id, pick));

interface Changes {
  readonly n?: number;
  readonly previousHash?: string;
  readonly effectiveMs?: number;
  readonly rules?: object;
}

/** Tries to log further rules: the present ones again, an hour and more from now, with these changes. */
async function append(changes: Changes): Promise<string | null> {
  const last = (await logged()).at(-1);
  if (!last) throw new Error('no rules');
  const { n, previousHash, effectiveMs, rules } = {
    n: last.n + 1,
    previousHash: rootOfTexts([last.text]),
    effectiveMs: Math.max(house.clock.targetMs, last.effectiveMs) + 2 * HOUR_MS,
    rules: last.rules,
    ...changes,
  };
  const text = `rules|4|EUR/USD|${n}|${effectiveMs}|${previousHash}|${JSON.stringify(rules)}`;
  return failureIn(appendRules(house, house.product('EUR/USD').id, text));
}

async function stepTo(writer: WriterTerm, timeMs: number): Promise<void> {
  house.clock.stepTo(timeMs);
  await writer.step();
}

/** Another feed, with sources and a payout of its own. */
const other = () =>
  new ManualFeed({ sources: ['x', 'y', 'z'], cycles: [{ minutes: 60, payoutRate: '0.8' }] }, 'other');

describe('another feed', () => {
  test('is a change of rules that waits, and until then its sources set no price', async () => {
    const [eurusd, next] = [house.product('EUR/USD'), other()];
    const [startMs, first] = [house.clock.targetMs, (await logged())[0]];
    const writer = await openWriter(house, next);
    const [, changed] = await logged();
    const effectiveMs = changed?.effectiveMs ?? 0;
    expect(writer.waiting).toEqual({ products: 12, untilMs: effectiveMs });
    expect(effectiveMs).toBeGreaterThanOrEqual(startMs + HOUR_MS);
    expect(changed).toMatchObject({ n: 2, previousHash: rootOfTexts([first?.text ?? '']) });
    expect(changed?.rules).toMatchObject({ sources: ['x', 'y', 'z'], cycles: first?.rules.cycles });
    const say = async (timeMs: number) => {
      for (const source of ['x', 'y', 'z']) next.quote(eurusd, source, '1.08500', timeMs);
      await stepTo(writer, timeMs);
    };
    await say(startMs + 250);
    expect(await storyOf(house, 'EUR/USD')).toEqual([]);
    expect(await present()).toBe('1 abc 0.93');
    const fromMs = Math.ceil(effectiveMs / 250) * 250;
    await say(fromMs - 250);
    expect(await storyOf(house, 'EUR/USD')).toEqual([]);
    await say(fromMs);
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.08500']);
    expect(await present()).toBe('2 xyz 0.93');
  });

  test('that comes back is a change too, with the payouts that were agreed on meanwhile', async () => {
    await agreeOnRates();
    await house.stepTo(START_MS + 2_000);
    const away = await openWriter(house, other());
    const back = await openWriter(house, new ManualFeed());
    await stepTo(back, house.clock.targetMs + 250);
    const rules = await logged();
    expect(rules.map(({ n, rules: { sources } }) => `${n} ${sources.join('')}`)).toEqual([
      '1 abc',
      '2 abc',
      '3 xyz',
      '4 abc',
    ]);
    expect(rules.slice(1).map(({ rules: { cycles } }) => cycles)).toEqual([RATES, RATES, RATES]);
    const times = rules.map(({ effectiveMs }) => effectiveMs);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    expect(away.waiting?.untilMs).toBeGreaterThan(EFFECTIVE_MS);
    await stepTo(back, Math.ceil((times[3] as number) / 250) * 250);
    expect(await present()).toBe('4 abc 0.92');
  });
});

describe('a holder of the lease', () => {
  test('can’t log payouts that nobody approved, or rules that do not follow the ones before', async () => {
    await agreeOnRates();
    await house.stepTo(START_MS + 2_000);
    const [first, second] = await logged();
    if (!first || !second) throw new Error('the change is not logged');
    const { rules } = second;
    expect(await append({ rules: { ...rules, cycles: [{ minutes: 60, payoutRate: '0.8' }] } })).toBe(
      'RULES_MISMATCH',
    );
    expect(await append({ rules: first.rules })).toBe('RULES_MISMATCH');
    expect(await append({ n: 2 })).toBe('RULES_MISMATCH');
    expect(await append({ n: 4 })).toBe('RULES_MISMATCH');
    expect(await append({ previousHash: rootOfTexts([first.text]) })).toBe('RULES_MISMATCH');
    expect(await append({ effectiveMs: EFFECTIVE_MS })).toBe('RULES_MISMATCH');
    expect(await append({ rules: { ...rules, symbol: 'GBP/USD' } })).toBe('RULES_MISMATCH');
    expect(await append({ rules: { ...rules, delayMs: 999 } })).toBe('RULES_MISMATCH');
    expect(await append({ rules: { ...rules, quorum: 1 } })).toBe('RULES_MISMATCH');
    expect(await append({ rules: { ...rules, quietMs: 0 } })).toBe('RULES_MISMATCH');
    expect(await append({ rules: { ...rules, waitMs: 60_001 } })).toBe('RULES_MISMATCH');
    expect(await append({ rules: { ...rules, outlierBps: 77 } })).toBeNull();
  });

  test('can’t put replaced rules back', async () => {
    await agreeOnRates();
    await house.stepTo(START_MS + 2_000);
    expect(await use('select max(id) from rules r where r.product_id = s.product_id')).toBe('RULES_MISMATCH');
    await house.stepTo(EFFECTIVE_MS);
    expect(await present()).toBe('2 abc 0.92');
    expect(await use('select min(id) from rules r where r.product_id = s.product_id')).toBe('RULES_MISMATCH');
    expect(await use('select max(id) from rules r where r.product_id = s.product_id')).toBeNull();
  });
});

test('the first payouts of a product keep within the bounds of payout tables', async () => {
  await house.db.owner.query(`insert into products
    select 9999, 'NEW/ONE', '{"zh": "new", "tw": "new", "en": "new"}', asset_class, decimals, exposure_group, 9999 from products limit 1`);
  const rules = { ...(await logged())[0]?.rules, symbol: 'NEW/ONE' };
  const first = (payoutRate: string) =>
    failureIn(
      house.db.owner.query(
        `insert into rules (id, product_id, n, hash, effective_ms, entry)
         values (99999999, 9999, 1, sha256('one'), 1, $1)`,
        [
          `rules|4|NEW/ONE|1|1|${'0'.repeat(64)}|${JSON.stringify({ ...rules, cycles: [{ minutes: 60, payoutRate }] })}`,
        ],
      ),
    );
  expect(await first('0.95')).toBe('RULES_MISMATCH');
  expect(await first('0.93')).toBeNull();
});
