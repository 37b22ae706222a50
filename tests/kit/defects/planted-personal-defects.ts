import type { PlantedDefect } from './planted-defects.ts';

const SCHEMA = 'apps/server/schema';
const PERSONAL = 'apps/server/src/personal-data';
const UPLOADS = 'apps/server/src/uploads';
const VERIFICATION = 'apps/server/src/verification';

/** Defects that would disclose a person's identity, or let a wrong person in. */
export const PERSONAL_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'tries at the withdrawal password are handed out without a lock',
    file: `${SCHEMA}/customers/withdrawal-passwords.sql`,
    search: 'from public.pay_words w where w.customer_id = _customer for update;',
    replace: 'from public.pay_words w where w.customer_id = _customer;',
    caughtBy: [`${PERSONAL}/pay-words.test.ts`],
  },
  {
    name: 'a sealed value opens in any row',
    file: `${PERSONAL}/key-ring.ts`,
    search: 'Buffer.from(JSON.stringify([table, record, customer]))',
    replace: 'Buffer.from(JSON.stringify([table].slice(1).concat([record, customer].slice(2))))',
    caughtBy: [`${PERSONAL}/secrecy.test.ts`],
  },
  {
    name: 'a card’s holder stands beside what is sealed',
    file: `${PERSONAL}/destinations.ts`,
    search: 'sealRecord(this.#keys, binding, card),',
    replace: 'Buffer.concat([sealRecord(this.#keys, binding, card), Buffer.from(card.holder)]),',
    caughtBy: [`${PERSONAL}/secrecy.test.ts`],
  },
  {
    name: 'an erasure leaves the files',
    file: `${PERSONAL}/erase.ts`,
    search: 'for (const file of files) await store.remove(file);',
    replace: 'void store;',
    caughtBy: [`${PERSONAL}/secrecy.test.ts`],
  },
  {
    name: 'a name is decided without a look at it',
    file: `${SCHEMA}/customers/verification.sql`,
    search: ') < 3 then',
    replace: ') < 0 then',
    caughtBy: [`${VERIFICATION}/verification.test.ts`],
  },
  {
    name: 'a look at a picture is not recorded',
    file: `${VERIFICATION}/office.ts`,
    search: 'await recordView(pool, { staffId, customerId: row.customer_id, what, subjectId: row.upload });',
    replace: 'void recordView;',
    caughtBy: [`${VERIFICATION}/verification.test.ts`],
  },
  {
    name: 'a picture is kept as it was sent',
    file: `${UPLOADS}/image-child.ts`,
    search: 'full: full.data, thumb }',
    replace: 'full: bytes, thumb }',
    caughtBy: [`${UPLOADS}/hostile-files.test.ts`],
  },
  {
    name: 'a picture is shown to whoever knows its number',
    file: `${UPLOADS}/uploads.ts`,
    search: 'where id = $1 and customer_id = $2 and file is not null',
    replace: 'where id = $1 and $2::bigint > 0 and file is not null',
    caughtBy: [`${VERIFICATION}/verification.test.ts`],
  },
];
