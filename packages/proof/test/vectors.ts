import { type Receipt, verifyReceipt } from '../src/index.ts';
import { ACCEPTANCES_KEY, LOG_KEY, receiptOf, STORIES, TRUSTED } from './story.ts';

/** A change of one value of a receipt, by its JSON pointer, and the step that refuses it. */
interface Refused {
  readonly of: string;
  readonly pointer: string;
  readonly value: unknown;
  readonly refusedBy: string;
}

const WON = 'won';

/** Receipts of every form from fixed keys, and changes that must be refused: what a verifier can be tried on. */
export function makeVectors(): object {
  const receipts = Object.fromEntries(
    Object.entries(STORIES).map(([name, told]) => {
      const receipt = receiptOf(told);
      const { isValid, limits, shown } = verifyReceipt(receipt, { keys: TRUSTED });
      if (!isValid) throw new Error(`the receipt of "${name}" is not valid`);
      return [name, { form: shown?.form, limits, receipt }];
    }),
  );
  return {
    about: 'Made by `npm run receipt-vectors`; docs/receipt-format.md says what for.',
    keys: { log: LOG_KEY.verifierKey, acceptances: ACCEPTANCES_KEY.verifierKey },
    receipts,
    refused: refusedOf(receiptOf(STORIES[WON] as (typeof STORIES)[string])),
  };
}

function refusedOf(receipt: Receipt): Refused[] {
  const other = (text: string) => (text.startsWith('0') ? `1${text.slice(1)}` : `0${text.slice(1)}`);
  const { acceptance, batch, entries, consistency, seen, checkpoint, outcome } = receipt;
  const [rules, , orders] = entries;
  const changes: readonly (readonly [string, unknown])[] = [
    ['/version', 2],
    ['/acceptance/text', acceptance.text.replace('\nup\n', '\ndown\n')],
    ['/acceptance/index', acceptance.index - 1],
    ['/acceptance/size', acceptance.size + 1],
    ['/acceptance/proof/0', other(acceptance.proof[0] ?? '')],
    ['/acceptance/signed', acceptance.signed.replace('\n3\n', '\n4\n')],
    ['/batch/number', (batch?.number ?? 0) - 1],
    ['/batch/proof/0', other(batch?.proof[0] ?? '')],
    ['/entries/0/index', (rules?.index ?? 0) + 1],
    ['/entries/0/entry', rules?.entry.replace('"0.8"', '"0.9"')],
    ['/entries/0/proof/0', other(rules?.proof[0] ?? '')],
    ['/entries/2/entry', orders?.entry.replace('|3|1|', '|4|1|')],
    ['/entries/5/role', 'beforeOpen'],
    ['/entries/7/entry', entries[7]?.entry.replace('1.08451', '1.08452')],
    ['/checkpoint', checkpoint.replace('example.com', 'example.org')],
    ['/consistency/fromSize', consistency.fromSize - 1],
    ['/consistency/fromRoot', other(consistency.fromRoot)],
    ['/consistency/proof/0', other(consistency.proof[0] ?? '')],
    ['/seen', null],
    ['/seen/proof/0', other(seen?.proof[0] ?? '')],
    ['/outcome/openPrice', '1.08426'],
    ['/outcome/settlePrice', null],
    ['/outcome/result', 'loss'],
    ['/outcome/payout', `${outcome.payout.slice(0, -1)}2`],
    ['/outcome/voidReason', 'stale'],
  ];
  return changes.map(([pointer, value]) => {
    const changed = applied(receipt, pointer, value);
    const step = verifyReceipt(changed, { keys: TRUSTED }).steps.find(({ state }) => state === 'refuted');
    if (!step) throw new Error(`${pointer} makes no difference`);
    return { of: WON, pointer, value, refusedBy: step.id };
  });
}

/** The receipt with another value at a JSON pointer. */
export function applied(receipt: unknown, pointer: string, value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(receipt));
  const parts = pointer.split('/').slice(1);
  const last = parts.pop() as string;
  let holder = copy;
  for (const part of parts) holder = holder[part];
  holder[last] = value;
  return copy;
}
