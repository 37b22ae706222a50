import {
  type Acceptance,
  contradictionOf,
  formatAsked,
  hashAsked,
  parseAcceptance,
  type Receipt,
  toHex,
  verifyLogged,
  verifyReceipt,
} from '../src/index.ts';
import { PYTH_FRAUDS, SIGNED_STORIES } from './pyth/signed-stories.ts';
import { refusedAnswers } from './refused-answers.ts';
import { CLOSE_TO_FRAUD, SIGNED_FRAUDS } from './signed-frauds.ts';
import {
  ACCEPTANCES_KEY,
  AT,
  carriedAgain,
  handOver,
  LOG_KEY,
  loggedOf,
  NEXT_LOG_KEY,
  NONCE,
  receiptOf,
  STORIES,
  STRANGERS_KEY,
  type Story,
  TRUSTED,
  WITNESSED,
  WITNESSES,
} from './story.ts';

/** A change of one value of a receipt, by its JSON pointer, and the step that must refuse it. */
interface Refused {
  readonly of: string;
  readonly pointer: string;
  readonly value: unknown;
  readonly refusedBy: string;
}

const WON = 'won';
const LATE = 'void, logged too late';
const FOLLOWED = 'won, signed with keys that followed';

/** Test vectors for other verifiers: receipts of every form from fixed keys, and changes that must be refused. */
export function makeVectors(): object {
  const receipts = Object.fromEntries(
    Object.entries({ ...STORIES, ...CLOSE_TO_FRAUD, ...SIGNED_STORIES }).map(([name, told]) => {
      const receipt = receiptOf(told);
      const { isValid, limits, shown } = verifyReceipt(receipt, { keys: TRUSTED });
      const witnessed = verifyReceipt(receipt, { keys: WITNESSED }).shown;
      if (!isValid) throw new Error(`the receipt of "${name}" is not valid`);
      const witnesses = witnessed?.witnesses.length;
      const witnessedBefore = witnessed?.witnessedBefore?.length;
      return [name, { form: shown?.form, limits, witnesses, witnessedBefore, receipt }];
    }),
  );
  return {
    about: 'Made by `npm run receipt-vectors`; docs/receipt-format.md says what for.',
    keys: { log: LOG_KEY.verifierKey, acceptances: ACCEPTANCES_KEY.verifierKey },
    witnesses: WITNESSES.map(({ verifierKey }) => verifierKey),
    receipts,
    frauds: Object.fromEntries(
      Object.entries({ ...SIGNED_FRAUDS, ...PYTH_FRAUDS }).map(([name, { told }]) => [name, fraud(told)]),
    ),
    asked: [
      asked(WON, NONCE),
      asked('won, opened at the latest time that may be named', NONCE),
      asked(WON, NONCE.replace('0', '1')),
      asked('won, the server chose the opening time', NONCE),
    ],
    evidence: {
      'won, and nothing contradicts': evidence(told(WON), null),
      'logged too late, and nothing contradicts': evidence(told(LATE), null, told(LATE)),
      'of keys that followed, and nothing contradicts': evidence(told(FOLLOWED), null, told(FOLLOWED)),
      'a win voided as logged too late, by carrying its batch once more': evidence(carriedAgain(), 'orders'),
      'a stake that became smaller': evidence(
        {
          ...told(WON),
          terms: { amount: '1.000000' },
          outcome: { ...told(WON).outcome, payout: '1.800000' },
        },
        'acceptance',
      ),
      'a log that does not go on from the one shown before': evidence(
        { ...told(WON), held: { size: 7 } },
        'checkpoint',
      ),
    },
    refusedEvidence: Object.fromEntries(
      Object.entries(refusedAnswers(loggedOf(told(WON)))).map(([name, { answer }]) => [
        name,
        refusedEvidence(answer),
      ]),
    ),
    refused: [...refusedOf(receiptOf(told(WON))), ...refusedHandOvers(receiptOf(told(FOLLOWED)))],
  };
}

function told(name: string): Story {
  const found = STORIES[name];
  if (!found) throw new Error(`there is no story "${name}"`);
  return found;
}

/** Everything is signed and proved correctly, but the content must be refused. */
function fraud(told: Story): { refusedBy: string; receipt: Receipt } {
  const receipt = receiptOf(told);
  return { refusedBy: refusedBy(receipt), receipt };
}

/** Whether the acceptance of a receipt names what was asked for with a nonce. */
function asked(of: string, nonce: string): object {
  const terms = parseAcceptance(receiptOf(told(of)).acceptance.text) as Acceptance;
  const text = formatAsked({ ...terms, nonce });
  return { of, nonce, text, agrees: toHex(hashAsked({ ...terms, nonce })) === terms.asked };
}

/** What the customer of an order holds, and a receipt that contradicts it or not. */
function evidence(
  later: Story,
  contradiction: ReturnType<typeof contradictionOf>,
  first: Story = told(WON),
): object {
  const receipt = receiptOf(later);
  if (!verifyReceipt(receipt, { keys: TRUSTED }).isValid) throw new Error('the receipt is not valid');
  const { acceptance } = receiptOf(first);
  const answer = loggedOf(first);
  const { found } = verifyLogged(acceptance, answer, { keys: TRUSTED });
  if (
    !found ||
    contradictionOf({ acceptanceText: acceptance.text, logged: answer }, receipt) !== contradiction
  )
    throw new Error('the evidence is not as said');
  return { acceptance, answer, isInTime: found.isInTime, contradiction, receipt };
}

/** An answer about the won order that is refused. */
function refusedEvidence(answer: unknown): object {
  const { acceptance } = receiptOf(told(WON));
  const { refusedBy } = verifyLogged(acceptance, answer, { keys: TRUSTED });
  if (refusedBy === null) throw new Error('the evidence is not refused');
  return { acceptance, answer, refusedBy };
}

/** Invalid changes of the hand-overs at log indexes 2 and 3, the last two entries shown. */
function refusedHandOvers(receipt: Receipt): Refused[] {
  const at = receipt.entries.length - 2;
  const [first, second] = receipt.entries.slice(at);
  const strange = handOver(0, STRANGERS_KEY, NEXT_LOG_KEY);
  const changes: readonly (readonly [string, unknown])[] = [
    [`/entries/${at}`, second],
    [`/entries/${at + 1}`, first],
    [`/entries/${at}/index`, (first?.index ?? 0) - 1],
    [`/entries/${at + 1}/index`, (second?.index ?? 0) + 1],
    [`/entries/${at + 1}/entry`, first?.entry],
    [`/entries/${at + 1}/entry`, strange],
    [`/entries/${at + 1}/entry`, second?.entry.replace('|4|', '|3|')],
    [`/entries/${at + 1}/entry`, second?.entry.replaceAll('example.com', 'example.org')],
    [`/entries/${at + 1}/role`, 'settling'],
    ['/entries', receipt.entries.slice(0, -1)],
    ['/entries', receipt.entries.toSpliced(at, 1)],
  ];
  return changes.map(([pointer, value]) => refusal(FOLLOWED, receipt, pointer, value));
}

function refusal(of: string, receipt: Receipt, pointer: string, value: unknown): Refused {
  return { of, pointer, value, refusedBy: refusedBy(applied(receipt, pointer, value)) };
}

function refusedBy(receipt: unknown): string {
  const step = verifyReceipt(receipt, { keys: TRUSTED }).steps.find(({ state }) => state === 'refuted');
  if (!step) throw new Error('the receipt is not refused');
  return step.id;
}

function refusedOf(receipt: Receipt): Refused[] {
  const other = (text: string) => (text.startsWith('0') ? `1${text.slice(1)}` : `0${text.slice(1)}`);
  const { acceptance, batch, entries, consistency, seen, held, checkpoint, outcome } = receipt;
  const [rules, , orders] = entries;
  const fix = entries.at(-1);
  const changes: readonly (readonly [string, unknown])[] = [
    ['/version', 3],
    ['/acceptance/text', acceptance.text.replace('\nup\n', '\ndown\n')],
    ['/acceptance/text', acceptance.text.replace(`\n${AT.opens}\n`, `\n${AT.opens + 1_000}\n`)],
    ['/acceptance/text', acceptance.text.replace(`\n${AT.opens}\n`, `\n${AT.opens + 250}\n`)],
    ['/acceptance/index', acceptance.index - 1],
    ['/acceptance/size', acceptance.size + 1],
    ['/acceptance/proof/0', other(acceptance.proof[0] ?? '')],
    ['/acceptance/signed', acceptance.signed.replace('\n3\n', '\n4\n')],
    ['/batch', { number: 7, ...batch }],
    ['/batch/proof/0', other(batch.proof[0] ?? '')],
    ['/entries/0/index', (rules?.index ?? 0) + 1],
    ['/entries/0/entry', rules?.entry.replace('"0.8"', '"0.9"')],
    ['/entries/0/entry', rules?.entry.replace('"quorum":3', '"quorum":2')],
    ['/entries/0/entry', rules?.entry.replace('"quietMs":10000', '"quietMs":0')],
    ['/entries/0/proof/0', other(rules?.proof[0] ?? '')],
    ['/entries/2/entry', orders?.entry.replace('|5|7|', '|5|8|')],
    ['/entries/2/entry', orders?.entry.replace('|5|7|', '|5|65541|')],
    ['/entries/2/entry', orders?.entry.replace(/\|(\d+)\|([0-9a-f]{64})\|/, '|1$1|$2|')],
    ['/entries/2/entry', orders?.entry.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    ['/entries/2/entry', orders?.entry.slice(0, -1)],
    ['/entries/1/role', 'rules'],
    ['/entries/3/role', 'settling'],
    ['/entries/3/role', 'waited'],
    ['/entries/4/entry', fix?.entry.replace('1.08451', '1.08452')],
    ['/entries/4/entry', fix?.entry.replace('|13|', '|0|')],
    ['/entries/4/entry', fix?.entry.replace(`|${AT.settles}|`, `|${AT.settles + 1}|`)],
    ['/entries/4/entry', fix?.entry.replace('fix|', 'close|')],
    ['/entries/4/entry', fix?.entry.replace(/,said$/, ',shut')],
    ['/entries/4/role', 'opening'],
    ['/entries/4/role', 'waited'],
    ['/entries', entries.toSpliced(3, 1)],
    ['/checkpoint', checkpoint.replace('example.com', 'example.org')],
    ['/checkpoint', checkpoint.replace('time ', 'time 1')],
    ['/consistency/fromSize', consistency.fromSize - 1],
    ['/consistency/fromRoot', other(consistency.fromRoot)],
    ['/consistency/proof/0', other(consistency.proof[0] ?? '')],
    ['/seen', null],
    ['/seen/proof/0', other(seen?.proof[0] ?? '')],
    ['/held', null],
    ['/held/checkpoint', checkpoint],
    ['/held/checkpoint', held.checkpoint.replace('time ', 'time 1')],
    ['/held/proof', []],
    ['/held/proof/0', other(held.proof[0] ?? '')],
    ['/outcome/openPrice', '1.08426'],
    ['/outcome/settlePrice', null],
    ['/outcome/result', 'loss'],
    ['/outcome/payout', `${outcome.payout.slice(0, -1)}2`],
    ['/outcome/voidReason', 'no_price'],
    ['/outcome/voidReason', 'gap'],
  ];
  return changes.map(([pointer, value]) => refusal(WON, receipt, pointer, value));
}

/** The receipt with the value at a JSON pointer replaced. */
export function applied(receipt: unknown, pointer: string, value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(receipt));
  const parts = pointer.split('/').slice(1);
  const last = parts.pop() as string;
  let holder = copy;
  for (const part of parts) holder = holder[part];
  holder[last] = value;
  return copy;
}
