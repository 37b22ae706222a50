import { describe, expect, test } from 'vitest';
import { inclusionProof, rootOf } from '../test/rfc-proofs.ts';
import {
  type Acceptance,
  formatAcceptance,
  formatAsked,
  hashAsked,
  isNonce,
  parseAcceptance,
  type SignedAcceptance,
  verifyAcceptance,
} from './acceptance.ts';
import { formatCheckpoint } from './checkpoint.ts';
import { toHex } from './encoding.ts';
import { leafHash } from './merkle.ts';
import { nobleSigner, nobleVerifier, signNote } from './note.ts';
import { generateNoteKey } from './note-key.ts';
import { sha256 } from './sha256.ts';

const FIELDS: Acceptance = {
  orderId: 'ord_01HZY3',
  batch: 17,
  asked: 'a'.repeat(64),
  symbol: 'EUR/USD',
  direction: 'up',
  minutes: 5,
  asset: 'USDT',
  amount: '10.50',
  payoutRate: '0.85',
  rulesHash: 'b'.repeat(64),
  acceptedAt: 1_700_000_000_123,
  opensAt: 1_700_000_003_000,
  settlesAt: 1_700_000_303_000,
  logSize: 4211,
  logRoot: 'c'.repeat(64),
  seenSize: 4200,
  seenRoot: 'd'.repeat(64),
};
const LINES = [
  'fairtick-acceptance/4',
  'ord_01HZY3',
  '17',
  'a'.repeat(64),
  'EUR/USD',
  'up',
  '5',
  'USDT',
  '10.50',
  '0.85',
  'b'.repeat(64),
  '1700000000123',
  '1700000003000',
  '1700000303000',
  '4211',
  'c'.repeat(64),
  '4200',
  'd'.repeat(64),
];

describe('the text of an acceptance', () => {
  test('has one line per field, in order', () => {
    expect(formatAcceptance(FIELDS)).toBe(LINES.join('\n'));
    expect(parseAcceptance(LINES.join('\n'))).toEqual(FIELDS);
  });

  test('leaves the lines of the seen log empty when the customer saw none', () => {
    const unseen = { ...FIELDS, seenSize: null, seenRoot: null };
    const text = [...LINES.slice(0, 16), '', ''].join('\n');
    expect(formatAcceptance(unseen)).toBe(text);
    expect(parseAcceptance(text)).toEqual(unseen);
  });

  test('leaves the line of what was asked for empty when the server chose the opening time', () => {
    const chosen = { ...FIELDS, asked: null };
    const text = LINES.with(3, '').join('\n');
    expect(formatAcceptance(chosen)).toBe(text);
    expect(parseAcceptance(text)).toEqual(chosen);
  });

  const bad: [number, string[]][] = [
    [0, ['fairtick-acceptance/1', 'fairtick-acceptance/4 ', '']],
    [1, ['', 'a b', 'é', 'a\t', 'x'.repeat(129)]],
    [2, ['', '0', '017', '1.5']],
    [3, ['a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64), 'g'.repeat(64)]],
    [4, ['', 'EUR USD', '\u007f']],
    [5, ['', 'UP', 'call', 'up ']],
    [6, ['', '0', '05', '-5', '5.0', '1e1', '9007199254740992']],
    [7, ['', 'US DT']],
    [8, ['', '0', '0.00', '-1', '+1', '01', '1.', '.5', '1e3', '1,5', 'NaN', '1'.repeat(20)]],
    [9, ['', '85%', '00.85', '-0.85', '0.85001']],
    [10, ['', 'b'.repeat(63), 'B'.repeat(64)]],
    [11, ['', '-1', '1.5', '01']],
    [12, ['', '-250', '1700000002251', '01700000003000']],
    [13, ['', '-1', '1.5', '01']],
    [14, ['', '-1', '00']],
    [15, ['', 'c'.repeat(62)]],
    [16, ['', '-1', '01']],
    [17, ['', 'd'.repeat(63), `${'d'.repeat(64)}\n`]],
  ];
  test.each(bad.flatMap(([line, values]) => values.map((value) => [line, value] as const)))(
    'refuses line %d as %j',
    (line, value) => {
      expect(parseAcceptance(LINES.with(line, value).join('\n'))).toBeNull();
    },
  );

  test('refuses a missing or extra line, a newline at the end, and other line ends', () => {
    expect(parseAcceptance(LINES.slice(0, -1).join('\n'))).toBeNull();
    expect(parseAcceptance([...LINES, ''].join('\n'))).toBeNull();
    expect(parseAcceptance(`\n${LINES.join('\n')}`)).toBeNull();
    expect(parseAcceptance(LINES.join('\r\n'))).toBeNull();
    expect(parseAcceptance('')).toBeNull();
    expect(parseAcceptance('\n'.repeat(1_000_000))).toBeNull();
  });

  test.each<Partial<Acceptance>>([
    { orderId: '' },
    { orderId: 'a\nb' },
    { symbol: 'a b' },
    { batch: 0 },
    { minutes: 0 },
    { amount: '0.00' },
    { minutes: Number.NaN },
    { acceptedAt: 1.5 },
    { settlesAt: -1 },
    { opensAt: 1_700_000_003_250 },
    { asked: '' },
    { logSize: 2 ** 53 },
    { logSize: 1e21 },
    { amount: '1e3' },
    { rulesHash: 'B'.repeat(64) },
    { seenSize: null },
    { seenRoot: null },
  ])('is not written with %j', (change) => {
    expect(() => formatAcceptance({ ...FIELDS, ...change })).toThrow(RangeError);
  });
});

describe('what was asked for', () => {
  const order = { ...FIELDS, nonce: '00112233445566778899aabbccddeeff' };

  test('has one line per field, and its hash in the acceptance', () => {
    const text =
      'fairtick-asked/4\nEUR/USD\nup\n5\nUSDT\n10.50\n1700000003000\n00112233445566778899aabbccddeeff';
    expect(formatAsked(order)).toBe(text);
    expect(toHex(hashAsked(order))).toBe(toHex(sha256(new TextEncoder().encode(text))));
    for (const change of [{ opensAt: 1_700_000_004_000 }, { amount: '10.5' }, { nonce: 'f'.repeat(32) }])
      expect(toHex(hashAsked({ ...order, ...change }))).not.toBe(toHex(hashAsked(order)));
  });

  test('has a nonce of 32 lower-case hex digits', () => {
    expect(isNonce(order.nonce)).toBe(true);
    for (const text of [
      '',
      order.nonce.slice(1),
      `${order.nonce}0`,
      order.nonce.toUpperCase(),
      `${order.nonce}\n`,
    ])
      expect(isNonce(text), text).toBe(false);
  });
});

describe('the proof of an acceptance', () => {
  const keys = generateNoteKey('fairtick.example/acceptances', new Uint8Array(32).fill(3));
  const others = generateNoteKey('fairtick.example/acceptances', new Uint8Array(32).fill(4));
  const [signer, verifier, stranger] = [
    nobleSigner(keys.signerKey)!,
    nobleVerifier(keys.verifierKey)!,
    nobleVerifier(others.verifierKey)!,
  ];

  /** The acceptance of order `index` of `size` orders, with its proof, under an origin. */
  function accepted(index: number, size: number, origin = 'fairtick.example/acceptances'): SignedAcceptance {
    const texts = Array.from({ length: size }, (_, at) =>
      formatAcceptance({ ...FIELDS, orderId: `order-${at}` }),
    );
    const leaves = texts.map((text) => leafHash(text));
    const signed = signNote(formatCheckpoint({ origin, size, root: rootOf(leaves) }), signer);
    return { text: texts[index]!, index, size, proof: inclusionProof(leaves, index).map(toHex), signed };
  }

  test('verifies for every acceptance in a log', () => {
    for (let size = 1; size <= 9; size += 1) {
      for (let index = 0; index < size; index += 1) {
        const fields = verifyAcceptance(accepted(index, size), [verifier]);
        expect(fields).toEqual({ ...FIELDS, orderId: `order-${index}` });
      }
    }
  });

  test('verifies for an acceptance whose customer saw no log', () => {
    const text = formatAcceptance({ ...FIELDS, seenSize: null, seenRoot: null });
    const root = leafHash(text);
    const signed = signNote(formatCheckpoint({ origin: 'a/acceptances', size: 1, root }), signer);
    expect(verifyAcceptance({ text, index: 0, size: 1, proof: [], signed }, [verifier])?.seenRoot).toBeNull();
  });

  test('needs the signature of a trusted verifier', () => {
    expect(verifyAcceptance(accepted(2, 6), [])).toBeNull();
    expect(verifyAcceptance(accepted(2, 6), [stranger])).toBeNull();
    expect(verifyAcceptance(accepted(2, 6), [stranger, verifier])).not.toBeNull();
  });

  test('needs the origin of a log of acceptances', () => {
    expect(verifyAcceptance(accepted(2, 6, 'fairtick.example/prices'), [verifier])).toBeNull();
    expect(verifyAcceptance(accepted(2, 6, 'acceptances'), [verifier])).toBeNull();
    expect(verifyAcceptance(accepted(2, 6, 'fairtick.example/acceptances/old'), [verifier])).toBeNull();
  });

  test('needs every part unchanged', () => {
    const good = accepted(2, 6);
    const changes: Partial<SignedAcceptance>[] = [
      { text: good.text.replace('10.50', '10.51') },
      { text: `${good.text}\n` },
      { text: '' },
      { index: 3 },
      { index: -1 },
      { index: 2.5 },
      { size: 5 },
      { size: 7 },
      { proof: good.proof.slice(1) },
      { proof: [...good.proof, '0'.repeat(64)] },
      { proof: good.proof.toReversed() },
      { proof: good.proof.map((hash) => hash.toUpperCase()) },
      { proof: good.proof.with(0, '') },
      { proof: good.proof.with(0, 'zz'.repeat(32)) },
      { proof: Array.from({ length: 100_000 }, () => '0'.repeat(64)) },
      { signed: good.signed.replace('\n6\n', '\n7\n') },
      { signed: '' },
      { signed: signNote('not a checkpoint\n', signer) },
      { signed: accepted(2, 7).signed },
    ];
    const taken = changes.filter((change) => verifyAcceptance({ ...good, ...change }, [verifier]) !== null);
    expect(taken).toEqual([]);
    expect(verifyAcceptance(good, [verifier])).not.toBeNull();
  });
});
