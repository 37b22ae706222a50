import { OfficeClient, staffOf } from '@fairtick/kit/clients/office-client.ts';
import { ownDatabase, ownOffice } from '@fairtick/kit/fixtures/fixtures.ts';
import { sample } from '@fairtick/kit/size.ts';
import {
  type OfficeOperation,
  officeOperations,
  STAFF_ROLES,
  type StaffRole,
} from '@fairtick/protocol/office';
import { expect, test } from 'vitest';
import type * as z from 'zod';

/** Values that no form sends. */
const VALUES = [
  '',
  ' ',
  '0',
  '-1',
  '1e3',
  '99999999999999999999',
  '9223372036854775808',
  'NaN',
  "'; drop table staff; --",
  '{"a":1}',
  '\u0000',
  '\ud800',
  '<img src=x onerror=alert(1)>',
  '../../etc/passwd',
  'x'.repeat(5_000),
];
const db = ownDatabase();
const api = ownOffice(db);

const fieldsOf = ({ input }: OfficeOperation): string[] =>
  Object.keys((input as z.ZodObject).shape ?? {}).filter((name) => name !== 'lang');

test.each(STAFF_ROLES)('no value that %s can send breaks an operation', async (role: StaffRole) => {
  const staff = await staffOf(db, api.officeOrigin, role);
  const mine = Object.entries<OfficeOperation>(officeOperations).filter(
    ([path, { roles }]) => path !== 'session/logout' && Array.isArray(roles) && roles.includes(role),
  );
  for (const [path, operation] of mine) {
    const names = fieldsOf(operation);
    for (const value of sample(VALUES, 6)) {
      const fields = Object.fromEntries(names.map((name) => [name, value]));
      const { status } =
        operation.method === 'GET' ? await staff.get(path, fields) : await staff.post(path, fields);
      expect([path, value.slice(0, 30), status < 500]).toEqual([path, value.slice(0, 30), true]);
    }
  }
});

test('no value breaks an operation that needs no particular role', async () => {
  const anybody = new OfficeClient(api.officeOrigin);
  const staff = await staffOf(db, api.officeOrigin, 'support');
  const open = Object.entries<OfficeOperation>(officeOperations).filter(
    ([path, { roles }]) => path !== 'session/logout' && !Array.isArray(roles),
  );
  for (const [path, operation] of open) {
    const client = operation.roles === 'public' ? anybody : staff;
    for (const value of sample(VALUES, 6)) {
      const fields = Object.fromEntries(fieldsOf(operation).map((name) => [name, value]));
      const { status } =
        operation.method === 'GET' ? await client.get(path, fields) : await client.post(path, fields);
      expect([path, value.slice(0, 30), status < 500]).toEqual([path, value.slice(0, 30), true]);
    }
  }
});
