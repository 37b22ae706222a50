import type { Data } from '@fairtick/protocol';
import { Button, buttonClass, CheckIcon, LockIcon, Notice, Tag } from '@fairtick/ui';
import { useState } from 'react';
import css from '../account/account.module.css';
import { RecoveryCodes } from '../account/recovery-codes.tsx';
import { post } from '../api/client.ts';
import { queryClient } from '../api/query-client.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { pageOf } from '../parts/page.tsx';
import { useForm } from '../parts/use-form.ts';
import { Waiting } from '../parts/waiting.tsx';
import { Link } from '../shell/link.tsx';
import { formatDateTime, formatMoment } from '../state/format.ts';
import { useSession } from '../state/session.ts';
import { useToast } from '../state/toast.ts';
import own from './security.module.css';
import { TotpForm } from './totp-form.tsx';

type Factor = Data<'factors'>['factors'][number];
type Sheet = { kind: 'totp'; totp: Data<'beginTotp'> } | { kind: 'remove'; id: string };

/** `/security`: the second factors and the recovery codes, and an open claim of the account. */
export default pageOf('security', Security);

function Security() {
  const { t } = useText();
  const account = useSession((state) => state.userInfo?.account ?? '');
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const query = useAnswer('user/factors');
  if (codes) {
    const leave = () => {
      setCodes(null);
      void query.refetch();
    };
    return <RecoveryCodes codes={codes} account={account} onDone={leave} />;
  }
  return (
    <div className="page">
      {query.data?.claim && <Claim claim={query.data.claim} />}
      <p className={`secondary ${css.lead}`}>{t('security.lead')}</p>
      <Loaded query={query} waiting={<Waiting heights={[120, 120]} />}>
        {({ factors, claim, recoveryCodes }) => (
          <>
            <Factors factors={factors} isMain={claim === null} />
            <Codes left={recoveryCodes} onNew={setCodes} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Claim({ claim }: { claim: NonNullable<Data<'factors'>['claim']> }) {
  const { t, tag } = useText();
  const form = useForm();
  const object = async () => {
    await post('user/objectToClaim');
    useToast.getState().show(t('security.claimDone'));
    await queryClient.invalidateQueries();
  };
  return (
    <div className="stack gap-10 mb-16">
      <Notice look="bad">
        {t('security.claim', {
          time: formatMoment(claim.at, tag),
          until: formatMoment(claim.holdsUntil, tag),
        })}
        <br />
        {claim.objectedAt === null
          ? t('security.claimAsk')
          : t('security.claimObjected', { time: formatMoment(claim.objectedAt, tag) })}
      </Notice>
      {claim.objectedAt === null && (
        <>
          <Button isBlock look="gold" disabled={form.isBusy} onClick={() => form.send(object)}>
            {t('security.claimObject')}
          </Button>
          <Link href="/chat" className={buttonClass} data-look="line" data-block>
            {t('security.claimNotMine')}
          </Link>
        </>
      )}
    </div>
  );
}

function useFactors() {
  const { t } = useText();
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const form = useForm();
  const close = () => setSheet(null);
  const done = async (text: string) => {
    close();
    useToast.getState().show(text);
    await queryClient.invalidateQueries();
  };
  const addTotp = async () => setSheet({ kind: 'totp', totp: await post('user/beginTotp') });
  const addPasskey = async () => {
    const { options } = await post('user/beginPasskey');
    const { makePasskey } = await import('../account/passkey.ts');
    const made = await makePasskey(options);
    if ('fault' in made) return useToast.getState().show(t(`passkey.${made.fault}`), { isFault: true });
    await post('user/confirmPasskey', { label: t('security.passkey'), passkey: made.passkey });
    await done(t('security.added'));
  };
  const remove = async (id: string) => {
    await post('user/removeFactor', { id });
    await done(t('security.removed'));
  };
  return { sheet, setSheet, form, close, done, addTotp, addPasskey, remove };
}

/** The second factors. Adding one is the main thing to do here, unless a claim waits for an answer. */
function Factors({ factors, isMain }: { factors: readonly Factor[]; isMain: boolean }) {
  const { t } = useText();
  const { sheet, setSheet, form, close, done, addTotp, addPasskey, remove } = useFactors();
  return (
    <section aria-labelledby="factors">
      <h2 id="factors" className={own.heading}>
        {t('security.factors')}
      </h2>
      {factors.length === 0 ? (
        <div className={`card flex gap-12 p-16 ink-2 ${own.nothing}`}>
          <LockIcon size={22} />
          <p>
            <b>{t('security.none')}</b>
            <span className="text-13">{t('security.noneHint')}</span>
          </p>
        </div>
      ) : (
        <ul className="card lined">
          {factors.map((factor) => (
            <FactorRow
              key={factor.id}
              factor={factor}
              onRemove={() => setSheet({ kind: 'remove', id: factor.id })}
            />
          ))}
        </ul>
      )}
      <div className={own.actions}>
        <Button
          isBlock
          look={factors.length === 0 && isMain ? 'gold' : 'line'}
          disabled={form.isBusy}
          onClick={() => form.send(addTotp)}
        >
          {t('security.addTotp')}
        </Button>
        <Button isBlock disabled={form.isBusy} onClick={() => form.send(addPasskey)}>
          {t('security.addPasskey')}
        </Button>
      </div>
      <p className="note mt-10">{t('security.addNote')}</p>
      <Dialog title={t('security.addTotp')} isOpen={sheet?.kind === 'totp'} onClose={close}>
        {sheet?.kind === 'totp' && (
          <TotpForm totp={sheet.totp} onDone={() => void done(t('security.added'))} />
        )}
      </Dialog>
      <Dialog title={t('security.removeTitle')} isOpen={sheet?.kind === 'remove'} onClose={close}>
        <p className="secondary">{t('security.removeText')}</p>
        <div className="halves gap-10 mt-20">
          <Button onClick={close}>{t('security.keep')}</Button>
          <Button
            look="gold"
            disabled={form.isBusy}
            onClick={() => sheet?.kind === 'remove' && form.send(() => remove(sheet.id))}
          >
            {t('security.remove')}
          </Button>
        </div>
      </Dialog>
    </section>
  );
}

function FactorRow({ factor, onRemove }: { factor: Factor; onRemove: () => void }) {
  const { t, tag } = useText();
  return (
    <li className={css.row}>
      <div>
        <p className={`row wrap ${own.name}`}>
          <CheckIcon size={16} />
          {t(`security.${factor.kind}`)}
        </p>
        <small>{t('security.since', { time: formatDateTime(factor.createdAt, tag) })}</small>
        <small>
          {factor.lastUsedAt === null
            ? t('security.never')
            : t('security.used', { time: formatDateTime(factor.lastUsedAt, tag) })}
        </small>
      </div>
      <Button size="small" onClick={onRemove}>
        {t('security.remove')}
      </Button>
    </li>
  );
}

function Codes({ left, onNew }: { left: number; onNew: (codes: readonly string[]) => void }) {
  const { t } = useText();
  const form = useForm();
  const renew = async () => onNew((await post('user/newRecoveryCodes')).recoveryCodes);
  return (
    <section aria-labelledby="codes">
      <h2 id="codes" className={own.heading}>
        {t('security.codes')}
        <Tag>{t('security.codesLeft', { count: left })}</Tag>
      </h2>
      <p className="secondary">{t('security.codesText')}</p>
      <div className={own.actions}>
        <Button isBlock disabled={form.isBusy} onClick={() => form.send(renew)}>
          {t('security.codesNew')}
        </Button>
      </div>
      <p className="note mt-10">{t('security.codesVoid')}</p>
    </section>
  );
}
