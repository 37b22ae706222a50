import { amountTyped } from '@fairtick/money';
import type { DepositChannel, DepositRequest } from '@fairtick/protocol';
import { useMemo, useRef, useState } from 'react';
import { upload } from '../../api/upload.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useText } from '../../messages/text-context.tsx';
import { keyFor, useDraft } from '../../parts/draft.ts';
import { QueryFault } from '../../parts/loaded.tsx';
import { pageOf } from '../../parts/page.tsx';
import { useNavbar } from '../../shell/navbar.tsx';
import { go } from '../../shell/navigate.ts';
import { plainAmount } from '../../state/decimal-strings.ts';
import { formatPublic } from '../../state/format.ts';
import { AmountField } from '../parts/amount-field.tsx';
import { Choices } from '../parts/choices.tsx';
import { FormSkeleton } from '../parts/page-states.tsx';
import parts from '../parts/parts.module.css';
import { SendButton } from '../parts/send-button.tsx';
import { Stages } from '../parts/stages.tsx';
import { SubmittedRequest } from '../parts/submitted-request.tsx';
import { ChannelDetails } from './channel-details.tsx';
import { chooseChannel, type DepositForm, EMPTY_DEPOSIT, errors, summarise } from './deposit-model.ts';
import { OnChain } from './on-chain.tsx';
import { ProofField } from './proof-field.tsx';

/** `/recharge`: where to pay, the paid amount with its proof, and the request's status. */
export default pageOf('wallet', Deposit);

function Deposit() {
  const { t, language } = useText();
  const [submitted, setSubmitted] = useState<DepositRequest | null>(null);
  useNavbar(
    useMemo(
      () => ({ rightText: t('wallet.records'), onClickRight: () => go('/accessLog?type=deposit') }),
      [t],
    ),
  );
  const query = useAnswer('recharge/channels', { language }, { isSilent: false });
  if (submitted) {
    return <SubmittedRequest kind="deposit" request={submitted} onAnother={() => setSubmitted(null)} />;
  }
  if (query.isPending) return <FormSkeleton />;
  if (!query.data) return <QueryFault error={query.error} onAgain={() => void query.refetch()} />;
  return <DepositFields channels={query.data} onSubmitted={setSubmitted} />;
}

const DRAFT = 'deposit';

const coinsFirst = (channels: readonly DepositChannel[]) =>
  [...channels].sort((a, b) => Number(a.bank !== null) - Number(b.bank !== null));

const label = (channel: DepositChannel, bank: string) =>
  channel.bank === null
    ? { label: channel.asset, note: channel.network }
    : { label: bank, note: channel.asset };

interface DepositProps {
  readonly channels: readonly DepositChannel[];
  readonly onSubmitted: (request: DepositRequest) => void;
}

function useDeposit({ channels, onSubmitted }: DepositProps) {
  const [progress, setProgress] = useState<number | null>(null);
  const abort = useRef<AbortController | null>(null);
  const sending = useDraft<DepositForm<File>>(DRAFT, {
    values: { ...EMPTY_DEPOSIT, channelId: channels[0]?.id ?? null },
    shows: 'unanswered',
    check: (values) => errors(values, channels),
  });
  const form = sending.values;
  const amount = amountTyped(form.amount) ?? '';
  const content = JSON.stringify([form.channelId, amount, form.proof?.name, form.proof?.lastModified]);
  const send = async () => {
    abort.current = new AbortController();
    setProgress(0);
    try {
      const request = await upload(
        'recharge/submit',
        {
          fields: { channelId: form.channelId ?? '', amount },
          pictures: { proof: form.proof as File },
        },
        { idempotencyKey: keyFor(DRAFT, content), onProgress: setProgress, signal: abort.current.signal },
      );
      sending.forget();
      onSubmitted(request);
    } finally {
      setProgress(null);
    }
  };
  const onProof = (proof: File | null) => {
    // During an upload the remove button aborts it; the picture stays for another try.
    if (sending.isBusy) abort.current?.abort();
    else sending.set({ proof });
  };
  return { sending, send, progress, onProof };
}

function DepositFields(props: DepositProps) {
  const { t } = useText();
  const { channels } = props;
  const { sending, send, progress, onProof } = useDeposit(props);
  const form = sending.values;
  const { channel, preset } = summarise(form, channels);
  return (
    <form className="page" onSubmit={sending.onSubmit(send)} noValidate>
      <section className={parts.section}>
        <div className={`secondary ${parts.head}`}>
          <h2>{t('deposit.channel')}</h2>
        </div>
        <Choices
          label={t('deposit.channel')}
          name="channel"
          value={form.channelId}
          options={coinsFirst(channels).map((one) => ({
            value: one.id,
            ...label(one, t('deposit.bankTransfer')),
          }))}
          fault={sending.faultOf('channelId')}
          onChange={(id) => sending.set(chooseChannel(form, id, channels))}
        />
        {channel && <ChannelDetails channel={channel} />}
      </section>
      {channel !== null && channel.confirmations !== null ? (
        <OnChain channel={channel} />
      ) : (
        <>
          <Amount channel={channel} preset={preset} {...sending.field('amount')} />
          <ProofField
            proof={form.proof}
            fault={sending.faultOf('proof')}
            progress={progress}
            onChange={onProof}
          />
          <Stages
            label={t('wallet.whatHappens')}
            stages={[
              { name: t('wallet.stage.submit'), note: t('wallet.stage.now'), state: 'now' },
              { name: t('wallet.stage.review'), note: t('deposit.stageReview'), state: 'ahead' },
              { name: t('deposit.stageCredited'), note: t('deposit.stageCreditedNote'), state: 'ahead' },
            ]}
          />
          <div className={parts.go}>
            {!sending.isUnanswered && <p className="caption">{t('deposit.proofNote')}</p>}
            <SendButton form={sending} word="deposit.submit" />
          </div>
        </>
      )}
    </form>
  );
}

function Amount(props: {
  channel: DepositChannel | null;
  value: string;
  preset: string | null;
  fault: string | null;
  onChange: (text: string) => void;
}) {
  const { t } = useText();
  const { channel } = props;
  return (
    <section className={parts.section}>
      <AmountField
        label={t('deposit.amount')}
        placeholder={t('deposit.amountHint')}
        aside={
          channel
            ? t('wallet.range', { min: formatPublic(channel.min), max: formatPublic(channel.max) })
            : undefined
        }
        asset={channel?.asset ?? ''}
        {...props}
      />
      {channel && channel.presets.length > 0 && (
        <fieldset className="amounts mt-8" aria-label={t('deposit.presets')}>
          {channel.presets.map((preset) => (
            <button
              key={preset}
              type="button"
              className="reach"
              aria-pressed={preset === props.preset}
              onClick={() => props.onChange(plainAmount(preset))}
            >
              {formatPublic(preset).replace(/\.00$/, '')}
            </button>
          ))}
        </fieldset>
      )}
    </section>
  );
}
