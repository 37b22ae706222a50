/** Frauds with times: of acceptances, openings, checkpoints and entries; and what is just allowed. */
import { leafHash, rootOf, timeExtension, toHex } from '../src/index.ts';
import {
  ACCEPTED_MS,
  AT,
  agreed,
  type Fraud,
  loggedAt,
  openedLatest,
  RULES_HASH,
  rules,
  SIGNED_MS,
  STRANGERS_KEY,
  type Story,
  story,
  withEntries,
} from './story.ts';

const won = story('won');

/** The log that the acceptance names has this many entries. */
const withLog = (logSize: number, terms: Story['terms'] = {}): Story => ({
  ...won,
  shown: won.shown.map(([role, at]) => [role, role === 'beforeAccept' ? logSize - 1 : at] as const),
  terms: { logSize, ...terms },
});
/** Accepted at this time, under a log whose last entry is of 250 ms before the second after {@link AT.before}. */
const acceptedLater = (ms: number): Story => ({
  ...withEntries(loggedAt(won, 6, AT.before + 1_250), { 4: agreed(41, AT.before + 750, '1.08400') }),
  terms: { acceptedAt: ms },
});
const seenRoot = toHex(rootOf(won.log.slice(0, 5).map((text) => leafHash(text))));
const NOT_ALLOWED = 'rules: the order opens at a time that the rules do not allow';
const OTHER_TIME = 'logged: the acceptance is of another time than the orders entry gives its batch';

export const TIMES: Readonly<Record<string, Fraud>> = {
  'an opening sooner than D after the acceptance': {
    told: acceptedLater(AT.before + 1_001),
    fault: NOT_ALLOWED,
  },
  'an opening more than ten seconds later than it may be': {
    told: {
      ...openedLatest({ acceptedAt: AT.before - 1, logSize: 3 }),
      shown: openedLatest().shown.map(([role, at]) => [role, role === 'beforeAccept' ? 2 : at] as const),
    },
    fault: NOT_ALLOWED,
  },
  'an opening that the server chose, and not the first': {
    told: { ...won, terms: { acceptedAt: AT.before, asked: null } },
    fault: NOT_ALLOWED,
  },
  'an opening that moved after its settlement was set': {
    told: { ...won, terms: { opensAt: AT.opens + 1_000 } },
    fault: 'rules: the settlement time is not the opening time plus the cycle',
  },
  'an opening that moved by a second': {
    told: { ...won, terms: { opensAt: AT.opens + 1_000, settlesAt: AT.settles + 1_000 } },
    fault: 'opening: the fix at 7 is of another second',
  },
  'an acceptance backdated': {
    told: { ...won, terms: { acceptedAt: AT.before - 1 } },
    fault: 'consistency: the acceptance says an earlier time than the log that it names had reached',
  },
  'an acceptance 501 ms after the last entry of its log': {
    told: withLog(2, { acceptedAt: AT.before + 1, seenSize: null, seenRoot: null }),
    fault: 'consistency: the acceptance is not of the moment of the log that it names',
  },
  'an acceptance after rules, which have no time': {
    told: withEntries(won, { 4: rules(2, AT.settles + 600_000, RULES_HASH) }),
    fault: 'form: the entry at 4 is no beforeAccept',
  },
  'an acceptance with an older log than was seen': {
    told: withLog(4, { seenSize: 5, seenRoot }),
    fault: 'seen: the acceptance names an older log than the customer had seen',
  },
  'an acceptance later than its entry': {
    told: {
      ...won,
      loggedMs: ACCEPTED_MS - 1,
      batchesMs: { firstMs: ACCEPTED_MS - 1, lastMs: ACCEPTED_MS - 1 },
    },
    fault: OTHER_TIME,
  },
  'a last batch of before the last': {
    told: { ...won, batchesMs: { lastMs: ACCEPTED_MS + 1 } },
    fault: OTHER_TIME,
  },
  'a first batch of after the first': {
    told: { ...won, neighbours: 0, followers: 1, batchesMs: { firstMs: ACCEPTED_MS - 1 } },
    fault: OTHER_TIME,
  },
  'a batch of before the first': {
    told: { ...won, followers: 1, batchesMs: { firstMs: ACCEPTED_MS + 1 } },
    fault: OTHER_TIME,
  },
  'a batch of after the last': {
    told: { ...won, followers: 1, batchesMs: { lastMs: ACCEPTED_MS - 1 } },
    fault: OTHER_TIME,
  },
  'a checkpoint without its time': {
    told: { ...won, extensions: [] },
    fault: 'checkpoint: the checkpoint does not say its time, or says more',
  },
  'a checkpoint older than its entries': {
    told: { ...won, extensions: [timeExtension(AT.settles)] },
    fault: 'entries: the entry at 10 is later than the checkpoint',
  },
  'an entry older than one before it': {
    told: { ...won, loggedMs: AT.opens + 500 },
    fault: 'entries: the entry at 7 is older than one before it',
  },
};

const COVERED = 'held: the checkpoint soon after the order does not cover its batch';
const NO_BEGINNING = 'held: the log soon after the order is not the beginning of the log of the checkpoint';
const NOT_BETWEEN =
  'held: the checkpoint soon after the order is not of a time between its batch and the last one';

/** Frauds with the first checkpoint over the batch. */
export const HELD_FRAUDS: Readonly<Record<string, Fraud>> = {
  'a held checkpoint of another log': {
    told: { ...won, held: { log: won.log.with(2, agreed(40, AT.before - 250, '1.08391')) } },
    fault: NO_BEGINNING,
  },
  'a held checkpoint that does not cover the batch': { told: { ...won, held: { size: 5 } }, fault: COVERED },
  'a held checkpoint later than the last one': {
    told: { ...won, held: { size: won.log.length + 1 } },
    fault: NO_BEGINNING,
  },
  'a held checkpoint older than its entries': {
    told: { ...won, held: { timeMs: AT.logged - 1 } },
    fault: NOT_BETWEEN,
  },
  'a held checkpoint of a later time than the last one': {
    told: { ...won, held: { timeMs: SIGNED_MS + 1 } },
    fault: NOT_BETWEEN,
  },
  'a held checkpoint that another key signed': {
    told: { ...won, held: { key: STRANGERS_KEY.signerKey } },
    fault: 'held: of the log soon after the order, the checkpoint is not signed by a key that is trusted',
  },
};

/** Valid, each at the bound of a fraud above. */
export const CLOSE_IN_TIME: Readonly<Record<string, Story>> = {
  'won, opened D after the acceptance': acceptedLater(AT.before + 1_000),
  'won, logged a second before it opens': loggedAt(won, 6, AT.deadline),
  'won, accepted with an older log': withLog(4),
  'won, accepted 500 ms after the last entry of its log': withLog(2, {
    acceptedAt: AT.before,
    seenSize: null,
    seenRoot: null,
  }),
  'won, with a held checkpoint that covers more': { ...won, held: { size: 8, timeMs: AT.opens } },
  'won, with the last checkpoint as the held one': {
    ...won,
    held: { size: won.log.length, timeMs: SIGNED_MS },
  },
};
