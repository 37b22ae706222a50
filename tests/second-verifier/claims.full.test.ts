import { Random } from '@fairtick/kit/hostile/random.ts';
import { expect, test } from 'vitest';
import { field, OTHER } from './frauds/fraud.ts';
import {
  hashOf,
  KEYS,
  LATE,
  Log,
  type Outcome,
  type Shown,
  STAKE,
  tickEntry,
  timeOf,
  UNFIXED,
  UNOPENED,
  VOIDED,
  WON,
} from './house.ts';
import {
  ACCEPTED,
  DAY,
  DUE,
  END,
  endOf,
  honest,
  OPENS,
  RULES,
  SETTLES,
  START,
  type Story,
  tell,
} from './story.ts';
import { verify } from './verify.ts';

/**
 * Random logs, whose entries are each right by themselves, and random claims about the order in them. A claim that is taken says
 * what the rules of an order, read off the whole log, make of it; but for what the page says a receipt can't show: that a fix or a
 * close was left out.
 */
const LOGS = Number(process.env.LOGS ?? 250);
const CLAIMS = 40;

/** A log with missing fixes, with open, quiet, silent and absent sources, and with another symbol's fixes. */
function storyOf(random: Random): Story {
  const step = random.of([-1, 0, 1, 1]);
  const missing = [OPENS, SETTLES].filter(() => random.isLikely(0.08));
  // One source at most is not closed at a time: a fix with more is not written.
  const states = new Map(
    [OPENS, SETTLES].map((fixMs) => {
      const rare = fixMs === OPENS ? 'none' : 'plain';
      const state = random.of(['plain', 'plain', 'open', 'open', 'said', 'quiet', 'away', rare]);
      return [fixMs, [random.of(['alpha', 'beta', 'gamma']), state]] as const;
    }),
  );
  const dayAfter = (fixMs: number) => () => [tickEntry(9_999, fixMs + DAY, hashOf(RULES))];
  return tell({
    direction: random.of(['up', 'down'] as const),
    terms: random.isLikely(0.3) ? { nonce: null } : {},
    ordersMs: random.isLikely(0.1) ? DUE + random.whole(-10, 10) : ACCEPTED + random.whole(60, 600),
    price: (timeMs) => 110_000 + Math.floor(((timeMs - START) * step) / 20_000) + ((timeMs / 10) % 3),
    record: (fixMs, source, it) => {
      const [of, state] = states.get(fixMs) ?? [];
      if (of !== source || state === 'plain') return it;
      if (state === 'none' || state === 'away') return state;
      if (state === 'said') return { ...it, closing: 'said' };
      if (state === 'quiet') return { ...it, timeMs: fixMs - 2_500 };
      const before = random.whole(0, 1);
      return { ...it, number: it.number - before, timeMs: it.timeMs - 400 * before, closing: 'open' };
    },
    fix: (fixMs, fix) => {
      const beside = field(3, String(fixMs - START))(field(2, OTHER)(fix));
      return [...(missing.includes(fixMs) ? [] : [fix]), ...(random.isLikely(0.3) ? [beside] : [])];
    },
    close: (fixMs, close) => (missing.includes(fixMs) || random.isLikely(0.2) ? null : close),
    more: [
      [OPENS + DAY, dayAfter(OPENS)],
      [SETTLES + DAY, dayAfter(SETTLES)],
    ],
  });
}

function claimOf(random: Random, story: Story, told: { shown: Shown; outcome: Outcome }): [Shown, Outcome] {
  const own = story.entries.flatMap((text, at) => (/^(fix|close)/.test(text) ? [at] : []));
  const edited = (run: readonly number[] | undefined): readonly number[] | undefined => {
    switch (random.whole(0, 6)) {
      case 0:
        return run?.slice(1);
      case 1:
        return run?.slice(0, 1);
      case 2:
        return run && [...run, random.of(own)];
      case 3:
        return run && [...run].reverse();
      case 4:
        return [random.of(own)];
      case 5:
        return undefined;
      default:
        return run;
    }
  };
  const { opening, settling, waited, ...rest } = told.shown;
  const days = [story.entries.length - 1, story.entries.length - 2];
  const lists = {
    opening: edited(opening),
    settling: random.isLikely(0.2) ? undefined : edited(settling),
    waited: random.isLikely(0.1) ? [random.of(days)] : random.isLikely(0.8) ? waited : undefined,
  };
  const given = Object.fromEntries(Object.entries(lists).filter(([, run]) => run && run.length > 0));
  const price = (run: readonly number[] | undefined) =>
    story.entries[run?.at(random.of([0, -1])) ?? 0]?.split('|')[6] ?? null;
  const prices = { openPrice: price(lists.opening), settlePrice: price(lists.settling) };
  const outcome = random.of<Outcome>([
    told.outcome,
    told.outcome,
    { ...prices, result: 'loss', payout: '0.00', voidReason: null },
    { ...prices, result: 'profit', payout: WON, voidReason: null },
    { ...prices, result: 'none', payout: STAKE, voidReason: null },
    { ...told.outcome, result: 'loss', payout: '0.00', voidReason: null },
    UNFIXED,
    UNOPENED,
    LATE,
    { ...UNOPENED, payout: VOIDED },
  ]);
  const held = random.isLikely(0.2) ? heldOf(random, story, rest.orders) : {};
  return [{ ...rest, ...given, ...held }, outcome];
}

/** A checkpoint of the log around its orders, at a time around theirs. */
function heldOf(random: Random, { entries }: Story, orders: number): Partial<Shown> {
  const timeMs = timeOf(entries[orders] as string) + random.whole(-3, 30);
  return { held: new Log(entries, END).held(orders + random.whole(0, 3), timeMs) };
}

/** What the log would say if it had neither what a claim leaves out, nor anything of its time that is not shown. */
function without(story: Story, shown: Shown): Outcome {
  const listed = new Set([...(shown.opening ?? []), ...(shown.settling ?? [])]);
  const isLeft = (text: string, at: number): boolean => /^(fix|close)/.test(text) && !listed.has(at);
  const entries = story.entries.map((text, at) => (isLeft(text, at) ? `audit|4|${at}|x` : text));
  return honest({ ...story, entries }).outcome;
}

test(`of ${LOGS * CLAIMS} claims about ${LOGS} logs only those are taken that the log bears out`, {
  timeout: 600_000,
}, () => {
  const random = new Random(20_261_127);
  const counts = { refused: 0, true: 0, leftOut: 0 };
  const wrong: string[] = [];
  for (let number = 0; number < LOGS; number += 1) {
    const story = storyOf(random);
    const told = honest(story);
    const log = new Log(story.entries, endOf(story));
    const judge = (shown: Shown, outcome: Outcome) =>
      verify(JSON.stringify(log.receipt(story.order, shown, outcome)), KEYS);
    const first = judge(told.shown, told.outcome);
    if (!first.valid) wrong.push(`${number}: an honest receipt is refused: ${first.refusedBy}: ${first.why}`);
    for (let claim = 0; claim < CLAIMS; claim += 1) {
      const [shown, outcome] = claimOf(random, story, told);
      const verdict = judge(shown, outcome);
      if (!verdict.valid) counts.refused += 1;
      else if (JSON.stringify(outcome) === JSON.stringify(told.outcome)) counts.true += 1;
      else if (JSON.stringify(outcome) === JSON.stringify(without(story, shown))) counts.leftOut += 1;
      else wrong.push(`${number}/${claim}: ${JSON.stringify({ shown, outcome, told })}`);
    }
  }
  console.log(JSON.stringify(counts));
  expect(wrong).toEqual([]);
  expect(counts.refused).toBeGreaterThan(LOGS * CLAIMS * 0.7);
  expect(counts.leftOut).toBeLessThan(LOGS * CLAIMS * 0.05);
});
