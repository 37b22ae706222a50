import { LedgerDatabase } from '@fairtick/kit/database/ledger-database.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { afterChanges } from '@fairtick/kit/judges/planted-changes.ts';
import { beforeAll, describe, expect, test } from 'vitest';

let ann: number;
let bob: number;

const ledger = forFile(() => LedgerDatabase.create(), closeAudited);
beforeAll(async () => {
  ann = await ledger.customer();
  bob = await ledger.customer();
  await ledger.reserve('bought', [
    { owner: ann, amount: 100n, ref: 1 },
    { owner: ann, amount: 200n, ref: 2 },
    { owner: bob, amount: 300n, ref: 3 },
  ]);
  await ledger.resolve('settled', [
    { owner: ann, amount: 100n, returned: 180n, ref: 1 },
    { owner: bob, amount: 300n, returned: 0n, ref: 3 },
  ]);
  await ledger.pool.query('select ledger.roll_up_house()');
});

const BALANCE = 'balance = sum of postings';
const SUM = 'sum over an asset = 0';
const TRANSFER = 'every posting has its transfer';
const OWNER = "a posting is its owner's";
const HOUSE = 'a transfer moves the house as its postings say';
const WATERMARK = 'house balances = movements below the watermark';
const FOLLOW = "a customer's postings follow one another";

/** Changes made with the owner's rights, bypassing the ledger's functions; $1 is the first customer, $2 the second. */
const PLANTED: readonly [string, string, readonly string[]][] = [
  [
    'a balance raised',
    'update ledger.balances set available = available + 1 where owner_id = $1 and asset_id = 1',
    [BALANCE, SUM],
  ],
  [
    'held money that nobody reserved',
    'update ledger.balances set held = held + 1 where owner_id = $1 and asset_id = 1',
    [BALANCE, SUM],
  ],
  [
    'earnings without a posting',
    'update ledger.balances set earning = 5 where owner_id = $1 and asset_id = 2',
    [BALANCE, SUM],
  ],
  [
    'money pushed from one customer to another',
    `update ledger.balances set available = available + case owner_id when $1 then 7 else -7 end
     where owner_id in ($1, $2) and asset_id = 1`,
    [BALANCE],
  ],
  ['a balance deleted', 'delete from ledger.balances where owner_id = $1 and asset_id = 1', [BALANCE, SUM]],
  ['a posting deleted', 'delete from ledger.postings where owner_id = $1 and ref = 2', [BALANCE, FOLLOW]],
  [
    'a customer’s last posting deleted, and the balance with it',
    `with gone as (delete from ledger.postings where owner_id = $2 and ref = 3 and available_after is null returning amount)
     update ledger.balances set held = held + (select amount from gone) where owner_id = $2 and asset_id = 1`,
    [HOUSE, SUM],
  ],
  [
    'a posting added',
    `insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
     select transfer_id, owner_id, asset_id, debit, credit, 50, available_after, ref from ledger.postings
     where owner_id = $1 and ref = 2`,
    [BALANCE, FOLLOW],
  ],
  [
    'a posting added together with its balance, and without a transfer',
    `with added as (
       insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
       select 999999, owner_id, asset_id, owner_id * 4, owner_id * 4 + 1, 50, available - 50, 9
       from ledger.balances where owner_id = $1 and asset_id = 1)
     update ledger.balances set available = available - 50, held = held + 50 where owner_id = $1 and asset_id = 1`,
    [TRANSFER],
  ],
  [
    'an amount changed',
    'update ledger.postings set amount = amount + 1 where owner_id = $2 and ref = 3',
    [BALANCE, FOLLOW, HOUSE],
  ],
  [
    'a posting with debit and credit swapped',
    'update ledger.postings set debit = credit, credit = debit where owner_id = $1 and ref = 2',
    [BALANCE, FOLLOW],
  ],
  [
    'a posting moved to another asset',
    'update ledger.postings set asset_id = 2 where owner_id = $1 and ref = 2',
    [BALANCE, FOLLOW],
  ],
  [
    'a posting assigned to another customer',
    'update ledger.postings set owner_id = $2 where owner_id = $1 and ref = 2',
    [BALANCE, FOLLOW, OWNER],
  ],
  [
    'a running balance changed',
    'update ledger.postings set available_after = available_after + 1 where owner_id = $1 and ref = 2',
    [FOLLOW],
  ],
  [
    'a running balance removed',
    'update ledger.postings set available_after = null where owner_id = $1 and ref = 2',
    [FOLLOW],
  ],
  ['a transfer deleted', `delete from ledger.transfers where idempotency_key = 'settled'`, [TRANSFER]],
  [
    'a house movement changed',
    'update ledger.house_movements set amount = amount + 1 where account = 8 and transfer_id > 7',
    [HOUSE, WATERMARK],
  ],
  [
    'a house movement deleted',
    'delete from ledger.house_movements where account = 8 and transfer_id > 7',
    [HOUSE, WATERMARK],
  ],
  [
    'a house movement shifted to another transfer',
    `update ledger.house_movements set transfer_id = (select id from ledger.transfers where idempotency_key = 'bought')
     where transfer_id = (select id from ledger.transfers where idempotency_key = 'settled')`,
    [HOUSE],
  ],
  [
    'the house’s rolled-up balance raised',
    'update ledger.house_balances set balance = balance + 1 where account = 8 and asset_id = 1',
    [SUM, WATERMARK],
  ],
  ['the watermark set back', `update ledger.house_watermark set xid = '1'`, [SUM, WATERMARK]],
  [
    'a movement hidden from the roll-up',
    `update ledger.house_movements set xid = '9999999999' where account = 8 and transfer_id > 7`,
    [SUM, WATERMARK],
  ],
];

describe('the audit of the ledger finds', () => {
  test.each(PLANTED)('%s', async (_what, statement, rules) => {
    const planted = statement.replaceAll('$1', String(ann)).replaceAll('$2', String(bob));
    const found = await afterChanges(ledger.pool, [planted], async (client) => {
      const { rows } = await client.query<{ rule: string }>('select distinct rule from ledger.violations()');
      return rows.map(({ rule }) => rule);
    });
    expect(found.sort()).toEqual([...rules].sort());
  });
});
