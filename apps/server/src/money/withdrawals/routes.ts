import { randomBytes } from 'node:crypto';
import { parseAmount, parseDecimal } from '@fairtick/money';
import type { Input } from '@fairtick/protocol';
import type { WithdrawalPasswords } from '../../customers/personal-data/withdrawal-passwords.ts';
import { boundText } from '../../platform/amounts.ts';
import type { Asset } from '../../platform/assets.ts';
import { type Client, type Pool, transaction } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import { BOUNDS } from '../../platform/fairness/bounds.ts';
import { Line } from '../../platform/fairness/line.ts';
import type { Handlers, RefusalError, SessionContext } from '../../platform/http/context.ts';
import { hashInput, hashKey } from '../../platform/request-hashes.ts';
import { type Claim, claimKey, isKnown } from '../requests/claim-key.ts';
import { ownRequests } from '../requests/own-requests.ts';
import { refusalOf } from '../requests/refusals.ts';
import { type OptionParts, readDestinations, readOptions } from './options.ts';
import { readWithdrawals } from './withdrawals.ts';

export interface WithdrawParts extends OptionParts {
  readonly pool: Pool;
  readonly withdrawalPasswords: WithdrawalPasswords;
}

type WithdrawEndpoint =
  | 'withdrawOptions'
  | 'withdrawSubmit'
  | 'withdrawList'
  | 'withdrawDetail'
  | 'withdrawCancel';

export function withdrawHandlers(parts: WithdrawParts): Pick<Handlers, WithdrawEndpoint> {
  const { pool, assets } = parts;
  // A customer has five tries at the withdrawal password. Concurrent requests run one at a time, because otherwise they could use
  // up the tries between them although each is right.
  const line = new Line(BOUNDS.inOrder);
  const own = ownRequests(pool, 'withdrawal', (filter, language) =>
    readWithdrawals(pool, assets, filter, language),
  );
  return {
    withdrawOptions: (_input, { session }) => readOptions(pool, parts, session.customerId),
    withdrawSubmit: async (input, context) => {
      const claim = claimOf(context);
      await line.take(context.asker, () => submit(parts, input, context, claim));
      return own.submitted(claim.keyHash, context);
    },
    withdrawList: own.list,
    withdrawDetail: own.detail,
    withdrawCancel: own.cancel,
  };
}

/**
 * The hashes by which a repeated key is compared. They omit the withdrawal password: a comparison would confirm a right guess.
 */
function claimOf(context: SessionContext): Claim {
  const { payWord: _word, ...fields } = context.fields;
  return {
    keyHash: hashKey(context.idempotencyKey ?? randomBytes(16).toString('hex')),
    inputHash: hashInput(context.path, fields),
  };
}

async function submit(
  parts: WithdrawParts,
  input: Input<'withdrawSubmit'>,
  context: SessionContext,
  claim: Claim,
): Promise<void> {
  const { customerId, tokenHash } = context.session;
  const asset = parts.assets.byCode(input.asset);
  if (!asset || asset.isPractice) throw refusalOf('ASSET_NOT_ACCEPTED', 'asset');
  const amount = parseAmount(input.amount, asset.scale);
  if (amount === null) throw refusalOf('INVALID_AMOUNT', 'amount');
  const seenFee = input.fee === undefined ? null : parseDecimal(input.fee, asset.scale);
  if (input.fee !== undefined && seenFee === null) throw refusalOf('INVALID_AMOUNT', 'fee');
  // An invalid form is refused without a try. The withdrawal password is checked before everything else that is revealed, also
  // before a known key, so that a guesser has five tries, whatever they repeat.
  const wordVersion = await parts.withdrawalPasswords.demand(customerId, input.payWord, 'payWord');
  if (await isKnown(parts.pool, customerId, claim)) return;
  await transaction(parts.pool, async (client) => {
    if (!(await claimKey(client, customerId, claim))) return;
    const bound = await readDestinations(client, parts, customerId);
    const destination = bound.find(
      ({ id, asset: code }) => id === input.destinationId && code === asset.code,
    );
    if (!destination) throw refusalOf('DESTINATION_NOT_FOUND', 'destinationId');
    await parts.destinations.demandPayable(client, customerId, destination.rowId, 'destinationId');
    const { rows } = await client.query<{ refused: Parameters<typeof refusalOf>[0] | null }>(
      SUBMIT.with({
        tokenHash,
        keyHash: claim.keyHash,
        destination: destination.rowId,
        label: destination.label,
        asset: asset.id,
        amount,
        wordVersion,
        seenFee,
      }),
    );
    const refused = rows[0]?.refused;
    // A refusal rolls back the transaction, and with it the key.
    if (refused) throw await boundedRefusal(client, refused, { asset, customerId });
  });
}

const SUBMIT = new NamedCall('withdrawal_submit', {
  tokenHash: 'bytea',
  keyHash: 'bytea',
  destination: 'bigint',
  label: 'text',
  asset: 'smallint',
  amount: 'bigint',
  wordVersion: 'int',
  seenFee: 'bigint',
});

/** A refusal of the amount states its bounds, one of the fee the current fee. */
async function boundedRefusal(
  client: Client,
  refused: Parameters<typeof refusalOf>[0],
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
