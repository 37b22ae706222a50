import { describe, expect, test } from 'vitest';
import { formatCheckpoint, parseCheckpoint } from './checkpoint.ts';
import { fromBase64, toBase64 } from './encoding.ts';
import { nobleSigner, nobleVerifier, openNote, signNote } from './note.ts';
import { generateNoteKey } from './note-key.ts';

// The example of C2SP tlog-checkpoint.
const EXAMPLE = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
const ROOT = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=';

test('the published example is read and written', () => {
  const checkpoint = parseCheckpoint(EXAMPLE);
  expect(checkpoint).toEqual({
    origin: 'example.com/behind-the-sofa',
    size: 20_852_163,
    root: fromBase64(ROOT),
    extensions: [],
  });
  expect(checkpoint && formatCheckpoint(checkpoint)).toBe(EXAMPLE);
});

test.each([
  `o\n0\n${ROOT}\n`,
  `o\n1\n${ROOT}\none\n`,
  `an origin with spaces + plus\n9007199254740991\n${ROOT}\none\ntwo\n`,
])('%j is written as it was read', (text) => {
  const checkpoint = parseCheckpoint(text);
  expect(checkpoint && formatCheckpoint(checkpoint)).toBe(text);
});

describe('the format of a checkpoint refuses', () => {
  test.each([
    ['nothing', ''],
    ['no last newline', `o\n7\n${ROOT}`],
    ['two lines', 'o\n7\n'],
    ['no origin', `\n7\n${ROOT}\n`],
    ['a leading zero', `o\n07\n${ROOT}\n`],
    ['a sign', `o\n+7\n${ROOT}\n`],
    ['no size', `o\n\n${ROOT}\n`],
    ['hex', `o\n0x7\n${ROOT}\n`],
    ['a size that is not exact', `o\n9007199254740992\n${ROOT}\n`],
    ['a root of another length', `o\n7\n${toBase64(new Uint8Array(31))}\n`],
    ['a root of no length', 'o\n7\n\n'],
    ['a root without padding', `o\n7\n${ROOT.slice(0, -1)}\n`],
    ['a root with loose bits', `o\n7\n${ROOT.replace('I=', 'J=')}\n`],
    ['an empty extension', `o\n7\n${ROOT}\n\n`],
    ['an empty extension before another', `o\n7\n${ROOT}\n\none\n`],
    ['carriage returns', `o\r\n7\r\n${ROOT}\r\n`],
    ['more than a note may hold', `o\n7\n${ROOT}\n${'a'.repeat(200_000)}\n`],
  ])('%s', (_what, text) => {
    expect(parseCheckpoint(text)).toBeNull();
  });

  const good = { origin: 'o', size: 7, root: new Uint8Array(32) };
  test.each([
    { ...good, origin: '' },
    { ...good, origin: 'a\nb' },
    { ...good, origin: '\ud800' },
    { ...good, size: -1 },
    { ...good, size: 1.5 },
    { ...good, size: 2 ** 53 },
    { ...good, root: new Uint8Array(31) },
    { ...good, extensions: [''] },
    { ...good, extensions: ['a\nb'] },
  ])('to write %j', (checkpoint) => {
    expect(() => formatCheckpoint(checkpoint)).toThrow(RangeError);
  });
});

test('a signed checkpoint is opened and read', () => {
  const { signerKey, verifierKey } = generateNoteKey('log.example/prices', new Uint8Array(32).fill(5));
  const [signer, verifier] = [nobleSigner(signerKey), nobleVerifier(verifierKey)];
  if (signer === null || verifier === null) throw new Error('no keys');
  const opened = openNote(signNote(EXAMPLE, signer), [verifier]);
  expect(parseCheckpoint(opened?.text ?? '')?.size).toBe(20_852_163);
});
