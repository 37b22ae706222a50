import { ACCEPTANCES, LOG, Log, ORIGIN } from '../house.ts';
import { Signer, Witness } from '../signing.ts';
import { END, honest, OPENS, tell } from '../story.ts';
import { commit } from './fraud.ts';

/** Receipts at the edges of the page's words, by what has to become of them: `valid`, or the check that refuses them. */
export type Corners = Readonly<Record<string, readonly [text: string, expected: string]>>;

/** The honest receipt, changed. */
export const text = (edit: (receipt: any) => void): string => {
  const receipt = JSON.parse(commit({}));
  edit(receipt);
  return JSON.stringify(receipt);
};
const checkpointed = (write: (lines: string[], note: string) => string): string =>
  text((receipt) => {
    const [head = ''] = receipt.checkpoint.split('\n\n');
    receipt.checkpoint = write(head.split('\n'), receipt.checkpoint);
  });
const resigned = (...lines: readonly string[]): string => LOG.note(lines.join('\n'));
const stranger = (name: string, bytes = 76): string =>
  `— ${name} ${Buffer.alloc(bytes, 7).toString('base64')}\n`;
const strangers = (count: number) => checkpointed((_, note) => note + stranger('x').repeat(count));
const withStranger = (name: string, bytes?: number) =>
  checkpointed((_, note) => note + stranger(name, bytes));

export const NOTES: Corners = {
  '16 signature lines': [strangers(15), 'valid'],
  '17 signature lines': [strangers(16), 'checkpoint'],
  'a note of more than 128 KiB': [withStranger('x', 99_000), 'form'],
  'a note of less than 128 KiB': [withStranger('x', 97_000), 'valid'],
  "another's line of an id alone": [withStranger('x', 4), 'checkpoint'],
  "another's line of a byte behind its id": [withStranger('x', 5), 'valid'],
  "another's name with U+0085, which is white space": [withStranger('x\u0085y'), 'checkpoint'],
  "another's name with U+FEFF, which is none": [withStranger('x\ufeffy'), 'valid'],
  "another's name with U+200B, which is none": [withStranger('x\u200by'), 'valid'],
  "another's name with U+3000, which is white space": [withStranger('x\u3000y'), 'checkpoint'],
  "another's name with DEL": [withStranger('x\u007fy'), 'valid'],
  "another's name with U+001F": [withStranger('x\u001fy'), 'checkpoint'],
  "another's name with a plus": [withStranger('x+y'), 'checkpoint'],
  'an empty line in its text': [checkpointed((lines) => resigned(...lines, '', 'x')), 'checkpoint'],
  'an empty line at the end of its text': [checkpointed((lines) => resigned(...lines, '')), 'checkpoint'],
  'a carriage return': [checkpointed((lines) => resigned(...lines.with(3, `${lines[3]}\r`))), 'checkpoint'],
  'a time with a zero before it': [
    checkpointed((lines) => resigned(...lines.with(3, `time 0${END}`))),
    'checkpoint',
  ],
  'a time in capitals': [checkpointed((lines) => resigned(...lines.with(3, `Time ${END}`))), 'checkpoint'],
  'a time with two spaces': [
    checkpointed((lines) => resigned(...lines.with(3, `time  ${END}`))),
    'checkpoint',
  ],
  'a time of 2^53': [checkpointed((lines) => resigned(...lines.with(3, `time ${2 ** 53}`))), 'checkpoint'],
  'a size with a zero before it': [
    checkpointed((lines) => resigned(...lines.with(1, `0${lines[1]}`))),
    'checkpoint',
  ],
  'a root without padding': [
    checkpointed((lines) => resigned(...lines.with(2, (lines[2] as string).slice(0, -1)))),
    'checkpoint',
  ],
  'a line of the acceptances, too': [
    checkpointed((lines) => {
      const note = resigned(...lines);
      return note + ACCEPTANCES.line(ACCEPTANCES.sign(`${lines.join('\n')}\n`));
    }),
    'valid',
  ],
  'acceptances with an extension': [
    text((receipt) => {
      const [head = ''] = receipt.acceptance.signed.split('\n\n');
      receipt.acceptance.signed = ACCEPTANCES.note(`${head}\ntime 5`);
    }),
    'checkpoint',
  ],
  'the last checkpoint as the held one': [
    text((receipt) => {
      receipt.held = { checkpoint: receipt.checkpoint, proof: [] };
    }),
    'valid',
  ],
};

const ZERO = Buffer.from(`01${'00'.repeat(31)}`, 'hex');
const ZERO_OTHERWISE = Buffer.from(`ee${'ff'.repeat(30)}7f`, 'hex');
const ORDER_2 = Buffer.from(`ec${'ff'.repeat(30)}7f`, 'hex');
const oddly = (made: (text: string) => Buffer): string =>
  checkpointed((lines) => {
    const text = `${lines.join('\n')}\n`;
    return `${text}\n${LOG.line(made(text))}`;
  });
export const SIGNATURES: Corners = {
  'made by hand': [oddly((text) => LOG.odd(text, ZERO)), 'valid'],
  'that holds with the cofactor alone': [oddly((text) => LOG.odd(text, ORDER_2)), 'valid'],
  'with an R of zero': [oddly((text) => LOG.odd(text, ZERO, 0n)), 'valid'],
  'with an R of zero in another encoding': [
    oddly((text) => LOG.odd(text, ZERO, 0n, ZERO_OTHERWISE)),
    'checkpoint',
  ],
  'with an S of the order and more': [oddly((text) => LOG.odd(text, ZERO, 5n, null, 1n)), 'checkpoint'],
  'of 63 bytes': [oddly((text) => LOG.sign(text).subarray(1)), 'checkpoint'],
  'of 65 bytes': [oddly((text) => Buffer.concat([LOG.sign(text), ZERO.subarray(0, 1)])), 'checkpoint'],
};

/** Hand-overs that the log has after the orders, with the key that signs checkpoints afterwards. */
function handedOver(entries: readonly string[], last: Signer): string {
  const story = tell({ more: [[OPENS + 520, () => entries]] });
  const { shown, outcome } = honest(story);
  const keys = entries.map((entry) => story.entries.indexOf(entry));
  return JSON.stringify(new Log(story.entries, END, last).receipt(story.order, { ...shown, keys }, outcome));
}
const keyEntry = (to: string, by = LOG, time = String(OPENS)): string =>
  `key|4|${time}|${to}|${by.sign(to).toString('base64')}`;
const NEXT = Array.from({ length: 65 }, (_, at) => new Signer(ORIGIN, 1, `key ${at}`));
const chain = (length: number): string[] =>
  NEXT.slice(0, length).map((to, at) => keyEntry(to.verifierKey, at === 0 ? LOG : (NEXT[at - 1] as Signer)));
const first = NEXT[0] as Signer;
const keyOf = (publicKey: string): string => Signer.keyOf(ORIGIN, 1, Buffer.from(publicKey, 'hex'));
const over = (entry: string, last = first) => handedOver([entry], last);
const long = (length: number): string => new Signer('x'.repeat(length), 1, 'x').verifierKey;

export const HAND_OVERS: Corners = {
  'a hand-over': [over(keyEntry(first.verifierKey)), 'valid'],
  'a hand-over, and the old key signs on': [over(keyEntry(first.verifierKey), LOG), 'checkpoint'],
  '64 hand-overs': [handedOver(chain(64), NEXT[63] as Signer), 'valid'],
  '65 hand-overs': [handedOver(chain(65), NEXT[64] as Signer), 'valid'],
  'a hand-over back to the key before': [
    handedOver([...chain(2), keyEntry(first.verifierKey, NEXT[1])], first),
    'keys',
  ],
  // The trusted key begins after the orders, and the key of the held checkpoint is not known.
  'a hand-over back to the trusted key': [
    handedOver([...chain(1), keyEntry(LOG.verifierKey, first)], LOG),
    'held',
  ],
  'a hand-over to the trusted key, and one from it': [
    handedOver([keyEntry(LOG.verifierKey, first), keyEntry(first.verifierKey)], first),
    'held',
  ],
  'a hand-over signed by another key': [over(keyEntry(first.verifierKey, ACCEPTANCES)), 'keys'],
  'a hand-over of another name': [over(keyEntry(new Signer('other').verifierKey)), 'keys'],
  "a witness's key of the name": [over(keyEntry(new Witness(ORIGIN).verifierKey)), 'keys'],
  'an id in capitals': [
    over(keyEntry(first.verifierKey.replace(/\+([0-9a-f]{8})\+/, (id) => id.toUpperCase()))),
    'keys',
  ],
  "an id of another's": [over(keyEntry(first.verifierKey.replace(/\+[0-9a-f]{8}\+/, '+00000000+'))), 'keys'],
  'no key': [over(keyEntry('x')), 'keys'],
  'bytes that are no point': [over(keyEntry(keyOf(`02${'00'.repeat(31)}`))), 'keys'],
  'a point in another encoding': [over(keyEntry(keyOf(`ee${'ff'.repeat(30)}7f`))), 'keys'],
  'minus zero as a point': [over(keyEntry(keyOf(`01${'00'.repeat(30)}80`))), 'keys'],
  'a point of small order': [over(keyEntry(keyOf(`01${'00'.repeat(31)}`))), 'checkpoint'],
  'a key of 1024 characters of another name': [over(keyEntry(long(970))), 'keys'],
  'a key of 1025 characters': [over(keyEntry(long(971))), 'form'],
  'a key of no characters': [over(keyEntry('')), 'form'],
  'a signature of 63 bytes': [
    over(`key|4|1|${first.verifierKey}|${Buffer.alloc(63).toString('base64')}`),
    'form',
  ],
  'a field more': [over(`${keyEntry(first.verifierKey)}|x`), 'form'],
  'a time with a zero before it': [over(keyEntry(first.verifierKey, LOG, '01')), 'form'],
  'a time above all others': [over(keyEntry(first.verifierKey, LOG, '9007199254740991')), 'valid'],
};
