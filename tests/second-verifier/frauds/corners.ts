import { hashOf, rulesEntry } from '../house.ts';
import { OPENS, RULES, SETTLES, START, tell } from '../story.ts';
import { ASKED, ENTRIES, FIXES, HASH } from './corners-of-entries.ts';
import { type Corners, HAND_OVERS, NOTES, SIGNATURES, text } from './corners-of-notes.ts';
import { ACCEPTED_LINES, RULES_JSON } from './corners-of-terms.ts';
import { commit, field, part, parts, placeOf, plus } from './fraud.ts';

/** Number and time of alpha's record after the opening. */
const AFTER_OPENING = ((): readonly string[] => {
  const { entries } = tell();
  const told = { entries } as Parameters<typeof placeOf>[0];
  return (entries[placeOf(told, OPENS)]?.split('|')[8]?.split(';')[0]?.split(',').slice(5, 7) ??
    []) as string[];
})();

const settledIn = (edit: (fix: string) => string, decimals: number): string => {
  const rules = rulesEntry(2, SETTLES - 5_000, RULES, { decimals });
  return commit({
    choices: {
      more: [[SETTLES - 5_000, () => [rules]]],
      fix: (fixMs, fix) => (fixMs === SETTLES ? field(7, hashOf(rules))(edit(fix)) : fix),
    },
    outcome: () => ({ settlePrice: decimals === 6 ? '1.100660' : '1.1006' }),
  });
};
const longer = (fix: string): string => fix.replaceAll(/1\.1[0-9]{4}/g, (price) => `${price}0`);
const shorter = (fix: string): string => fix.replaceAll(/(1\.1[0-9]{3})[0-9]/g, '$1');
/** The settlement names alpha's record after the opening, which is quiet by then, at this price. */
const recalling = (price: string) => (fix: string) => {
  const [number, timeMs] = AFTER_OPENING;
  return parts((all) => all.with(0, `alpha,${number},${timeMs},${price},quiet,said`))(shorter(fix));
};
/** Two of three records, whose mean is rounded down. */
const even = (price: string): string =>
  commit({
    choices: {
      record: (fixMs, source, it) => (fixMs === SETTLES && source === 'gamma' ? 'away' : it),
      fix: (fixMs, fix) => (fixMs === SETTLES ? field(6, price)(fix) : fix),
    },
  });
/** A record of alpha so long before the settlement. */
const aged = (ms: number): string =>
  commit({
    choices: {
      record: (fixMs, source, it) =>
        fixMs === SETTLES && source === 'alpha' ? { ...it, timeMs: SETTLES - ms } : it,
      fix: (fixMs, fix) => (fixMs === SETTLES ? part(0, 4, () => 'use')(field(6, '1.10066')(fix)) : fix),
    },
  });
const waited = (ms: number): string =>
  commit({
    choices: {
      rules: rulesEntry(1, START, null, { waitMs: 3_000 + ms }),
      record: (fixMs, source, it) =>
        fixMs === SETTLES && source === 'alpha' ? { ...it, closing: 'open' } : it,
    },
  });
const PRICES: Corners = {
  'other decimals by the rules': [settledIn(longer, 6), 'valid'],
  'other decimals than the rules': [settledIn((fix) => fix, 6), 'prices'],
  'fewer decimals by the rules': [settledIn(shorter, 4), 'valid'],
  'fewer decimals, of a record that the opening shows with more': [
    settledIn(recalling('1.1000'), 4),
    'valid',
  ],
  'fewer decimals, of that record with other digits': [settledIn(recalling('1.1001'), 4), 'prices'],
  'all sources away': [
    commit({
      choices: {
        record: (fixMs, _, it) => (fixMs === SETTLES ? 'away' : it),
        fix: (fixMs, fix) => (fixMs === SETTLES ? field(6, '1.10066')(fix) : fix),
      },
    }),
    'prices',
  ],
  'an even number of records': [even('1.10065'), 'valid'],
  'an even number of records, rounded up': [even('1.10066'), 'prices'],
  'a record of exactly quietMs': [aged(2_400), 'valid'],
  'a record a millisecond older': [aged(2_401), 'prices'],
  'an open record waited for to the millisecond': [waited(0), 'valid'],
  'an open record waited for a millisecond less': [waited(1), 'prices'],
  'a close that repeats its use': [
    commit({
      choices: {
        record: (fixMs, source, it) =>
          fixMs === SETTLES && source === 'alpha' ? { ...it, closing: 'open' } : it,
        close: (fixMs, close) => (fixMs === SETTLES ? part(1, 4, () => 'quiet')(close) : close),
      },
    }),
    'prices',
  ],
  'a close in another order': [
    commit({
      choices: {
        record: (fixMs, source, it) =>
          fixMs === SETTLES && source === 'alpha' ? { ...it, closing: 'open' } : it,
        close: (fixMs, close) => (fixMs === SETTLES ? parts((all) => [...all].reverse())(close) : close),
      },
    }),
    'form',
  ],
  'a record after it of a million more': [
    commit({
      choices: { fix: (fixMs, fix) => (fixMs === SETTLES ? part(1, 5, plus(1_000_000))(fix) : fix) },
    }),
    'valid',
  ],
};

const updated = (updates: readonly object[]): string =>
  text((receipt) => {
    receipt.updates = updates.map((each) => ({
      ...each,
      index: receipt.entries.find((one: { role: string }) => one.role === 'opening').index,
    }));
  });
const DOCUMENT: Corners = {
  '2 000 000 characters': [text(() => {}).padEnd(2_000_000), 'valid'],
  '2 000 001 characters': [text(() => {}).padEnd(2_000_001), 'form'],
  'a hash in capitals': [
    text((receipt) => {
      receipt.consistency.fromRoot = receipt.consistency.fromRoot.toUpperCase();
    }),
    'form',
  ],
  'no updates': [updated([]), 'form'],
  'an update of no bytes': [updated([{ index: 0, update: '', next: null }]), 'updates'],
  'an update that is no base64': [updated([{ index: 0, update: 'a', next: null }]), 'updates'],
  'five levels': [
    text((receipt) => {
      receipt.batch.proof = [[[[0]]]];
    }),
    'form',
  ],
  'a hundred thousand levels': [`${'['.repeat(100_000)}`, 'form'],
  'a proof of 55 hashes': [
    text((receipt) => {
      receipt.batch.proof = Array(55).fill(HASH);
    }),
    'form',
  ],
  'a proof of 54 hashes': [
    text((receipt) => {
      receipt.batch.proof = Array(54).fill(HASH);
    }),
    'logged',
  ],
  'a text of 128 KiB that is no note': [
    text((receipt) => {
      receipt.checkpoint = 'x'.repeat(128 * 1024);
    }),
    'checkpoint',
  ],
};

export const CORNERS: Readonly<Record<string, Corners>> = {
  notes: NOTES,
  signatures: SIGNATURES,
  'hand-overs': HAND_OVERS,
  entries: ENTRIES,
  asked: ASKED,
  fixes: FIXES,
  rules: RULES_JSON,
  acceptances: ACCEPTED_LINES,
  prices: PRICES,
  document: DOCUMENT,
};
