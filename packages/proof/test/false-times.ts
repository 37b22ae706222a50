/** Frauds with times: of acceptances, checkpoints and entries. */
import { leafHash, rootOf, timeExtension, toHex } from '../src/index.ts';
import type { Fraud } from './signed-frauds.ts';
import { AT, type Story, story } from './story.ts';

const won = story('won');

/** Accepted at `ms`, with the settlement time that follows for one minute. */
const acceptedAt = (ms: number): Story => ({
  ...won,
  terms: { acceptedAt: ms, settlesAt: Math.ceil((ms + 60_000) / 1000) * 1000 },
});
export const olderLog: Story = {
  ...won,
  shown: [won.shown[0] as Story['shown'][number], ['beforeAccept', 3], ...won.shown.slice(2)],
};
const seenRoot = toHex(rootOf(won.log.slice(0, 5).map((text) => leafHash(text))));
export const TIMES: Readonly<Record<string, Fraud>> = {
  'an acceptance backdated': {
    told: acceptedAt(AT.before - 1),
    fault: 'consistency: the acceptance says an earlier time than the log that it names had reached',
  },
  'an acceptance postdated': {
    told: acceptedAt(AT.logged + 1),
    fault: 'logged: the orders entry is older than the acceptance',
  },
  'an acceptance with an older log than was seen': {
    told: { ...olderLog, terms: { logSize: 4, seenSize: 5, seenRoot } },
    fault: 'seen: the acceptance names an older log than the customer had seen',
  },
  'a checkpoint without its time': {
    told: { ...won, extensions: [] },
    fault: 'checkpoint: the checkpoint does not say its time, or says more',
  },
  'a checkpoint older than its entries': {
    told: { ...won, extensions: [timeExtension(AT.settles - 1)] },
    fault: 'entries: the entry at 15 is later than the checkpoint',
  },
  'an entry older than one before it': {
    told: { ...won, loggedMs: AT.grid + 50 },
    fault: 'entries: the entry at 9 is older than one before it',
  },
};
