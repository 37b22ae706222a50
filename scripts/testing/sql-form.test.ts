import { expect, test } from 'vitest';
import { lineFaults, sqlFormFaults } from './sql-form.ts';

test('the schema has one form, and each fault of it is told with its line', () => {
  expect(sqlFormFaults(`${import.meta.dirname}/../..`)).toEqual([]);
  expect(lineFaults('a.sql', 'select 1;\n  select 2; \n\tselect 3;\n   select 4;\n')).toEqual([
    'a.sql:2 ends with blanks',
    'a.sql:3 has a tab',
    'a.sql:3 is indented by an odd number of blanks',
    'a.sql:4 is indented by an odd number of blanks',
  ]);
  expect(lineFaults('a.sql', `select '${'→'.repeat(121)}'`)).toEqual([]);
  expect(lineFaults('a.sql', `select '${'→'.repeat(122)}'`)).toEqual([
    'a.sql:1 is longer than 130 characters',
  ]);
});
