import type { ChainDeposit, DepositChannel } from '@fairtick/protocol';
import { CheckIcon, Fact, Facts, Notice, Skeleton } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { useAnswer } from '../../api/use-answer.ts';
import { useText } from '../../messages/text-context.tsx';
import { Listed } from '../../parts/loaded.tsx';
import { Link } from '../../shell/link.tsx';
import { formatAmount, formatDateTime } from '../../state/format.ts';
import { useSession } from '../../state/session.ts';
import parts from '../parts/parts.module.css';
import { money } from '../parts/request-words.ts';
import { checkAddress } from './check-address.ts';
import css from './deposit.module.css';

const RECORD_EVERY_MS = 10_000;
/** About as often as the server looks at the chain. */
const EVERY_MS = 2_000;

/** A channel whose address is the customer's own: nothing has to be submitted, and what comes is shown with its confirmations. */
export function OnChain({ channel }: { channel: DepositChannel }) {
  const { t } = useText();
  const { asset, network, min, confirmations, address } = channel;
  return (
    <>
      <Facts columns={1} className="card p-16 mt-12">
        <Fact name={t('deposit.chain.network')}>
          <b className="title-15" translate="no">
            {network}
          </b>
        </Fact>
        <Fact name={t('deposit.chain.min')}>{money(min, asset)}</Fact>
        <Fact name={t('deposit.chain.needed')}>{confirmations}</Fact>
      </Facts>
      <div className="mt-12">
        <Notice look="info">{t('deposit.chain.note', { asset, network })}</Notice>
      </div>
      {address !== null && <OnRecord address={address} network={network} />}
      <Payments />
    </>
  );
}

/** Whether the public log says that the address is this customer's, checked on this device. */
function OnRecord(own: { address: string; network: string }) {
  const { t } = useText();
  const customer = useSession((state) => state.userInfo?.id ?? '');
  const query = useQuery({
    queryKey: ['own-address', own.address, customer],
    queryFn: () => checkAddress(own, customer),
    refetchInterval: ({ state: { data } }) => (data === null ? false : RECORD_EVERY_MS),
  });
  const { data: fault } = query;
  const said = (word: 'failed' | 'checking' | 'right') => (
    <p className="caption row gap-8 mt-12" role="status">
      {word === 'right' && <CheckIcon size={14} />}
      {t(`deposit.record.${word}`)}
    </p>
  );
  if (fault === undefined) return said(query.error ? 'failed' : 'checking');
  if (fault === null) return said('right');
  const isNew = fault === 'absent' || fault === 'unlogged';
  return (
    <div className="mt-12">
      <Notice look={isNew ? 'info' : 'bad'}>
        {t(isNew ? 'deposit.record.new' : 'deposit.record.wrong')}
      </Notice>
    </div>
  );
}

function Payments() {
  const { t } = useText();
  const query = useAnswer('recharge/onChain', {}, { refetchInterval: EVERY_MS });
  const items = query.data?.items ?? [];
  return (
    <section className={parts.section}>
      <div className={`secondary ${parts.head}`}>
        <h2>{t('deposit.chain.list')}</h2>
      </div>
      <Listed
        query={query}
        items={items}
        waiting={<Skeleton width="100%" height={46} />}
        empty={<p className="caption">{t('deposit.chain.none')}</p>}
      >
        <ul className="lined">
          {items.map((payment) => (
            <li key={payment.id} data-state={payment.state}>
              <Payment payment={payment} />
            </li>
          ))}
        </ul>
      </Listed>
    </section>
  );
}

function Payment({ payment }: { payment: ChainDeposit }) {
  const { t, tag } = useText();
  const { asset, amount, network, state, confirmations, needed, reason, owed, requestId, link } = payment;
  return (
    <div className={`py-8 ${css.payment}`}>
      <p className="row gap-8 title-15">
        <b translate="no">{amount === null || asset === null ? '–' : `${formatAmount(amount)} ${asset}`}</b>
        <span className="caption">{`${network} · ${formatDateTime(payment.seenAt, tag)}`}</span>
      </p>
      <p className="secondary mt-4" role="status">
        {t(`deposit.chain.state.${state}`, { confirmations, needed })}
        {reason !== null && ` ${t(`deposit.chain.reason.${reason}`)}`}
      </p>
      {owed !== null && asset !== null && (
        <p className="bad mt-4">{t('deposit.chain.owed', { amount: money(owed, asset) })}</p>
      )}
      <p className="caption breaks mt-4">
        {link === null ? (
          <span translate="no">{payment.txid}</span>
        ) : (
          <a href={link} target="_blank" rel="noopener noreferrer nofollow" translate="no">
            {payment.txid}
          </a>
        )}
        {requestId !== null && (
          <>
            {' · '}
            <Link href={`/accessLog?deposit=${requestId}`}>{t('log.ofDeposit', { id: requestId })}</Link>
          </>
        )}
      </p>
    </div>
  );
}
