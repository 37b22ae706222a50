import { parseAmount } from '@fairtick/money';
import type { OfficeData, OfficeInput, treasuryOperations } from '@fairtick/protocol/office';
import { NamedCall } from '../../platform/db/named-call.ts';
import { RefusalError } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { amountOf, ms, queueStart, who } from '../../platform/office-queries.ts';
import { pageOf } from '../../platform/paging.ts';
import { demandRequestId } from '../requests/office-cases.ts';
import { statementHandlers } from './bank-statements-office.ts';
import { termsOf } from './channel-terms.ts';
import { capitalHandlers } from './house-capital.ts';
import { readKeptLiabilities } from './kept-liabilities.ts';
import { readCause } from './ledger-causes.ts';
import { LedgerCheck, whileWaiting } from './ledger-check.ts';
import { readTransfers, TRIAL_BALANCE } from './ledger-queries.ts';
import { assetOf, type TreasuryParts } from './treasury-parts.ts';
import { withdrawalTermsHandlers } from './withdrawal-terms.ts';

type Path = keyof typeof treasuryOperations;
type Area<Prefix extends string> = OfficeHandlers<Extract<Path, `${Prefix}/${string}`>>;
const DEFAULT_LIMIT = 20;

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
    'ledger/transfers': async (filter) => {
      const { customerId = null, kind = null, limit = DEFAULT_LIMIT } = filter;
      const asset = filter.asset === undefined ? undefined : assets.byCode(filter.asset);
      if (asset === null)
        throw new RefusalError('ASSET_NOT_ACCEPTED', { fields: { asset: 'ASSET_NOT_ACCEPTED' } });
      const found = await readTransfers(pool, {
        customerId: customerId === null ? null : demandRequestId(customerId),
        assetId: asset?.id ?? null,
        kind,
        fromMs: filter.from ?? null,
        toMs: filter.to ?? null,
        before: queueStart(filter),
        limit: limit + 1,
      });
      return pageOf(found, limit);
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
        const { rows: made } = await client.query<{ id: string }>('select reconcile($1) as id', [
          session.staffId,
        ]);
        const { rows } = await client.query<Reconciliation>(`${RECONCILIATIONS} where r.id = $1`, [
          made[0]?.id,
        ]);
        return rows[0] as Reconciliation;
      }),
    'reconciliation/list': async (filter) => {
      const limit = filter.limit ?? DEFAULT_LIMIT;
      const { rows } = await pool.query<Reconciliation>(
        `${RECONCILIATIONS} where $1::bigint is null or r.id < $1 order by r.id desc limit $2`,
        [queueStart(filter), limit + 1],
      );
      return pageOf(rows, limit);
    },
  };
}

type Correction = OfficeData<'correction/list'>['items'][number];
const CORRECTIONS = {
  columns: `k.customer_id::text as "customerId", c.account, a.code as asset, ${amountOf('k.amount')} as amount, k.reason,
    k.reversed_deposit_id::text as "reversedDepositId", r.state as status`,
  joins:
    'join corrections k on k.id = r.id join customers c on c.id = k.customer_id join ledger.assets a on a.id = k.asset_id',
};

function correctionHandlers(parts: TreasuryParts): Area<'correction'> {
  const { pool } = parts;
  const proposals = new OfficeProposals<Correction>(pool, ['correction'], CORRECTIONS);
  return {
    'correction/list': (filter) => proposals.list(filter),
    'correction/propose': async (input, { session }) => {
      const asset = assetOf(parts, input.asset);
      const amount = parseAmount(input.amount, asset.scale);
      if (amount === null) throw new RefusalError('INVALID_AMOUNT', { fields: { amount: 'INVALID_AMOUNT' } });
      if (input.reason.length < 5)
        throw new RefusalError('FORM_INCOMPLETE', { fields: { reason: 'FORM_INCOMPLETE' } });
      const isKnown = /^\d{1,18}$/.test(input.customerId);
      const known = isKnown && (await pool.query('select from customers where id = $1', [input.customerId]));
      if (!known || known.rowCount === 0)
        throw new RefusalError('CUSTOMER_NOT_FOUND', { fields: { customerId: 'CUSTOMER_NOT_FOUND' } });
      const { customerId, direction, reason, reversedDepositId } = input;
      const { rows } = await pool.query<{ result: string }>(
        PROPOSE.with({
          staff: session.staffId,
          customer: customerId,
          asset: asset.id,
          amount: direction === 'up' ? amount : -amount,
          reason,
          reversedDeposit: reversedDepositId === undefined ? null : demandRequestId(reversedDepositId),
        }),
      );
      return { id: (rows[0] as { result: string }).result };
    },
    'correction/approve': ({ id }, { session }) =>
      proposals.decide(session.staffId, demandRequestId(id), 'agree'),
    'correction/refuse': async ({ id }, { session }) => {
      await proposals.refuse(session.staffId, demandRequestId(id));
      return null;
    },
  };
}

const PROPOSE = new NamedCall('correction_propose', {
  staff: 'bigint',
  customer: 'bigint',
  asset: 'smallint',
  amount: 'bigint',
  reason: 'text',
  reversedDeposit: 'bigint',
});

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

function channelHandlers(parts: TreasuryParts): Area<'channel'> {
  const { pool } = parts;
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
    'channel/propose': async (input: OfficeInput<'channel/propose'>, { session }) => {
      const terms = termsOf(input, assetOf(parts, input.asset));
      const { rows } = await pool.query<{ id: string }>('select channel_propose($1, $2, $3) as id', [
        session.staffId,
        input.id === undefined ? null : demandRequestId(input.id),
        terms,
      ]);
      return { id: (rows[0] as { id: string }).id };
    },
    'channel/decide': ({ id, verdict }, { session }) =>
      proposals.decide(session.staffId, demandRequestId(id), verdict),
  };
}
