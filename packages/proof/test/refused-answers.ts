/** Changes of the answer about a logged order, and how each is refused. */
import type { LoggedAnswer } from '../src/index.ts';
import { loggedOf, receiptOf, STRANGERS_KEY, story, withEntries } from './story.ts';

/** An answer, and its fault as `check: fault`. */
export interface RefusedAnswer {
  readonly answer: unknown;
  readonly fault: string;
}

const won = story('won');
const other = (hex: string | undefined) => `${hex?.startsWith('0') ? '1' : '0'}${hex?.slice(1)}`;
const changed = (proof: readonly string[]) => [other(proof[0]), ...proof.slice(1)];

/** @param right the answer about the story `won` */
export function refusedAnswers(right: LoggedAnswer): Readonly<Record<string, RefusedAnswer>> {
  const { entry, index, entryProof, rules, beforeAccept, consistency } = right;
  const orders = { index, entry, proof: entryProof };
  const form = (answer: unknown, fault = 'this is no answer about an acceptance') => ({
    answer,
    fault: `form: ${fault}`,
  });
  return {
    'it is null': form(null),
    'it has a member more': form({ ...right, more: 1 }),
    'it lacks the rules': form({ ...right, rules: null }),
    'it is about another batch': form({ ...right, batch: 6 }, 'this is an answer about another batch'),
    'its entry carries no orders': form(
      { ...right, entry: beforeAccept.entry },
      'the entry at 5 is no orders entry',
    ),
    'its rules are none': form({ ...right, rules: beforeAccept }, 'the rules are none'),
    'rules stand for the entry before the acceptance': form(
      { ...right, beforeAccept: rules },
      'the entry at 0 is no beforeAccept',
    ),
    'its key hands over nothing': form({ ...right, keys: [orders] }, 'the entry at 5 hands over no key'),
    'its rules are others than the acceptance names': {
      answer: {
        ...right,
        rules: { ...rules, entry: rules.entry.replace('"outlierBps":100', '"outlierBps":99') },
      },
      fault: 'rules: the rules that the acceptance names are not shown',
    },
    'another key signed its checkpoint': {
      answer: loggedOf({ ...won, held: { key: STRANGERS_KEY.signerKey } }),
      fault: 'checkpoint: the checkpoint is not signed by a key that is trusted',
    },
    'its checkpoint is one of acceptances': {
      answer: { ...right, checkpoint: receiptOf(won).acceptance.signed },
      fault: 'checkpoint: the checkpoint is not signed by the key of its log',
    },
    'its entry stands elsewhere': {
      answer: { ...right, index: 4 },
      fault: 'entries: the entry at 4 is not in the log of the checkpoint',
    },
    'its checkpoint does not cover the entry': {
      answer: loggedOf({ ...won, held: { size: 5 } }),
      fault: 'entries: the entry at 5 is not in the log of the checkpoint',
    },
    'its checkpoint is older than the entry': {
      answer: loggedOf({ ...won, held: { timeMs: 1 } }),
      fault: 'entries: the entry at 4 is later than the checkpoint',
    },
    'its log is not the one that the acceptance names': {
      answer: { ...loggedOf(withEntries(won, { 2: won.log[1] as string })), consistency },
      fault: 'consistency: the log of the acceptance is not the beginning of the log of the checkpoint',
    },
    'its proof starts at another log': {
      answer: { ...right, consistency: { ...consistency, fromSize: 4 } },
      fault: 'consistency: the consistency proof does not start at the log of the acceptance',
    },
    'its entry before the acceptance is an older one': {
      answer: { ...right, beforeAccept: orders },
      fault: 'consistency: the entry before the acceptance is not the last one of its log',
    },
    'its batch is another': {
      answer: { ...right, batchProof: changed(right.batchProof) },
      fault: 'logged: the batch is not under the root of the orders entry',
    },
    'its entry does not name the order': {
      answer: loggedOf({ ...won, asked: [] }),
      fault: 'logged: the orders entry does not name what was asked for',
    },
    'its entry gives the batch another time': {
      answer: loggedOf({ ...won, batchesMs: { lastMs: right.batch } }),
      fault: 'form: the entry at 5 is no orders entry',
    },
  };
}
