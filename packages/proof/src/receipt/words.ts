import type { ReceiptLimit, ReceiptReport, ReceiptStep } from './verify-receipt.ts';

/** UTC to the millisecond, the precision of log times. */
const time = (ms: unknown): string =>
  typeof ms === 'number' && Math.abs(ms) <= 8.64e15
    ? `${new Date(ms).toISOString().replace('T', ' ').slice(0, -1)} UTC`
    : '?';

const FORMS: Readonly<Record<string, string>> = {
  opened: 'that opened and was settled',
  unopened: 'that did not open',
  late: 'that was logged too late',
};

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
  opening: ({ index, timeMs, price }) =>
    index === undefined
      ? 'There is nothing to open.'
      : price === undefined
        ? `No tick opened it: what decided is entry ${index}, ${time(timeMs)}.`
        : `It opened at the first tick that may open it (entry ${index}, ${time(timeMs)}), which counts as ${price} for it; none was left out.`,
  settlement: ({ what, index, timeMs, price }) => {
    if (what === 'current')
      return `The tick of its settlement time decided (entry ${index}, ${time(timeMs)}), which counts as ${price} for it.`;
    const why = {
      old: `in the tick of its settlement time (entry ${index}) too few of the sources have a fresh quote`,
      gap: `prices had stopped at its settlement time (entry ${index})`,
      none: `the product has no entry of its settlement time (the next one is entry ${index})`,
    }[String(what)];
    return `No tick decided, so the order wins: ${why}.`;
  },
  prices: ({ count }) =>
    `The price rule gives the prices of all ${count} ticks and gaps again, from the quotes of all their sources.`,
  updates: ({ count, wanted, signers, routers, known, newest, late }) => {
    const whose =
      known === count ? `${routers} Pyth routers` : `${routers} keys that the rules name as Pyth's`;
    return [
      `Pyth's price in ${count} of ${wanted} deciding ticks is signed by ${signers} of ${whose}.`,
      known === count ? '' : "This verifier does not know these keys, or this feed, as Pyth's own.",
      Number(newest) > 0
        ? `In ${newest}, the update that came next shows that it was the newest when the tick was made, to the second.`
        : '',
      Number(late) > 0 ? `In ${late}, a newer one had been signed, which came after the tick.` : '',
      Number(newest) + Number(late) === count
        ? ''
        : 'Of the others it is not shown that none newer was passed over.',
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
  opening: 'The opening tick',
  settlement: 'The settlement tick',
  prices: 'The price rule',
  updates: 'The signed updates of Pyth',
  outcome: 'The outcome',
};

const LIMITS: Readonly<Record<ReceiptLimit, string>> = {
  instant:
    'that the customer named the opening time: only the nonce that was kept can show it, and the server may have chosen the time',
  quotes: 'that the sources told the truth: what each of them said is in the log, for anybody to compare',
  updates: 'that Pyth said the price that the log names as its own: no signed update of it is shown',
  clicks: 'that no order was delayed or dropped before it was accepted: refusals and delays are published',
  solvency: 'that the operator can pay',
  uniqueness:
    'that no number and no batch stands in the log twice, and that no newer rules were there: that rests on those who read the whole log (fairtick monitor)',
  witnesses: 'that others see the same log: it is not independently witnessed',
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
export function wordsOf({ isValid, steps, limits }: ReceiptReport): string[] {
  const marks = { proved: '  ok  ', refuted: ' WRONG', absent: '   -  ', unchecked: '   ?  ' };
  return [
    ...steps.map((step) => `${marks[step.state]}  ${wordsOfStep(step)}`),
    '',
    isValid
      ? 'VALID: all that this receipt claims follows from the log.'
      : 'NOT VALID: this receipt proves nothing.',
    ...(isValid ? ['', 'What it does not prove:', ...limits.map((limit) => `  - ${LIMITS[limit]};`)] : []),
  ];
}
