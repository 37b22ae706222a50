import {
  ACCEPTANCES,
  hashOf,
  LATE,
  LOG,
  Log,
  ORIGIN,
  type Order,
  type Outcome,
  ordersEntry,
  rulesEntry,
  type Shown,
} from '../house.ts';
import { Signer } from '../signing.ts';
import { ACCEPTED, type Choices, DUE, END, OPENS, RULES, SETTLES, START, type Story } from '../story.ts';
import { type Fraud, field, placesOf, priceOf, silentAt } from './fraud.ts';

/** Frauds about where and when the log carries an order, and about the checkpoint that is held over it. */
type Frauds = Readonly<Record<string, Fraud>>;

/** The last entry before the acceptance. */
export const LAST = START + 3_000;
const ordersOf = ({ entries }: Story): number => entries.findIndex((text) => text.startsWith('orders|'));

/** The entries of an order that opened, and its prices, whenever it was logged. */
const settled = (story: Story): Partial<Shown> => ({
  opening: placesOf(story, OPENS),
  settling: placesOf(story, SETTLES),
});
const won = (story: Story): Partial<Outcome> => ({
  openPrice: priceOf(story, OPENS),
  settlePrice: priceOf(story, SETTLES),
  result: 'profit',
  payout: '180.01',
  voidReason: null,
});
/** Logged late, and settled as if it had been in time. */
const settledLate = (choices: Choices): Fraud => ({ choices, shown: settled, outcome: won });
/** One of the batches 1 to 3 of an entry, which gives a batch another time. */
const amid = (batch: number, place: number, timeMs: number): Fraud => ({
  choices: {
    terms: { lines: { 3: String(batch) } },
    orders: (order, loggedMs) => field(place, String(timeMs))(ordersEntry(order, loggedMs, 1, 3, batch)),
  },
});
const alone = (edit: (entry: string, order: Order) => string): Fraud => ({
  choices: { orders: (order, timeMs) => edit(ordersEntry(order, timeMs), order) },
});
const [FIRST_MS, LAST_MS] = [5, 6];

const LOGGED: Frauds = {
  'logged a millisecond too late, and settled': settledLate({ ordersMs: DUE + 1 }),
  'held back until the opening is known, and settled': settledLate({ ordersMs: OPENS + 200 }),
  'logged at the last moment, and said to be late': {
    choices: { ordersMs: DUE },
    shown: () => ({ opening: [], settling: [] }),
    outcome: () => LATE,
  },
  'a batch at a later time': alone((entry) =>
    field(FIRST_MS, String(ACCEPTED + 1))(field(LAST_MS, String(ACCEPTED + 1))(entry)),
  ),
  'a batch at an earlier time': alone((entry) =>
    field(FIRST_MS, String(ACCEPTED - 1))(field(LAST_MS, String(ACCEPTED - 1))(entry)),
  ),
  'an order that does not stand in the open': alone(field(8, '')),
  'another order in the open': alone(field(8, 'f'.repeat(32))),
  'what was asked for, out of step in the open': alone((entry) => {
    const asked = entry.split('|')[8] as string;
    return field(8, `0${asked}${'f'.repeat(31)}`)(entry);
  }),
  'a first batch at an earlier time': amid(1, FIRST_MS, ACCEPTED - 1),
  'a first batch at a later time': amid(1, FIRST_MS, ACCEPTED + 1),
  'a last batch at a later time': amid(3, LAST_MS, ACCEPTED + 1),
  'a last batch at an earlier time': amid(3, LAST_MS, ACCEPTED - 1),
  'a batch before the first of its entry in time': amid(2, FIRST_MS, ACCEPTED + 1),
  'a batch after the last of its entry in time': amid(2, LAST_MS, ACCEPTED - 1),
};

const CONSISTENCY: Frauds = {
  'accepted 501 ms after the last entry of its log': {
    choices: { ordersMs: LAST + 600, terms: { acceptedAt: LAST + 501, opensAt: START + 6_000 } },
  },
  'a log behind its market: it stands still while an order is taken': {
    choices: silentAt(LAST),
  },
  'an acceptance dated before the last entry of its log': { choices: { terms: { acceptedAt: LAST - 1 } } },
  'an acceptance dated back': { choices: { terms: { acceptedAt: ACCEPTED - 900 } } },
};

const ENTRIES: Frauds = {
  'held back until the opening is known, and dated back': settledLate({
    ordersMs: OPENS + 500,
    orders: (order) => ordersEntry(order, DUE),
  }),
  'orders dated after what opens them': settledLate({ orders: (order) => ordersEntry(order, OPENS + 451) }),
};

/** Another note over the text of a checkpoint, or over a changed one. */
const heldAs =
  (write: (lines: readonly string[]) => string) =>
  (story: Story): Partial<Shown> => {
    const honest = new Log(story.entries, END).held(ordersOf(story) + 1);
    const [text = ''] = honest.checkpoint.split('\n\n');
    return { held: { ...honest, checkpoint: write(text.split('\n')) } };
  };
const note = (lines: readonly string[], signer = LOG): string => signer.note(lines.join('\n'));
const heldAt = (size: (orders: number) => number, timeMs: number) => (story: Story) => ({
  held: new Log(story.entries, END).held(size(ordersOf(story)), timeMs),
});
const CARRIED = ACCEPTED + 150;

const HELD: Frauds = {
  'a checkpoint from before the orders': { shown: heldAt((orders) => orders, CARRIED + 100) },
  'a checkpoint dated before the orders': { shown: heldAt((orders) => orders + 1, CARRIED - 1) },
  'a checkpoint dated after the last': { shown: heldAt((orders) => orders + 1, END + 1) },
  'a checkpoint of a log that went another way': {
    shown: (story) => {
      const size = ordersOf(story) + 3;
      const other = story.entries.with(size - 1, 'gap|4|EUR/USD|16|1780000003750|session|0|');
      return { held: new Log(other, END).held(size, CARRIED + 1_000) };
    },
  },
  'a checkpoint larger than the last': {
    shown: (story) => {
      const more = new Log([...story.entries, 'more'], END);
      return { held: more.held(story.entries.length + 1, END) };
    },
  },
  'a checkpoint of the size of the last, with another root': {
    shown: (story) => {
      const { entries } = story;
      return { held: new Log(entries.with(-1, 'other'), END).held(entries.length, END) };
    },
  },
  'signed with the key of the acceptances': { shown: heldAs((lines) => note(lines, ACCEPTANCES)) },
  'a checkpoint of the acceptances': {
    shown: heldAs((lines) => note(lines.with(0, `${ORIGIN}/acceptances`), ACCEPTANCES)),
  },
  'signed with another key of its name': {
    shown: heldAs((lines) => note(lines, new Signer(ORIGIN, 1, 'x'))),
  },
  'of another name, signed with its key': { shown: heldAs((lines) => note(lines.with(0, 'another/log'))) },
  'without a time': { shown: heldAs((lines) => note(lines.slice(0, 3))) },
  'with two times': { shown: heldAs((lines) => note([...lines, lines[3] as string])) },
  'with an extension more': { shown: heldAs((lines) => note([...lines, 'more'])) },
  'with a line of its key that signs another text': {
    shown: heldAs((lines) => note(lines) + LOG.line(LOG.sign('another text'))),
  },
  'with a line of the acceptances that signs another text': {
    shown: heldAs((lines) => note(lines) + ACCEPTANCES.line(ACCEPTANCES.sign('another text'))),
  },
};

const before = (entry: string): Fraud => ({ choices: { more: [[LAST, () => [entry]]] } });
const FORM: Frauds = {
  'an opening time that no fix has': { choices: { terms: { lines: { 13: String(OPENS + 250) } } } },
  'an answer to no hash': { choices: { terms: { lines: { 4: 'no' } } } },
  'orders dated before their last batch': {
    choices: { orders: (order) => ordersEntry(order, ACCEPTED - 50) },
  },
  'a first batch after the last': amid(2, FIRST_MS, ACCEPTED + 20),
  'two times of one batch': alone((entry) => field(FIRST_MS, String(ACCEPTED - 1))(entry)),
  'orders of the former fields': alone((entry) => entry.split('|').slice(0, 8).join('|')),
  'an asked of the former version': alone(field(1, '3')),
  'rules as the entry before the acceptance': before(rulesEntry(2, OPENS, RULES)),
  'an entry that no receipt shows, before the acceptance': before('audit|4|1|x'),
  'a hand-over as the entry before the acceptance': before(
    `key|4|${LAST}|${LOG.verifierKey}|${LOG.sign(LOG.verifierKey).toString('base64')}`,
  ),
  'rules that open an order sooner than two seconds after it': {
    choices: { rules: rulesEntry(1, START, null, { delayMs: 1_999 }) },
  },
};

/** The honest entries before an acceptance, beside ticks. */
export const BEFORE: Readonly<Record<string, string>> = {
  'a halt': `halt|4|1|${LAST}|on|for a test`,
  'a lift of a halt': `halt|4|2|${LAST}|off|`,
  'a source that is away': `away|4|1|${LAST}|alpha|on`,
  'a source that is back': `away|4|2|${LAST}|alpha|off`,
  'other orders': `orders|4|${LAST}|7|7|${LAST - 10}|${LAST - 10}|${'0'.repeat(64)}|`,
  "another product's tick": `tick|4|X|1|${LAST}|1|${hashOf(RULES)}|a,1,1,1,1,outlier`,
  "another product's gap": `gap|4|X|1|${LAST}|restart|${hashOf(RULES)}|`,
  "another product's fix": `fix|4|X|1|${LAST}|${LAST - 1_000}|1|${hashOf(RULES)}|a,1,1,1,quiet,open`,
  "another product's close": `close|4|X|1|${LAST}|${LAST - 1_000}|1|${hashOf(RULES)}|a,1,1,1,use,said`,
};
export const withBefore = (entry: string): Choices => before(entry).choices as Choices;

/** By the check that refuses them. */
export const PLACES: Readonly<Record<string, Frauds>> = {
  form: FORM,
  entries: ENTRIES,
  consistency: CONSISTENCY,
  logged: LOGGED,
  held: HELD,
};
