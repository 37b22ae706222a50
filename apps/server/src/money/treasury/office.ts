import type { OfficeData, treasuryOperations } from '@fairtick/protocol/office';
import { readAmount } from '../../platform/amounts.ts';
import { call } from '../../platform/db/call.ts';
import { refusalOf } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { amountOf, ms, who } from '../../platform/office-queries.ts';
import { readPage } from '../../platform/paging.ts';
import { statementHandlers } from './bank-statements-office.ts';
import { termsOf } from './channel-terms.ts';
import { capitalHandlers } from './house-capital.ts';
import { readKeptLiabilities } from './kept-liabilities.ts';
import { readCause } from './ledger-causes.ts';
import { LedgerCheck, whileWaiting } from './ledger-check.ts';
import { readTransfers, TRIAL_BALANCE } from './ledger-queries.ts';
import type { TreasuryParts } from './treasury-parts.ts';
import { withdrawalTermsHandlers } from './withdrawal-terms.ts';

type Path = keyof typeof treasuryOperations;
type Area<Prefix extends string> = OfficeHandlers<Extract<Path, `${Prefix}/${string}`>>;

/** Operations of staff on the ledger beside requests. Functions of the database decide who may act and how many must agree. */
export function treasuryHandlers(parts: TreasuryParts): OfficeHandlers<Path> {
  return {
    ...ledgerHandlers(parts),
    ...reconciliationHandlers(parts),
    ...correctionHandlers(parts),
    ...channelHandlers(parts),
    ...withdrawalTermsHandlers(parts),
    ...capitalHandlers(parts),
    ...statementHandlers(parts),
  };
}

function ledgerHandlers({ pool, assets }: TreasuryParts): Area<'ledger'> {
  const check = new LedgerCheck(pool);
  return {
    'ledger/transfers': async ({ asset, ...filter }) => {
      const assetId = asset === undefined ? undefined : assets.named(asset).id;
      return readPage(filter, (limit) => readTransfers(pool, { ...filter, assetId, limit }));
    },
    'ledger/cause': ({ of }) => readCause(pool, of),
    'ledger/violations': () => check.run(),
    'ledger/liabilities': () => readKeptLiabilities(pool),
    'ledger/trialBalance': async () =>
      (await pool.query<OfficeData<'ledger/trialBalance'>[number]>(TRIAL_BALANCE)).rows,
  };
}

type Reconciliation = OfficeData<'reconciliation/run'>;
const RECONCILIATIONS = `select r.id::text, ${ms('r.at')} as time, ${who('r.staff_id')} as by, r.findings, (
    select coalesce(json_agg(json_build_object('asset', a.code, 'account', b.account, 'balance', ${amountOf('b.balance')})
      order by a.id, b.account), '[]')
    from jsonb_to_recordset(r.balances) as b (asset_id smallint, account text, balance numeric)
    join ledger.assets a on a.id = b.asset_id
  ) as balances from reconciliations r`;

function reconciliationHandlers({ pool }: TreasuryParts): Area<'reconciliation'> {
  return {
    'reconciliation/run': (_input, { session }) =>
      whileWaiting(pool, async (client) => {
        const id = await call<string>(client, 'reconcile', { staff: session.staffId });
        const { rows } = await client.query<Reconciliation>(`${RECONCILIATIONS} where r.id = $1`, [id]);
        return rows[0] as Reconciliation;
      }),
    'reconciliation/list': (filter) =>
      readPage(filter, async (limit) => {
        const { rows } = await pool.query<Reconciliation>(
          `${RECONCILIATIONS} where $1::bigint is null or r.id < $1 order by r.id desc limit $2`,
          [filter.cursor, limit],
        );
        return rows;
      }),
  };
}

type Correction = OfficeData<'correction/list'>['items'][number];
const CORRECTIONS = {
  columns: `k.customer_id::text as "customerId", c.account, a.code as asset, ${amountOf('k.amount')} as amount, k.reason,
    k.reversed_deposit_id::text as "reversedDepositId", r.state as status`,
  joins:
    'join corrections k on k.id = r.id join customers c on c.id = k.customer_id join ledger.assets a on a.id = k.asset_id',
};

function correctionHandlers({ pool, assets }: TreasuryParts): Area<'correction'> {
  const proposals = new OfficeProposals<Correction>(pool, ['correction'], CORRECTIONS);
  return {
    'correction/list': (filter) => proposals.list(filter),
    'correction/propose': async (input, { session }) => {
      const { customerId: customer, direction, reason, reversedDepositId: reversedDeposit } = input;
      const asset = assets.real(input.asset);
      const size = readAmount(input.amount, asset);
      if (reason.length < 5) throw refusalOf('FORM_INCOMPLETE', 'reason');
      const { rowCount } = await pool.query('select from customers where id = $1', [customer]);
      if (rowCount === 0) throw refusalOf('CUSTOMER_NOT_FOUND', 'customerId');
      const amount = direction === 'up' ? size : -size;
      const values = { customer, asset: asset.id, amount, reason, reversedDeposit };
      return { id: await call(pool, 'correction_propose', { staff: session.staffId, ...values }) };
    },
    'correction/approve': ({ id }, { session }) => proposals.decide(session.staffId, id, 'agree'),
    'correction/refuse': ({ id }, { session }) => proposals.refuse(session.staffId, id),
  };
}

type Channel = OfficeData<'channel/list'>[number];
type Change = OfficeData<'channel/changes'>['items'][number];

/** Select list of a channel's terms in the office's format. Alias v: a channel or a proposed change; alias a: its asset. */
const TERMS = `a.code as asset, v.network, v.address, v.bank, ${amountOf('v.min')} as min, ${amountOf('v.max')} as max,
  array(select ${amountOf('p')} from unnest(coalesce(v.presets, '{}')) p) as presets, ${amountOf('coalesce(v.fee, 0)')} as fee,
  v.is_enabled as "isEnabled"`;

const CHANGES = {
  columns: `r.subject as "channelId", r.state as status,
    (select row_to_json(x) from (select r.subject as id, ${TERMS}
      from jsonb_populate_record(null::deposit_channels, r.content -> 'terms') v join ledger.assets a on a.id = v.asset_id) x) as terms`,
};

function channelHandlers({ pool, assets }: TreasuryParts): Area<'channel'> {
  const proposals = new OfficeProposals<Change>(pool, ['channel'], CHANGES);
  return {
    'channel/list': async () =>
      (
        await pool.query<Channel>(
          `select v.id::text, v.version, ${TERMS}, ${ms('v.created_at')} as since
           from current_channels() v join ledger.assets a on a.id = v.asset_id order by v.id`,
        )
      ).rows,
    'channel/changes': (filter) => proposals.list(filter),
    'channel/propose': async (input, { session }) => {
      const terms = termsOf(input, assets.real(input.asset));
      const values = { staff: session.staffId, channel: input.id, terms };
      return { id: await call(pool, 'channel_propose', values) };
    },
    'channel/decide': ({ id, verdict }, { session }) => proposals.decide(session.staffId, id, verdict),
  };
}
