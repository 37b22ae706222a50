import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { expect, test } from 'vitest';
import { byteaArray, int2Array, int8Array, textArray } from './binary-arrays.ts';

const db = ownDatabase();

/** The array's elements as the server read them, as text. */
async function readBack(type: string, array: Buffer): Promise<(string | null)[]> {
  const { rows } = await db.server.query<{ value: string | null }>(
    `select v::text as value from unnest($1::${type}[]) with ordinality as u (v, place) order by place`,
    [array],
  );
  return rows.map((row) => row.value);
}

test.each([
  {
    type: 'smallint',
    array: int2Array([0, -1, null, 32_767, -32_768]),
    read: ['0', '-1', null, '32767', '-32768'],
  },
  {
    type: 'bigint',
    array: int8Array([
      0,
      -1,
      null,
      2 ** 53 - 1,
      -(2 ** 53 - 1),
      2 ** 32,
      -(2 ** 32) - 1,
      (1n << 63n) - 1n,
      -(1n << 63n),
    ]),
    read: [
      '0',
      '-1',
      null,
      '9007199254740991',
      '-9007199254740991',
      '4294967296',
      '-4294967297',
      '9223372036854775807',
      '-9223372036854775808',
    ],
  },
  {
    type: 'bytea',
    array: byteaArray([new Uint8Array(0), Buffer.from('00ff5c', 'hex'), null, new Uint8Array(300).fill(7)]),
    read: ['\\x', '\\x00ff5c', null, `\\x${'07'.repeat(300)}`],
  },
  {
    type: 'text',
    array: textArray(['', 'a "quoted" \\ {text}, NULL', null, '€ 價格 🙂']),
    read: ['', 'a "quoted" \\ {text}, NULL', null, '€ 價格 🙂'],
  },
])('the database reads a $type array unchanged', async ({ type, array, read }) => {
  expect(await readBack(type, array)).toEqual(read);
});

test.each([
  ['smallint', int2Array([])],
  ['bigint', int8Array([])],
  ['bytea', byteaArray([])],
  ['text', textArray([])],
])('an empty %s array has no elements', async (type, array) => {
  expect(await readBack(type, array)).toEqual([]);
});

test('a number that is no safe integer is refused as a bigint', () => {
  expect(() => int8Array([1.5])).toThrow(RangeError);
  expect(() => int8Array([2 ** 53])).toThrow(RangeError);
});
