import { isFinal } from '@fairtick/protocol/lifecycles';
import { Button, buttonClass, Fact, Facts, Notice, Skeleton } from '@fairtick/ui';
import { useState } from 'react';
import { queryClient } from '../../api/query-client.tsx';
import { useSecond } from '../../live/clock.ts';
import { useText } from '../../messages/text-context.tsx';
import { Copy } from '../../parts/code-text.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useStoredPicture } from '../../parts/object-url.ts';
import { useForm } from '../../parts/use-form.ts';
import { Link } from '../../shell/link.tsx';
import { formatAmount, formatDateTime } from '../../state/format.ts';
import { useToast } from '../../state/toast.ts';
import { OutcomeTag } from './outcome-tag.tsx';
import css from './request-view.module.css';
import { money, nextStep, stagesOf } from './request-words.ts';
import { type Request, type RequestWithHistory, takeBack } from './requests.ts';
import { Stages } from './stages.tsx';

export function RequestView(props: {
  request: RequestWithHistory;
  /** Set if the form for another request is on the same page. */
  onAgain?: () => void;
}) {
  const { request, onAgain } = props;
  const text = useText();
  const { t, tag } = text;
  const second = useSecond();
  return (
    <article className={`column ${css.request}`} data-status={request.status} data-columns="1">
      <div className={`row gap-8 title-15 ${css.top}`}>
        <span>{t(`log.type.${request.kind}`)}</span>
        <OutcomeTag of={request} />
      </div>
      <p className={`flex items-baseline gap-8 mt-6 ${css.amount}`}>
        {/* The stated amount until the actual one is known; the label below says which it is. */}
        <b translate="no">{formatAmount(shownAmount(request))}</b>
        <span className="ink-3">{request.asset}</span>
      </p>
      {request.reason !== null && request.status !== 'success' && (
        <div className="mt-12">
          <Notice look={request.status === 'failure' ? 'bad' : 'info'}>{request.reason}</Notice>
        </div>
      )}
      <p className="secondary mt-10">{nextStep(request, text, second)}</p>
      {!isFinal('deposit', request.status) && (
        <Stages label={t('wallet.whatHappens')} stages={stagesOf(request, text)} />
      )}
      {request.kind === 'deposit' ? (
        <DepositFacts request={request} />
      ) : (
        <WithdrawalFacts request={request} />
      )}
      {request.lapsesAt !== null && (
        <p className="caption mt-24">
          {t(request.kind === 'deposit' ? 'wallet.lapsesDeposit' : 'wallet.lapses', {
            time: formatDateTime(request.lapsesAt, tag),
          })}
        </p>
      )}
      <HistoryList request={request} />
      {request.kind === 'deposit' && request.txid === null && <ProofPicture id={request.id} />}
      {request.canCancel && <TakeBack request={request} />}
      {isFinal('deposit', request.status) && <Onwards request={request} {...(onAgain ? { onAgain } : {})} />}
      <p className="caption mt-24">
        {t(request.kind === 'deposit' ? 'log.ofDeposit' : 'log.ofWithdrawal', { id: request.id })}
      </p>
    </article>
  );
}

/** Whether the request ended without a payment: a withdrawal's whole amount is back, a deposit credited nothing. */
const isReturned = ({ status }: Request): boolean => isFinal('deposit', status) && status !== 'success';

const shownAmount = (request: Request): string =>
  request.kind === 'deposit' ? (request.credited ?? request.amount) : request.amount;

function DepositFacts({ request }: { request: Extract<Request, { kind: 'deposit' }> }) {
  const { t } = useText();
  const network = request.network === 'bank' ? t('deposit.bankTransfer') : request.network;
  return (
    <Facts columns={1} className={`card ${css.facts}`}>
      <Fact name={t('deposit.channel')}>{`${request.asset} · ${network}`}</Fact>
      <Fact name={t('wallet.claimed')}>{money(request.amount, request.asset)}</Fact>
      {request.found !== null && <Fact name={t('wallet.found')}>{money(request.found, request.asset)}</Fact>}
      {!isReturned(request) && <Fact name={t('wallet.fee')}>{money(request.fee, request.asset)}</Fact>}
      <Fact name={t('wallet.credited')}>
        {request.credited === null ? t('wallet.notYet') : money(request.credited, request.asset)}
      </Fact>
      {request.reference !== null && (
        <Fact name={t('deposit.reference')}>
          <span className={`inline-row breaks wraps ${css.reference}`}>
            {request.reference}
            <Copy text={request.reference} what={t('deposit.reference')} isBare />
          </span>
        </Fact>
      )}
      {request.txid !== null && (
        <Fact name={t('deposit.chain.transaction')}>
          <span className={`inline-row breaks wraps ${css.reference}`}>
            {request.txid}
            <Copy text={request.txid} what={t('deposit.chain.transaction')} isBare />
          </span>
        </Fact>
      )}
    </Facts>
  );
}

function WithdrawalFacts({ request }: { request: Extract<Request, { kind: 'withdrawal' }> }) {
  const { t, tag } = useText();
  const second = useSecond();
  return (
    <Facts columns={1} className={`card ${css.facts}`}>
      <Fact name={t('withdrawal.destination')}>{request.destination.label}</Fact>
      {isReturned(request) ? (
        <Fact name={t('withdrawal.returned')}>{money(request.amount, request.asset)}</Fact>
      ) : (
        <>
          <Fact name={t('wallet.fee')}>{money(request.fee, request.asset)}</Fact>
          <Fact name={t(request.status === 'success' ? 'withdrawal.arrived' : 'withdrawal.arrives')}>
            {money(request.arrives, request.asset)}
          </Fact>
        </>
      )}
      {request.payableAt !== null && request.payableAt > second && (
        <Fact name={t('withdrawal.approvableFrom')}>{formatDateTime(request.payableAt, tag)}</Fact>
      )}
      {request.payout !== null && <OnChain payout={request.payout} />}
      {request.reference !== null && request.payout === null && (
        <Fact name={t('withdrawal.reference')}>
          <span className={`inline-row breaks wraps ${css.reference}`}>
            {request.reference}
            <Copy text={request.reference} what={t('withdrawal.reference')} isBare />
          </span>
        </Fact>
      )}
    </Facts>
  );
}

function OnChain({ payout }: { payout: NonNullable<Extract<Request, { kind: 'withdrawal' }>['payout']> }) {
  const { t } = useText();
  const { state, network, txid, link, confirmations, needed } = payout;
  return (
    <>
      <Fact name={network}>
        <span role="status" data-payout={state}>
          {t(`withdrawal.chain.${state}`, { confirmations, needed })}
        </span>
      </Fact>
      {txid !== null && (
        <Fact name={t('deposit.chain.transaction')}>
          <span className={`inline-row breaks wraps ${css.reference}`}>
            {link === null ? (
              txid
            ) : (
              <a href={link} target="_blank" rel="noopener noreferrer nofollow" translate="no">
                {txid}
              </a>
            )}
            <Copy text={txid} what={t('deposit.chain.transaction')} isBare />
          </span>
        </Fact>
      )}
    </>
  );
}

/** Each step with its time. A request that was only submitted shows the stages instead, which have that time. */
function HistoryList({ request }: { request: RequestWithHistory }) {
  const { t, tag } = useText();
  if (request.history.length === 0) return null;
  if (request.status === 'review' && request.history.length === 1) return null;
  return (
    <section className={`mt-24 ${css.history}`}>
      <h2 className="mb-12">{t('wallet.history')}</h2>
      <ol>
        {[...request.history].reverse().map((entry) => (
          <li key={`${entry.time}${entry.step}`} data-step={entry.step}>
            <b>{t(`wallet.step.${entry.step}`)}</b>
            <small>
              {formatDateTime(entry.time, tag)}
              {' · '}
              {t(`wallet.by.${entry.by === 'house' && entry.step !== 'lapsed' ? 'chain' : entry.by}`)}
            </small>
            {entry.reason !== null && entry.reason !== request.reason && <small>{entry.reason}</small>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Onwards({ request, onAgain }: { request: Request; onAgain?: () => void }) {
  const { t } = useText();
  const isDeposit = request.kind === 'deposit';
  const again = t(isDeposit ? 'deposit.another' : 'withdrawal.another');
  const [href, label] =
    request.status === 'success'
      ? ['/changeLog', t('wallet.toLog')]
      : [isDeposit ? '/recharge' : '/with', again];
  return (
    <div className="mt-24">
      {onAgain && request.status !== 'success' ? (
        <Button isBlock onClick={onAgain}>
          {again}
        </Button>
      ) : (
        <Link href={href} className={buttonClass} data-look="line" data-block>
          {label}
        </Link>
      )}
    </div>
  );
}

function TakeBack({ request }: { request: Request }) {
  const { t } = useText();
  const [isOpen, setOpen] = useState(false);
  const form = useForm();
  const confirm = async () => {
    await takeBack(request).catch((error: unknown) => {
      // The request may have been decided meanwhile: refetch and show its present state.
      void queryClient.invalidateQueries();
      throw error;
    });
    useToast.getState().show(t('wallet.takenBack'));
    setOpen(false);
  };
  return (
    <div className="mt-24">
      <Button isBlock onClick={() => setOpen(true)}>
        {t('wallet.takeBack')}
      </Button>
      <Dialog title={t('wallet.takeBack')} isOpen={isOpen} onClose={() => setOpen(false)}>
        <p className={css.ask}>
          {t(request.kind === 'deposit' ? 'wallet.takeBackDeposit' : 'wallet.takeBackWithdrawal')}
        </p>
        <div className="stack gap-10">
          <Button look="gold" isBlock disabled={form.isBusy} onClick={() => form.send(confirm)}>
            {t('wallet.takeBackYes')}
          </Button>
          <Button isBlock onClick={() => setOpen(false)}>
            {t('wallet.takeBackNo')}
          </Button>
        </div>
      </Dialog>
    </div>
  );
}

function ProofPicture({ id }: { id: string }) {
  const { t } = useText();
  const { url, error } = useStoredPicture('recharge/proof', id);
  return (
    <section className={`mt-24 ${css.history}`}>
      <h2 className="mb-12">{t('deposit.proof')}</h2>
      {url ? (
        <img className={css.proof} src={url} alt={t('wallet.proofAlt')} />
      ) : error ? (
        <p className="caption mt-8">{t('wallet.proofAbsent')}</p>
      ) : (
        <Skeleton width={96} height={120} />
      )}
      <p className="caption mt-8">{t('wallet.proofNote')}</p>
    </section>
  );
}
