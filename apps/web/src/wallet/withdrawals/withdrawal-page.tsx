import { amountTyped } from '@fairtick/money';
import type { WithdrawalRequest, WithdrawOptions } from '@fairtick/protocol';
import { buttonClass, Field, HourglassIcon, Notice } from '@fairtick/ui';
import { durationText } from '@fairtick/ui/durations';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { get, post } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.tsx';
import { useSecond } from '../../live/clock.ts';
import { useText } from '../../messages/text-context.tsx';
import { keyFor, useDraft, wasSent } from '../../parts/draft.ts';
import { QueryFault } from '../../parts/loaded.tsx';
import { pageOf } from '../../parts/page.tsx';
import { FreezeNotes, useFreezes } from '../../shell/freeze-notes.tsx';
import { Link } from '../../shell/link.tsx';
import { useNavbar } from '../../shell/navbar.tsx';
import { go } from '../../shell/navigate.ts';
import { formatAmount, formatDateTime, formatPublic, sentences } from '../../state/format.ts';
import { useSession } from '../../state/session.ts';
import { AmountField } from '../parts/amount-field.tsx';
import { FormSkeleton } from '../parts/page-states.tsx';
import parts from '../parts/parts.module.css';
import { SendButton } from '../parts/send-button.tsx';
import { Stages } from '../parts/stages.tsx';
import { SubmittedRequest } from '../parts/submitted-request.tsx';
import { DestinationChoice, Method } from './destination-choice.tsx';
import { MissingSteps, STEPS } from './missing-steps.tsx';
import {
  chooseAsset,
  EMPTY_WITHDRAWAL,
  errors,
  summarise,
  type WithdrawalForm,
  type WithdrawalSummary,
} from './withdrawal-model.ts';

/** `/with`: missing steps; destination, amount, what arrives and when. */
export default pageOf('wallet', Withdraw);

const OPTIONS = ['wallet', 'options'];
const DRAFT = 'withdrawal';

function Withdraw() {
  const { t } = useText();
  const [submitted, setSubmitted] = useState<WithdrawalRequest | null>(null);
  const isFrozen = useFreezes('withdrawals').length > 0;
  useNavbar(
    useMemo(
      () => ({ rightText: t('wallet.records'), onClickRight: () => go('/accessLog?type=withdrawal') }),
      [t],
    ),
  );
  const query = useQuery({
    queryKey: OPTIONS,
    queryFn: ({ signal }) => get('withdraw/options', {}, { signal }),
    // Refetches on return, so that a step completed elsewhere shows at once.
    staleTime: 0,
  });
  if (submitted) {
    return <SubmittedRequest kind="withdrawal" request={submitted} onAnother={() => setSubmitted(null)} />;
  }
  if (isFrozen) {
    return (
      <div className="page">
        <FreezeNotes what="withdrawals" />
      </div>
    );
  }
  if (query.isPending) return <FormSkeleton />;
  if (!query.data) return <QueryFault error={query.error} onAgain={() => void query.refetch()} />;
  return <WithdrawalFields options={query.data} onSubmitted={setSubmitted} />;
}

/** The withdrawal password is not kept in the draft. */
const kept = (form: WithdrawalForm): WithdrawalForm => ({ ...form, payWord: '' });

interface WithdrawalProps {
  readonly options: WithdrawOptions;
  readonly onSubmitted: (request: WithdrawalRequest) => void;
}

function useWithdrawal({ options, onSubmitted }: WithdrawalProps) {
  const second = useSecond();
  const sending = useDraft<WithdrawalForm>(DRAFT, {
    values: { ...EMPTY_WITHDRAWAL, asset: firstAsset(options) },
    kept,
    shows: 'unanswered',
    // A resend skips the check: if the first one arrived, its amount is held. The server recognises it by its key.
    check: (values): ReturnType<typeof errors> => errors(values, facts, wasSent(DRAFT, content)),
  });
  const form = sending.values;
  const balance = useSession((state) => state.userInfo?.balances.find(({ asset }) => asset === form.asset));
  const isNamePending = useSession((state) => state.userInfo?.realStatus === 'pending');
  const facts = { options, available: balance?.available ?? null, nowMs: second, isNamePending };
  const summary = summarise(form, facts);
  const amount = amountTyped(form.amount) ?? '';
  const content = JSON.stringify([summary.destination?.id, form.asset, amount, summary.terms?.fee]);
  const send = async () => {
    const fields = {
      destinationId: summary.destination?.id ?? '',
      asset: form.asset ?? '',
      amount,
      ...(summary.terms ? { fee: summary.terms.fee } : {}),
      payWord: form.payWord,
    };
    const request = await post('withdraw/submit', fields, { idempotencyKey: keyFor(DRAFT, content) }).catch(
      (error: unknown) => {
        // The terms may have changed: refetch them and show them; nothing is resent automatically.
        void queryClient.invalidateQueries({ queryKey: OPTIONS });
        throw error;
      },
    );
    sending.forget();
    void queryClient.invalidateQueries({ queryKey: OPTIONS });
    onSubmitted(request);
  };
  return { sending, summary, send };
}

function WithdrawalFields(props: WithdrawalProps) {
  const { t, tag } = useText();
  const { options } = props;
  const { sending, summary, send } = useWithdrawal(props);
  const form = sending.values;
  return (
    <form className="page" onSubmit={sending.onSubmit(send)} noValidate>
      <Method
        options={options}
        form={form}
        fault={sending.faultOf('asset')}
        onChange={(asset) => {
          sending.clear('amount', 'asset');
          sending.set(chooseAsset(form, asset));
        }}
      />
      {summary.destination && (
        <DestinationChoice
          summary={summary}
          fault={sending.faultOf('destinationId')}
          onChange={(destinationId) => sending.set({ destinationId })}
        />
      )}
      <Amount asset={form.asset ?? ''} summary={summary} {...sending.field('amount')} />
      {summary.missing ? (
        <MissingSteps summary={summary} />
      ) : (
        <WithdrawalPassword {...sending.field('payWord')} />
      )}
      <HoldNote heldUntil={summary.heldUntil} />
      <Stages
        label={t('wallet.whatHappens')}
        stages={[
          {
            name: t('wallet.stage.submit'),
            note: t(summary.missing ? 'withdrawal.stageLater' : 'wallet.stage.now'),
            state: summary.missing ? 'ahead' : 'now',
          },
          {
            name: t('withdrawal.stageReview'),
            note: t('withdrawal.stageReviewNote', {
              time: durationText(options.reviewHours * 3_600_000, tag, 'long'),
            }),
            state: 'ahead',
          },
          {
            name: t('withdrawal.stagePaid'),
            note: t(summary.kind === 'bank' ? 'withdrawal.stageBankNote' : 'withdrawal.stagePaidNote'),
            state: 'ahead',
          },
        ]}
      />
      <Send summary={summary} sending={sending} />
    </form>
  );
}

const firstAsset = ({ destinations, assets }: WithdrawOptions): string | null =>
  assets.find(({ asset }) => destinations.some((bound) => bound.asset === asset))?.asset ??
  assets[0]?.asset ??
  null;

function Amount(props: {
  asset: string;
  value: string;
  summary: WithdrawalSummary;
  fault: string | null;
  onChange: (text: string) => void;
}) {
  const { t } = useText();
  const { terms, available, all, arrives } = props.summary;
  return (
    <section className={parts.section}>
      <AmountField
        label={t('withdrawal.amount')}
        placeholder={t('withdrawal.amountHint')}
        hint={
          terms
            ? t(terms.max === null ? 'withdrawal.atLeast' : 'withdrawal.bounds', {
                min: formatPublic(terms.min),
                max: formatPublic(terms.max ?? '0'),
              })
            : undefined
        }
        aside={t('withdrawal.available', {
          amount: `${available === null ? '–' : formatAmount(available)} ${props.asset}`,
        })}
        all={all}
        {...props}
      />
      <dl className={`mt-8 ${parts.sums}`}>
        <div>
          <dt className="ink-3">{t('wallet.fee')}</dt>
          <dd translate="no">{terms ? `${formatPublic(terms.fee)} ${terms.asset}` : '–'}</dd>
        </div>
        <div>
          <dt className="ink-3">{t('withdrawal.arrives')}</dt>
          <dd data-testid="arrives">{arrives === null ? '–' : `${formatPublic(arrives)} ${props.asset}`}</dd>
        </div>
      </dl>
    </section>
  );
}

function WithdrawalPassword(props: {
  value: string;
  fault: string | null;
  onChange: (text: string) => void;
}) {
  const { t } = useText();
  return (
    <section className={parts.section}>
      <Field
        label={t('withdrawal.password')}
        fault={props.fault}
        aside={
          <Link href="/setPayWord" className={`reach ${parts.linkButton}`}>
            {t('withdrawal.forgotPassword')}
          </Link>
        }
      >
        {(ids) => (
          <input
            {...ids}
            type="password"
            inputMode="numeric"
            autoComplete="off"
            maxLength={40}
            value={props.value}
            placeholder={t('withdrawal.passwordHint')}
            onChange={(event) => props.onChange(event.target.value)}
          />
        )}
      </Field>
    </section>
  );
}

function HoldNote({ heldUntil }: { heldUntil: WithdrawalSummary['heldUntil'] }) {
  const { t, tag } = useText();
  if (heldUntil === null)
    return (
      <p className={parts.remark}>
        <HourglassIcon size={16} />
        <span>{t('withdrawal.holdRule')}</span>
      </p>
    );
  return (
    <div className="mt-12">
      <Notice look="warn">
        {sentences(
          heldUntil === 'claim'
            ? t('withdrawal.holdClaim')
            : t('withdrawal.holdUntil', { time: formatDateTime(heldUntil, tag) }),
          t('withdrawal.heldRule'),
        )}
        {heldUntil === 'claim' && (
          <>
            {' '}
            <Link href="/security" className="link reach">
              {t('title.security')}
            </Link>
          </>
        )}
      </Notice>
    </div>
  );
}

function Send(props: {
  summary: WithdrawalSummary;
  sending: { readonly isBusy: boolean; readonly isUnanswered: boolean };
}) {
  const { summary, sending } = props;
  const { t } = useText();
  if (summary.missing) {
    const { prompt, name, path } = STEPS[summary.missing];
    const isPending = summary.steps.some((one) => one.step === summary.missing && one.isPending);
    return (
      <div className={parts.go}>
        <p className="secondary" role="status">
          {t(isPending ? 'withdrawal.prompt.pending' : prompt)}
        </p>
        <Link href={path} className={buttonClass} data-look={isPending ? 'line' : 'gold'} data-block>
          {t(name)}
        </Link>
      </div>
    );
  }
  return (
    <div className={parts.go}>
      <SendButton form={sending} word="withdrawal.submit" />
    </div>
  );
}
