import { Random } from '@fairtick/kit/hostile/random.ts';
import { expect, test } from 'vitest';
import { field, OTHER } from './frauds/fraud.ts';
import {
  GRID,
  hashOf,
  KEYS,
  Log,
  type Outcome,
  restart,
  type Sent,
  type Shown,
  STAKE,
  timeOf,
  voided,
  WON,
} from './house.ts';
import { ACCEPTED, DUE, END, honest, OPENS, RULES, SETTLES, START, type Story, tell } from './story.ts';
import { verify } from './verify.ts';

/**
 * Random logs, whose entries are each right by themselves, and random claims about the order in them. A claim that is taken says
 * what the rules of an order, read off the whole log, make of it.
 */
const LOGS = Number(process.env.LOGS ?? 250);
const CLAIMS = 40;

/** A log with silences, gaps and held quotes around the opening and the settlement, and with another symbol's ticks. */
function storyOf(random: Random): Story {
  const step = random.of([-1, 0, 1, 1]);
  const around = [OPENS - 250, OPENS, OPENS + 250, SETTLES - 250, SETTLES, SETTLES + 250];
  const silent = new Set(around.filter(() => random.isLikely(0.12)));
  const gaps = new Set(around.filter(() => random.isLikely(0.06)));
  const heldFrom = random.isLikely(0.3) ? random.of(around) - 500 : END;
  const heldFor = random.whole(1, 14) * GRID;
  const held = new Map<string, Sent>();
  return tell({
    direction: random.of(['up', 'down'] as const),
    terms: random.isLikely(0.3) ? { nonce: null } : {},
    ordersMs: random.isLikely(0.1) ? DUE + random.whole(-10, 10) : ACCEPTED + random.whole(0, 600),
    price: (timeMs) =>
      110_000 +
      Math.floor(((timeMs - START) * step) / 20_000) +
      (timeMs >= SETTLES - 250 ? random.whole(-1, 1) : 0),
    sent: (timeMs, source, own) => {
      const isHeld = timeMs > heldFrom && timeMs <= heldFrom + heldFor && source !== 'gamma';
      if (!isHeld) held.set(source, own);
      return held.get(source) ?? own;
    },
    at: (timeMs, n, tick) => {
      const beside = field(3, String(timeMs - START))(field(2, OTHER)(tick));
      if (silent.has(timeMs)) return [beside];
      return [
        gaps.has(timeMs) ? restart(n, timeMs, hashOf(RULES)) : tick,
        ...(random.isLikely(0.3) ? [beside] : []),
      ];
    },
  });
}

function claimOf(random: Random, story: Story, told: { shown: Shown; outcome: Outcome }): [Shown, Outcome] {
  const own = story.entries.flatMap((text, at) =>
    /^(tick|gap)/.test(text) && text.split('|')[2] === 'EUR/USD' ? [at] : [],
  );
  const edited = (run: readonly number[] | undefined): readonly number[] | undefined => {
    const around = own.indexOf(run?.[0] ?? -1);
    switch (random.whole(0, 7)) {
      case 0:
        return run?.slice(1);
      case 1:
        return run?.slice(0, -1);
      case 2:
        return run && [...run, own[around + run.length] ?? 0];
      case 3:
        return run && [own[around - 1] ?? 0, ...run];
      case 4: {
        const from = Math.max(0, around + random.whole(-2, 2));
        return own.slice(from, from + random.whole(1, 3));
      }
      case 5:
        return undefined;
      case 6:
        return run?.filter(() => random.isLikely(0.7));
      default:
        return run;
    }
  };
  const { opening, settling, ...rest } = told.shown;
  const runs = { opening: edited(opening), settling: random.isLikely(0.2) ? undefined : edited(settling) };
  const given = Object.fromEntries(Object.entries(runs).filter(([, run]) => run && run.length > 0));
  const last = (run: readonly number[] | undefined, at: number) =>
    story.entries[run?.at(at) ?? 0]?.split('|')[5] ?? null;
  const prices = { openPrice: last(runs.opening, -1), settlePrice: last(runs.settling, 0) };
  const outcome = random.of<Outcome>([
    told.outcome,
    { ...prices, result: 'loss', payout: '0.00', voidReason: null },
    { ...prices, result: 'profit', payout: WON, voidReason: null },
    { ...prices, result: 'none', payout: STAKE, voidReason: null },
    { ...told.outcome, settlePrice: null, result: 'profit', payout: WON, voidReason: null },
    { ...told.outcome, result: 'loss', payout: '0.00', voidReason: null },
    ...['hole', 'gap', 'no_open', 'not_logged'].map(voided),
    { ...voided('hole'), payout: STAKE },
  ]);
  const held = random.isLikely(0.2) ? heldOf(random, story, rest.orders) : {};
  return [{ ...rest, ...given, ...held }, outcome];
}

/** A checkpoint of the log around its orders, at a time around theirs. */
function heldOf(random: Random, { entries }: Story, orders: number): Partial<Shown> {
  const timeMs = timeOf(entries[orders] as string) + random.whole(-3, 30);
  return { held: new Log(entries, END).held(orders + random.whole(0, 3), timeMs) };
}

test(`of ${LOGS * CLAIMS} claims about ${LOGS} logs only those are taken that the log bears out`, {
  timeout: 600_000,
}, () => {
  const random = new Random(20_261_127);
  const counts = { refused: 0, true: 0 };
  const wrong: string[] = [];
  for (let number = 0; number < LOGS; number += 1) {
    const story = storyOf(random);
    const told = honest(story);
    const log = new Log(story.entries, END);
    const judge = (shown: Shown, outcome: Outcome) =>
      verify(JSON.stringify(log.receipt(story.order, shown, outcome)), KEYS);
    const first = judge(told.shown, told.outcome);
    if (!first.valid) wrong.push(`${number}: an honest receipt is refused: ${first.refusedBy}: ${first.why}`);
    for (let claim = 0; claim < CLAIMS; claim += 1) {
      const [shown, outcome] = claimOf(random, story, told);
      const verdict = judge(shown, outcome);
      if (!verdict.valid) counts.refused += 1;
      else if (JSON.stringify(outcome) === JSON.stringify(told.outcome)) counts.true += 1;
      else wrong.push(`${number}/${claim}: ${JSON.stringify({ shown, outcome, told })}`);
    }
  }
  console.log(JSON.stringify(counts));
  expect(wrong).toEqual([]);
  expect(counts.refused).toBeGreaterThan(LOGS * CLAIMS * 0.7);
});
