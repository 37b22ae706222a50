import type { OfficeData } from '@fairtick/protocol/office';
import { post } from '../api/client.ts';
import { ONE_VIEW, useGet, useHas, useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Stated } from '../proposals/decision.tsx';
import css from '../proposals/proposals.module.css';
import { Dialog } from '../shell/dialog.tsx';
import { Action, buttonsClass, FormFault, formClass, useForm } from '../shell/form.tsx';
import { withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import { PAYOUTS, refreshPayouts } from './refresh.ts';

type Batch = OfficeData<'payout/detail'>;
/** Groups of a hash, so that two people can read it to each other. */
const GROUP = /.{8}/g;

/** Shows the hash of a batch, each payment in words, and the reader's next step. Each reading is recorded for the customers. */
export function BatchDialog({ id, onOpen }: { id: string; onOpen: (id: string | null) => void }) {
  const { t } = useText();
  const { data } = useGet([PAYOUTS, 'batch'], 'payout/detail', { id }, ONE_VIEW);
  return (
    <Dialog title={t('payouts.batch', { id })} isOpen onClose={() => onOpen(null)}>
      {data && (
        <div className={`${formClass} ${css.decision}`}>
          <dl className={css.stated}>
            <Stated name={t('staff.proposedBy')} value={data.proposedBy.name} />
            <Stated name={t('payouts.from')} value={`${data.from} (${data.network})`} />
            <Stated name={t('payouts.mostFee')} value={data.mostFee} />
            {data.expiresAt !== null && (
              <Stated name={t('payouts.expires')} value={formatTime(data.expiresAt)} />
            )}
            {data.change !== null && <Stated name={t('payouts.change')} value={data.change} />}
            <Stated
              name={t('payouts.hash')}
              value={
                <code className="breaks" data-hash={data.content}>
                  {data.content.match(GROUP)?.join(' ')}
                </code>
              }
            />
          </dl>
          {data.cancels && <p className="bad">{t('payouts.cancelsText')}</p>}
          {data.isExpired && <p className="bad">{t('payouts.expiredText')}</p>}
          <ol className="stack gap-12">
            {data.outputs.map((output) => (
              <Output key={output.nonce} output={output} />
            ))}
          </ol>
          <Steps batch={data} onOpen={onOpen} />
        </div>
      )}
    </Dialog>
  );
}

function Output({ output }: { output: Batch['outputs'][number] }) {
  const { t, word } = useText();
  const { nonce, withdrawal, asset, amount, to, contract, state, reason, txid, link } = output;
  return (
    <li className="breaks">
      {t('payouts.output', { amount: withAsset(amount, asset), to, withdrawal })}
      <small className="breaks">
        {contract === '' ? t('payouts.place', { nonce }) : t('payouts.details', { nonce, contract })}
      </small>
      {state !== null && (
        <small className="breaks">
          {reason === null ? word('payoutState', state) : word('payoutReason', reason)}{' '}
          {txid !== null && (
            <a
              className={link === null ? undefined : 'link'}
              href={link ?? undefined}
              target="_blank"
              rel="noopener noreferrer nofollow"
            >
              {txid}
            </a>
          )}
        </small>
      )}
    </li>
  );
}

function Steps({ batch, onOpen }: { batch: Batch; onOpen: (id: string | null) => void }) {
  const { t } = useText();
  const has = useHas();
  const form = useForm();
  const show = useToast((state) => state.show);
  const isOwn = batch.proposedBy.id === useMe().data?.id;
  const { id, content } = batch;
  const act = (work: () => Promise<string | null>, said: string) =>
    form.send(async () => {
      const next = await work();
      show(said);
      await refreshPayouts();
      onOpen(next);
    });
  const decide = (verdict: 'agree' | 'refuse') => async () => {
    await post('payout/decide', { id, content, verdict });
    return null;
  };
  const isOpen =
    batch.replacedBy === null && ['prepared', 'sending', 'sent'].some((state) => state in batch.states);
  return (
    <>
      <FormFault text={form.fault} />
      <div className={`${buttonsClass} row wrap`}>
        {batch.status === 'proposed' && (
          <>
            <Action
              isRefusal={!isOwn}
              disabled={form.isBusy}
              onClick={() => void act(decide('refuse'), t('payouts.doneRefused'))}
            >
              {t(isOwn ? 'decision.withdraw' : 'staff.refuse')}
            </Action>
            {has('approver') && !isOwn && (
              <Action
                look="gold"
                meaning={t('payouts.agree')}
                disabled={form.isBusy}
                onClick={() => void act(decide('agree'), t('payouts.doneAgreed'))}
              >
                {t('payouts.agree')}
              </Action>
            )}
          </>
        )}
        {batch.status === 'done' &&
          batch.signedAt === null &&
          batch.replacedBy === null &&
          !batch.isExpired &&
          has('cashier') && (
            <>
              <a className="link" href={`/api/payout/file?${new URLSearchParams({ id })}`} download="">
                {t('payouts.download')}
              </a>
              <label className="framed file row gap-8 ink-2">
                {t('payouts.upload')}
                <input
                  type="file"
                  accept=".json"
                  className="cover"
                  disabled={form.isBusy}
                  onChange={(event) => {
                    const [file] = event.target.files ?? [];
                    if (file) void act(() => sign(id, file), t('payouts.doneSigned'));
                  }}
                />
              </label>
            </>
          )}
        {isOpen && (batch.expiresAt === null || batch.isExpired) && has('cashier') && (
          <Action
            disabled={form.isBusy}
            onClick={() => void act(() => replace(id, 'faster'), t('payouts.doneReplaced'))}
          >
            {t(batch.isExpired ? 'payouts.renew' : 'payouts.replace')}
          </Action>
        )}
        {isOpen && batch.expiresAt === null && has('cashier') && (
          <Action
            isRefusal
            disabled={form.isBusy}
            onClick={() => void act(() => replace(id, 'cancel'), t('payouts.doneReplaced'))}
          >
            {t('payouts.cancel')}
          </Action>
        )}
      </div>
    </>
  );
}

async function sign(id: string, file: File): Promise<null> {
  await post('payout/sign', { id, file: await file.text() });
  return null;
}

const replace = async (id: string, how: 'faster' | 'cancel'): Promise<string> =>
  (await post('payout/replace', { id, how })).id;
