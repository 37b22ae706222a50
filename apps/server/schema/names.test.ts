import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { describe, expect, test } from 'vitest';
import { SEEDED_ASSETS } from '../src/commands/seeded-assets.ts';
import { LOG_KINDS } from '../src/market/log/log-kinds.ts';
import { batchOf, ORDERS_PER_BATCH } from '../src/trading/order-terms.ts';

/** Numbers that SQL and TypeScript share have the same names in both, and stand bare in neither; long calls name their values. */
const db = ownDatabase();

const numberOf = async (call: string) =>
  Number((await db.owner.query(`select ${call} as value`)).rows[0].value);

describe('both languages agree', () => {
  test.each(Object.entries(LOG_KINDS))('on the kind %s of log entries', async (name, kind) => {
    expect(await numberOf(`log_kind('${name}')`)).toBe(kind);
  });

  test.each(Object.entries(SEEDED_ASSETS))('on the asset %s', async (code, { id }) => {
    expect(await numberOf(`asset_number('${code}')`)).toBe(id);
    expect(await numberOf(`(select id from ledger.assets where code = '${code}')`)).toBe(id);
  });

  test('on the ids of orders', async () => {
    expect(await numberOf('orders_per_batch()')).toBe(ORDERS_PER_BATCH);
    expect(await numberOf('first_order(7)')).toBe(7 * ORDERS_PER_BATCH);
    const last = 8 * ORDERS_PER_BATCH - 1;
    expect([await numberOf(`batch_of(${last})`), batchOf(last)]).toEqual([7, 7]);
  });
});

const ROOT = join(import.meta.dirname, '../../..');
const FILES = ['apps', 'packages', 'bench', 'tests/kit'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => /\.(sql|ts|tsx)$/.test(path) && !/\.test\.ts$|\b(node_modules|dist)\b/.test(path)),
);

const BARE = [
  // A kind of log entries.
  /\bkind (=|<>|<|<=|>|>=|===|!==|in) \(?\d/,
  // A batch of orders: a name times, by or modulo the number of a batch.
  /[a-z_)] [*/%] 1024\b(?! \*)/,
  // An asset.
  /\basset(_id|Id)?:? (=|<>|===|!==|in|when) \(?[1-9]|\bassetId: [1-9]/,
];
/** Kilobytes. */
const BYTES = new Set(['bench/footprint.ts']);

/** Locks of one task in two files: the first staff, and the steps of a reconciliation. */
const SHARED_LOCKS = new Set(['7025', '7040']);

const NAMES: Readonly<Record<string, object>> = { log_kind: LOG_KINDS, asset_number: SEEDED_ASSETS };

describe('no file', () => {
  const lines = FILES.flatMap((path) =>
    readFileSync(join(ROOT, path), 'utf8')
      .split('\n')
      .map((text, place) => ({ path, at: `${path}:${place + 1}`, text })),
  );

  test('takes the advisory lock of another file, which would wait for as long as that one holds it', () => {
    const takers = new Map<string, Set<string>>();
    for (const { path, text } of lines.filter(({ text }) => !/^\s*(--|\*)/.test(text))) {
      const [, one] =
        /advisory_(?:xact_)?lock(?:_shared)?\((\d+)\)|\bconst LOCK = (\d+)/.exec(text)?.filter(Boolean) ?? [];
      if (one !== undefined) takers.set(one, (takers.get(one) ?? new Set()).add(path));
    }
    expect(takers.size).toBeGreaterThan(15);
    const shared = [...takers].filter(([number, paths]) => paths.size > 1 && !SHARED_LOCKS.has(number));
    expect(shared.map(([number, paths]) => `${number}: ${[...paths]}`)).toEqual([]);
  });

  test('has such a number bare', () => {
    const bare = lines.filter(({ path, text }) => !BYTES.has(path) && BARE.some((form) => form.test(text)));
    expect(bare.map(({ at, text }) => `${at} ${text.trim()}`)).toEqual([]);
  });

  test('passes five values or more to a database function by position', () => {
    const calls = lines
      .filter(({ path }) => /^(apps|packages)\/.*\.tsx?$/.test(path))
      .filter(({ text }) => /\b(?!unnest)[a-z_.]+\(\$1\b[^)]*\$5\b/.test(text));
    expect(calls.map(({ at, text }) => `${at} ${text.trim()}`)).toEqual([]);
  });

  test('has a name that is not in the lists', () => {
    const unknown = lines.flatMap(({ at, text }) =>
      [...text.matchAll(/\b(log_kind|asset_number)\('(\w+)'\)/g)]
        .filter(([, call, name]) => !((name as string) in (NAMES[call as string] as object)))
        .map(([call]) => `${at} ${call}`),
    );
    expect(unknown).toEqual([]);
  });
});
