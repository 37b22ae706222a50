import { expect, test } from 'vitest';
import { Change, textFrame } from './frames.ts';

/** The text in a frame of less than 64 KiB. */
function textIn(frame: Buffer): string {
  expect(frame[0]).toBe(0x81);
  const short = frame[1] as number;
  const [head, length] = short < 126 ? [2, short] : [4, frame.readUInt16BE(2)];
  expect(frame.length).toBe(head + length);
  return frame.toString('utf8', head);
}

test.each([
  { name: 'a short change', data: { price: '1.1' } },
  { name: 'a long one', data: { text: '價格 ,"seq":77,"type":"change","data": €'.repeat(20) } },
])('$name differs between readers only in its number', ({ data }) => {
  const change = new Change('quote:EUR/USD', JSON.stringify(data), () => []);
  const numbers = [2, 2, 9, 10, 10, 57, 99, 100, 3, 1_000_000, 1_000_001, 1_000_001, 4];
  const frames = numbers.map((seq) => change.frame(seq));
  // Checked after all frames are made: a frame that still has to be sent must not be overwritten.
  expect(frames.map((frame) => JSON.parse(textIn(frame)))).toEqual(
    numbers.map((seq) => ({ topic: 'quote:EUR/USD', seq, type: 'change', data })),
  );
});

test('readers with the same number share a frame', () => {
  const change = new Change('time', '{}', () => []);
  expect(change.frame(7)).toBe(change.frame(7));
  expect(change.frame(8)).not.toBe(change.frame(7));
});

test.each([0, 125, 126, 65_535])('a text of %i bytes is framed whole', (bytes) => {
  const text = 'x'.repeat(bytes);
  expect(textIn(textFrame(text))).toBe(text);
});
