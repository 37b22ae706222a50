import { expect, test } from 'vitest';
import { bodyOf, httpSource } from '../src/index.ts';

/** Chromium before 124 and every Safari before 26 lack it. */
function withoutIterableStreams<T>(run: () => Promise<T>): Promise<T> {
  const { prototype } = ReadableStream;
  const own = Object.getOwnPropertyDescriptor(prototype, Symbol.asyncIterator) as PropertyDescriptor;
  Reflect.deleteProperty(prototype, Symbol.asyncIterator);
  return run().finally(() => Object.defineProperty(prototype, Symbol.asyncIterator, own));
}

test('a log is read in a browser whose streams can not be iterated', async () => {
  const source = httpSource('https://log.example', async () => new Response('a checkpoint\n'));
  expect(await withoutIterableStreams(() => source.checkpoint())).toBe('a checkpoint\n');
});

test('an answer of several parts is read whole, up to its bound', async () => {
  const parts = ['one ', 'two ', 'three'];
  const answer = () =>
    new Response(
      new ReadableStream({
        start: (controller) => {
          for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
          controller.close();
        },
      }),
    );
  expect(new TextDecoder().decode(await bodyOf(answer(), 13))).toBe('one two three');
  await expect(bodyOf(answer(), 12)).rejects.toThrow('more than 12 bytes');
  expect(await bodyOf(new Response(null), 1)).toHaveLength(0);
});
