import { createTestDatabase, type TestDatabase } from '@fairtick/kit/database/database.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from './migrate.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const applied = async (table: string): Promise<string[]> => {
  const { rows } = await db.owner.query<{ name: string }>(`select name from migrations.${table} order by id`);
  return rows.map(({ name }) => name);
};

describe('the schema', () => {
  test('is left alone when it is up to date, by several who come at once', async () => {
    const before = await applied('server_migrations');
    await Promise.all(Array.from({ length: 4 }, () => migrate(db.ownerAddress)));
    expect(await applied('server_migrations')).toEqual(before);
  });

  test.each(['ledger_migrations', 'server_migrations'])(
    'of a newer version is refused by name and not touched: %s',
    async (table) => {
      await db.owner.query(`insert into migrations.${table} (name, run_on) values ('999_later', now())`);
      const before = await applied(table);
      await expect(migrate(db.ownerAddress)).rejects.toThrow(/newer version \(999_later\)/);
      expect(await applied(table)).toEqual(before);
      await db.owner.query(`delete from migrations.${table} where name = '999_later'`);
      await migrate(db.ownerAddress);
    },
  );
});
