import { LIMIT_WORDS } from './limits.ts';
import { LOOSE_WORDS } from './loose-rules.ts';
import type { ReceiptReport, ReceiptStep } from './verify-receipt.ts';

/** UTC to the millisecond, the precision of log times. */
const time = (ms: unknown): string =>
  typeof ms === 'number' && Math.abs(ms) <= 8.64e15
    ? `${new Date(ms).toISOString().replace('T', ' ').slice(0, -1)} UTC`
    : '?';

const FORMS: Readonly<Record<string, string>> = {
  opened: 'that opened and was settled',
  unopened: 'that did not open',
  unfixed: 'whose price was not written within 24 hours',
  late: 'that was logged too late',
};

/** The price of a fix, and of its close. */
const fixWords = ({ index, timeMs, price, closeIndex, closePrice }: ReceiptStep['values']): string =>
  `${time(timeMs)}, is ${price} (entry ${index})${
    closePrice === undefined
      ? ''
      : `, and ${closePrice} after its last records were known (entry ${closeIndex})`
  }`;

/** One sentence of plain English for each proved step. */
const PROVED: Readonly<Record<ReceiptStep['id'], (values: ReceiptStep['values']) => string>> = {
  form: ({ form }) => `It is the receipt of an order ${FORMS[String(form)] ?? ''}.`,
  kept: ({ acceptance, orders, asked }) =>
    [
      orders === 1
        ? 'Its acceptance, the entry of the log that carries it, and the log soon after are those that were kept.'
        : acceptance === 1
          ? 'Its acceptance is the one that was kept.'
          : '',
      asked === 1
        ? 'It names what was asked for with the nonce that was kept, the opening time included.'
        : '',
    ]
      .join(' ')
      .trim(),
  keys: ({ count }) =>
    `The log's keys were changed since: ${count} hand-overs in it, each signed by the key before, lead on from those that are trusted.`,
  acceptance: ({ orderId, timeMs, signer }) =>
    `Order ${orderId} was accepted at ${time(timeMs)}: ${signer} signed its terms.`,
  rules: ({ index, payoutRate }) =>
    `Its rules were in the log before it (entry ${index}), and they give its payout rate, ${payoutRate}, and its settlement time.`,
  checkpoint: ({ signer, size, timeMs, witnesses }) =>
    `${signer} signed the log with ${size} entries at ${time(timeMs)}; pinned witnesses that cosigned it then: ${witnesses}.`,
  entries: ({ count }) => `All ${count} entries shown are in that log, word for word.`,
  consistency: ({ fromSize }) =>
    `The log of ${fromSize} entries that stood when the order was accepted is its beginning: nothing in it was changed.`,
  seen: ({ fromSize }) => `So is the log of ${fromSize} entries that the customer had seen.`,
  held: ({ size, timeMs, witnesses }) =>
    `The log of ${size} entries that was signed soon after the order, at ${time(timeMs)}, is its beginning, too; ${
      witnesses === ''
        ? 'no pinned witness is shown to have cosigned it before the order opened.'
        : `before the order opened it was witnessed by ${witnesses}.`
    }`,
  logged: ({ index, delayMs }) => `The log carried the acceptance as entry ${index}, ${delayMs} ms after it.`,
  opening: (values) =>
    values.price === undefined
      ? `Too few sources counted at its opening time, ${time(values.timeMs)} (entry ${values.index}), so it did not open.`
      : `The price of its opening time, ${fixWords(values)}.`,
  settlement: (values) =>
    values.price === undefined
      ? `The log had no price of ${time(values.timeMs)} 24 hours later (entry ${values.index}), so the order wins.`
      : `The price of its settlement time, ${fixWords(values)}.`,
  prices: ({ count }) =>
    `All ${count} prices shown are the median of what their sources have on record, every source of the rules listed, and these records fit together.`,
  updates: ({ count, wanted, signers, routers, known, followed }) => {
    const whose =
      known === count ? `${routers} Pyth routers` : `${routers} keys that the rules name as Pyth's`;
    return [
      `Pyth's record in ${count} of the ${wanted} prices with one is signed by ${signers} of ${whose}.`,
      known === count ? '' : "This verifier does not know these keys, or this feed, as Pyth's own.",
      Number(followed) > 0
        ? `In ${followed}, the record after it is signed too, and shows that Pyth signed none in between.`
        : '',
    ]
      .filter((sentence) => sentence !== '')
      .join(' ');
  },
  outcome: ({ result, payout, asset, voidReason }) =>
    `The rules make it ${voidReason ? `void (${voidReason})` : result}: ${payout} ${asset} were due, and that is what it says was paid.`,
};

/** Names of the steps, for steps that were not proved. */
const TITLES: Readonly<Record<ReceiptStep['id'], string>> = {
  form: 'Form of the receipt',
  kept: 'The acceptance that was kept',
  keys: 'The keys that followed one another',
  acceptance: 'The signed acceptance',
  rules: 'The rules of the order',
  checkpoint: 'The signature of the log',
  entries: 'The entries of the log',
  consistency: 'The log when the order was accepted',
  seen: 'The log that the customer had seen',
  logged: 'The acceptance in the log',
  held: 'The log soon after the order',
  opening: 'The opening price',
  settlement: 'The settlement price',
  prices: 'The price rule',
  updates: 'The signed updates of Pyth',
  outcome: 'The outcome',
};

function wordsOfStep(step: ReceiptStep): string {
  switch (step.state) {
    case 'proved':
      return PROVED[step.id](step.values);
    case 'refuted':
      return `${TITLES[step.id]}: ${step.fault}.`;
    case 'absent':
      return `${TITLES[step.id]}: nothing of the kind in this receipt.`;
    case 'unchecked':
      return `${TITLES[step.id]}: not looked at any more.`;
  }
}

/** The whole report in plain English, one line per item. */
export function wordsOf({ isValid, steps, limits, shown }: ReceiptReport): string[] {
  const loose = ` (${(shown?.loose ?? []).map((each) => LOOSE_WORDS[each]).join(', ')})`;
  const marks = { proved: '  ok  ', refuted: ' WRONG', absent: '   -  ', unchecked: '   ?  ' };
  return [
    ...steps.map((step) => `${marks[step.state]}  ${wordsOfStep(step)}`),
    '',
    isValid
      ? 'VALID: all that this receipt claims follows from the log.'
      : 'NOT VALID: this receipt proves nothing.',
    ...(isValid
      ? [
          '',
          'What it does not prove:',
          ...limits.map((limit) => `  - ${LIMIT_WORDS[limit]}${limit === 'rules' ? loose : ''};`),
        ]
      : []),
  ];
}
