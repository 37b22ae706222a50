import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ownFloor } from '@fairtick/kit/fixtures/houses.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { beforeAll, describe, expect, test } from 'vitest';

const floor = ownFloor();
beforeAll(async () => {
  for (const path of ['list', 'board']) await seen(async () => priceIn(await list(path)) === '1.08400');
});

interface Listed {
  readonly encoding: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    code: number;
    msg: string;
    data: { symbol: string; name: string; price: string | null }[];
  };
}

async function list(path: string, encodings?: string): Promise<Listed> {
  const request = get(`${floor.origin}/api/product/${path}`, {
    headers: encodings === undefined ? {} : { 'accept-encoding': encodings },
  });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const encoding = answer.headers['content-encoding'];
  const plain =
    encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes;
  return { encoding, headers: answer.headers, body: JSON.parse(plain.toString('utf8')) };
}

const priceIn = ({ body }: Listed) => body.data.find(({ symbol }) => symbol === 'EUR/USD')?.price;

describe.each(['list', 'board'])('the shared answer of product/%s', (path) => {
  test.each([
    [undefined, undefined],
    ['identity', undefined],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip;q=0', 'br'],
    ['br;q=0, gzip;q=1.0', 'gzip'],
    ['br;q=0,gzip;q=0.000', undefined],
    ['brotli', undefined],
  ])('answers accept-encoding %s with content-encoding %s and the same data', async (encodings, packed) => {
    // A trading period may begin or end between two reads.
    const [before, answer, after] = [await list(path), await list(path, encodings), await list(path)];
    expect(answer.encoding).toBe(packed);
    expect([before.body, after.body]).toContainEqual(answer.body);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers.vary).toContain('accept-encoding');
  });

  test('shows the next price', async () => {
    const price = path === 'list' ? '1.08411' : '1.08422';
    await list(path);
    await floor.tick({ 'EUR/USD': price });
    await seen(async () => priceIn(await list(path)) === price);
  });

  test('has the names of the requested language', async () => {
    const names = new Set<string | undefined>();
    for (const language of ['zh', 'tw', 'en']) {
      const { body } = await list(`${path}?lang=${language}`);
      names.add(body.data.find(({ symbol }) => symbol === 'AAPL')?.name);
    }
    expect(names.size).toBeGreaterThan(1);
  });
});
