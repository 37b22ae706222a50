import { HOSTILE_IDS } from './hostile-values.ts';

const HASH = 'a'.repeat(64);
/** Payloads of notifications that have no channel's form. */
export const NONSENSE = [
  ...HOSTILE_IDS.filter((id) => !/^\d*$/.test(id) && !id.includes('\0')),
  ...[
    'null',
    'true',
    '[]',
    '{}',
    '"1"',
    '[null]',
    '{"customerId":null}',
    '{"customerId":1}',
    ':',
    '::',
    ':1',
  ],
  ...[
    '1:2:3',
    '0:x',
    '-1:2',
    'x:0',
    ',',
    '1:0,',
    '1:0,,2:0',
    '1:1e3',
    '1:0x10',
    '1 :2',
    '١:٢',
    '1;2',
    '1.5:2',
  ],
  `{"customerId":"1","tokenHash":"${HASH}"}`,
  `{"customerId":"1","tokenHash":"${HASH.toUpperCase()}","exceptHash":null}`,
  `{"customerId":["1"],"tokenHash":null,"exceptHash":null}`,
  '{"__proto__":{"customerId":"1"}}',
  '1:0,'.repeat(1_900),
  '9'.repeat(7_000),
  '['.repeat(7_000),
];
