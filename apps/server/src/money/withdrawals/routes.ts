import { parseDecimal } from '@fairtick/money';
import type { ErrorCode, Input, WithdrawalRequest } from '@fairtick/protocol';
import type { ChainSettings } from '../../config/chains-file.ts';
import type { WithdrawalPasswords } from '../../customers/personal-data/withdrawal-passwords.ts';
import { boundText, readAmount } from '../../platform/amounts.ts';
import type { Asset, Assets } from '../../platform/assets.ts';
import { callRow } from '../../platform/db/call.ts';
import type { Client, Pool } from '../../platform/db/database.ts';
import { BOUNDS } from '../../platform/fairness/bounds.ts';
import { Line } from '../../platform/fairness/line.ts';
import {
  type Handlers,
  type RefusalError,
  refusalOf,
  type SessionContext,
} from '../../platform/http/context.ts';
import { amountOf, ms } from '../../platform/office-queries.ts';
import { traced } from '../../platform/tracing.ts';
import { ofChain } from '../chains/chain-deposits.ts';
import { type Claim, claimOf, isKnown, once } from '../requests/claim-key.ts';
import { ownRequests } from '../requests/own-requests.ts';
import { type OptionParts, readDestinations, readOptions } from './options.ts';

export interface WithdrawParts extends OptionParts {
  readonly pool: Pool;
  readonly assets: Assets;
  readonly withdrawalPasswords: WithdrawalPasswords;
  readonly chains: readonly ChainSettings[];
}

export const WITHDRAWALS = {
  columns: `${amountOf('r.amount - r.fee')} as arrives, r.reference, h.waits as "waitsForClaim",
    json_build_object('kind', case a.code when 'USD' then 'bank' else 'address' end, 'label', r.destination_label) as destination,
    case when r.status in ('approved', 'sending') then r.status when r.decided_at is not null then 'ended'
      when r.revision > 0 then 'checked' else 'submitted' end as stage,
    ${ms('case when not h.waits then h.until end')} as "payableAt", p.payout`,
  joins: `cross join lateral (select case when r.decided_at is null then hold_until(r.customer_id, r.destination_id) end as until,
    r.decided_at is null and claim_waits(r.customer_id) as waits) h
    left join lateral (select json_build_object('chain', o.chain, 'state', o.state, 'txid', coalesce(o.txid, (select s.txid
        from payout_signatures s where s.payout_id = o.id order by s.batch_id desc limit 1)),
      'confirmations', greatest(0, coalesce(c.head - o.height + 1, 0))) as payout
    from payouts o left join chain_heads c on c.chain = o.chain
    where o.withdrawal_id = r.id and r.sending_way = 'batch' order by o.id desc limit 1) p on true`,
};

type Payout = NonNullable<WithdrawalRequest['payout']>;
type Row = Omit<WithdrawalRequest, 'payout'> & {
  readonly payout: (Omit<Payout, 'network' | 'link' | 'needed'> & { readonly chain: string }) | null;
};

/** Adds what CHAINS_FILE says of the chain. */
function withChain(chains: readonly ChainSettings[], { payout, ...row }: Row): WithdrawalRequest {
  if (payout === null) return { ...row, payout };
  const { chain, txid, ...standing } = payout;
  const { link, ...settings } = ofChain(chains, { chain, txid: txid ?? '' });
  return { ...row, payout: { ...standing, txid, ...settings, link: txid === null ? null : link } };
}

export function withdrawHandlers(parts: WithdrawParts) {
  const { pool } = parts;
  // A customer has five tries at the withdrawal password. Concurrent requests run one at a time, because otherwise they could use
  // up the tries between them although each is right.
  const line = new Line(BOUNDS.inOrder);
  const own = ownRequests<WithdrawalRequest, Row>(pool, 'withdrawal', {
    ...WITHDRAWALS,
    complete: (row) => withChain(parts.chains, row),
  });
  return {
    withdrawOptions: (_input, { session }) => readOptions(pool, parts, session.customerId),
    withdrawSubmit: async (input, context) => {
      // Without the withdrawal password: a comparison with a repeated key would confirm a right guess.
      const { payWord: _word, ...fields } = context.fields;
      const claim = claimOf({ ...context, fields });
      await line.take(context.asker, () =>
        traced('submit a withdrawal', {}, () => submit(parts, input, context, claim)),
      );
      return own.submitted(claim.keyHash, context);
    },
    withdrawList: own.list,
    withdrawDetail: own.detail,
    withdrawCancel: own.cancel,
  } satisfies Partial<Handlers>;
}

async function submit(
  parts: WithdrawParts,
  input: Input<'withdrawSubmit'>,
  context: SessionContext,
  claim: Claim,
): Promise<void> {
  const { customerId, tokenHash } = context.session;
  const asset = parts.assets.real(input.asset);
  const amount = readAmount(input.amount, asset);
  const seenFee = input.fee === undefined ? null : parseDecimal(input.fee, asset.scale);
  if (input.fee !== undefined && seenFee === null) throw refusalOf('INVALID_AMOUNT', 'fee');
  // An invalid form is refused without a try. The withdrawal password is checked before everything else that is revealed, also
  // before a known key, so that a guesser has five tries, whatever they repeat.
  const wordVersion = await parts.withdrawalPasswords.demand(customerId, input.payWord, 'payWord');
  if (await isKnown(parts.pool, customerId, claim)) return;
  await once(parts.pool, customerId, claim, async (client) => {
    const bound = await readDestinations(client, parts, customerId);
    const destination = bound.find(
      ({ id, asset: code }) => id === input.destinationId && code === asset.code,
    );
    if (!destination) throw refusalOf('DESTINATION_NOT_FOUND', 'destinationId');
    await parts.destinations.demandPayable(client, customerId, destination.rowId, 'destinationId');
    const { refused } = await callRow<{ refused: ErrorCode | null }>(client, 'withdrawal_submit', {
      tokenHash,
      keyHash: claim.keyHash,
      destination: destination.rowId,
      label: destination.label,
      asset: asset.id,
      amount,
      wordVersion,
      seenFee,
    });
    if (refused) throw await boundedRefusal(client, refused, { asset, customerId });
  });
}

/** A refusal of the amount states its bounds, one of the fee the current fee. */
async function boundedRefusal(
  client: Client,
  refused: ErrorCode,
  { asset, customerId }: { asset: Asset; customerId: string },
): Promise<RefusalError> {
  const isBound = refused === 'WITHDRAWAL_TOO_SMALL' || refused === 'WITHDRAWAL_TOO_LARGE';
  if (!isBound && refused !== 'TERMS_CHANGED')
    return refusalOf(refused, refused === 'INSUFFICIENT_BALANCE' ? 'amount' : null);
  const { rows } = await client.query<{ min: string; max: string; fee: string }>(
    `select t.min, t.fee, withdrawal_max(t, c.level) as max from withdrawal_terms t, customers c where t.asset_id = $1 and c.id = $2`,
    [asset.id, customerId],
  );
  const terms = rows[0] as { min: string; max: string; fee: string };
  if (!isBound) return refusalOf(refused, null, { fee: boundText(terms.fee, asset) });
  const bound = boundText(refused === 'WITHDRAWAL_TOO_SMALL' ? terms.min : terms.max, asset);
  return refusalOf(refused, 'amount', { bound });
}
