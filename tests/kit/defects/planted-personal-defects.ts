import type { PlantedDefect } from './planted-defects.ts';

const SCHEMA = 'apps/server/schema';

/** Defects that would disclose a person's identity, or let a wrong person in. */
export const PERSONAL_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'tries at the withdrawal password are handed out without a lock',
    file: `${SCHEMA}/customers/withdrawal-passwords.sql`,
    search: 'from public.withdrawal_passwords w where w.customer_id = _customer for update;',
    replace: 'from public.withdrawal_passwords w where w.customer_id = _customer;',
    caughtBy: ['apps/server/src/customers/personal-data/withdrawal-passwords.test.ts'],
  },
  {
    name: 'a sealed value opens in any row',
    file: 'apps/server/src/platform/sealing/key-ring.ts',
    search: 'Buffer.from(JSON.stringify([table, record, customer]))',
    replace: 'Buffer.from(JSON.stringify([table].slice(1).concat([record, customer].slice(2))))',
    caughtBy: ['apps/server/src/customers/personal-data/secrecy.full.test.ts'],
  },
  {
    name: 'a card’s holder stands beside what is sealed',
    file: 'apps/server/src/customers/personal-data/destinations.ts',
    search: 'sealRecord(this.#keys, binding, card),',
    replace: 'Buffer.concat([sealRecord(this.#keys, binding, card), Buffer.from(card.holder)]),',
    caughtBy: ['apps/server/src/customers/personal-data/secrecy.full.test.ts'],
  },
  {
    name: 'an erasure leaves the files',
    file: 'apps/server/src/customers/personal-data/erase.ts',
    search: 'for (const file of files) await store.remove(file);',
    replace: 'void store;',
    caughtBy: ['apps/server/src/customers/personal-data/erase.full.test.ts'],
  },
  {
    name: 'a name is decided without a look at it',
    file: `${SCHEMA}/customers/verification.sql`,
    search: '< 2 + (_row.back_id is not null)::int then',
    replace: '< 0 then',
    caughtBy: ['apps/server/src/customers/verification/verification.test.ts'],
  },
  {
    name: 'a look at a picture is not recorded',
    file: 'apps/server/src/customers/verification/office.ts',
    search: 'await recordView(pool, { staffId, customerId: row.customer_id, what, subjectId: row.upload });',
    replace: 'void recordView;',
    caughtBy: ['apps/server/src/customers/verification/verification.test.ts'],
  },
  {
    name: 'a picture is kept as it was sent',
    file: 'apps/server/src/platform/uploads/picture-child.ts',
    search: 'full: full.data,',
    replace: 'full: picture,',
    caughtBy: ['apps/server/src/platform/uploads/hostile-files.full.test.ts'],
  },
  {
    name: 'a picture is shown to whoever knows its number',
    file: 'apps/server/src/platform/uploads/uploads.ts',
    search: 'where id = $1 and customer_id = $2 and file is not null',
    replace: 'where id = $1 and $2::bigint > 0 and file is not null',
    caughtBy: ['apps/server/src/customers/verification/verification.test.ts'],
  },
];
